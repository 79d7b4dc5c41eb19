// Uniform random playouts: AlphaGo's and UCT's simulation without a network.
#include "games/go/state.hpp"

namespace honte::go {
namespace {

class Playout {
 public:
  Playout(const Board& board, Colour to_play, bool territory)
      : board_(board), to_play_(to_play), territory_(territory) {}

  // White's area minus black's at the end, and under territory scoring a point for
  // each stone that the opponent played.
  template <class N>
  int run(Random& random, N words) {
    // Suicide is left out, so only kos can prolong a playout; a cap ends those.
    const int cap = 3 * board_.geometry().area + 16;
    int passes = 0;
    for (int move = 0; move < cap && passes < 2; ++move) {
      const Point point = choose(random, words);
      if (point == kNoPoint) {
        board_.clear_ko_point();
        ++passes;
      } else {
        board_.play(point, to_play_);
        passes = 0;
        if (territory_) chill_ += to_play_ == kBlack ? 1 : -1;
      }
      to_play_ = opponent(to_play_);
    }
    const Ownership owner = plain_area(board_);
    return count(owner[kWhite], words) - count(owner[kBlack], words) + chill_;
  }

 private:
  template <class N>
  Point choose(Random& random, N words) const {
    const Bits eyes = board_.eyes(to_play_, words);
    Bits empty, rest;
    int left = 0;
    for (int i = 0; i < words; ++i) {
      empty[i] =
          board_.geometry().on_board[i] & ~(board_.stones(kBlack)[i] | board_.stones(kWhite)[i]);
      rest[i] = empty[i] & ~eyes[i];
      left += std::popcount(rest[i]);
    }
    const Bits open = neighbours(empty, words, board_.geometry().stride);
    for (; left > 0; --left) {
      const int point = select(rest, words, static_cast<int>(random.below(left)));
      if (open.has(point) || (point != board_.ko_point() &&
                              board_.is_placeable(static_cast<Point>(point), to_play_, false)))
        return static_cast<Point>(point);
      rest.clear(point);
    }
    return kNoPoint;
  }

  Board board_;
  Colour to_play_;
  bool territory_;
  int chill_ = 0;
};

}  // namespace

double GoState::playout(Random& random) const {
  if (over_) return returns(to_play_);
  Playout playout(board_, to_play_, rules_.scoring == Scoring::territory);
  const int area =
      with_words(geometry().words, [&](auto words) { return playout.run(random, words); });
  const double white = area + self_komi(kWhite);
  if (white == 0.0) return 0.0;
  return (white > 0.0) == (to_play_ == kWhite) ? 1.0 : -1.0;
}

}  // namespace honte::go
