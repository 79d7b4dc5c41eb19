#include "games/go/board.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace honte::go {

Board::Board(const Geometry& geometry)
    : geometry_(&geometry),
      neighbours_(geometry.neighbours()),
      stones_{},
      stone_count_{},
      captured_{},
      ko_point_(kNoPoint) {
  for (int point = 0; point < geometry.points; ++point) {
    colour_[point] = geometry.on_board.has(point) ? kEmpty : kWall;
    cell_[point] = {static_cast<Point>(point), 0, 0, 0, 0, 0};
  }
}

Board::Board(const Geometry& geometry, const Bits& black, const Bits& white, Point ko_point)
    : Board(geometry) {
  for_each(black, geometry.words, [&](int point) { add_stone(static_cast<Point>(point), kBlack); });
  for_each(white, geometry.words, [&](int point) { add_stone(static_cast<Point>(point), kWhite); });
  for (int point = 0; point < geometry.points; ++point)
    if (colour_[point] < kEmpty && cell_[head(static_cast<Point>(point))].pseudo_liberties == 0)
      throw std::invalid_argument("A chain of stones has no liberty.");
  ko_point_ = ko_point;
}

void Board::copy(const Board& other) {
  geometry_ = other.geometry_;
  neighbours_ = other.neighbours_;
  stones_ = other.stones_;
  stone_count_ = other.stone_count_;
  captured_ = other.captured_;
  ko_point_ = other.ko_point_;
  std::memcpy(colour_.data(), other.colour_.data(), geometry_->points * sizeof(Colour));
  std::memcpy(cell_.data(), other.cell_.data(), geometry_->points * sizeof(Cell));
}

Bits Board::empty() const {
  Bits result;
  for (int i = 0; i < geometry_->words; ++i)
    result[i] = geometry_->on_board[i] & ~(stones_[kBlack][i] | stones_[kWhite][i]);
  return result;
}

int Board::liberties(Point stone, int limit) const {
  if (limit <= 1) return 1;
  if (in_atari(stone)) return 1;
  if (limit == 2) return 2;
  return std::min(limit, count(liberty_points(stone), geometry_->words));
}

Bits Board::chain(Point stone) const {
  Bits result;
  for_each_in_chain(stone, [&](Point point) { result.set(point); });
  return result;
}

Bits Board::liberty_points(Point stone) const {
  Bits result;
  for_each_in_chain(stone, [&](Point point) {
    for (const int step : neighbours_)
      if (colour_[point + step] == kEmpty) result.set(point + step);
  });
  return result;
}

bool Board::is_placeable(Point point, Colour colour, bool suicide) const {
  for (const int step : neighbours_) {
    const Point next = static_cast<Point>(point + step);
    const Colour there = colour_[next];
    if (there == kEmpty) return true;
    if (there == colour ? suicide || !in_atari(next) : there < kEmpty && in_atari(next)) return true;
  }
  return false;
}

bool Board::captures(Point point, Colour colour) const {
  for (const int step : neighbours_) {
    const Point next = static_cast<Point>(point + step);
    if (colour_[next] == opponent(colour) && in_atari(next)) return true;
  }
  return false;
}

int Board::self_atari(Point point, Colour colour) const {
  // Without branches on whose neighbours are whose, as in add_stone. A point is at most four of a
  // chain's pseudo-liberties, so with more than eight a chain keeps two without this one.
  bool safe = false;
  for (int i = 0; i < 4; ++i) {
    const auto next = static_cast<Point>(point + neighbours_[i]);
    const Colour there = colour_[next];
    const Cell& near = cell_[cell_[next].head];
    safe |= ((there == colour) & (near.pseudo_liberties > 8)) | ((there == opponent(colour)) & near.one_liberty());
  }
  if (safe) return 0;
  Cell chain{point, point, 0, 1, 0, 0};
  std::array<Point, 4> joined;
  for (int i = 0; i < 4; ++i) {
    const auto next = static_cast<Point>(point + neighbours_[i]);
    const Colour there = colour_[next];
    const std::uint32_t free = there == kEmpty, own = there == colour;
    const Cell& near = cell_[cell_[next].head];
    joined[i] = static_cast<Point>(own * near.head);
    std::uint32_t first = own;  // of this chain's stones beside the point
    for (int before = 0; before < i; ++before) first &= joined[before] != near.head;
    // A stone of one's own beside the point loses this liberty.
    chain.pseudo_liberties += free - own + first * near.pseudo_liberties;
    chain.sum += free * next - own * point + first * near.sum;
    chain.squares += free * next * next - own * point * point + first * near.squares;
    chain.size += first * near.size;
  }
  return chain.pseudo_liberties > 0 && chain.one_liberty() ? chain.size : 0;
}

