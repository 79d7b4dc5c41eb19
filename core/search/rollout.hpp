// Rollout: play random legal actions to the end.
#pragma once

#include <vector>

#include "games/state.hpp"
#include "random.hpp"

namespace honte {

// Names the random streams of rollouts: (seed, this, leaf, playout).
inline constexpr std::uint64_t kRolloutStream = 1;

// The result of a uniformly random playout for player 0; `played` takes its actions. A game may
// bring its own `playout`, which answers for the side to move and draws the same actions.
template <State S>
double random_playout(const S& start, Random& random, std::vector<Played>* played = nullptr) {
  if (start.is_terminal()) return start.returns(0);
  if constexpr (requires { start.playout(random, played); }) {
    const double result = start.playout(random, played);
    return start.current_player() == 1 ? -result : result;
  }
  if constexpr (requires { start.playout(random); })
    if (!played) {
    const double result = start.playout(random);
    return start.current_player() == 1 ? -result : result;
    }
  S state = start;
  std::vector<Action> actions;
  while (!state.is_terminal()) {
    state.legal_actions(actions);
    const Action action = actions[random.below(static_cast<std::uint32_t>(actions.size()))];
    if (played) played->push_back({state.current_player(), action});
    state.apply_action(action);
  }
  return state.returns(0);
}

}  // namespace honte
