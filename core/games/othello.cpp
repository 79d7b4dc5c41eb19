#include "games/othello.hpp"

namespace honte {

namespace {

// One step in each of the eight directions; what would leave by a side edge is cut off.
template <int kDirection>
constexpr std::uint64_t step(std::uint64_t discs) {
  constexpr std::uint64_t kNotLeft = 0xfefefefefefefefeull, kNotRight = 0x7f7f7f7f7f7f7f7full;
  if constexpr (kDirection == 0) return (discs & kNotRight) << 1;
  if constexpr (kDirection == 1) return (discs & kNotLeft) << 7;
  if constexpr (kDirection == 2) return discs << 8;
  if constexpr (kDirection == 3) return (discs & kNotRight) << 9;
  if constexpr (kDirection == 4) return (discs & kNotLeft) >> 1;
  if constexpr (kDirection == 5) return (discs & kNotRight) >> 7;
  if constexpr (kDirection == 6) return discs >> 8;
  if constexpr (kDirection == 7) return (discs & kNotLeft) >> 9;
}

// The rows of the opponent's discs that start next to a disc of from; at most six on a side of 8.
template <int kDirection>
constexpr std::uint64_t row_of(std::uint64_t from, std::uint64_t theirs) {
  std::uint64_t row = step<kDirection>(from) & theirs;
  for (int length = 2; length <= 6; ++length) row |= step<kDirection>(row) & theirs;
  return row;
}

template <class Visit>
constexpr void for_each_direction(Visit&& visit) {
  [&]<int... kDirections>(std::integer_sequence<int, kDirections...>) {
    (visit.template operator()<kDirections>(), ...);
  }(std::make_integer_sequence<int, 8>{});
}

std::uint64_t moves(std::uint64_t mine, std::uint64_t theirs, std::uint64_t board) {
  std::uint64_t found = 0;
  for_each_direction([&]<int kDirection>() {
    found |= step<kDirection>(row_of<kDirection>(mine, theirs));
  });
  return found & board & ~(mine | theirs);
}

std::uint64_t flips(std::uint64_t disc, std::uint64_t mine, std::uint64_t theirs) {
  std::uint64_t turned = 0;
  for_each_direction([&]<int kDirection>() {
    const std::uint64_t row = row_of<kDirection>(disc, theirs);
    if (step<kDirection>(row) & mine) turned |= row;
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
