// What the search asks of a game. A native game is one class that satisfies this
// concept; its Python face offers the same methods under OpenSpiel's names.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <vector>

#include "random.hpp"

namespace honte {

using Action = std::int32_t;

// The player to move of a finished game, as OpenSpiel counts it.
inline constexpr int kTerminalPlayer = -4;

// An action and who chose it.
struct Played {
  int player;
  Action action;
};

// Names a position with everything the rules make part of it: two positions with
// equal keys have the same legal actions, the same future and the same encoding.
struct PositionKey {
  std::uint64_t low = 0, high = 0;
  bool operator==(const PositionKey&) const = default;

  // For tables: every bit of it follows from every bit of the key, which may be the stones themselves.
  std::uint64_t hash() const { return mix64(low ^ mix64(high)); }
};

template <class S>
concept State = std::copyable<S> && requires(S state, const S& position, Action action, int player,
                                             std::vector<Action>& actions, std::span<float> planes,
                                             int symmetry) {
  { position.num_distinct_actions() } -> std::convertible_to<int>;  // A: actions are 0 … A − 1
  { position.num_players() } -> std::convertible_to<int>;           // 1 or 2
  { position.current_player() } -> std::convertible_to<int>;        // 0, 1 or kTerminalPlayer
  { position.is_terminal() } -> std::convertible_to<bool>;
  position.legal_actions(actions);                                  // replaces actions, ascending
  state.apply_action(action);                                       // the action must be legal
  { position.returns(player) } -> std::convertible_to<double>;      // terminal: that player's result in [−1, 1]
  { position.key() } -> std::same_as<PositionKey>;

  // Symmetries of the board that map positions to positions of the same shape.
  // Symmetry 0 is the identity; a game without symmetries has 1.
  { position.num_symmetries() } -> std::convertible_to<int>;
  { position.transform_action(action, symmetry) } -> std::same_as<Action>;

  // The planes a network of the user's own would see, from the side to move,
  // as the position looks under the symmetry. C · H · W floats.
  { position.observation_size() } -> std::convertible_to<int>;
  position.observation(planes, symmetry);
};

}  // namespace honte
