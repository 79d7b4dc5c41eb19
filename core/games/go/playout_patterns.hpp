// The local shapes of the fast rollout policy, as numbers.
//
// A pattern is the eight points around an empty one, a diamond the twelve points within distance
// two of the last move, 2 bits a point from the side of the player to move: 0 empty, 1 own, 2 the
// opponent's, 3 off the board. Points are numbered row by row: the eight first, north-west to
// south-east, then two to the north, west, east and south. A diamond's bit 24 says that the chain
// of the last move has a single liberty.
#pragma once

#include <array>
#include <cstdint>

#include "games/go/board.hpp"

namespace honte::go {

using Pattern = std::uint16_t;
using Diamond = std::uint32_t;

inline constexpr int kRing = 8;             // points of a pattern
inline constexpr int kDiamondPoints = 12;
inline constexpr int kPatternCodes = 1 << 16;
inline constexpr Diamond kLastInAtari = 1u << 24;
inline constexpr std::array<int, kDiamondPoints> kRingX{-1, 0, 1, -1, 1, -1, 0, 1, 0, -2, 2, 0};
inline constexpr std::array<int, kDiamondPoints> kRingY{-1, -1, -1, 0, 0, 1, 1, 1, -2, 0, 0, 2};

// What a colour on the board is in a code, [player to move][colour].
inline constexpr std::uint8_t kCodeOf[2][4] = {{1, 2, 0, 3}, {2, 1, 0, 3}};

// Of the four points next to the centre of a pattern, how many are empty.
constexpr int empty_sides(Pattern pattern) {
  constexpr unsigned sides = 0x1144;  // the low bits of north, west, east and south
  return 4 - std::popcount((pattern | pattern >> 1) & sides);
}

// Whether the player to move would fill an eye: Board::eyes, read off the pattern.
bool is_own_eye(Pattern pattern);
// Whether the opponent's stones or the edge are on all four sides.
bool is_surrounded(Pattern pattern);

// Where the k-th point of a pattern or diamond goes under each symmetry of the square.
int turned(int k, int symmetry);
Diamond turned(Diamond diamond, int symmetry);

// The smallest of a pattern's eight turned and mirrored codes.
Pattern canonical(Pattern pattern);

// A diamond and one of its points, turned so that the pair is the smallest of the eight.
struct Answer12 {
  Diamond diamond;
  int point;
  auto operator<=>(const Answer12&) const = default;
};
Answer12 canonical(Diamond diamond, int point);

// The pattern around a point of the board, and the diamond around the last move.
Pattern pattern_at(const Board& board, Point point, Colour player);
Diamond diamond_at(const Board& board, Point last, Colour player);

// The k-th point of the diamond around a point, kNoPoint where that is off the board.
inline Point diamond_point(const Board& board, Point centre, int k) {
  const int stride = board.geometry().stride;
  const int x = kRingX[k], y = kRingY[k];
  if (k >= kRing && board.at(static_cast<Point>(centre + y / 2 * stride + x / 2)) == kWall) return kNoPoint;
  const auto point = static_cast<Point>(centre + y * stride + x);
  return board.at(point) == kWall ? kNoPoint : point;
}

}  // namespace honte::go
