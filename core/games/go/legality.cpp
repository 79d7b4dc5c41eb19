// Which moves are legal, and why the others are not.
#include <algorithm>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "games/go/state.hpp"

namespace honte::go {
namespace {

// Writes the actions of the points, ascending, and returns how many.
int write_actions(const Geometry& geometry, const Bits& points, Action* out) {
  Action* at = out;
#if defined(__AVX512F__)
  for (int i = 0; i < geometry.words; ++i) {
    std::uint64_t rest = points[i];
    const Action* actions = &geometry.action_of[i * 64];
    for (; rest; rest >>= 16, actions += 16) {
      const auto mask = static_cast<__mmask16>(rest);
      _mm512_storeu_si512(at, _mm512_maskz_compress_epi32(mask, _mm512_load_si512(actions)));
      at += std::popcount(static_cast<std::uint16_t>(mask));
    }
  }
#else
  for_each(points, geometry.words, [&](int point) { *at++ = geometry.action_of[point]; });
#endif
  return static_cast<int>(at - out);
}

}  // namespace

void GoState::legal_actions(std::vector<Action>& actions) const {
  if (over_) {
    actions.clear();
    return;
  }
  const Bits points = legal_points(to_play_);
  constexpr int slack = 16;  // the last block of 16 is written whole
  actions.resize(geometry().area + 1 + slack);
  const int legal = write_actions(geometry(), points, actions.data());
  actions[legal] = geometry().pass();
  actions.resize(legal + 1);
}

Bits GoState::legal_points(Colour player) const {
  Bits points = board_.placeable(player, rules_.suicide);
  const int words = geometry().words;
  if (phase_ == 0) {
    if (const Point ko = board_.ko_point(); ko != kNoPoint && is_banned_ko(ko, player))
      points.clear(ko);
    if (rules_.ko != Ko::simple) {
      const Bits banned = superko_banned(player);
      for (int i = 0; i < words; ++i) points[i] &= ~banned[i];
    }
    return points;
  }
  const Bits banned = once_only_banned(player);
  for (int i = 0; i < words; ++i) points[i] &= ~banned[i];
  // A play that lifts a block is legal whatever else holds.
  const Bits around = neighbours(cleanup_->blocked, words, geometry().stride);
  for (int i = 0; i < words; ++i) {
    std::uint64_t near = (around[i] | cleanup_->blocked[i]) & geometry().on_board[i];
    for (; near; near &= near - 1) {
      const int point = i * 64 + std::countr_zero(near);
      if (lifts_block(static_cast<Point>(point), player)) points.set(point);
    }
  }
  return points;
}

Legality GoState::legality(Action action, Colour player) const {
  if (action < 0 || action > geometry().pass()) return Legality::off_board;
  if (over_) return Legality::game_over;
  if (action == geometry().pass()) return Legality::legal;
  const Point point = geometry().point_of[action];
  if (phase_ > 0 && lifts_block(point, player)) return Legality::legal;
  if (board_.at(point) != kEmpty) return Legality::occupied;
  if (!board_.is_placeable(point, player, rules_.suicide)) return Legality::suicide;
  if (phase_ > 0)
    return once_only_banned(player).has(point) ? Legality::repeated_ko : Legality::legal;
  if (is_banned_ko(point, player)) return Legality::ko;
  return superko_banned(player).has(point) ? Legality::superko : Legality::legal;
}

// The ban is on retaking: whoever took the ko may fill it.
bool GoState::is_banned_ko(Point point, Colour player) const {
  if (point != board_.ko_point()) return false;
  for (const int step : geometry().neighbours())
    if (board_.at(static_cast<Point>(point + step)) == opponent(player)) return true;
  return false;
}

Bits GoState::ko_banned(Colour player) const {
  if (phase_ > 0) return once_only_banned(player);
  Bits banned = superko_banned(player);
  if (const Point ko = board_.ko_point(); ko != kNoPoint && is_banned_ko(ko, player)) banned.set(ko);
  return banned;
}

bool GoState::has_occurred(const Bits& black, const Bits& white, Colour next) const {
  const int words = geometry().words;
  bool found = false;
  history_.for_each_with_counts(
      ko_from_, count(black, words), count(white, words), [&](int, const Position& position) {
        found |= std::equal(position.black, position.black + words, black.word.begin()) &&
                 std::equal(position.white, position.white + words, white.word.begin()) &&
                 (!turns_matter() || position.next() == next);
      });
  return found;
}

Bits GoState::superko_banned(Colour player) const {
  Bits banned;
  if (rules_.ko == Ko::simple) return banned;
  const Colour other = opponent(player);
  const int words = geometry().words;
  std::array<int, 2> counts{board_.stone_count(kBlack), board_.stone_count(kWhite)};
  Bits black, white;
  // Any play but suicide leaves the player with one stone more. As long as there were
  // never so many, no position can come back.
  if (++counts[player] <= most_stones_[player]) {
    // Without a capture, a position that comes back differs from this one in just the
    // point played.
    history_.for_each_with_counts(
        ko_from_, counts[kBlack], counts[kWhite], [&](int, const Position& position) {
          if (turns_matter() && position.next() != other) return;
          int added = -1, differences = 0;
          for (int i = 0; i < words; ++i) {
            if (position.stones(other)[i] != board_.stones(other)[i]) return;
            const std::uint64_t difference = position.stones(player)[i] ^ board_.stones(player)[i];
            differences += std::popcount(difference);
            if (difference) added = i * 64 + std::countr_zero(difference);
          }
          if (differences == 1) banned.set(added);
        });
    Bits candidates = neighbours(board_.stones(other), words, geometry().stride);
    const Bits empty = board_.empty();
    for (int i = 0; i < words; ++i) candidates[i] &= empty[i];
    for_each(candidates, words, [&](int point) {
      if (!board_.captures(static_cast<Point>(point), player)) return;
      board_.after(static_cast<Point>(point), player, black, white);
      if (has_occurred(black, white, other)) banned.set(point);
    });
  }
  if (rules_.suicide) {
    const Bits empty = board_.empty();
    const Bits open = neighbours(empty, words, geometry().stride);
    Bits closed;
    for (int i = 0; i < words; ++i) closed[i] = empty[i] & ~open[i];
    for_each(closed, words, [&](int index) {
      const auto point = static_cast<Point>(index);
      if (board_.is_placeable(point, player, false) || !board_.is_placeable(point, player, true))
        return;
      board_.after(point, player, black, white);
      if (has_occurred(black, white, other)) banned.set(point);
    });
  }
  return banned;
}

// A clean-up phase allows each ko capture once in the same position to each player.
Bits GoState::once_only_banned(Colour player) const {
  Bits banned;
  const int words = geometry().words;
  for (int i = cleanup_->phase_start + 1; i < history_.size(); ++i) {
    const Position after = history_[i];
    if (!after.took_cleanup_ko() || after.player() != player) continue;
    const Position before = history_[i - 1];
    if (std::equal(before.black, before.black + words, board_.stones(kBlack).word.begin()) &&
        std::equal(before.white, before.white + words, board_.stones(kWhite).word.begin()))
      banned.set(geometry().point_of[after.action()]);
  }
  return banned;
}

bool GoState::lifts_block(Point point, Colour player) const {
  const Bits& blocked = cleanup_->blocked;
  if (board_.at(point) == opponent(player))
    return blocked.has(point) && board_.chain_size(point) == 1 && board_.in_atari(point);
  const Point taken = board_.ko_capture(point, player);
  return taken != kNoPoint && blocked.has(taken);
}

bool GoState::same_situation(const Position& position, int index) const {
  const int words = geometry().words;
  if (!std::equal(position.black, position.black + words, board_.stones(kBlack).word.begin()) ||
      !std::equal(position.white, position.white + words, board_.stones(kWhite).word.begin()))
    return false;
  return phase_ == 0 ||
         cleanup_->block_history[index - cleanup_->phase_start] == cleanup_->blocked;
}

// Whether the player passed in this very situation before, which ends the phase
// where passes clear the history.
bool GoState::repeats_a_pass(Colour player) const {
  if (counted_passes_ == 0 || !passes_clear_history()) return false;
  for (int i = std::max(1, passes_from_); i < history_.size(); ++i) {
    const Position after = history_[i];
    if (after.action() == geometry().pass() && after.player() == player && same_situation(after, i))
      return true;
  }
  return false;
}

bool GoState::pass_would_end_phase() const {
  return !over_ && !button_ && (passes_ >= 1 || repeats_a_pass(to_play_));
}

int GoState::occurrences() const {
  int total = 0;
  history_.for_each_with_counts(ko_from_, board_.stone_count(kBlack), board_.stone_count(kWhite),
                                [&](int index, const Position& position) {
                                  total += position.next() == to_play_ &&
                                           same_situation(position, index);
                                });
  return total;
}

}  // namespace honte::go
