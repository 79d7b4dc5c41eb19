// Rollout: play random legal actions to the end, uniformly or by a policy.
#pragma once

#include <concepts>
#include <vector>

#include "games/state.hpp"
#include "random.hpp"

namespace honte::go {
class PlayoutPolicy;
}

namespace honte {

// Whether playouts of this game can follow a policy of Go's.
template <class S>
concept FollowsPolicy = requires(const S& start, Random& random, std::vector<Played>* played,
                                 const go::PlayoutPolicy* policy) {
  { start.playout(random, played, policy) } -> std::convertible_to<double>;
};

// Names the random streams of rollouts: (seed, this, leaf, playout).
inline constexpr std::uint64_t kRolloutStream = 1;

// The result of a random playout for player 0, by the policy where there is one, else uniform;
// `played` takes its actions. A game may bring its own `playout`, which answers for the side to move
// and draws the same actions. A policy is for games that follow one.
template <State S>
double random_playout(const S& start, Random& random, std::vector<Played>* played = nullptr,
                      [[maybe_unused]] const go::PlayoutPolicy* policy = nullptr) {
  if (start.is_terminal()) return start.returns(0);
  if constexpr (FollowsPolicy<S>) {
    const double result = start.playout(random, played, policy);
    return start.current_player() == 1 ? -result : result;
  }
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