Bits Board::placeable(Colour colour, bool suicide) const {
  return with_words(geometry_->words, [&](auto words) {
    Bits free;
    for (int i = 0; i < words; ++i)
      free[i] = geometry_->on_board[i] & ~(stones_[kBlack][i] | stones_[kWhite][i]);
    // A point beside an empty one is always placeable; the few others are asked one by one.
    Bits result = neighbours(free, words, geometry_->stride);
    for (int i = 0; i < words; ++i) {
      result[i] &= free[i];
      for (std::uint64_t rest = free[i] & ~result[i]; rest; rest &= rest - 1) {
        const int point = i * 64 + std::countr_zero(rest);
        if (is_placeable(static_cast<Point>(point), colour, suicide)) result.set(point);
      }
    }
    return result;
  });
}

Point Board::ko_capture(Point point, Colour colour) const {
  if (colour_[point] != kEmpty) return kNoPoint;
  Point taken = kNoPoint;
  for (const int step : neighbours_) {
    const Point next = static_cast<Point>(point + step);
    const Colour there = colour_[next];
    if (there == kEmpty || there == colour) return kNoPoint;
    if (there == kWall || !in_atari(next)) continue;
    if (taken != kNoPoint) return kNoPoint;
    taken = next;
  }
  return taken != kNoPoint && chain_size(taken) == 1 ? taken : kNoPoint;
}

// Which neighbours are whose is a coin toss to the processor's branch prediction, so
// liberties are counted without branches: empty points and walls are their own heads, and
// what is written to their cells is never read.
void Board::add_stone(Point point, Colour colour) {
  colour_[point] = colour;
  stones_[colour].set(point);
  ++stone_count_[colour];
  Cell chain{point, point, 0, 1, 0, 0};
  unsigned own = 0;
  for (int i = 0; i < 4; ++i) {
    const auto next = static_cast<Point>(point + neighbours_[i]);
    const Colour there = colour_[next];
    const std::uint32_t free = there == kEmpty;
    chain.pseudo_liberties += free;
    chain.sum += free * next;
    chain.squares += free * next * next;
    cell_[cell_[next].head].remove(point);
    own |= unsigned{there == colour} << i;
  }
  cell_[point] = chain;
  for (; own; own &= own - 1) {
    const auto next = static_cast<Point>(point + neighbours_[std::countr_zero(own)]);
    if (cell_[next].head != cell_[point].head) merge(cell_[point].head, cell_[next].head);
  }
}

void Board::merge(Point a, Point b) {
  if (cell_[a].size < cell_[b].size) std::swap(a, b);
  Cell& into = cell_[a];
  const Cell& from = cell_[b];
  into.pseudo_liberties += from.pseudo_liberties;
  into.size += from.size;
  into.sum += from.sum;
  into.squares += from.squares;
  Point stone = b;
  do {
    cell_[stone].head = a;
    stone = cell_[stone].next;
  } while (stone != b);
  std::swap(cell_[a].next, cell_[b].next);
}

void Board::remove_chain(Point stone) {
  const Colour colour = colour_[stone];
  const int size = chain_size(stone);
  stone_count_[colour] -= size;
  captured_[colour] += size;
  for_each_in_chain(stone, [&](Point point) {
    colour_[point] = kEmpty;
    cell_[point].head = point;
    stones_[colour].clear(point);
    for (const int step : neighbours_) cell_[cell_[point + step].head].add(point);
  });
}

int Board::play(Point point, Colour colour) {
  const int before = stone_count_[kBlack] + stone_count_[kWhite] + 1;
  add_stone(point, colour);
  unsigned dead = 0;
  for (int i = 0; i < 4; ++i) {
    const auto next = static_cast<Point>(point + neighbours_[i]);
    const unsigned theirs = colour_[next] == opponent(colour);
    const unsigned none = cell_[cell_[next].head].pseudo_liberties == 0;
    dead |= (theirs & none) << i;
  }
  Point last = kNoPoint;
  for (; dead; dead &= dead - 1) {
    const auto next = static_cast<Point>(point + neighbours_[std::countr_zero(dead)]);
    if (colour_[next] == kEmpty) continue;  // taken with a chain beside it
    remove_chain(next);
    last = next;
  }
  ko_point_ = kNoPoint;
  const Cell& own = cell_[cell_[point].head];
  if (own.pseudo_liberties == 0) {
    remove_chain(point);
  } else if (last != kNoPoint && own.size == 1 && own.one_liberty() &&
             stone_count_[kBlack] + stone_count_[kWhite] == before - 1) {
    ko_point_ = last;
  }
  return before - stone_count_[kBlack] - stone_count_[kWhite];
}

void Board::after(Point point, Colour colour, Bits& black, Bits& white) const {
  std::array<Bits, 2> result = stones_;
  bool captured = false;
  for (const int step : neighbours_) {
    const Point next = static_cast<Point>(point + step);
    if (colour_[next] == opponent(colour) && in_atari(next)) {
      for_each_in_chain(next, [&](Point stone) { result[opponent(colour)].clear(stone); });
      captured = true;
    }
  }
  if (captured || is_placeable(point, colour, false)) {
    result[colour].set(point);
  } else {
    for (const int step : neighbours_) {
      const Point next = static_cast<Point>(point + step);
      if (colour_[next] == colour)
        for_each_in_chain(next, [&](Point stone) { result[colour].clear(stone); });
    }
  }
  black = result[kBlack];
  white = result[kWhite];
}

}  // namespace honte::go
