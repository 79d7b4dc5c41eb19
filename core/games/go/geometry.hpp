// The shape of a board: everything that depends on width and height alone.
//
// A point is an index into a padded board: row 0 and column 0 are walls, and the
// wall in column 0 of the next row closes the row before it, so a row costs
// width + 1. Point (x, y) is (y + 1) · (width + 1) + x + 1.
#pragma once

#include <array>
#include <cstdint>

#include "games/go/bits.hpp"
#include "games/state.hpp"

namespace honte::go {

using Point = std::uint16_t;

inline constexpr int kMaxSide = 25;
inline constexpr int kMaxArea = kMaxSide * kMaxSide;
inline constexpr int kMaxPoints = (kMaxSide + 1) * (kMaxSide + 2) + 1;
inline constexpr Point kNoPoint = 0;  // a corner of the wall, never on the board

static_assert(kMaxPoints <= kMaxWords * 64);

struct Geometry {
  int width, height;
  int area;    // width · height; also the action that passes
  int stride;  // from a point to the one below it
  int points;  // the padded points in use, 0 … points − 1
  int words;   // 64-bit words of a set of points

  Bits on_board;
  Bits edge;  // the outermost points
  alignas(64) std::array<Action, kMaxWords * 64> action_of;  // by point
  std::array<Point, kMaxArea> point_of;                      // by action

  // The one geometry of this size, made on first use. Sides are 1 … 25, else
  // std::invalid_argument.
  static const Geometry& of(int width, int height);

  int pass() const { return area; }
  std::array<int, 4> neighbours() const { return {-stride, -1, 1, stride}; }
  int x(Point point) const { return point % stride - 1; }
  int y(Point point) const { return point / stride - 1; }
};

// The symmetries of the square, numbered as KataGo numbers them: 1 flips the rows
// (y), 2 flips the columns (x), 4 transposes, applied in the order y, x, transpose.
// A rectangle keeps its shape under the first four.
inline int num_symmetries(const Geometry& geometry) {
  return geometry.width == geometry.height ? 8 : 4;
}

inline Action transform_action(const Geometry& geometry, Action action, int symmetry) {
  if (action == geometry.pass()) return action;
  int x = action % geometry.width, y = action / geometry.width;
  if (symmetry & 1) y = geometry.height - 1 - y;
  if (symmetry & 2) x = geometry.width - 1 - x;
  return symmetry & 4 ? x * geometry.height + y : y * geometry.width + x;
}

}  // namespace honte::go
