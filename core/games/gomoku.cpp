#include "games/gomoku.hpp"

namespace honte {

Gomoku::Gomoku(int size, bool overline_wins) : board_(size), overline_wins_(overline_wins) {
  if (size < 1 || size > 19)
    throw Error("A Gomoku board of size " + std::to_string(size) +
                " is not supported: give a size from 1 to 19.");
}

Gomoku Gomoku::from_cells(int size, bool overline_wins, std::span<const std::uint8_t> cells,
                          int to_play) {
  Gomoku position(size, overline_wins);
  for (int point = 0; point < size * size; ++point)
    if (cells[point]) position.board_.place(point, cells[point] - 1);
  position.board_.set_to_play(to_play);
  std::array<bool, 2> won{};
  for (int point = 0; point < size * size; ++point)
    if (cells[point]) won[cells[point] - 1] |= position.makes_five(point, cells[point] - 1);
  if (won[0] && won[1]) throw Error("Both players have five in a row: no game gets there.");
  position.outcome_ = won[0]                               ? Outcome::kFirstWins
                      : won[1]                             ? Outcome::kSecondWins
                      : position.board_.num_empty() == 0 ? Outcome::kDraw
                                                           : Outcome::kOpen;
  return position;
}

// Whether the stone at the point stands in a winning row.
bool Gomoku::makes_five(int point, int player) const {
  const int size = board_.size(), row = point / size, column = point % size;
  const PointSet& stones = board_.stones(player);
  const auto run = [&](int down, int right) {
    int length = 0;
    for (int y = row + down, x = column + right;
         y >= 0 && y < size && x >= 0 && x < size && stones.contains(y * size + x);
         y += down, x += right)
      ++length;
    return length;
  };
  constexpr std::array<std::array<int, 2>, 4> kDirections = {{{0, 1}, {1, 0}, {1, 1}, {1, -1}}};
  for (const auto& [down, right] : kDirections) {
    const int length = 1 + run(down, right) + run(-down, -right);
    if (length == 5 || (length > 5 && overline_wins_)) return true;
  }
  return false;
}

void Gomoku::observation(std::span<float> planes, int symmetry) const {
  const int points = board_.num_points(), mover = to_play();
  for (int point = 0; point < points; ++point) {
    const int seen = transform_action(point, symmetry);
    planes[seen] = board_.stones(mover).contains(point);
    planes[points + seen] = board_.stones(mover ^ 1).contains(point);
  }
}

}  // namespace honte
