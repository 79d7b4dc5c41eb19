// The small games as Python sees them, one class a game, all with the State protocol's methods.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "error.hpp"
#include "games/connect_four.hpp"
#include "games/gomoku.hpp"
#include "games/hex.hpp"
#include "games/othello.hpp"
#include "games/tictactoe.hpp"
#include "python/python_state.hpp"

namespace honte::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A board as Python gives and gets it: 0 empty, 1 the first player's, 2 the second's.
using Board = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BoardOut = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;
using Planes = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

template <class T>
nb::capsule owner_of(T* data) {
  return nb::capsule(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
}

std::span<const std::uint8_t> checked_cells(const Board& board, int to_play) {
  const std::span cells(board.data(), board.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] > 2)
      throw Error("The board has " + std::to_string(cells[i]) + " at row " +
                  std::to_string(i / board.shape(1)) + ", column " +
                  std::to_string(i % board.shape(1)) +
                  ": give 0 for an empty cell, 1 for the first player's and 2 for the second's.");
  if (to_play != 0 && to_play != 1)
    throw Error("The player to move is " + std::to_string(to_play) + ": give 0 or 1.");
  return cells;
}

template <class S>
BoardOut board_of(const S& state) {
  const std::size_t rows = state.rows(), columns = state.columns();
  auto* cells = new std::uint8_t[rows * columns];
  for (std::size_t i = 0; i < rows * columns; ++i)
    cells[i] = static_cast<std::uint8_t>(state.cell(i / columns, i % columns));
  return BoardOut(cells, {rows, columns}, owner_of(cells));
}

template <class S>
std::string text_of(const S& state) {
  std::string text;
  for (int row = 0; row < state.rows(); ++row) {
    if constexpr (requires { S::kRowIndent; }) text.append(row * S::kRowIndent, ' ');
    for (int column = 0; column < state.columns(); ++column) {
      if (column) text += ' ';
      text += ".xo"[state.cell(row, column)];
    }
    text += '\n';
  }
  if (!state.is_terminal()) return text + "xo"[state.to_play()] + " to play";
  const double result = state.returns(0);
  return text + (result > 0 ? "x has won" : result < 0 ? "o has won" : "drawn");
}

nb::int_ key_number(const PositionKey& key) {
  nb::object high = nb::steal(PyNumber_Lshift(nb::int_(key.high).ptr(), nb::int_(64).ptr()));
  return nb::borrow<nb::int_>(nb::steal(PyNumber_Or(high.ptr(), nb::int_(key.low).ptr())));
}

