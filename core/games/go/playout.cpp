// Playouts: AlphaGo's and UCT's simulation without a network, uniformly random or by a policy.
#include "games/go/pattern_player.hpp"
#include "games/go/state.hpp"

namespace honte::go {
namespace {

// So many moves of a playout follow the policy, as a share of the board's points; the rest are
// uniform. The first moves settle what is at stake, and a move by the policy takes about four times
// as long: on 9×9 this keeps two thirds of what the policy adds, at more than twice the speed.
constexpr double kByPolicy = 0.4;

// Plays any move that does not fill an eye, each as likely as the next.
class UniformPlayer {
 public:
  UniformPlayer(const Board& board, Colour to_play) : board_(board), to_play_(to_play) {}

  const Board& board() const { return board_; }
  Colour to_play() const { return to_play_; }

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

  template <class N>
  void play(Point point, N) {
    board_.play(point, to_play_);
    to_play_ = opponent(to_play_);
  }

  void pass() {
    board_.clear_ko_point();
    to_play_ = opponent(to_play_);
  }

 private:
  Board board_;
  Colour to_play_;
};

// The end of a playout: who owns which point, and what White gained by the stones played under
// territory scoring, one point for each that Black played.
struct End {
  Ownership owner;
  int chill = 0;
};

// Plays to the end, or so many moves; `played` takes the stones placed.
template <class Player, class N>
End play_out(Player& player, Random& random, N words, std::vector<Played>* played, int most) {
  const Geometry& geometry = player.board().geometry();
  int passes = 0, chill = 0;
  for (int move = 0; move < most && passes < 2; ++move) {
    const Point point = player.choose(random, words);
    if (point == kNoPoint) {
      player.pass();
      ++passes;
      continue;
    }
    const Colour colour = player.to_play();
    player.play(point, words);
    if (played) played->push_back({colour, geometry.action_of[point]});
    passes = 0;
    chill += colour == kBlack ? 1 : -1;
  }
  return {plain_area(player.board()), chill};
}

// Suicide is left out, so only kos can prolong a playout; a cap ends those.
int cap(const Geometry& geometry) { return 3 * geometry.area + 16; }

}  // namespace

double GoState::playout(Random& random, std::vector<Played>* played,
                        const PlayoutPolicy* policy) const {
  if (over_) return returns(to_play_);
  const int words = geometry().words;
  const End end = with_words(words, [&](auto fixed) {
    const auto uniform = [&](const Board& board, Colour to_play) {
      UniformPlayer player(board, to_play);
      return play_out(player, random, fixed, played, cap(geometry()));
    };
    if (!policy) return uniform(board_, to_play_);
    PatternPlayer player(board_, to_play_, last_point(), *policy);
    const int by_policy = static_cast<int>(kByPolicy * geometry().area);
    const int chill = play_out(player, random, fixed, played, by_policy).chill;
    End end = uniform(player.board(), player.to_play());
    end.chill += chill;
    return end;
  });
  const int chill = rules_.scoring == Scoring::territory ? end.chill : 0;
  const int area = count(end.owner[kWhite], words) - count(end.owner[kBlack], words) + chill;
  const double white = area + self_komi(kWhite);
  if (white == 0.0) return 0.0;
  return (white > 0.0) == (to_play_ == kWhite) ? 1.0 : -1.0;
}

Point GoState::last_point() const {
  if (move_number() == 0) return kNoPoint;
  const Action last = history_.last().action();
  return last == geometry().pass() ? kNoPoint : geometry().point_of[last];
}

void GoState::playout_ownership(Random& random, std::span<int> black) const {
  UniformPlayer player(board_, to_play_);
  const Ownership owner = with_words(
      geometry().words, [&](auto words) {
        return play_out(player, random, words, nullptr, cap(geometry())).owner;
      });
  for (int action = 0; action < geometry().area; ++action) {
    const Point point = geometry().point_of[action];
    black[action] += static_cast<int>(owner[kBlack].has(point)) - static_cast<int>(owner[kWhite].has(point));
  }
}

}  // namespace honte::go
