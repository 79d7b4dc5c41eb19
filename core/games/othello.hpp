// Othello on boards of 4, 6 or 8. Actions and players as in OpenSpiel's othello: cell =
// size · row + column, then the pass, which is legal only when nothing else is. Black, player
// 0, moves first; the board starts with White on the main diagonal.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "error.hpp"
#include "games/board.hpp"
#include "games/state.hpp"

namespace honte {

// Every size lives in the top left corner of 8 × 8 bits, so that shifts are constants.
class Othello {
 public:
  explicit Othello(int size = 8);

  // Sets up cells (0 empty, 1 Black, 2 White; top row first).
  static Othello from_cells(int size, std::span<const std::uint8_t> cells, int to_play);

  int num_distinct_actions() const { return size_ * size_ + 1; }
  static constexpr int num_players() { return 2; }
  int to_play() const { return to_play_; }
  bool is_terminal() const { return terminal_; }
  int current_player() const { return terminal_ ? kTerminalPlayer : to_play_; }
  Action pass_action() const { return size_ * size_; }

  void legal_actions(std::vector<Action>& actions) const {
    actions.clear();
    if (terminal_) return;
    if (!moves_) return actions.push_back(pass_action());
    for_each_bit(moves_, [&](int bit) { actions.push_back(action_at(bit)); });
  }

  bool is_legal(Action action) const {
    if (terminal_ || action < 0 || action > pass_action()) return false;
    return action == pass_action() ? !moves_ : moves_ >> bit_of(action) & 1;
  }

  Action random_action(Random& random) const {
    const int count = std::popcount(moves_);
    const int n = static_cast<int>(random.below(count ? count : 1));
    return count ? action_at(nth_bit(moves_, n)) : pass_action();
  }
  double playout(Random& random) const { return uniform_playout(*this, random); }

  void apply_action(Action action);
  double returns(int player) const;

  PositionKey key() const {
    // A cell is never both, and both words' complements never leave one out unless the board
    // is full and the game over: so the complement can say who moves without another bit.
    const std::uint64_t flip = current_player() == 1 ? ~std::uint64_t{0} : 0;
    return salted_key(0x07e1'0000 | size_, discs_[0] ^ flip, discs_[1] ^ flip);
  }

  static constexpr int num_symmetries() { return 8; }
  Action transform_action(Action action, int symmetry) const {
    return action == pass_action() ? action : transform_square_point(action, size_, symmetry);
  }

  // Planes: the mover's discs, the opponent's discs.
  int observation_size() const { return 2 * size_ * size_; }
  std::array<int, 3> observation_shape() const { return {2, size_, size_}; }
  void observation(std::span<float> planes, int symmetry) const;

  int rows() const { return size_; }
  int columns() const { return size_; }
  int cell(int row, int column) const {
    const int bit = 8 * row + column;
    return static_cast<int>((discs_[0] >> bit & 1) + 2 * (discs_[1] >> bit & 1));
  }

  bool operator==(const Othello&) const = default;

 private:
  int bit_of(Action action) const { return 8 * (action / size_) + action % size_; }
  Action action_at(int bit) const { return size_ * (bit >> 3) + (bit & 7); }
  void find_moves();

  std::array<std::uint64_t, 2> discs_{};
  std::uint64_t moves_ = 0;  // where the player to move may put a disc
  std::int8_t size_;
  std::int8_t to_play_ = 0;
  bool terminal_ = false;
};

static_assert(State<Othello>);

}  // namespace honte
