// Rollout: play random legal actions to the end.
#pragma once

#include <vector>

#include "games/state.hpp"
#include "random.hpp"

namespace honte {

// The result of a uniformly random playout for player 0. A game may bring its own
// `playout(Random&)`, which answers for the side to move.
template <State S>
double random_playout(const S& start, Random& random) {
  if (start.is_terminal()) return start.returns(0);
  if constexpr (requires { start.playout(random); }) {
    const double result = start.playout(random);
    return start.current_player() == 1 ? -result : result;
  } else {
    S state = start;
    std::vector<Action> actions;
    while (!state.is_terminal()) {
      state.legal_actions(actions);
      state.apply_action(actions[random.below(static_cast<std::uint32_t>(actions.size()))]);
    }
    return state.returns(0);
  }
}

}  // namespace honte
