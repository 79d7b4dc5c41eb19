#include "games/hex.hpp"

namespace honte {

namespace {

template <class Visit>
void for_each_neighbour(int point, int size, Visit&& visit) {
  const int row = point / size, column = point % size;
  if (row > 0) {
    visit(point - size);
    if (column + 1 < size) visit(point - size + 1);
  }
  if (column > 0) visit(point - 1);
  if (column + 1 < size) visit(point + 1);
  if (row + 1 < size) {
    visit(point + size);
    if (column > 0) visit(point + size - 1);
  }
}

}  // namespace

Hex::Hex(int size) : board_(size) {
  if (size < 1 || size > 19)
    throw Error("A Hex board of size " + std::to_string(size) +
                " is not supported: give a size from 1 to 19.");
}

Hex Hex::from_cells(int size, std::span<const std::uint8_t> cells, int to_play) {
  Hex position(size);
  for (int point = 0; point < size * size; ++point)
    if (cells[point]) position.place(point, cells[point] - 1);
  position.board_.set_to_play(to_play);
  return position;
}

void Hex::place(int point, int player) {
  board_.place(point, player);
  const int size = board_.size();
  PointSet& reached = reached_[player];
  const auto along = [&](int at) { return player == 0 ? at / size : at % size; };
  bool joined = along(point) == 0;
  for_each_neighbour(point, size, [&](int next) { joined |= reached.contains(next); });
  if (!joined) return;

  std::array<std::int16_t, kMaxPoints> waiting;
  int count = 0;
  const auto reach = [&](int at) {
    reached.insert(at);
    waiting[count++] = static_cast<std::int16_t>(at);
    if (along(at) == size - 1) outcome_ = static_cast<Outcome>(player);
  };
  reach(point);
  while (count > 0)
    for_each_neighbour(waiting[--count], size, [&](int next) {
      if (board_.stones(player).contains(next) && !reached.contains(next)) reach(next);
    });
}

void Hex::observation(std::span<float> planes, int symmetry) const {
  const int points = board_.num_points(), mover = to_play();
  for (int point = 0; point < points; ++point) {
    const int seen = transform_action(point, symmetry);
    planes[seen] = board_.stones(mover).contains(point);
    planes[points + seen] = board_.stones(mover ^ 1).contains(point);
    planes[2 * points + seen] = static_cast<float>(mover);
  }
}

}  // namespace honte