// Everything but construction, which differs from game to game.
template <class S>
nb::class_<S> bind_state(nb::module_& m, const char* name, const char* doc) {
  nb::class_<S> bound(m, name, doc);
  bound
      .def("num_distinct_actions", [](const S& state) { return state.num_distinct_actions(); },
           "The size A of the action space.")
      .def("num_players", [](const S&) { return S::num_players(); }, "Always 2.")
      .def("current_player", &S::current_player, "0 or 1, or -4 when the game is over.")
      .def("is_terminal", &S::is_terminal, "Whether the game is over.")
      .def(
          "legal_actions",
          [](const S& state) {
            std::vector<Action> actions;
            state.legal_actions(actions);
            return actions;
          },
          "The legal actions in ascending order; empty when the game is over.")
      .def(
          "apply_action",
          [](S& state, Action action) {
            if (!state.is_legal(action))
              throw Error(state.is_terminal()
                              ? "The action " + std::to_string(action) +
                                    " cannot be played: the game is over."
                              : "The action " + std::to_string(action) +
                                    " is not legal here: play one of legal_actions().");
            state.apply_action(action);
          },
          "action"_a, "Play a legal action in place. Raises HonteError if it is not legal.")
      .def(
          "returns",
          [](const S& state) {
            return std::vector<double>{state.returns(0), state.returns(1)};
          },
          "Each player's result: 1 won, -1 lost, 0 drawn or not over.")
      .def("clone", [](const S& state) { return S(state); }, "An independent copy.")
      .def("key", [](const S& state) { return key_number(state.key()); },
           "An integer of 128 bits that names the position.")
      .def("num_symmetries", [](const S& state) { return state.num_symmetries(); },
           "How many symmetries of the board keep the rules; number 0 changes nothing.")
      .def(
          "transform_action",
          [](const S& state, Action action, int symmetry) {
            if (action < 0 || action >= state.num_distinct_actions() || symmetry < 0 ||
                symmetry >= state.num_symmetries())
              throw Error("Action " + std::to_string(action) + " under symmetry " +
                          std::to_string(symmetry) + ": give an action below " +
                          std::to_string(state.num_distinct_actions()) + " and a symmetry below " +
                          std::to_string(state.num_symmetries()) + ".");
            return state.transform_action(action, symmetry);
          },
          "action"_a, "symmetry"_a, "Where an action goes when the symmetry moves the board.")
      .def(
          "observation_tensor",
          [](const S& state, int symmetry) {
            if (symmetry < 0 || symmetry >= state.num_symmetries())
              throw Error("Symmetry " + std::to_string(symmetry) + " does not exist: give 0 … " +
                          std::to_string(state.num_symmetries() - 1) + ".");
            const auto shape = state.observation_shape();
            const std::size_t size = state.observation_size();
            auto* planes = new float[size]();
            state.observation({planes, size}, symmetry);
            return Planes(planes,
                          {static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]),
                           static_cast<std::size_t>(shape[2])},
                          owner_of(planes));
          },
          "symmetry"_a = 0,
          "The planes [C, H, W] from the side to move, as seen under a symmetry of the board.")
      .def_prop_ro("observation_shape", [](const S& state) { return state.observation_shape(); },
                   "[C, H, W] of observation_tensor().")
      .def_prop_ro("to_play", &S::to_play,
                   "The player to move, 0 or 1, also when the game is over.")
      .def("board", &board_of<S>,
           "The cells [H, W], top row first: 0 empty, 1 the first player's, 2 the second's.")
      .def("__str__", &text_of<S>)
      .def("__repr__",
           [name = std::string(name)](const S& state) {
             return "<" + name + "\n" + text_of(state) + ">";
           })
      .def("__copy__", [](const S& state) { return S(state); })
      .def("__deepcopy__", [](const S& state, nb::handle) { return S(state); }, "memo"_a)
      .def("__eq__",
           [](const S& state, nb::handle other) {
             return nb::isinstance<S>(other) && state == nb::cast<const S&>(other);
           })
      .def("__hash__", [](const S& state) {
        const PositionKey key = state.key();
        return static_cast<Py_hash_t>(key.hash() >> 2);
      });
  return bound;
}

constexpr const char* kFromBoardDoc =
    "A position set up from a board [H, W] (uint8, top row first: 0 empty, 1 the first player's, "
    "2 the second's) and the player to move. Raises HonteError for a board that cannot be.";

void bind_tic_tac_toe(nb::module_& m) {
  const auto make = [](Board board, int to_play) {
    if (board.shape(0) != 3 || board.shape(1) != 3)
      throw Error("A tic-tac-toe board has 3 rows and 3 columns.");
    return TicTacToe::from_cells(checked_cells(board, to_play), to_play);
  };
  bind_state<TicTacToe>(m, "TicTacToeState",
                        "A position of tic-tac-toe; action = 3 · row + column.")
      .def(nb::init<>())
      .def_static("from_board", make, "board"_a, "to_play"_a, kFromBoardDoc)
      .def("__getstate__",
           [](const TicTacToe& state) { return std::make_tuple(board_of(state), state.to_play()); })
      .def("__setstate__", [make](TicTacToe& state, const std::tuple<Board, int>& saved) {
        new (&state) TicTacToe(make(std::get<0>(saved), std::get<1>(saved)));
      });
}

void bind_connect_four(nb::module_& m) {
  const auto make = [](Board board, int to_play) {
    return ConnectFour::from_cells(static_cast<int>(board.shape(0)),
                                   static_cast<int>(board.shape(1)), checked_cells(board, to_play),
                                   to_play);
  };
  bind_state<ConnectFour>(m, "ConnectFourState",
                          "A position of Connect Four; an action is a column, from the left.")
      .def(nb::init<int, int>(), "rows"_a = 6, "columns"_a = 7)
      .def_prop_ro("rows", &ConnectFour::rows)
      .def_prop_ro("columns", &ConnectFour::columns)
      .def_static("from_board", make, "board"_a, "to_play"_a, kFromBoardDoc)
      .def("__getstate__",
           [](const ConnectFour& state) {
             return std::make_tuple(board_of(state), state.to_play());
           })
      .def("__setstate__", [make](ConnectFour& state, const std::tuple<Board, int>& saved) {
        new (&state) ConnectFour(make(std::get<0>(saved), std::get<1>(saved)));
      });
}

