// Tic-tac-toe. Actions and players as in OpenSpiel's tic_tac_toe: cell = 3 · row + column.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "games/board.hpp"
#include "games/state.hpp"

namespace honte {

class TicTacToe {
 public:
  TicTacToe() = default;

  // Sets up cells (0 empty, 1 the first player's, 2 the second's; top row first).
  static TicTacToe from_cells(std::span<const std::uint8_t> cells, int to_play) {
    TicTacToe position;
    for (int point = 0; point < 9; ++point)
      if (cells[point]) position.stones_[cells[point] - 1] |= 1 << point;
    position.to_play_ = static_cast<std::int8_t>(to_play);
    const bool first = has_line(position.stones_[0]), second = has_line(position.stones_[1]);
    if (first && second) throw Error("Both players have three in a row: no game gets there.");
    position.outcome_ = first              ? Outcome::kFirstWins
                        : second           ? Outcome::kSecondWins
                        : position.empty() ? Outcome::kOpen
                                           : Outcome::kDraw;
    return position;
  }

  static constexpr int num_distinct_actions() { return 9; }
  static constexpr int num_players() { return 2; }
  int to_play() const { return to_play_; }
  bool is_terminal() const { return outcome_ != Outcome::kOpen; }
  int current_player() const { return is_terminal() ? kTerminalPlayer : to_play_; }

  void legal_actions(std::vector<Action>& actions) const {
    actions.clear();
    if (is_terminal()) return;
    for_each_bit(empty(), [&](int point) { actions.push_back(point); });
  }

  bool is_legal(Action action) const {
    return !is_terminal() && action >= 0 && action < 9 && (empty() >> action & 1);
  }

  Action random_action(Random& random) const {
    const unsigned free = empty();
    return nth_bit(free, static_cast<int>(random.below(std::popcount(free))));
  }
  double playout(Random& random) const { return uniform_playout(*this, random); }

  void apply_action(Action action) {
    std::uint16_t& mine = stones_[to_play_];
    mine |= 1 << action;
    if (has_line(mine))
      outcome_ = static_cast<Outcome>(to_play_);
    else if (!empty())
      outcome_ = Outcome::kDraw;
    to_play_ ^= 1;
  }

  double returns(int player) const { return outcome_return(outcome_, player); }

  PositionKey key() const {
    return salted_key(0x7474'7400, stones_[0] | stones_[1] << 16,
                      static_cast<std::uint64_t>(to_play_));
  }

  static constexpr int num_symmetries() { return 8; }
  Action transform_action(Action action, int symmetry) const {
    return transform_square_point(action, 3, symmetry);
  }

  // Planes: the mover's marks, the opponent's marks.
  static constexpr int observation_size() { return 2 * 9; }
  static constexpr std::array<int, 3> observation_shape() { return {2, 3, 3}; }
  void observation(std::span<float> planes, int symmetry) const {
    for (int point = 0; point < 9; ++point) {
      const int seen = transform_action(point, symmetry);
      planes[seen] = static_cast<float>(stones_[to_play_] >> point & 1);
      planes[9 + seen] = static_cast<float>(stones_[to_play_ ^ 1] >> point & 1);
    }
  }

  static constexpr int rows() { return 3; }
  static constexpr int columns() { return 3; }
  int cell(int row, int column) const {
    const int point = 3 * row + column;
    return (stones_[0] >> point & 1) + 2 * (stones_[1] >> point & 1);
  }

  bool operator==(const TicTacToe&) const = default;

 private:
  static constexpr bool has_line(unsigned marks) {
    for (unsigned line : {0007u, 0070u, 0700u, 0111u, 0222u, 0444u, 0421u, 0124u})
      if ((marks & line) == line) return true;
    return false;
  }
  unsigned empty() const { return 0777u & ~(stones_[0] | stones_[1]); }

  std::array<std::uint16_t, 2> stones_{};
  std::int8_t to_play_ = 0;
  Outcome outcome_ = Outcome::kOpen;
};

static_assert(State<TicTacToe>);

}  // namespace honte
