#include "games/othello.hpp"

#include <utility>

namespace honte {

namespace {

// The eight directions: four shifts, each to higher and to lower bits.
template <int kShift>
constexpr std::uint64_t moved(std::uint64_t discs) {
  return kShift > 0 ? discs << kShift : discs >> -kShift;
}

// The opponent's discs that a row in this direction can run over. A disc in the first or last
// column ends every row but an upright one; left out here, no shift needs to mind the sides.
template <int kShift>
constexpr std::uint64_t passable(std::uint64_t theirs) {
  return kShift == 8 || kShift == -8 ? theirs : theirs & 0x7e7e7e7e7e7e7e7eull;
}

// The rows of such discs that start next to a disc of from: six at most on a side of 8, found
// one, two, then two and two more at a time.
template <int kShift>
constexpr std::uint64_t row_of(std::uint64_t from, std::uint64_t theirs) {
  const std::uint64_t open = passable<kShift>(theirs);
  std::uint64_t row = moved<kShift>(from) & open;
  row |= moved<kShift>(row) & open;
  const std::uint64_t pairs = open & moved<kShift>(open);
  row |= moved<2 * kShift>(row) & pairs;
  row |= moved<2 * kShift>(row) & pairs;
  return row;
}

template <class Visit>
constexpr void for_each_direction(Visit&& visit) {
  [&]<int... kShifts>(std::integer_sequence<int, kShifts...>) {
    (visit.template operator()<kShifts>(), ...);
  }(std::integer_sequence<int, 1, -1, 7, -7, 8, -8, 9, -9>{});
}

std::uint64_t moves(std::uint64_t mine, std::uint64_t theirs, std::uint64_t board) {
  std::uint64_t found = 0;
  for_each_direction([&]<int kShift>() {
    found |= moved<kShift>(row_of<kShift>(mine, theirs));
  });
  return found & board & ~(mine | theirs);
}

std::uint64_t flips(std::uint64_t disc, std::uint64_t mine, std::uint64_t theirs) {
  std::uint64_t turned = 0;
  for_each_direction([&]<int kShift>() {
    const std::uint64_t row = row_of<kShift>(disc, theirs);
    turned |= moved<kShift>(row) & mine ? row : 0;
  });
  return turned;
}

std::uint64_t whole_board(int size) {
  const std::uint64_t row = (1u << size) - 1;
  std::uint64_t board = 0;
  for (int y = 0; y < size; ++y) board |= row << (8 * y);
  return board;
}

}  // namespace

Othello::Othello(int size) : size_(static_cast<std::int8_t>(size)) {
  if (size != 4 && size != 6 && size != 8)
    throw Error("An Othello board of size " + std::to_string(size) +
                " is not supported: give 4, 6 or 8.");
  const int middle = size / 2, corner = 8 * (middle - 1) + middle - 1;
  discs_[0] = std::uint64_t{1} << (corner + 1) | std::uint64_t{1} << (corner + 8);
  discs_[1] = std::uint64_t{1} << corner | std::uint64_t{1} << (corner + 9);
  find_moves();
}

Othello Othello::from_cells(int size, std::span<const std::uint8_t> cells, int to_play) {
  Othello position(size);
  position.discs_ = {};
  for (int point = 0; point < size * size; ++point)
    if (cells[point])
      position.discs_[cells[point] - 1] |= std::uint64_t{1} << position.bit_of(point);
  position.to_play_ = static_cast<std::int8_t>(to_play);
  position.find_moves();
  return position;
}

void Othello::find_moves() {
  const std::uint64_t mine = discs_[to_play_], theirs = discs_[to_play_ ^ 1];
  const std::uint64_t board = whole_board(size_);
  moves_ = moves(mine, theirs, board);
  terminal_ = !moves_ && !moves(theirs, mine, board);
}

void Othello::apply_action(Action action) {
  if (action != pass_action()) {
    std::uint64_t &mine = discs_[to_play_], &theirs = discs_[to_play_ ^ 1];
    const std::uint64_t disc = std::uint64_t{1} << bit_of(action);
    const std::uint64_t turned = flips(disc, mine, theirs);
    mine |= disc | turned;
    theirs &= ~turned;
  }
  to_play_ ^= 1;
  find_moves();
}

// More discs win; empty cells at the end count for nobody.
double Othello::returns(int player) const {
  if (!terminal_) return 0.0;
  const int lead = std::popcount(discs_[player]) - std::popcount(discs_[player ^ 1]);
  return lead > 0 ? 1.0 : lead < 0 ? -1.0 : 0.0;
}

void Othello::observation(std::span<float> planes, int symmetry) const {
  const int points = size_ * size_;
  for (int point = 0; point < points; ++point) {
    const int seen = transform_action(point, symmetry), bit = bit_of(point);
    planes[seen] = static_cast<float>(discs_[to_play_] >> bit & 1);
    planes[points + seen] = static_cast<float>(discs_[to_play_ ^ 1] >> bit & 1);
  }
}

}  // namespace honte
