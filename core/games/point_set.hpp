// Points of a board of up to 19 × 19, as bits.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "games/board.hpp"

namespace honte {

inline constexpr int kMaxPoints = 19 * 19;

class PointSet {
 public:
  static constexpr int kWords = (kMaxPoints + 63) / 64;

  constexpr bool contains(int point) const { return words_[point >> 6] >> (point & 63) & 1; }
  constexpr void insert(int point) { words_[point >> 6] |= std::uint64_t{1} << (point & 63); }
  constexpr std::uint64_t word(int index) const { return words_[index]; }

  bool operator==(const PointSet&) const = default;

 private:
  std::array<std::uint64_t, kWords> words_{};
};

// Two sets of stones on size × size points with the player to move and a key: what games of
// placing stones have in common.
class StonesOnBoard {
 public:
  explicit StonesOnBoard(int size) : size_(static_cast<std::int16_t>(size)) {}

  int size() const { return size_; }
  int num_points() const { return size_ * size_; }
  int to_play() const { return to_play_; }
  void set_to_play(int player) { to_play_ = static_cast<std::int8_t>(player); }
  int num_empty() const { return num_points() - count_; }
  const PointSet& stones(int player) const { return stones_[player]; }
  bool is_empty(int point) const {
    return !stones_[0].contains(point) && !stones_[1].contains(point);
  }
  int cell(int point) const { return stones_[0].contains(point) + 2 * stones_[1].contains(point); }

  void place(int point, int player) {
    stones_[player].insert(point);
    ++count_;
    const std::uint64_t name = mix64(2 * point + player + 1);
    hash_.low ^= name;
    hash_.high ^= mix64(name + 0x9e3779b97f4a7c15ull);
  }

  // Calls visit(point) for each empty point in ascending order.
  template <class Visit>
  void for_each_empty(Visit&& visit) const {
    for (int index = 0; 64 * index < num_points(); ++index)
      for_each_bit(empty_word(index), [&](int bit) { visit(64 * index + bit); });
  }

  // The n-th empty point, counted from 0; there are more than n.
  int nth_empty(int n) const {
    for (int index = 0;; ++index) {
      const std::uint64_t free = empty_word(index);
      const int here = std::popcount(free);
      if (n < here) return 64 * index + nth_bit(free, n);
      n -= here;
    }
  }

  // Exact while a player's stones fit one word; above that a Zobrist hash of 128 bits.
  PositionKey key(std::uint64_t game) const {
    const std::uint64_t name = game | size_ << 8 | to_play_;
    if (num_points() <= 64) return salted_key(name, stones_[0].word(0), stones_[1].word(0));
    return salted_key(name, hash_.low, hash_.high);
  }

  bool operator==(const StonesOnBoard&) const = default;

 private:
  std::uint64_t empty_word(int index) const {
    const int points = num_points() - 64 * index;
    const std::uint64_t board = points >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << points) - 1;
    return board & ~(stones_[0].word(index) | stones_[1].word(index));
  }

  std::array<PointSet, 2> stones_;
  PositionKey hash_;
  std::int16_t size_;
  std::int16_t count_ = 0;
  std::int8_t to_play_ = 0;
};

}  // namespace honte
