#include "python/python_state.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string_view>

#include "random.hpp"

namespace honte::python {

namespace {

// Method names, interned once: a call by an interned name is a pointer comparison.
struct Names {
  PyObject* current_player = PyUnicode_InternFromString("current_player");
  PyObject* is_terminal = PyUnicode_InternFromString("is_terminal");
  PyObject* legal_actions = PyUnicode_InternFromString("legal_actions");
  PyObject* apply_action = PyUnicode_InternFromString("apply_action");
  PyObject* returns = PyUnicode_InternFromString("returns");
  PyObject* clone = PyUnicode_InternFromString("clone");
  PyObject* key = PyUnicode_InternFromString("key");
  PyObject* graph_key = PyUnicode_InternFromString("graph_key");
};

const Names& names() {
  static const Names interned;
  return interned;
}

nb::object call(nb::handle object, PyObject* method) {
  PyObject* arguments[] = {object.ptr()};
  PyObject* result = PyObject_VectorcallMethod(method, arguments, 1, nullptr);
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

nb::object call(nb::handle object, PyObject* method, Action action) {
  nb::object number = nb::steal(PyLong_FromLong(action));
  PyObject* arguments[] = {object.ptr(), number.ptr()};
  PyObject* result = PyObject_VectorcallMethod(method, arguments, 2, nullptr);
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

// Any Python or numpy integer; throws python_error for anything else or for one out of range.
long to_long(nb::handle object) {
  long value;
  if (PyLong_Check(object.ptr())) {
    value = PyLong_AsLong(object.ptr());
  } else {
    nb::object index = nb::steal(PyNumber_Index(object.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    value = PyLong_AsLong(index.ptr());
  }
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

// A list or tuple of what the object holds, for PySequence_Fast_GET_ITEM.
nb::object sequence(nb::handle object) {
  PyObject* list = PySequence_Fast(object.ptr(), "it must return a sequence of numbers");
  if (!list) throw nb::python_error();
  return nb::steal(list);
}

std::string text_of(nb::handle object) {
  PyObject* text = PyObject_Str(object.ptr());
  if (!text) {
    PyErr_Clear();
    return "(its str() failed)";
  }
  return nb::cast<std::string>(nb::steal(text));
}

std::string repr_of(nb::handle object) {
  PyObject* text = PyObject_Repr(object.ptr());
  if (!text) {
    PyErr_Clear();
    return "(its repr() failed)";
  }
  std::string result = nb::cast<std::string>(nb::steal(text));
  return result.size() > 200 ? result.substr(0, 200) + "…" : result;
}

bool has_method(nb::handle object, const char* name) {
  return nb::hasattr(object, name) && PyCallable_Check(object.attr(name).ptr());
}

nb::object protocol_error() {
  return nb::module_::import_("honte.errors").attr("ProtocolError");
}

// "ValueError: what it says"
std::string described(const nb::python_error& error) {
  return text_of(error.type().attr("__name__")) + ": " + text_of(error.value());
}

std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = mix64(seed + bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i)
      word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * (i - at));
    hash = mix64(hash ^ word) + seed;
  }
  return hash;
}

}  // namespace

struct PythonState::Shared {
  nb::object object;
  std::vector<Action> legal;
  std::array<double, 2> returns{};
  int player = 0;
  bool terminal = false;
  bool knows_terminal = false, knows_player = false, knows_legal = false, knows_returns = false;

  explicit Shared(nb::object held) : object(std::move(held)) {}
  Shared(const Shared&) = delete;

  ~Shared() {
    if (!nb::is_alive()) {
      object.release();  // the interpreter has gone, and the object with it
      return;
    }
    nb::gil_scoped_acquire gil;
    object.reset();
  }
};

// Runs a call into the game; what the game raises becomes a breach. KeyboardInterrupt and the
// like, which are not the game's doing, pass, and so does a breach found inside.
template <class Call>
auto PythonState::guarded(const char* method, Call&& call) const {
  try {
    return call();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception) || error.matches(protocol_error())) throw;
    breach(std::string(method) + " raised " + described(error), &error);
  }
}

PythonState::PythonState(nb::handle object) {
  nb::gil_scoped_acquire gil;
  auto game = std::make_shared<Game>();
  game->name = text_of(object.type().attr("__name__"));
  game_ = game;
  shared_ = std::make_shared<Shared>(nb::borrow(object));
  for (const char* method : {"num_distinct_actions", "current_player", "legal_actions",
                             "apply_action", "is_terminal", "returns", "clone"})
    if (!has_method(object, method))
      breach(std::string("it has no method ") + method + "()");

  const auto ask_number = [&](const char* method, long lowest, long highest) {
    const long value = guarded(method, [&] { return to_long(object.attr(method)()); });
    if (value < lowest || value > highest)
      breach(std::string(method) + "() is " + std::to_string(value) + ", outside " +
             std::to_string(lowest) + " … " + std::to_string(highest));
    return static_cast<int>(value);
  };
  game->num_distinct_actions = ask_number("num_distinct_actions", 1, 1 << 24);
  if (has_method(object, "num_players")) game->num_players = ask_number("num_players", 1, 2);
  if (has_method(object, "num_symmetries"))
    game->num_symmetries = ask_number("num_symmetries", 1, 1024);
  if (game->num_symmetries > 1 && !has_method(object, "transform_action"))
    breach("it has num_symmetries() but no transform_action(action, symmetry)");
  game->has_key = has_method(object, "key");
  game->has_graph_key = has_method(object, "graph_key");
  shared_ = std::make_shared<Shared>(cloned(object));
}

nb::object PythonState::cloned(nb::handle object) const {
  return guarded("clone()", [&] {
    nb::object copy = call(object, names().clone);
    if (copy.is(object)) breach("clone() returned the state itself, not a copy");
    if (copy.is_none()) breach("clone() returned None");
    return copy;
  });
}

nb::object PythonState::clone_object() const {
  nb::gil_scoped_acquire gil;
  return cloned(shared_->object);
}

// Asked apart from the player, whom a rollout has no need to know.
bool PythonState::is_terminal() const {
  nb::gil_scoped_acquire gil;
  Shared& known = *shared_;
  if (!known.knows_terminal) {
    known.terminal = guarded("is_terminal()", [&] {
      nb::object answer = call(known.object, names().is_terminal);
      const int truth = PyObject_IsTrue(answer.ptr());
      if (truth < 0) throw nb::python_error();
      return truth == 1;
    });
    known.knows_terminal = true;
  }
  return known.terminal;
}

int PythonState::current_player() const {
  nb::gil_scoped_acquire gil;
  if (!shared_->knows_player) ask_player();
  return shared_->player;
}

void PythonState::ask_player() const {
  Shared& known = *shared_;
  if (is_terminal()) {
    known.player = kTerminalPlayer;
  } else {
    const long player = guarded("current_player()", [&] {
      return to_long(call(known.object, names().current_player));
    });
    if (player == -1)
      breach("current_player() is -1, a chance node: honte plays games without chance");
    if (player == -2)
      breach(
          "current_player() is -2, a simultaneous move: honte plays games with one mover at a "
          "time");
    if (player < 0 || player >= game_->num_players)
      breach("current_player() is " + std::to_string(player) +
             " while is_terminal() is False; it must be 0 … " +
             std::to_string(game_->num_players - 1));
    known.player = static_cast<int>(player);
  }
  known.knows_player = true;
}

void PythonState::legal_actions(std::vector<Action>& actions) const {
  nb::gil_scoped_acquire gil;
  Shared& known = *shared_;
  if (!known.knows_legal) {
    known.legal.clear();
    if (!is_terminal()) {
      guarded("legal_actions()", [&] {
        const nb::object list = sequence(call(known.object, names().legal_actions));
        const Py_ssize_t count = PySequence_Fast_GET_SIZE(list.ptr());
        known.legal.reserve(count);
        for (Py_ssize_t i = 0; i < count; ++i) {
          const long action = to_long(PySequence_Fast_GET_ITEM(list.ptr(), i));
          if (action < 0 || action >= game_->num_distinct_actions)
            breach("legal_actions() has " + std::to_string(action) + ", outside 0 … " +
                   std::to_string(game_->num_distinct_actions - 1));
          known.legal.push_back(static_cast<Action>(action));
        }
      });
      if (known.legal.empty()) breach("legal_actions() is empty while is_terminal() is False");
      if (!std::is_sorted(known.legal.begin(), known.legal.end()))
        std::sort(known.legal.begin(), known.legal.end());
      const auto twice = std::adjacent_find(known.legal.begin(), known.legal.end());
      if (twice != known.legal.end())
        breach("legal_actions() has " + std::to_string(*twice) + " more than once");
    }
    known.knows_legal = true;
  }
  actions.assign(known.legal.begin(), known.legal.end());
}

void PythonState::apply_action(Action action) {
  nb::gil_scoped_acquire gil;
  if (shared_.use_count() > 1) {
    shared_ = std::make_shared<Shared>(cloned(shared_->object));
  } else {
    shared_->knows_terminal = shared_->knows_player = shared_->knows_legal =
        shared_->knows_returns = false;
  }
  try {
    call(shared_->object, names().apply_action, action);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    breach("it refuses the legal action " + std::to_string(action) + ": apply_action() raised " +
               described(error),
           &error);
  }
  path_.push_back(action);
}

double PythonState::returns(int player) const {
  nb::gil_scoped_acquire gil;
  if (!shared_->knows_returns) ask_returns();
  return shared_->returns[player];
}

void PythonState::ask_returns() const {
  Shared& known = *shared_;
  nb::object answer = guarded("returns()", [&] { return call(known.object, names().returns); });
  guarded("returns()", [&] {
    const nb::object list = sequence(answer);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(list.ptr());
    if (count != game_->num_players)
      breach("returns() is " + repr_of(answer) + ", of length " + std::to_string(count) +
             "; a game of " + std::to_string(game_->num_players) +
             " needs one number for each player");
    for (Py_ssize_t i = 0; i < count; ++i) {
      const double value = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(list.ptr(), i));
      if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
      if (!(value >= -1.0 && value <= 1.0))
        breach("returns() is " + repr_of(answer) + "; each must lie in [-1, 1]");
      known.returns[i] = value;
    }
  });
  if (game_->num_players == 2 && std::abs(known.returns[0] + known.returns[1]) > 1e-9)
    breach("returns() is " + repr_of(answer) + "; a game of two must be zero-sum");
  known.knows_returns = true;
}

