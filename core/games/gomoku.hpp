// Gomoku without opening rules, on boards up to 19 × 19. Actions and players as in OpenSpiel's
// gomoku: point = size · row + column.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "games/board.hpp"
#include "games/point_set.hpp"
#include "games/state.hpp"

namespace honte {

class Gomoku {
 public:
  // Where overline_wins is false (standard gomoku), six or more in a row do not win.
  explicit Gomoku(int size = 15, bool overline_wins = true);

  // Sets up cells (0 empty, 1 the first player's, 2 the second's; top row first).
  static Gomoku from_cells(int size, bool overline_wins, std::span<const std::uint8_t> cells,
                           int to_play);

  bool overline_wins() const { return overline_wins_; }
  int num_distinct_actions() const { return board_.num_points(); }
  static constexpr int num_players() { return 2; }
  int to_play() const { return board_.to_play(); }
  bool is_terminal() const { return outcome_ != Outcome::kOpen; }
  int current_player() const { return is_terminal() ? kTerminalPlayer : to_play(); }

  void legal_actions(std::vector<Action>& actions) const {
    actions.clear();
    if (!is_terminal()) board_.for_each_empty([&](int point) { actions.push_back(point); });
  }

  bool is_legal(Action action) const {
    return !is_terminal() && action >= 0 && action < board_.num_points() && board_.is_empty(action);
  }

  Action random_action(Random& random) const {
    return board_.nth_empty(static_cast<int>(random.below(board_.num_empty())));
  }
  double playout(Random& random) const { return uniform_playout(*this, random); }

  void apply_action(Action action) {
    const int player = to_play();
    board_.place(action, player);
    if (makes_five(action, player))
      outcome_ = static_cast<Outcome>(player);
    else if (board_.num_empty() == 0)
      outcome_ = Outcome::kDraw;
    board_.set_to_play(player ^ 1);
  }

  double returns(int player) const { return outcome_return(outcome_, player); }
  PositionKey key() const { return board_.key(0x6f'0000'0000 | overline_wins_ << 16); }

  static constexpr int num_symmetries() { return 8; }
  Action transform_action(Action action, int symmetry) const {
    return transform_square_point(action, board_.size(), symmetry);
  }

  // Planes: the mover's stones, the opponent's stones.
  int observation_size() const { return 2 * board_.num_points(); }
  std::array<int, 3> observation_shape() const { return {2, board_.size(), board_.size()}; }
  void observation(std::span<float> planes, int symmetry) const;

  int rows() const { return board_.size(); }
  int columns() const { return board_.size(); }
  int cell(int row, int column) const { return board_.cell(row * board_.size() + column); }

  bool operator==(const Gomoku&) const = default;

 private:
  bool makes_five(int point, int player) const;

  StonesOnBoard board_;
  bool overline_wins_;
  Outcome outcome_ = Outcome::kOpen;
};

static_assert(State<Gomoku>);

}  // namespace honte
