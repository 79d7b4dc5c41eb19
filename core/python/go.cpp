// Go for Python: honte.games.go is its public face.
#include <cmath>

#include "bindings.hpp"
#include "games/go/perft.hpp"
#include "go_support.hpp"

using namespace nanobind::literals;

namespace honte::python {
namespace {

void bind_openspiel_face(nb::class_<GoState>& state) {
  state
      .def("num_distinct_actions", &GoState::num_distinct_actions,
           "The size of the action space: width * height + 1.")
      .def("num_players", &GoState::num_players)
      .def("current_player", &GoState::current_player,
           "Who moves, 0 (black) or 1 (white); -4 when the game is over.")
      .def("is_terminal", &GoState::is_terminal, "Whether the game is over.")
      .def("legal_actions",
           [](const GoState& state) {
             std::vector<Action> actions;
             state.legal_actions(actions);
             return actions;
           },
           "The legal actions, ascending, the pass last; empty when the game is over.")
      .def("apply_action",
           [](GoState& state, Action action) { play(state, action, nb::none(), false); },
           "action"_a, "Play an action for the side to move; raises IllegalMove.")
      .def("returns",
           [](const GoState& state) {
             return std::vector<double>{state.returns(0), state.returns(1)};
           },
           "Each player's result: 1 won, -1 lost, 0 drawn or no result. Of a game that goes on: "
           "as the board stands.")
      .def("clone", [](const GoState& state) { return GoState(state); }, "An independent copy.")
      .def("observation_tensor",
           [](const GoState& state, int symmetry) {
             if (symmetry < 0 || symmetry >= state.num_symmetries())
               raise_error("This board has symmetries 0 to " +
                           std::to_string(state.num_symmetries() - 1) + ", not " +
                           std::to_string(symmetry) + ".");
             auto planes = zeros<float, 3>({std::size_t(GoState::kObservationPlanes),
                                            std::size_t(state.geometry().height),
                                            std::size_t(state.geometry().width)});
             state.observation({planes.data(), std::size_t(state.observation_size())}, symmetry);
             return planes;
           },
           "symmetry"_a = 0,
           "AlphaGo Zero's planes, float32 [17, H, W]: for each of the last 8 positions, newest "
           "first, the stones of the side to move and the opponent's; then ones if black is to "
           "move.")
      .def("num_symmetries", &GoState::num_symmetries, "8 for squares, 4 for rectangles.")
      .def("transform_action",
           [](const GoState& state, Action action, int symmetry) {
             if (action < 0 || action > state.geometry().pass() || symmetry < 0 ||
                 symmetry >= state.num_symmetries())
               raise_error("There is no such action or symmetry on this board.");
             return state.transform_action(action, symmetry);
           },
           "action"_a, "symmetry"_a,
           "Where an action goes under a symmetry: bit 0 flips the rows, bit 1 the columns, bit 2 "
           "transposes, in this order.")
      .def("graph_key",
           [](const GoState& state) {
             const PositionKey key = state.graph_key();
             return std::make_pair(key.low, key.high);
           },
           "128 bits, as two numbers, that name the position however it was reached: the stones, the side "
           "to move, and what the past forbids or ends.")
      .def("key",
           [](const GoState& state) {
             const PositionKey key = state.key();
             return std::make_pair(key.low, key.high);
           },
           "128 bits, as two numbers, that name everything a network sees of the position and "
           "the moves that are legal in it.");
}

void bind_board_face(nb::class_<GoState>& state) {
  state.def_prop_ro("width", [](const GoState& state) { return state.geometry().width; })
      .def_prop_ro("height", [](const GoState& state) { return state.geometry().height; })
      .def_prop_ro("rules", &rules_of, nb::sig("def rules(self) -> honte.games.go.rules.Rules"))
      .def_prop_ro("komi", &GoState::komi, "White's points for moving second.")
      .def_prop_ro("to_play", [](const GoState& state) { return int{state.to_play()}; },
                   "Who moves, 0 or 1; of a finished game, who would.")
      .def_prop_ro("move_number", &GoState::move_number, "Moves played so far, passes included.")
      .def_prop_ro("handicap", &GoState::handicap, "Stones that count as handicap.")
      .def_prop_ro("passes_in_a_row", &GoState::passes_in_a_row,
                   "Passes just made that count towards the end of the phase.")
      .def_prop_ro("phase", &GoState::phase,
                   "0 while playing; 1 and 2 in the clean-up phases of territory scoring.")
      .def_prop_ro("has_button", &GoState::has_button, "Whether a button is still to be taken.")
      .def_prop_ro("last_action",
                   [](const GoState& state) -> nb::object {
                     if (state.move_number() == 0) return nb::none();
                     return nb::int_(state.history().last().action());
                   },
                   nb::sig("def last_action(self) -> int | None"),
                   "The last action played, or None before the first.")
      .def("board",
           [](const GoState& state) {
             return map_of(state.geometry(), state.board().stones(go::kBlack),
                           state.board().stones(go::kWhite));
           },
           "int8 [H, W], row 0 on top: 0 empty, 1 black, 2 white.")
      .def("moves", &moves_of, "The moves since the setup, as (player, action).")
      .def("setup_stones",
           [](const GoState& state, int player) { return state.setup_stones(colour_from(player)); },
           "player"_a, "The stones of a player before the first move, as actions.")
      .def("captured",
           [](const GoState& state, int player) {
             return state.board().captured(colour_from(player));
           },
           "player"_a, "How many stones of this player's were taken.")
      .def("legality",
           [](const GoState& state, Action action, const nb::object& player) {
             return state.legality(action, colour_from(state, player));
           },
           "action"_a, "player"_a = nb::none(),
           nb::sig("def legality(self, action: int, player: int | None = None) -> Legality"),
           "Whether an action is legal for the player (default: the side to move), and if not, "
           "why.")
      .def("play", &play, "action"_a, "player"_a = nb::none(), nb::kw_only(), "tolerant"_a = false,
           nb::sig("def play(self, action: int, player: int | None = None, *, tolerant: bool = "
                   "False) -> None"),
           "Play an action for the player (default: the side to move); the opponent moves next. "
           "Raises IllegalMove, and leaves the state as it was. A tolerant play takes what "
           "records of games under other rules hold: repetitions, suicide of several stones, and "
           "moves after the end of the game.")
      .def("ko_banned",
           [](const GoState& state, const nb::object& player) {
             return actions_of(state.geometry(),
                               state.ko_banned(colour_from(state, player)));
           },
           "player"_a = nb::none(),
           nb::sig("def ko_banned(self, player: int | None = None) -> list[int]"),
           "The empty points where ko or superko alone forbid a play.");
}

void bind_change_face(nb::class_<GoState>& state) {
  state
      .def("with_komi",
           [](const GoState& state, double komi) {
             if (!(std::abs(komi) <= 1000))
               raise_error("Komi is a number of points up to 1000, not " + std::to_string(komi) + ".");
             return state.with_komi(komi);
           },
           "komi"_a, "A copy with another komi.")
      .def("with_rules",
           [](const GoState& state, const nb::object& rules) {
             try {
               return state.with_rules(rules_from(rules));
             } catch (const std::invalid_argument& error) {
               raise_error(error.what());
             }
           },
           "rules"_a,
           nb::sig("def with_rules(self, rules: honte.games.go.rules.Rules) -> GoState"),
           "The same moves under other rules. Raises HonteError if one of them is illegal there.")
      .def("with_to_play",
           [](const GoState& state, int player) { return state.with_to_play(colour_from(player)); },
           "player"_a, "A copy with another player to move.")
      .def("with_cleanup", &GoState::with_cleanup, "cleanup"_a,
           "A copy in which two passes under territory scoring lead to the clean-up phases (as they "
           "do from the start) or, without them, end the game and leave dead stones to the players.")
      .def("without_earlier_moves", &GoState::without_earlier_moves,
           "A copy of which networks are told nothing of the moves so far, but for what ko and the "
           "rules forbid: they judge the board, not how it came about. Later moves are shown; "
           "with_rules plays all moves again, and shows them.")
      .def("resumed", &GoState::resumed,
           "A copy in which play goes on if the game was over; two more passes end it again.")
      .def("freeze", &GoState::freeze,
           "Make clones of this state cheap: what was played so far is shared from now on.");
}

void bind_scoring_face(nb::class_<GoState>& state) {
  state
      .def("score", &GoState::score, nb::call_guard<nb::gil_scoped_release>(),
           "White's points minus black's, komi included, as the board stands by its rules; exact "
           "at the end of the game. Area scoring without friendly passes (Tromp-Taylor, CGOS) "
           "counts every stone on the board as alive; all other rules take stones inside "
           "pass-alive territory as dead.")
      .def("score_with_dead",
           [](const GoState& state, const std::vector<Action>& dead) {
             try {
               return state.score_with_dead(dead);
             } catch (const std::invalid_argument& error) {
               raise_error(error.what());
             }
           },
           "dead"_a, "The score after the stones at these points are taken off as dead.")
      .def("is_no_result", &GoState::is_no_result,
           "Whether the game ended by repetition under simple ko.")
      .def("self_komi",
           [](const GoState& state, int player) { return state.self_komi(colour_from(player)); },
           "player"_a,
           "What the player has besides the area of the board: komi, handicap bonus, button, and "
           "under territory scoring a point for every stone the opponent played.")
      .def("pass_would_end_phase", &GoState::pass_would_end_phase)
      .def("pass_alive",
           [](const GoState& state) {
             return map_of(state, go::area(state.board(), {}, state.rules().suicide));
           },
           "int8 [H, W]: 1 and 2 on the pass-alive stones and territory of black and white.")
      .def("dead_stones",
           [](const GoState& state) { return actions_of(state.geometry(), state.dead_stones()); },
           "The stones inside the opponent's pass-alive territory: dead whoever moves.")
      .def("area", [](const GoState& state) { return map_of(state, state.scored_area()); },
           "int8 [H, W]: 1 and 2 on what the rules' scoring would give black and white now; "
           "nothing in territory scoring before the second clean-up phase.")
      .def("plain_area",
           [](const GoState& state) { return map_of(state, go::plain_area(state.board())); },
           "int8 [H, W]: stones and the empty regions that reach one colour alone, whatever the "
           "rules.")
      .def("playouts",
           [](const GoState& state, int count, std::uint64_t seed, const go::PlayoutPolicy* policy) {
             const nb::gil_scoped_release release;
             double total = 0.0;
             for (int i = 0; i < count; ++i) {
               Random random{seed, static_cast<std::uint64_t>(i)};
               total += state.playout(random, nullptr, policy);
             }
             return count > 0 ? total / count : 0.0;
           },
           "count"_a, "seed"_a = 0, nb::arg("policy").none() = nb::none(),
           "The mean result for the side to move of playouts in which nobody fills an eye: by a "
           "policy, or uniformly random.")
      .def("playout_ownership",
           [](const GoState& state, int count, std::uint64_t seed) {
             if (count < 1)
               raise_error("Ownership needs a playout at least, not " + std::to_string(count) + ".");
             Array<float, 2> map = zeros<float, 2>({std::size_t(state.geometry().height),
                                                    std::size_t(state.geometry().width)});
             const nb::gil_scoped_release release;
             std::vector<int> black(std::size_t(state.geometry().area), 0);
             for (int i = 0; i < count; ++i) {
               Random random{seed, static_cast<std::uint64_t>(i)};
               state.playout_ownership(random, black);
             }
             for (std::size_t i = 0; i < black.size(); ++i)
               map.data()[i] = static_cast<float>(black[i]) / static_cast<float>(count);
             return map;
           },
           "count"_a, "seed"_a = 0,
           "float32 [H, W] in [-1, 1]: how often Black owns each point after such playouts from "
           "the board as it stands, less how often White does.");
}

}  // namespace

void bind_go(nb::module_& m) {
  nb::enum_<Legality>(m, "Legality", "Whether a move is legal, and if not, why.")
      .value("LEGAL", Legality::legal)
      .value("OFF_BOARD", Legality::off_board)
      .value("OCCUPIED", Legality::occupied)
      .value("SUICIDE", Legality::suicide)
      .value("KO", Legality::ko)
      .value("SUPERKO", Legality::superko)
      .value("REPEATED_KO", Legality::repeated_ko)
      .value("GAME_OVER", Legality::game_over);

  nb::class_<GoState> state(m, "GoState",
                            "A position of Go with its history and rules. Players: 0 black, 1 "
                            "white. Action: y * width + x, row 0 on top; width * height passes.");
  state.def("__init__",
            [](GoState* self, int width, int height, const nb::object& rules, double komi,
               const std::vector<Action>& black, const std::vector<Action>& white, int to_play) {
              new (self) GoState(width, height, rules_from(rules), komi, black, white,
                                 colour_from(to_play));
            },
            "width"_a, "height"_a, "rules"_a, "komi"_a, "black"_a = std::vector<Action>{},
            "white"_a = std::vector<Action>{}, "to_play"_a = 0,
            nb::sig("def __init__(self, width: int, height: int, rules: "
                    "honte.games.go.rules.Rules, komi: float, black: Sequence[int] = ..., white: "
                    "Sequence[int] = ..., to_play: int = 0) -> None"));
  state.def("__getstate__", &pickle)
      .def("__setstate__", &unpickle)
      .def("__copy__", [](const GoState& state) { return GoState(state); })
      .def("__deepcopy__", [](const GoState& state, const nb::dict&) { return GoState(state); },
           "memo"_a)
      .def("__repr__", &describe)
      .def("__str__", &draw);
  bind_openspiel_face(state);
  bind_board_face(state);
  bind_change_face(state);
  bind_scoring_face(state);

  m.def("go_perft",
        [](const GoState& state, int depth) {
          const nb::gil_scoped_release release;
          return go::perft(state, depth);
        },
        "state"_a, "depth"_a,
        "The number of sequences of legal moves of this length; a pass is a move, and a sequence "
        "that ends the game earlier counts once.");
}

}  // namespace honte::python
