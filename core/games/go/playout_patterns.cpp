#include "games/go/playout_patterns.hpp"

#include <algorithm>
#include <vector>

namespace honte::go {
namespace {

constexpr int kSymmetries = 8;

using Turns = std::array<std::array<std::uint8_t, kDiamondPoints>, kSymmetries>;

constexpr Turns make_turns() {
  Turns turns{};
  for (int symmetry = 0; symmetry < kSymmetries; ++symmetry)
    for (int k = 0; k < kDiamondPoints; ++k) {
      int x = kRingX[k], y = kRingY[k];
      if (symmetry & 1) y = -y;
      if (symmetry & 2) x = -x;
      if (symmetry & 4) {
        const int swap = x;
        x = y;
        y = swap;
      }
      for (int to = 0; to < kDiamondPoints; ++to)
        if (kRingX[to] == x && kRingY[to] == y) turns[symmetry][k] = static_cast<std::uint8_t>(to);
    }
  return turns;
}

constexpr Turns kTurns = make_turns();

std::vector<Pattern> make_canonical() {
  std::vector<Pattern> smallest(kPatternCodes);
  for (int code = 0; code < kPatternCodes; ++code) {
    Diamond least = static_cast<Diamond>(code);
    for (int symmetry = 1; symmetry < kSymmetries; ++symmetry)
      least = std::min(least, turned(static_cast<Diamond>(code), symmetry));
    smallest[code] = static_cast<Pattern>(least);
  }
  return smallest;
}

}  // namespace

bool is_own_eye(Pattern pattern) {
  const auto at = [&](int k) { return pattern >> 2 * k & 3; };
  bool at_edge = false;
  for (const int k : {1, 3, 4, 6}) {
    if (at(k) == 0 || at(k) == 2) return false;
    at_edge |= at(k) == 3;
  }
  int others = 0;
  for (const int k : {0, 2, 5, 7}) others += at(k) == 2;
  return others < (at_edge ? 1 : 2);
}

bool is_surrounded(Pattern pattern) {
  for (const int k : {1, 3, 4, 6})
    if ((pattern >> 2 * k & 3) < 2) return false;
  return true;
}

int turned(int k, int symmetry) { return kTurns[symmetry][k]; }

Diamond turned(Diamond diamond, int symmetry) {
  Diamond result = diamond & kLastInAtari;
  for (int k = 0; k < kDiamondPoints; ++k) result |= (diamond >> 2 * k & 3) << 2 * kTurns[symmetry][k];
  return result;
}

Pattern canonical(Pattern pattern) {
  static const std::vector<Pattern> smallest = make_canonical();
  return smallest[pattern];
}

Answer12 canonical(Diamond diamond, int point) {
  Answer12 least{diamond, point};
  for (int symmetry = 1; symmetry < kSymmetries; ++symmetry)
    least = std::min(least, Answer12{turned(diamond, symmetry), turned(point, symmetry)});
  return least;
}

Pattern pattern_at(const Board& board, Point point, Colour player) {
  const int stride = board.geometry().stride;
  Pattern pattern = 0;
  for (int k = 0; k < kRing; ++k) {
    const auto next = static_cast<Point>(point + kRingY[k] * stride + kRingX[k]);
    pattern |= static_cast<Pattern>(kCodeOf[player][board.at(next)] << 2 * k);
  }
  return pattern;
}

Diamond diamond_at(const Board& board, Point last, Colour player) {
  Diamond diamond = pattern_at(board, last, player);
  for (int k = kRing; k < kDiamondPoints; ++k) {
    const Point point = diamond_point(board, last, k);
    diamond |= Diamond{kCodeOf[player][point == kNoPoint ? kWall : board.at(point)]} << 2 * k;
  }
  return board.in_atari(last) ? diamond | kLastInAtari : diamond;
}

}  // namespace honte::go
