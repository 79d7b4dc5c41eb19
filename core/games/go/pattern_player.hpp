// A playout by a PlayoutPolicy. The weights of all points are kept for both players while stones
// come and go, so that a move costs the points around it and one draw.
//
// A point's own weight (pattern, captures, extensions) changes when a stone near it does, or when a
// chain beside it gets its last liberty there. Around the opponent's last move, weights are replaced
// for the one draw. What a move into atari must be multiplied by is at most 1, so it is applied by
// drawing again: only a point that was drawn is looked at.
#pragma once

#include <cstring>

#include "games/go/playout_policy.hpp"
#include "random.hpp"

namespace honte::go {

class PatternPlayer {
 public:
  PatternPlayer(const Board& board, Colour to_play, Point last, const PlayoutPolicy& policy)
      : policy_(policy), board_(board), to_play_(to_play), last_(last) {
    const Geometry& geometry = board_.geometry();
    for (int k = 0; k < kRing; ++k)
      ring_[k] = static_cast<std::int16_t>(kRingY[k] * geometry.stride + kRingX[k]);
    blocks_ = (geometry.points + kBlock - 1) / kBlock;
    for (auto& weight : weight_) std::memset(weight.data(), 0, blocks_ * kBlock * sizeof weight[0]);
    std::memset(drawn_apart_.data(), 0, blocks_ * kBlock * sizeof drawn_apart_[0]);
    for_each(geometry.on_board, geometry.words, [&](int index) {
      const auto point = static_cast<Point>(index);
      std::uint32_t code = 0;
      for (int k = 0; k < kRing; ++k) code |= kBoth[board_.at(static_cast<Point>(point + ring_[k]))] << 2 * k;
      code_[point] = code;
      if (board_.at(point) < kEmpty && board_.head(point) == point && board_.in_atari(point))
        last_liberties_.set(board_.last_liberty(point));
    });
    for_each(board_.empty(), geometry.words, [&](int point) { weigh(static_cast<Point>(point)); });
  }

  const Board& board() const { return board_; }
  Colour to_play() const { return to_play_; }
  Point last() const { return last_; }

  // A move drawn with the policy's probabilities, kNoPoint to pass where there is none.
  template <class N>
  Point choose(Random& random, N) {
    set_apart();
    const std::uint64_t everywhere = total_[to_play_] - replaced_ + apart_total_;
    // Each draw that stands has the right probabilities, so any number of attempts may come first.
    for (int attempt = 0; attempt < kAttempts && everywhere > 0; ++attempt) {
      const Point point = draw(below(random, everywhere));
      if (empty_sides(pattern_of(point)) >= 2) return point;
      const int stones = board_.self_atari(point, to_play_);
      if (stones == 0 || random.next() >> 48 < policy_.self_atari(stones)) return point;
    }
    return everywhere > 0 ? draw_exactly(random) : kNoPoint;
  }

  // Calls act(point, weight) for every move with a share in the draw, self-atari included.
  template <class Act>
  void for_each_move(Act&& act) {
    set_apart();
    for_each_drawn(act);
  }

  template <class N>
  void play(Point point, N words) {
    const Bits before = board_.stones(opponent(to_play_));
    const int taken = board_.play(point, to_play_);
    put(kBlack, point, 0);
    put(kWhite, point, 0);
    toggle(point, to_play_);
    // Chains that may have come into atari: the new stone's and those beside it.
    std::array<Point, 5> liberties;
    int count = 0;
    const auto look = [&](Point stone) {
      if (board_.at(stone) < kEmpty && board_.in_atari(stone)) liberties[count++] = board_.last_liberty(stone);
    };
    look(point);
    for (const int step : board_.geometry().neighbours()) look(static_cast<Point>(point + step));
    for (int i = 0; i < count; ++i) last_liberties_.set(liberties[i]);
    for (int k = 0; k < kRing; ++k) weigh_if_empty(static_cast<Point>(point + ring_[k]));
    for (int i = 0; i < count; ++i) weigh(liberties[i]);
    if (taken > 0) {
      Bits removed;
      for (int i = 0; i < words; ++i) removed[i] = before[i] & ~board_.stones(opponent(to_play_))[i];
      open_up(removed, words);
    }
    last_ = point;
    to_play_ = opponent(to_play_);
  }

  void pass() {
    board_.clear_ko_point();
    last_ = kNoPoint;
    to_play_ = opponent(to_play_);
  }

  static constexpr int kFine = 8;  // further bits of the weights that for_each_move gives

 private:
  static constexpr int kBlock = 16, kAttempts = 4;
  static constexpr int kMaxBlocks = (kMaxPoints + kBlock - 1) / kBlock;
  // A colour in the code of Black's pattern and, 16 bits up, of White's.
  static constexpr std::uint32_t kBoth[4] = {
      kCodeOf[0][0] | kCodeOf[1][0] << 16u, kCodeOf[0][1] | kCodeOf[1][1] << 16u, 0,
      kCodeOf[0][3] | kCodeOf[1][3] << 16u};

