// A playout by a PlayoutPolicy. The weights of all points are kept for both players while stones
// come and go, so that a move costs the points around it and one draw.
//
// A point's own weight (pattern, captures, extensions) changes when a stone near it does, or when a
// chain beside it gets its last liberty there. Around the opponent's last move, weights are replaced
// for the one draw. What a move into atari is multiplied by is at most 1, so it is applied by refusing
// draws: only points that were drawn are looked at.
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
    std::memset(code_.data(), 0, geometry.points * sizeof code_[0]);
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
    for_each(board_.empty(), geometry.words, [&](int point) { weigh_or_clear(static_cast<Point>(point)); });
  }

  const Board& board() const { return board_; }
  Colour to_play() const { return to_play_; }
  Point last() const { return last_; }

  // A move drawn with the policy's probabilities, kNoPoint to pass where there is none.
  template <class N>
  Point choose(Random& random, N) {
    set_apart();
    std::uint64_t everywhere = 0;
    for (int i = 0; i < blocks_; ++i) everywhere += block_[to_play_][i];
    while (everywhere - replaced_ + apart_total_ > 0) {
      const Point point = draw(random, everywhere);
      if (empty_sides(pattern_of(point)) >= 2 || drawn_apart_[point] == turn_ + 1) return point;
      const int stones = board_.self_atari(point, to_play_);
      if (stones == 0) return point;
      const std::uint32_t share = policy_.self_atari(stones);
      if (random.next() >> 48 < share) return point;
      // Refused. It may be drawn again, with what it really weighs: that leaves every probability as
      // it has to be, and no point is looked at twice.
      if (drawn_apart_[point] != turn_) put_apart(point, weight_[to_play_][point]);
      scale(point, share);
      drawn_apart_[point] = turn_ + 1;
    }
    return kNoPoint;
  }

  // Calls act(point, weight) for every move with a share in the draw, self-atari included.
  template <class Act>
  void for_each_move(Act&& act) {
    set_apart();
    const auto let_through = [&](Point point, std::uint64_t weight) {
      const int stones = board_.self_atari(point, to_play_);
      act(point, stones == 0 ? weight << kFine : (weight * policy_.self_atari(stones)) >> (16 - kFine));
    };
    for (int i = 0; i < apart_count_; ++i)
      if (apart_[i].weight > 0) let_through(apart_[i].point, apart_[i].weight);
    for (int point = 0; point < blocks_ * kBlock; ++point)
      if (weight_[to_play_][point] > 0 && !is_apart(static_cast<Point>(point)))
        let_through(static_cast<Point>(point), weight_[to_play_][point]);
  }

  template <class N>
  void play(Point point, N words) {
    const Bits before = board_.stones(opponent(to_play_));
    const int taken = board_.play(point, to_play_);
    put(kBlack, point, 0);
    put(kWhite, point, 0);
    last_liberties_.clear(point);
    toggle(point, to_play_);
    // Chains that may have come into atari: the new stone's and those beside it.
    std::array<Point, 5> liberties;
    int count = 0;
    const auto look = [&](Point stone) {
      liberties[count] = stone;
      count += (board_.at(stone) < kEmpty) & board_.in_atari(stone);
    };
    for (const int k : kSides) look(static_cast<Point>(point + ring_[k]));
    look(point);
    for (int i = 0; i < count; ++i) {
      liberties[i] = board_.last_liberty(liberties[i]);
      last_liberties_.set(liberties[i]);
    }
#pragma GCC unroll 8
    for (int k = 0; k < kRing; ++k) weigh_or_clear(static_cast<Point>(point + ring_[k]));
    for (int i = 0; i < count; ++i) weigh_or_clear(liberties[i]);
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
  static constexpr int kBlock = 16;
  static constexpr int kSides[] = {1, 3, 4, 6};  // of the ring; points 8 … 11 lie beyond them
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
  }

  // Which points are empty is a coin toss to the processor, so the others are weighed as well, as
  // nothing.
  void weigh_or_clear(Point point) {
    const bool empty = board_.at(point) == kEmpty;
    const std::uint32_t code = code_[point], mask = empty ? ~0u : 0u;
    std::array<std::uint32_t, 2> weight{policy_.pattern(static_cast<Pattern>(code)) & mask,
                                        policy_.pattern(static_cast<Pattern>(code >> 16)) & mask};
    if (last_liberties_.has(point)) weigh_last_liberty(point, weight);
    put(kBlack, point, weight[kBlack]);
    put(kWhite, point, weight[kWhite]);
  }

  // Where a chain may have its last liberty: captures, extensions, and whether a move is suicide.
  void weigh_last_liberty(Point point, std::array<std::uint32_t, 2>& weight) {
    std::array<int, 4> in_atari{}, joins{};  // stones and chains, by colour
    std::array<Point, 4> seen;
    for (int i = 0; i < 4; ++i) {
      const auto next = static_cast<Point>(point + ring_[kSides[i]]);
      const Colour there = board_.at(next);
      const int last = board_.in_atari(next);
      seen[i] = board_.head(next);
      int first = last;  // of a chain in atari
      for (int before = 0; before < i; ++before) first &= seen[before] != seen[i];
      in_atari[there] += first * board_.chain_size(next);
      joins[there] += !last;
    }
    if (in_atari[kBlack] + in_atari[kWhite] == 0) return last_liberties_.clear(point);
    const bool open = empty_sides(static_cast<Pattern>(code_[point])) > 0;
    for (const Colour colour : {kBlack, kWhite}) {
      const int taken = in_atari[opponent(colour)], saved = in_atari[colour];
      weight[colour] = 0;
      if (!open && !joins[colour] && taken == 0) continue;
      weight[colour] = policy_.pattern_in_atari(static_cast<Pattern>(code_[point] >> 16 * colour));
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
    for_each(changed, words, [&](int point) { weigh_or_clear(static_cast<Point>(point)); });
  }

  // The moves that are weighed for this turn alone: around the last move, and the ko.
  void set_apart() {
    turn_ += 2;
    apart_count_ = 0;
    apart_total_ = replaced_ = 0;
    answer();
    if (const Point ko = board_.ko_point(); ko != kNoPoint) {
      if (drawn_apart_[ko] != turn_) put_apart(ko, 0);
      scale(ko, 0);
    }
  }

  // Around the opponent's last move.
  void answer() {
    if (last_ == kNoPoint || board_.at(last_) != opponent(to_play_)) return;
    Diamond diamond = pattern_of(last_);
    std::array<Point, kDiamondPoints> around;
    for (int k = 0; k < kRing; ++k) around[k] = static_cast<Point>(last_ + ring_[k]);
    for (int i = 0; i < 4; ++i) {
      const int step = ring_[kSides[i]];
      const Colour beside = board_.at(static_cast<Point>(last_ + step));
      const int on = beside != kWall;
      around[kRing + i] = static_cast<Point>(last_ + on * 2 * step);
      // Walls are all ones, so a wall here makes one of what is behind it.
      const int there = board_.at(around[kRing + i]) | kWall * !on;
      diamond |= Diamond{kCodeOf[to_play_][there]} << 2 * (kRing + i);
    }
    if (board_.in_atari(last_)) diamond |= kLastInAtari;
    const std::int8_t* const response = policy_.response(diamond);
    for (int k = 0; k < kDiamondPoints; ++k) {
      const std::uint32_t weight = weight_[to_play_][around[k]];
      put_apart(around[k], std::uint64_t{weight} * policy_.multiplier(response[k]) >> PlayoutPolicy::kOneBits);
      apart_count_ -= weight == 0;  // no move there
    }
    for (const int step : board_.geometry().neighbours()) {
      const auto own = static_cast<Point>(last_ + step);
      if ((board_.at(own) == to_play_) & board_.in_atari(own)) return save();
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
          if ((board_.at(enemy) == opponent(to_play_)) & board_.in_atari(enemy))
            capturing.set(board_.last_liberty(enemy));
        }
      });
    }
    const int words = board_.geometry().words;
    for_each(extending, words, [&](int point) { save_at(static_cast<Point>(point), kSaveByExtending); });
    for_each(capturing, words, [&](int point) { save_at(static_cast<Point>(point), kSaveByCapturing); });
  }

  void save_at(Point point, int tactic) {
    if (drawn_apart_[point] != turn_) put_apart(point, weight_[to_play_][point]);
    scale(point, policy_.tactic(tactic));
  }

  void scale(Point point, std::uint64_t factor) {
    for (int i = 0; i < apart_count_; ++i) {
      if (apart_[i].point != point) continue;
      apart_total_ -= apart_[i].weight;
      apart_[i].weight = apart_[i].weight * factor >> PlayoutPolicy::kOneBits;
      apart_total_ += apart_[i].weight;
    }
  }

  bool is_apart(Point point) const { return (drawn_apart_[point] | 1) == (turn_ | 1); }

  void put_apart(Point point, std::uint64_t weight) {
    drawn_apart_[point] = turn_;
    replaced_ += weight_[to_play_][point];
    apart_[apart_count_++] = {point, weight};
    apart_total_ += weight;
  }

  // A move by the weights as they are; `everywhere` is their sum before any was replaced.
  Point draw(Random& random, std::uint64_t everywhere) const {
    std::uint64_t place = below(random, everywhere - replaced_ + apart_total_);
    if (place < apart_total_) {
      for (int i = 0;; ++i) {
        if (place < apart_[i].weight) return apart_[i].point;
        place -= apart_[i].weight;
      }
    }
    for (;;) {
      const Point point = draw_anywhere(below(random, everywhere));
      if (!is_apart(point)) return point;
    }
  }

  // The point at this place in the sum of its own weights. To count the sums that are not above the
  // place takes no guess at where to stop.
  Point draw_anywhere(std::uint64_t place) const {
    std::uint64_t sum = 0, before = 0;
    int block = 0;
    for (int i = 0; i < blocks_; ++i) {
      sum += block_[to_play_][i];
      block += place >= sum;
      before = place >= sum ? sum : before;
    }
    const auto within = static_cast<std::uint32_t>(place - before);
    std::uint32_t here = 0;
    int point = block * kBlock;
    for (int i = 0, first = point; i < kBlock; ++i) {
      here += weight_[to_play_][first + i];
      point += within >= here;
    }
    return static_cast<Point>(point);
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

  // Of this turn.
  std::uint16_t turn_ = 0;  // counted in twos
  std::array<std::uint16_t, kMaxBlocks * kBlock> drawn_apart_;  // the turn in which it was; 1 more: refused
  std::array<Apart, kMaxArea> apart_;
  int apart_count_ = 0;
  std::uint64_t apart_total_ = 0, replaced_ = 0;
};

}  // namespace honte::go
