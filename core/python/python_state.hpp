// A game written in Python, as the search sees it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "games/state.hpp"

namespace honte::python {

namespace nb = nanobind;

// Wraps an object that follows honte.games.protocol.State: a class of the user's own or a
// pyspiel state. A search copies states far more often than it changes them, and a clone in
// Python costs more than everything else, so copies share the object and clone it only when
// a shared one is about to change. Copying and destroying need no GIL held; every other call
// takes it for itself. Like any value, one PythonState belongs to one thread at a time; copies
// of it may live on others.
//
// The object is trusted in nothing: a breach of the protocol throws nb::python_error holding
// honte.errors.ProtocolError, which names the game, the position and the actions that led to
// it, with the game's own exception as its cause.
class PythonState {
 public:
  // Clones the object, so that what its owner does to it later is no concern of the search.
  explicit PythonState(nb::handle object);

  int num_distinct_actions() const { return game_->num_distinct_actions; }
  int num_players() const { return game_->num_players; }
  int current_player() const;
  bool is_terminal() const;
  void legal_actions(std::vector<Action>& actions) const;
  void apply_action(Action action);
  double returns(int player) const;

  // Whether the object offers key(). Without one key() never repeats, so that nothing is ever
  // taken for the same position.
  bool has_key() const { return game_->has_key; }
  PositionKey key() const;

  // graph_key() where the object offers it, key() otherwise. The former may leave out what only the
  // past says, so that it is asked for at every step.
  PositionKey graph_key() const;
  bool graph_keys_follow() const { return !game_->has_graph_key; }

  int num_symmetries() const { return game_->num_symmetries; }
  Action transform_action(Action action, int symmetry) const;

  int observation_size() const;
  void observation(std::span<float> planes, int symmetry) const;

  // A clone of the object for Python to keep.
  nb::object clone_object() const;

 private:
  // What is the same for every position of the game.
  struct Game {
    std::string name;
    int num_distinct_actions = 0;
    int num_players = 2;
    int num_symmetries = 1;
    bool has_key = false;
    bool has_graph_key = false;
    mutable int observation_size = -1;  // unknown until somebody asks; guarded by the GIL
  };
  // The object with what it has answered so far; guarded by the GIL.
  struct Shared;

  nb::object cloned(nb::handle object) const;
  [[noreturn]] void breach(const std::string& what, nb::python_error* cause = nullptr) const;
  template <class Call>
  auto guarded(const char* method, Call&& call) const;
  PositionKey key_from(PyObject* method, const char* name) const;
  void ask_player() const;
  void ask_returns() const;
  nb::object observe(int symmetry) const;

  std::shared_ptr<const Game> game_;
  std::shared_ptr<Shared> shared_;
  std::vector<Action> path_;  // the actions since the object was handed over
};

static_assert(State<PythonState>);

}  // namespace honte::python