  struct Apart {
    Point point;
    std::uint64_t weight;
  };

  static std::uint64_t below(Random& random, std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(random.next()) * bound >> 64);
  }

  Pattern pattern_of(Point point) const { return static_cast<Pattern>(code_[point] >> 16 * to_play_); }

  void toggle(Point point, Colour colour) {
    // The ring is numbered row by row, so seen from the k-th point of it this one is number 7 − k.
    for (int k = 0; k < kRing; ++k) code_[point + ring_[k]] ^= kBoth[colour] << 2 * (kRing - 1 - k);
  }

  void put(Colour colour, Point point, std::uint32_t weight) {
    const std::uint32_t change = weight - weight_[colour][point];
    weight_[colour][point] = weight;
    block_[colour][point / kBlock] += change;
    total_[colour] += static_cast<std::int32_t>(change);
  }

  void weigh_if_empty(Point point) {
    if (board_.at(point) == kEmpty) weigh(point);
  }

  void weigh(Point point) {
    const std::uint32_t code = code_[point];
    std::array<std::uint32_t, 2> weight{policy_.pattern(static_cast<Pattern>(code)),
                                        policy_.pattern(static_cast<Pattern>(code >> 16))};
    const int open = empty_sides(static_cast<Pattern>(code));
    if (open == 0 || last_liberties_.has(point)) weigh_fight(point, open > 0, weight);
    put(kBlack, point, weight[kBlack]);
    put(kWhite, point, weight[kWhite]);
  }

  // Beside chains in atari, or without an empty point beside it: captures, extensions, suicide.
  void weigh_fight(Point point, bool open, std::array<std::uint32_t, 2>& weight) {
    std::array<int, 2> in_atari{};
    std::array<bool, 2> joins{};
    std::array<Point, 4> seen;
    int count = 0;
    for (const int step : board_.geometry().neighbours()) {
      const auto next = static_cast<Point>(point + step);
      const Colour there = board_.at(next);
      if (there > kWhite) continue;
      if (!board_.in_atari(next)) {
        joins[there] = true;
        continue;
      }
      const Point head = board_.head(next);
      bool known = false;
      for (int i = 0; i < count; ++i) known |= seen[i] == head;
      if (known) continue;
      seen[count++] = head;
      in_atari[there] += board_.chain_size(next);
    }
    if (count == 0) last_liberties_.clear(point);
    for (const Colour colour : {kBlack, kWhite}) {
      const int taken = in_atari[opponent(colour)], saved = in_atari[colour];
      if (!open && !joins[colour] && taken == 0) weight[colour] = 0;
      if (weight[colour] == 0) continue;
      if (taken > 0) weight[colour] = policy_.with_tactic(weight[colour], kCapture + size_class(taken));
      if (saved > 0) weight[colour] = policy_.with_tactic(weight[colour], kExtend + size_class(saved));
    }
  }

  // After stones were taken: the points they left, those around them, and wherever a chain had its
  // last liberty, for chains beside them have more now.
  template <class N>
  void open_up(const Bits& removed, N words) {
    Bits changed = removed;
    for_each(removed, words, [&](int index) {
      const auto point = static_cast<Point>(index);
      toggle(point, opponent(to_play_));
      for (const int step : ring_) changed.set(point + step);
    });
    for (int i = 0; i < words; ++i) changed[i] |= last_liberties_[i];
    for_each(changed, words, [&](int point) { weigh_if_empty(static_cast<Point>(point)); });
  }

  // The moves that are weighed for this turn alone: around the last move, and the ko.
  void set_apart() {
    ++turn_;
    apart_count_ = 0;
    apart_total_ = replaced_ = 0;
    std::memset(taken_out_.data(), 0, blocks_ * sizeof taken_out_[0]);
    if (board_.ko_point() != kNoPoint) put_apart(board_.ko_point(), 0);
    if (last_ == kNoPoint || board_.at(last_) != opponent(to_play_)) return;
    Diamond diamond = pattern_of(last_);
    std::array<Point, kDiamondPoints> around;
    for (int k = 0; k < kRing; ++k) around[k] = static_cast<Point>(last_ + ring_[k]);
    constexpr int kSides[] = {1, 3, 4, 6};  // of the ring, towards points 8 … 11
    for (int i = 0; i < 4; ++i) {
      const int step = ring_[kSides[i]];
      const bool off = board_.at(static_cast<Point>(last_ + step)) == kWall;
      around[kRing + i] = off ? last_ : static_cast<Point>(last_ + 2 * step);
      const Colour there = off ? kWall : board_.at(around[kRing + i]);
      diamond |= Diamond{kCodeOf[to_play_][there]} << 2 * (kRing + i);
    }
    if (board_.in_atari(last_)) diamond |= kLastInAtari;
    const std::int8_t* const response = policy_.response(diamond);
    for (int k = 0; k < kDiamondPoints; ++k) {
      const std::uint32_t weight = weight_[to_play_][around[k]];
      if (weight > 0 && drawn_apart_[around[k]] != turn_)
        put_apart(around[k], std::uint64_t{weight} * policy_.multiplier(response[k]) >> PlayoutPolicy::kOneBits);
    }
    for (const int step : board_.geometry().neighbours()) {
      const auto own = static_cast<Point>(last_ + step);
      if (board_.at(own) == to_play_ && board_.in_atari(own)) return save();
    }
  }