int square_size(const Board& board) {
  if (board.shape(0) != board.shape(1))
    throw Error("The board has " + std::to_string(board.shape(0)) + " rows and " +
                std::to_string(board.shape(1)) + " columns: give a square one.");
  return static_cast<int>(board.shape(0));
}

void bind_gomoku(nb::module_& m) {
  const auto make = [](Board board, int to_play, bool overline_wins) {
    return Gomoku::from_cells(square_size(board), overline_wins, checked_cells(board, to_play),
                              to_play);
  };
  bind_state<Gomoku>(m, "GomokuState", "A position of Gomoku; action = size · row + column.")
      .def(nb::init<int, bool>(), "size"_a = 15, "overline_wins"_a = true)
      .def_prop_ro("size", &Gomoku::rows)
      .def_prop_ro("overline_wins", &Gomoku::overline_wins,
                   "Whether six or more in a row win as five do.")
      .def_static("from_board", make, "board"_a, "to_play"_a, "overline_wins"_a = true,
                  kFromBoardDoc)
      .def("__getstate__",
           [](const Gomoku& state) {
             return std::make_tuple(board_of(state), state.to_play(), state.overline_wins());
           })
      .def("__setstate__", [make](Gomoku& state, const std::tuple<Board, int, bool>& saved) {
        new (&state) Gomoku(make(std::get<0>(saved), std::get<1>(saved), std::get<2>(saved)));
      });
}

// Hex and Othello: nothing but a size.
template <class S>
nb::class_<S> bind_sized(nb::module_& m, const char* name, const char* doc, int default_size) {
  const auto make = [](Board board, int to_play) {
    return S::from_cells(square_size(board), checked_cells(board, to_play), to_play);
  };
  return bind_state<S>(m, name, doc)
      .def(nb::init<int>(), "size"_a = default_size)
      .def_prop_ro("size", &S::rows)
      .def_static("from_board", make, "board"_a, "to_play"_a, kFromBoardDoc)
      .def("__getstate__",
           [](const S& state) { return std::make_tuple(board_of(state), state.to_play()); })
      .def("__setstate__", [make](S& state, const std::tuple<Board, int>& saved) {
        new (&state) S(make(std::get<0>(saved), std::get<1>(saved)));
      });
}

void translate_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    nb::object type = nb::module_::import_("honte.errors").attr("HonteError");
    PyErr_SetString(type.ptr(), error.what());
  }
}

// A Python state as the search sees it: the adapter itself, for tests and for finding out
// whether a game of one's own keeps the protocol.
void bind_python_state(nb::module_& m) {
  nb::class_<PythonState>(
      m, "PythonState",
      "A game written in Python as the native search sees it: each call checks the protocol.")
      .def(nb::init<nb::handle>(), "state"_a)
      .def("num_distinct_actions", &PythonState::num_distinct_actions)
      .def("num_players", &PythonState::num_players)
      .def("current_player", &PythonState::current_player)
      .def("is_terminal", &PythonState::is_terminal)
      .def("legal_actions",
           [](const PythonState& state) {
             std::vector<Action> actions;
             state.legal_actions(actions);
             return actions;
           })
      .def("apply_action", &PythonState::apply_action, "action"_a)
      .def("returns",
           [](const PythonState& state) {
             std::vector<double> results;
             for (int player = 0; player < state.num_players(); ++player)
               results.push_back(state.returns(player));
             return results;
           })
      .def("clone", [](const PythonState& state) { return PythonState(state); })
      .def("has_key", &PythonState::has_key)
      .def("key", [](const PythonState& state) { return key_number(state.key()); })
      .def("num_symmetries", &PythonState::num_symmetries)
      .def("transform_action", &PythonState::transform_action, "action"_a, "symmetry"_a)
      .def("observation_tensor",
           [](const PythonState& state, int symmetry) {
             std::vector<float> planes(state.observation_size());
             state.observation(planes, symmetry);
             return planes;
           },
           "symmetry"_a = 0)
      .def("object", &PythonState::clone_object, "A clone of the Python state.");
}

}  // namespace

void bind_games(nb::module_& m) {
  nb::register_exception_translator(translate_error);
  bind_tic_tac_toe(m);
  bind_connect_four(m);
  bind_gomoku(m);
  bind_sized<Hex>(m, "HexState",
                  "A position of Hex; action = size · row + column; player 0 joins top and "
                  "bottom.",
                  11);
  bind_sized<Othello>(m, "OthelloState",
                      "A position of Othello; action = size · row + column, then the pass.", 8)
      .def_prop_ro("pass_action", &Othello::pass_action);
  bind_python_state(m);
}

}  // namespace honte::python
