// What the small games share: how a game ended, the symmetries of a rectangle, keys.
#pragma once

#include <bit>
#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "games/state.hpp"
#include "random.hpp"

namespace honte {

// How a game stands: won by player 0 or 1, drawn, or still going.
enum class Outcome : std::int8_t { kFirstWins = 0, kSecondWins = 1, kDraw = 2, kOpen = 3 };

constexpr double outcome_return(Outcome outcome, int player) {
  if (outcome != Outcome::kFirstWins && outcome != Outcome::kSecondWins) return 0.0;
  return static_cast<int>(outcome) == player ? 1.0 : -1.0;
}

// The eight symmetries of a square: bit 0 mirrors top to bottom, bit 1 left to right, then
// bit 2 swaps rows and columns. The numbering of KataGo's networks.
constexpr int transform_square_point(int point, int size, int symmetry) {
  int y = point / size, x = point % size;
  if (symmetry & 1) y = size - 1 - y;
  if (symmetry & 2) x = size - 1 - x;
  return symmetry & 4 ? x * size + y : y * size + x;
}

// Keys of different games, or of different sizes of one game, must not meet in a cache that
// searches share: the two words of a position are masked by words that the game names.
constexpr PositionKey salted_key(std::uint64_t game, std::uint64_t low, std::uint64_t high) {
  const std::uint64_t salt = mix64(game);
  return {low ^ salt, high ^ mix64(salt)};
}

// The native games offer two methods beyond the concept, for rollouts at full speed:
//   Action random_action(Random&) const   is legal_actions()[random.below(count)], and
//   double playout(Random&) const         plays such actions to the end and returns the result
//                                         for the player to move here.
// Both use the random numbers of exactly that rule, so a rollout written with legal_actions()
// alone plays the same moves.
template <class S>
double uniform_playout(S state, Random& random) {
  const int mover = state.to_play();
  while (!state.is_terminal()) state.apply_action(state.random_action(random));
  return state.returns(mover);
}

// Calls visit(index) for each set bit, lowest first.
template <class Visit>
constexpr void for_each_bit(std::uint64_t bits, Visit&& visit) {
  for (; bits; bits &= bits - 1) visit(std::countr_zero(bits));
}

// The index of the n-th set bit, counted from 0; bits has more than n.
inline int nth_bit(std::uint64_t bits, int n) {
#ifdef __BMI2__
  return std::countr_zero(_pdep_u64(std::uint64_t{1} << n, bits));
#else
  for (; n > 0; --n) bits &= bits - 1;
  return std::countr_zero(bits);
#endif
}

}  // namespace honte
