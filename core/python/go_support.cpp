#include "go_support.hpp"

namespace honte::python {
namespace {

go::Rules rules_from(const RuleNumbers& numbers) {
  const auto& [ko, scoring, suicide, tax, bonus, friendly_pass, button] = numbers;
  return {static_cast<go::Ko>(ko),
          static_cast<go::Scoring>(scoring),
          suicide,
          static_cast<go::Tax>(tax),
          static_cast<go::HandicapBonus>(bonus),
          friendly_pass,
          button};
}

RuleNumbers rule_numbers(const go::Rules& rules) {
  return {static_cast<int>(rules.ko),  static_cast<int>(rules.scoring),
          rules.suicide,               static_cast<int>(rules.tax),
          static_cast<int>(rules.handicap_bonus), rules.friendly_pass,
          rules.button};
}

[[noreturn]] void raise(const char* type, nb::object error) {
  const nb::object kind = nb::module_::import_("honte.games.go.game").attr(type);
  PyErr_SetObject(kind.ptr(), error.ptr());
  throw nb::python_error();
}

// Whether a move that the rules forbid can stand in a record of a game played under others.
bool is_tolerable(const GoState& state, Action action, go::Colour colour, Legality legality) {
  switch (legality) {
    case Legality::ko:
    case Legality::superko:
    case Legality::repeated_ko: return true;
    case Legality::suicide:
      return state.board().is_placeable(state.geometry().point_of[action], colour, true);
    default: return false;
  }
}

}  // namespace

go::Rules rules_from(const nb::object& rules) {
  return rules_from(nb::cast<RuleNumbers>(rules.attr("to_native")()));
}

nb::object rules_of(const GoState& state) {
  return nb::module_::import_("honte.games.go.rules")
      .attr("Rules")
      .attr("from_native")(rule_numbers(state.rules()));
}

[[noreturn]] void raise_error(const std::string& message) {
  raise("HonteError", nb::cast(message));
}

go::Colour colour_from(int player) {
  if (player != 0 && player != 1)
    raise_error("A player is 0 (black) or 1 (white), not " + std::to_string(player) + ".");
  return static_cast<go::Colour>(player);
}

go::Colour colour_from(const GoState& state, const nb::object& player) {
  return player.is_none() ? state.to_play() : colour_from(nb::cast<int>(player));
}

void play(GoState& state, Action action, const nb::object& player, bool tolerant) {
  const go::Colour colour = colour_from(state, player);
  if (tolerant && state.is_terminal()) {
    GoState resumed = state.resumed();
    play(resumed, action, nb::cast(int{colour}), true);
    state = resumed;
    return;
  }
  const Legality legality = state.legality(action, colour);
  if (legality != Legality::legal &&
      !(tolerant && is_tolerable(state, action, colour, legality))) {
    const nb::object kind = nb::module_::import_("honte.games.go.game").attr("IllegalMove");
    raise("IllegalMove", kind(action, int{colour}, legality, state.geometry().width,
                              state.geometry().height));
  }
  state.play(action, colour);
}

BoardMap map_of(const go::Geometry& geometry, const go::Bits& black, const go::Bits& white) {
  BoardMap map = zeros<std::int8_t, 2>({std::size_t(geometry.height), std::size_t(geometry.width)});
  for_each(black, geometry.words, [&](int point) { map.data()[geometry.action_of[point]] = 1; });
  for_each(white, geometry.words, [&](int point) { map.data()[geometry.action_of[point]] = 2; });
  return map;
}

BoardMap map_of(const GoState& state, const go::Ownership& owner) {
  return map_of(state.geometry(), owner[go::kBlack], owner[go::kWhite]);
}

std::vector<Action> actions_of(const go::Geometry& geometry, const go::Bits& points) {
  std::vector<Action> actions;
  for_each(points, geometry.words,
           [&](int point) { actions.push_back(geometry.action_of[point]); });
  return actions;
}

Moves moves_of(const GoState& state) {
  Moves moves;
  const go::History& history = state.history();
  for (int i = 1; i < history.size(); ++i)
    moves.emplace_back(history[i].player(), history[i].action());
  return moves;
}

Pickled pickle(const GoState& state) {
  return {state.geometry().width,
          state.geometry().height,
          rule_numbers(state.rules()),
          state.komi(),
          state.setup_stones(go::kBlack),
          state.setup_stones(go::kWhite),
          state.history()[0].next(),
          moves_of(state),
          state.to_play(),
          state.is_terminal(),
          state.cleans_up(),
          state.move_number() - state.visible_turns()};
}

void unpickle(GoState& state, const Pickled& pickled) {
  const auto& [width, height, rules, komi, black, white, first, moves, to_play, over, cleanup,
              hidden] = pickled;
  new (&state) GoState(width, height, rules_from(rules), komi, black, white, colour_from(first));
  state = state.with_cleanup(cleanup);
  for (const auto& [player, action] : moves) {
    if (state.is_terminal()) state = state.resumed();
    if (state.move_number() == hidden) state = state.without_earlier_moves();
    state.play(action, colour_from(player));
  }
  if (state.move_number() == hidden) state = state.without_earlier_moves();
  if (state.is_terminal() && !over) state = state.resumed();
  if (state.to_play() != to_play) state = state.with_to_play(colour_from(to_play));
}

std::string draw(const GoState& state) {
  const go::Geometry& geometry = state.geometry();
  const char* letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
  std::string columns = "  ";
  for (int x = 0; x < geometry.width; ++x) columns += std::string(" ") + letters[x];
  std::string text = columns + "\n";
  const Action last = state.history().last().action();
  for (int y = 0; y < geometry.height; ++y) {
    const std::string row = std::to_string(geometry.height - y);
    text += std::string(2 - row.size(), ' ') + row;
    for (int x = 0; x < geometry.width; ++x) {
      const Action action = y * geometry.width + x;
      const go::Colour colour = state.board().at(geometry.point_of[action]);
      text += last == action ? '(' : x > 0 && last == action - 1 ? ')' : ' ';
      text += colour == go::kBlack ? 'X' : colour == go::kWhite ? 'O' : '.';
    }
    if (last == y * geometry.width + geometry.width - 1) text += ')';
    text += "\n";
  }
  text += columns + "\n";
  if (state.is_no_result())
    text += "no result";
  else if (state.is_terminal())
    text += "game over";
  else
    text += state.to_play() == go::kBlack ? "X to play" : "O to play";
  text += ", move " + std::to_string(state.move_number());
  return text;
}

std::string describe(const GoState& state) {
  return "<GoState " + std::to_string(state.geometry().width) + "x" +
         std::to_string(state.geometry().height) + " move " + std::to_string(state.move_number()) +
         (state.is_terminal() ? ", over>" : state.to_play() == go::kBlack ? ", black to play>"
                                                                          : ", white to play>");
}

}  // namespace honte::python