PositionKey PythonState::key() const {
  if (!game_->has_key) {
    static std::atomic<std::uint64_t> count = 0;
    return {count.fetch_add(1, std::memory_order_relaxed), ~std::uint64_t{0}};
  }
  return key_from(names().key, "key()");
}

PositionKey PythonState::graph_key() const {
  return game_->has_graph_key ? key_from(names().graph_key, "graph_key()") : key();
}

PositionKey PythonState::key_from(PyObject* method, const char* name) const {
  nb::gil_scoped_acquire gil;
  return guarded(name, [&]() -> PositionKey {
    nb::object key = call(shared_->object, method);
    if (PyLong_Check(key.ptr())) {
      std::uint64_t words[2];
      nb::object low = nb::steal(PyNumber_And(key.ptr(), nb::int_(~std::uint64_t{0}).ptr()));
      nb::object high = nb::steal(PyNumber_Rshift(key.ptr(), nb::int_(64).ptr()));
      if (!low.is_valid() || !high.is_valid()) throw nb::python_error();
      words[0] = PyLong_AsUnsignedLongLong(low.ptr());
      words[1] = PyLong_AsUnsignedLongLong(high.ptr());
      if (PyErr_Occurred()) {
        PyErr_Clear();
        breach(std::string(name) + " is " + repr_of(key) + "; an integer key must lie in 0 … 2**128 - 1");
      }
      return {words[0], words[1]};
    }
    std::string bytes;
    if (PyBytes_Check(key.ptr()))
      bytes.assign(PyBytes_AS_STRING(key.ptr()), PyBytes_GET_SIZE(key.ptr()));
    else if (PyUnicode_Check(key.ptr()))
      bytes = nb::cast<std::string>(key);
    else
      breach(std::string(name) + " is " + repr_of(key) + "; it must be an int, bytes or str");
    return {hash_bytes(bytes, 0x9e3779b97f4a7c15ull), hash_bytes(bytes, 0xc2b2ae3d27d4eb4full)};
  });
}

