// Uniform random playouts: AlphaGo's and UCT's simulation without a network.
#include "games/go/state.hpp"

namespace honte::go {
namespace {

class Playout {
 public:
  Playout(const Board& board, Colour to_play, bool territory)
      : board_(board), to_play_(to_play), territory_(territory) {}

  // Plays to the end: who owns which point then. `played` takes the stones placed.
  template <class N>
  Ownership run(Random& random, N words, std::vector<Played>* played = nullptr) {
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
        if (played) played->push_back({to_play_, board_.geometry().action_of[point]});
        passes = 0;
        if (territory_) chill_ += to_play_ == kBlack ? 1 : -1;
      }
      to_play_ = opponent(to_play_);
    }
    return plain_area(board_);
  }

  // What White gained by the stones played, under territory scoring: one point for each stone
  // that the opponent played.
  int chill() const { return chill_; }

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

double GoState::playout(Random& random, std::vector<Played>* played) const {
  if (over_) return returns(to_play_);
  Playout playout(board_, to_play_, rules_.scoring == Scoring::territory);
  const int words = geometry().words;
  const Ownership owner =
      with_words(words, [&](auto fixed) { return playout.run(random, fixed, played); });
  const int area = count(owner[kWhite], words) - count(owner[kBlack], words) + playout.chill();
  const double white = area + self_komi(kWhite);
  if (white == 0.0) return 0.0;
  return (white > 0.0) == (to_play_ == kWhite) ? 1.0 : -1.0;
}

void GoState::playout_ownership(Random& random, std::span<int> black) const {
  Playout playout(board_, to_play_, false);
  const Ownership owner =
      with_words(geometry().words, [&](auto words) { return playout.run(random, words); });
  for (int action = 0; action < geometry().area; ++action) {
    const Point point = geometry().point_of[action];
    black[action] += static_cast<int>(owner[kBlack].has(point)) - static_cast<int>(owner[kWhite].has(point));
  }
}

}  // namespace honte::go
