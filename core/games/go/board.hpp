// Stones on a board: chains, liberties, captures, the ko point. It knows no turns,
// no history and no score.
//
// Chains are circular lists of stones with pseudo-liberties: each chain keeps the
// number, the sum and the sum of squares of its (stone, empty neighbour) pairs. All
// of them are the same point exactly if number · squares = sum², so "in atari" is
// one comparison, and the last liberty is sum / number.
#pragma once

#include <array>
#include <cstdint>

#include "games/go/bits.hpp"
#include "games/go/geometry.hpp"

namespace honte::go {

using Colour = std::uint8_t;
inline constexpr Colour kBlack = 0, kWhite = 1, kEmpty = 2, kWall = 3;

constexpr Colour opponent(Colour colour) { return colour ^ 1; }

class Board {
 public:
  explicit Board(const Geometry& geometry);
  Board(const Board& other) { copy(other); }
  Board& operator=(const Board& other) {
    if (this != &other) copy(other);
    return *this;
  }

  // The board with these stones. std::invalid_argument if a chain has no liberty.
  Board(const Geometry& geometry, const Bits& black, const Bits& white, Point ko_point = kNoPoint);

  const Geometry& geometry() const { return *geometry_; }
  Colour at(Point point) const { return colour_[point]; }
  const Bits& stones(Colour colour) const { return stones_[colour]; }
  int stone_count(Colour colour) const { return stone_count_[colour]; }
  int captured(Colour colour) const { return captured_[colour]; }  // stones of this colour taken off
  Bits empty() const;
  // Where the last move took a single stone in a ko; kNoPoint if it did not.
  Point ko_point() const { return ko_point_; }
  void clear_ko_point() { ko_point_ = kNoPoint; }

  // Of the chain of the stone at this point.
  Point head(Point stone) const { return cell_[stone].head; }
  int chain_size(Point stone) const { return cell_[head(stone)].size; }
  bool in_atari(Point stone) const { return cell_[head(stone)].one_liberty(); }
  Point last_liberty(Point stone) const {  // of a chain in atari
    const Cell& chain = cell_[head(stone)];
    return static_cast<Point>(chain.sum / chain.pseudo_liberties);
  }
  int liberties(Point stone, int limit = kMaxArea) const;  // counted up to the limit
  Bits chain(Point stone) const;
  Bits liberty_points(Point stone) const;

  template <class F>
  void for_each_in_chain(Point stone, F&& f) const {
    Point point = stone;
    do {
      const Point next = cell_[point].next;
      f(point);
      point = next;
    } while (point != stone);
  }

  // Whether a stone of this colour can be put on the empty point, ko aside.
  // Multi-stone suicide counts as the rules say; single-stone suicide never.
  bool is_placeable(Point point, Colour colour, bool suicide) const;
  bool captures(Point point, Colour colour) const;
  Bits placeable(Colour colour, bool suicide) const;
  // The size of the chain that a play here would leave with a single liberty; 0 if it takes
  // something or leaves more.
  int self_atari(Point point, Colour colour) const;
  // The single stone that a play here would take in a ko, else kNoPoint.
  Point ko_capture(Point point, Colour colour) const;
  // Empty points whose neighbours are all this colour's (or the wall) while the opponent
  // does not hold two diagonals (one at the edge): what a random playout must not fill.
  template <class N>
  Bits eyes(Colour colour, N words) const;

  // Puts a stone on an empty point where it is placeable and takes off what has no
  // liberty, the opponent's first. Returns how many stones were taken off.
  int play(Point point, Colour colour);

  // The stones as they would be after play(point, colour).
  void after(Point point, Colour colour, Bits& black, Bits& white) const;

 private:
  // What the board knows of a point; the chain's sums are kept at its head.
  struct Cell {
    Point head, next;
    std::uint16_t pseudo_liberties, size;
    std::uint32_t sum, squares;

    bool one_liberty() const {
      return std::uint64_t{pseudo_liberties} * squares == std::uint64_t{sum} * sum;
    }
    void add(std::uint32_t point) {
      ++pseudo_liberties;
      sum += point;
      squares += point * point;
    }
    void remove(std::uint32_t point) {
      --pseudo_liberties;
      sum -= point;
      squares -= point * point;
    }
  };

  void copy(const Board& other);
  void add_stone(Point point, Colour colour);
  void merge(Point a, Point b);
  void remove_chain(Point stone);

  const Geometry* geometry_;
  std::array<int, 4> neighbours_;
  std::array<Bits, 2> stones_;
  std::array<std::uint16_t, 2> stone_count_;
  std::array<std::uint16_t, 2> captured_;
  Point ko_point_;
  // Only the points of the geometry are ever set or copied.
  std::array<Colour, kMaxPoints> colour_;
  std::array<Cell, kMaxPoints> cell_;
};

template <class N>
Bits Board::eyes(Colour colour, N words) const {
  const int stride = geometry_->stride;
  const Bits& own = stones_[colour];
  const Bits& other = stones_[opponent(colour)];
  Bits open;  // empty or the opponent's
  for (int i = 0; i < words; ++i) open[i] = geometry_->on_board[i] & ~own[i];
  const Bits beside_open = neighbours(open, words, stride);
  const Bits a = shifted(other, words, stride + 1), b = shifted(other, words, stride - 1);
  const Bits c = shifted(other, words, -stride - 1), d = shifted(other, words, 1 - stride);
  Bits result;
  for (int i = 0; i < words; ++i) {
    const std::uint64_t one = a[i] | b[i] | c[i] | d[i];
    const std::uint64_t two = (a[i] & b[i]) | (c[i] & d[i]) | ((a[i] | b[i]) & (c[i] | d[i]));
    result[i] =
        open[i] & ~other[i] & ~beside_open[i] & ~(two | (one & geometry_->edge[i]));
  }
  return result;
}

}  // namespace honte::go