Action PythonState::transform_action(Action action, int symmetry) const {
  if (symmetry == 0) return action;
  nb::gil_scoped_acquire gil;
  const long image = guarded("transform_action()", [&] {
    return to_long(shared_->object.attr("transform_action")(action, symmetry));
  });
  if (image < 0 || image >= game_->num_distinct_actions)
    breach("transform_action(" + std::to_string(action) + ", " + std::to_string(symmetry) +
           ") is " + std::to_string(image) + ", outside 0 … " +
           std::to_string(game_->num_distinct_actions - 1));
  return static_cast<Action>(image);
}

nb::object PythonState::observe(int symmetry) const {
  if (!has_method(shared_->object, "observation_tensor"))
    breach("the evaluator asks for observations, and it has no method observation_tensor()");
  return guarded("observation_tensor()", [&] {
    nb::object method = shared_->object.attr("observation_tensor");
    // By keyword: OpenSpiel's one positional argument is a player.
    return symmetry == 0 ? method() : method(nb::arg("symmetry") = symmetry);
  });
}

int PythonState::observation_size() const {
  nb::gil_scoped_acquire gil;
  if (game_->observation_size < 0) {
    nb::object planes = observe(0);
    // An array may have any shape; its size counts the numbers, its length only the rows.
    game_->observation_size = guarded("observation_tensor()", [&] {
      nb::object size = nb::getattr(planes, "size", nb::none());
      return static_cast<int>(PyLong_Check(size.ptr()) ? to_long(size) : nb::len(planes));
    });
  }
  return game_->observation_size;
}

