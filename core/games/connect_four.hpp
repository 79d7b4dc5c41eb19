// Connect Four on any board that fits 64 bits. Actions and players as in OpenSpiel's
// connect_four: an action is a column, counted from the left; no action but a drop.
#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "games/board.hpp"
#include "games/state.hpp"

namespace honte {

// A column takes rows + 1 bits, its bottom cell lowest; the spare bit on top stays empty and
// keeps lines from running over into the next column. A line of four is then two shifts
// (Tromp's Fhourstones).
class ConnectFour {
 public:
  explicit ConnectFour(int rows = 6, int columns = 7)
      : rows_(static_cast<std::uint8_t>(rows)), columns_(static_cast<std::uint8_t>(columns)) {
    if (rows < 1 || columns < 1 || rows > 20 || columns > 32 || (rows + 1) * columns > 64)
      throw Error("A Connect Four board of " + std::to_string(rows) + " rows and " +
                  std::to_string(columns) +
                  " columns is not supported: give at most 20 rows with (rows + 1) · columns ≤ 64.");
    for (int column = 0; column < columns; ++column) top_ |= bit(rows - 1, column);
  }

  // Sets up cells (0 empty, 1 the first player's, 2 the second's; top row first).
  static ConnectFour from_cells(int rows, int columns, std::span<const std::uint8_t> cells,
                                int to_play) {
    ConnectFour position(rows, columns);
    for (int column = 0; column < columns; ++column) {
      bool below = true;
      for (int height = 0; height < rows; ++height) {
        const int owner = cells[(rows - 1 - height) * columns + column];
        if (owner && !below)
          throw Error("Column " + std::to_string(column) +
                      " has a disc above an empty cell: fill columns from the bottom row.");
        below = owner != 0;
        if (owner) position.stones_[owner - 1] |= position.bit(height, column);
      }
    }
    position.to_play_ = static_cast<std::uint8_t>(to_play);
    const bool first = position.has_four(0), second = position.has_four(1);
    if (first && second) throw Error("Both players have four in a row: no game gets there.");
    position.outcome_ = first                                        ? Outcome::kFirstWins
                        : second                                     ? Outcome::kSecondWins
                        : (position.occupied() & position.top_) == position.top_ ? Outcome::kDraw
                                                                     : Outcome::kOpen;
    return position;
  }

  int num_distinct_actions() const { return columns_; }
  static constexpr int num_players() { return 2; }
  int to_play() const { return to_play_; }
  bool is_terminal() const { return outcome_ != Outcome::kOpen; }
  int current_player() const { return is_terminal() ? kTerminalPlayer : to_play_; }

  void legal_actions(std::vector<Action>& actions) const {
    if (is_terminal()) return actions.clear();
    actions.resize(columns_);
    // Written for every column, counted for the open ones: no branch to mispredict.
    const std::uint64_t full = occupied() >> (rows_ - 1);
    std::size_t count = 0;
    for (int column = 0; column < columns_; ++column) {
      actions[count] = column;
      count += ~full >> (column * stride()) & 1;
    }
    actions.resize(count);
  }

  bool is_legal(Action action) const {
    return !is_terminal() && action >= 0 && action < columns_ &&
           !(occupied() & bit(rows_ - 1, action));
  }

  Action random_action(Random& random) const {
    const std::uint64_t open = top_ & ~occupied();
    return nth_bit(open, static_cast<int>(random.below(std::popcount(open)))) / stride();
  }

  double playout(Random& random, std::vector<Played>* played = nullptr) const {
    if (is_terminal()) return returns(to_play_);
    std::uint64_t mover = stones_[to_play_], other = stones_[to_play_ ^ 1];
    int player = to_play_;
    for (double result = 1.0;; result = -result, player ^= 1) {
      const std::uint64_t before = mover | other, open = top_ & ~before;
      if (!open) return 0.0;
      const int n = static_cast<int>(random.below(std::popcount(open)));
      const int place = nth_bit(open, n);
      const std::uint64_t top = std::uint64_t{1} << place;
      if (played) played->push_back({player, static_cast<Action>(place / stride())});
      // From the column's bottom bit to its top bit.
      const std::uint64_t bottom = top >> (rows_ - 1), column = top | (top - bottom);
      mover |= (before + bottom) & ~before & column;
      if (is_four(mover)) return result;
      std::swap(mover, other);
    }
  }

  void apply_action(Action action) {
    const std::uint64_t before = occupied();
    // Adding the bottom bit to a column of ones carries to the first empty cell.
    stones_[to_play_] |= (before + bit(0, action)) & ~before & column_mask(action);
    if (has_four(to_play_))
      outcome_ = static_cast<Outcome>(to_play_);
    else if ((occupied() & top_) == top_)
      outcome_ = Outcome::kDraw;
    to_play_ ^= 1;
  }

  double returns(int player) const { return outcome_return(outcome_, player); }

  PositionKey key() const {
    const std::uint64_t shape = rows_ | columns_ << 8 | to_play_ << 16;
    return salted_key(0xc4'0000'0000 | shape, stones_[0], stones_[1]);
  }

  static constexpr int num_symmetries() { return 2; }
  Action transform_action(Action action, int symmetry) const {
    return symmetry ? columns_ - 1 - action : action;
  }

  // Planes: the mover's discs, the opponent's discs; the top row first.
  int observation_size() const { return 2 * rows_ * columns_; }
  std::array<int, 3> observation_shape() const { return {2, rows_, columns_}; }
  void observation(std::span<float> planes, int symmetry) const {
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_; ++column) {
        const int shift = std::countr_zero(bit(rows_ - 1 - row, column));
        const int seen = row * columns_ + transform_action(column, symmetry);
        planes[seen] = static_cast<float>(stones_[to_play_] >> shift & 1);
        planes[rows_ * columns_ + seen] = static_cast<float>(stones_[to_play_ ^ 1] >> shift & 1);
      }
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int cell(int row, int column) const {
    const std::uint64_t mark = bit(rows_ - 1 - row, column);
    return stones_[0] & mark ? 1 : stones_[1] & mark ? 2 : 0;
  }

  bool operator==(const ConnectFour&) const = default;

 private:
  int stride() const { return rows_ + 1; }
  std::uint64_t bit(int height, int column) const {
    return std::uint64_t{1} << (column * stride() + height);
  }
  std::uint64_t column_mask(int column) const {
    return ((std::uint64_t{1} << rows_) - 1) << (column * stride());
  }
  std::uint64_t occupied() const { return stones_[0] | stones_[1]; }

  bool has_four(int player) const { return is_four(stones_[player]); }
  bool is_four(std::uint64_t discs) const {
    for (int direction : {1, stride() - 1, stride(), stride() + 1}) {
      const std::uint64_t pairs = discs & (discs >> direction);
      if (pairs & (pairs >> (2 * direction))) return true;
    }
    return false;
  }

  std::array<std::uint64_t, 2> stones_{};
  std::uint64_t top_ = 0;  // the top cell of each column
  std::uint8_t rows_, columns_;
  std::uint8_t to_play_ = 0;
  Outcome outcome_ = Outcome::kOpen;
};

static_assert(State<ConnectFour>);

}  // namespace honte
