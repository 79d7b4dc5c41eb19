// Hex without the swap rule, on boards up to 19 × 19. Actions and players as in OpenSpiel's
// hex: cell = size · row + column; player 0 joins top and bottom, player 1 left and right.
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

class Hex {
 public:
  static constexpr int kRowIndent = 1;  // each row is drawn half a cell further right

  explicit Hex(int size = 11);

  // Sets up cells (0 empty, 1 the first player's, 2 the second's; top row first).
  static Hex from_cells(int size, std::span<const std::uint8_t> cells, int to_play);

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
    place(action, player);
    board_.set_to_play(player ^ 1);
  }

  // There is no draw: a full board has exactly one chain across (Gale 1979).
  double returns(int player) const { return outcome_return(outcome_, player); }
  PositionKey key() const { return board_.key(0x4e'0000'0000); }

  // Half a turn; the mirror images would swap the players.
  static constexpr int num_symmetries() { return 2; }
  Action transform_action(Action action, int symmetry) const {
    return symmetry ? board_.num_points() - 1 - action : action;
  }

  // Planes: the mover's stones, the opponent's stones, and who moves (all 0 or all 1), since
  // the two players' edges differ.
  int observation_size() const { return 3 * board_.num_points(); }
  std::array<int, 3> observation_shape() const { return {3, board_.size(), board_.size()}; }
  void observation(std::span<float> planes, int symmetry) const;

  int rows() const { return board_.size(); }
  int columns() const { return board_.size(); }
  int cell(int row, int column) const { return board_.cell(row * board_.size() + column); }

  bool operator==(const Hex&) const = default;

 private:
  void place(int point, int player);

  StonesOnBoard board_;
  // Each player's stones that are joined to the top or the left edge. A stone enters once, so
  // all the flooding of a game visits each stone once.
  std::array<PointSet, 2> reached_;
  Outcome outcome_ = Outcome::kOpen;
};

static_assert(State<Hex>);

}  // namespace honte