void PythonState::observation(std::span<float> planes, int symmetry) const {
  nb::gil_scoped_acquire gil;
  nb::object answer = observe(symmetry);
  const auto wrong_size = [&](std::size_t size) {
    breach("observation_tensor() has " + std::to_string(size) + " numbers here and " +
           std::to_string(planes.size()) + " elsewhere; its size must not change");
  };
  guarded("observation_tensor()", [&] {
    nb::ndarray<const float, nb::c_contig, nb::device::cpu> array;
    if (nb::try_cast(answer, array)) {
      if (array.size() != planes.size()) wrong_size(array.size());
      std::copy_n(array.data(), planes.size(), planes.begin());
      return;
    }
    const nb::object list = sequence(answer);
    const std::size_t count = PySequence_Fast_GET_SIZE(list.ptr());
    if (count != planes.size()) wrong_size(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(list.ptr(), i));
      if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
      planes[i] = static_cast<float>(value);
    }
  });
}

void PythonState::breach(const std::string& what, nb::python_error* cause) const {
  std::string message = "The game " + game_->name + " breaks the State protocol: " + what;
  if (path_.empty()) {
    message += ". This is the state the search was given";
  } else {
    message += ". The action that led there is " + std::to_string(path_.back());
    if (path_.size() > 1) {
      message += " (all since the search began:";
      for (Action action : path_) message += " " + std::to_string(action);
      message += ")";
    }
  }
  message += "; the state reads:\n" + text_of(shared_->object);
  nb::object type = protocol_error();
  if (cause) nb::raise_from(*cause, type, "%s", message.c_str());
  PyErr_SetString(type.ptr(), message.c_str());
  throw nb::python_error();
}

}  // namespace honte::python