  // The last move put a chain in atari.
  void save() {
    Bits extending, capturing;
    for (const int step : board_.geometry().neighbours()) {
      const auto own = static_cast<Point>(last_ + step);
      if (board_.at(own) != to_play_ || !board_.in_atari(own)) continue;
      const Point liberty = board_.last_liberty(own);
      if (board_.self_atari(liberty, to_play_) == 0) extending.set(liberty);
      board_.for_each_in_chain(own, [&](Point stone) {
        for (const int side : board_.geometry().neighbours()) {
          const auto enemy = static_cast<Point>(stone + side);
          if (board_.at(enemy) == opponent(to_play_) && board_.in_atari(enemy))
            capturing.set(board_.last_liberty(enemy));
        }
      });
    }
    const int words = board_.geometry().words;
    for_each(extending, words, [&](int point) { multiply(static_cast<Point>(point), kSaveByExtending); });
    for_each(capturing, words, [&](int point) { multiply(static_cast<Point>(point), kSaveByCapturing); });
  }

  void multiply(Point point, int tactic) {
    if (drawn_apart_[point] != turn_) put_apart(point, weight_[to_play_][point]);
    for (int i = 0; i < apart_count_; ++i) {
      if (apart_[i].point != point) continue;
      apart_total_ -= apart_[i].weight;
      apart_[i].weight = apart_[i].weight * policy_.tactic(tactic) >> PlayoutPolicy::kOneBits;
      apart_total_ += apart_[i].weight;
    }
  }

  void put_apart(Point point, std::uint64_t weight) {
    drawn_apart_[point] = turn_;
    taken_out_[point / kBlock] += weight_[to_play_][point];
    replaced_ += weight_[to_play_][point];
    apart_[apart_count_++] = {point, weight};
    apart_total_ += weight;
  }

  // The move at this place in the sum of all weights.
  Point draw(std::uint64_t place) const {
    for (int i = 0; i < apart_count_; ++i) {
      if (place < apart_[i].weight) return apart_[i].point;
      place -= apart_[i].weight;
    }
    int block = 0;
    for (;; ++block) {
      const std::uint32_t here = block_[to_play_][block] - taken_out_[block];
      if (place < here) break;
      place -= here;
    }
    for (int point = block * kBlock;; ++point) {
      const std::uint32_t here = drawn_apart_[point] == turn_ ? 0 : weight_[to_play_][point];
      if (place < here) return static_cast<Point>(point);
      place -= here;
    }
  }

  template <class Act>
  void for_each_drawn(Act&& act) const {
    const auto let_through = [&](Point point, std::uint64_t weight) {
      const int stones = board_.self_atari(point, to_play_);
      act(point, stones == 0 ? weight << kFine : (weight * policy_.self_atari(stones)) >> (16 - kFine));
    };
    for (int i = 0; i < apart_count_; ++i)
      if (apart_[i].weight > 0) let_through(apart_[i].point, apart_[i].weight);
    for (int point = 0; point < blocks_ * kBlock; ++point)
      if (weight_[to_play_][point] > 0 && drawn_apart_[point] != turn_)
        let_through(static_cast<Point>(point), weight_[to_play_][point]);
  }

  // Where most draws would be refused: every weight as it is, self-atari included.
  Point draw_exactly(Random& random) const {
    std::uint64_t sum = 0;
    for_each_drawn([&](Point, std::uint64_t weight) { sum += weight; });
    if (sum == 0) return kNoPoint;
    std::uint64_t place = below(random, sum);
    Point found = kNoPoint;
    for_each_drawn([&](Point point, std::uint64_t weight) {
      if (found == kNoPoint && place < weight) found = point;
      if (found == kNoPoint) place -= weight;
    });
    return found;
  }

  const PlayoutPolicy& policy_;
  Board board_;
  Colour to_play_;
  Point last_;
  std::array<std::int16_t, kRing> ring_;
  int blocks_;
  Bits last_liberties_;  // where a chain may have its only liberty: all such points, and maybe more
  std::array<std::uint32_t, kMaxPoints> code_;
  alignas(64) std::array<std::array<std::uint32_t, kMaxBlocks * kBlock>, 2> weight_;
  std::array<std::array<std::uint32_t, kMaxBlocks>, 2> block_{};
  std::array<std::uint64_t, 2> total_{};

  // Of this turn.
  std::uint16_t turn_ = 0;
  std::array<std::uint16_t, kMaxBlocks * kBlock> drawn_apart_;  // the turn in which it was
  std::array<std::uint32_t, kMaxBlocks> taken_out_;
  std::array<Apart, kMaxArea> apart_;
  int apart_count_ = 0;
  std::uint64_t apart_total_ = 0, replaced_ = 0;
};

}  // namespace honte::go
