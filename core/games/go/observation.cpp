// What identifies a position and what a network sees of it.
#include <algorithm>
#include <bit>
#include <cstring>

#include "games/go/state.hpp"

namespace honte::go {

// Two independent multiply-and-fold lanes make a 128-bit hash.
class GoState::Hasher {
 public:
  void add(std::uint64_t word) {
    low_ = fold(low_ ^ word ^ 0x9e3779b97f4a7c15ull, 0xd6e8feb86659fd93ull) + 0xa0761d6478bd642full;
    high_ = fold(high_ + word + 0xe7037ed1a0b428dbull, 0x8ebc6af09c88c6e3ull) ^ 0x589965cc75374cc3ull;
  }
  void add(const std::uint64_t* words, int count) {
    for (int i = 0; i < count; ++i) add(words[i]);
  }
  PositionKey key() const { return {mix64(low_), mix64(high_)}; }

 private:
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t low_ = 0, high_ = 0;
};

void GoState::hash_situation(Hasher& hasher) const {
  const int words = geometry().words;
  const auto rule_bits = std::uint64_t(rules_.ko) | std::uint64_t(rules_.scoring) << 8 |
                         std::uint64_t(rules_.tax) << 16 |
                         std::uint64_t(rules_.handicap_bonus) << 24 |
                         std::uint64_t{rules_.suicide} << 32 |
                         std::uint64_t{rules_.friendly_pass} << 33 |
                         std::uint64_t{rules_.button} << 34;
  hasher.add(std::uint64_t(geometry().width) | std::uint64_t(geometry().height) << 8 |
             std::uint64_t{to_play_} << 16 | std::uint64_t{passes_} << 24 |
             std::uint64_t{phase_} << 32 | std::uint64_t{button_} << 40 |
             std::uint64_t{over_} << 41 | std::uint64_t{no_result_} << 42 |
             std::uint64_t{pass_would_end_phase()} << 43 | std::uint64_t{cleans_up_} << 44);
  hasher.add(rule_bits);
  hasher.add(std::bit_cast<std::uint64_t>(self_komi(kWhite)));
  hasher.add(ko_banned(to_play_).word.data(), words);
  if (cleanup_) {
    hasher.add(cleanup_->blocked.word.data(), words);
    hasher.add(cleanup_->start_stones[kBlack].word.data(), words);
    hasher.add(cleanup_->start_stones[kWhite].word.data(), words);
  }
}

PositionKey GoState::graph_key() const {
  const int words = geometry().words;
  Hasher hasher;
  hash_situation(hasher);
  hasher.add(board_.stones(kBlack).word.data(), words);
  hasher.add(board_.stones(kWhite).word.data(), words);
  // Black stones before White's first are handicap; a third occurrence ends the game.
  const int again = passes_clear_history() ? std::min(occurrences(), 3) : 0;
  hasher.add(std::uint64_t(handicap_) | std::uint64_t{white_has_played_} << 16 | std::uint64_t(again) << 17);
  return hasher.key();
}

PositionKey GoState::key() const {
  const int words = geometry().words;
  Hasher hasher;
  hash_situation(hasher);
  // The networks see the last five moves and the boards of the last two turns.
  const int seen = std::min(5, visible_turns());
  for (int ago = 0; ago <= std::max(2, seen); ++ago) {
    const Position position = turn(ago);
    if (ago < seen) hasher.add(position.meta & 0x1fff);
    if (ago > 2) continue;
    hasher.add(position.ko_point());
    hasher.add(position.black, words);
    hasher.add(position.white, words);
  }
  return hasher.key();
}

void GoState::observation(std::span<float> planes, int symmetry) const {
  const Geometry& geometry = this->geometry();
  std::fill(planes.begin(), planes.end(), 0.0f);
  const auto fill = [&](int plane, const std::uint64_t* stones) {
    float* const out = planes.data() + std::size_t(plane) * geometry.area;
    for (int i = 0; i < geometry.words; ++i)
      for (std::uint64_t rest = stones[i]; rest; rest &= rest - 1) {
        const Action action = geometry.action_of[i * 64 + std::countr_zero(rest)];
        out[transform_action(action, symmetry)] = 1.0f;
      }
  };
  for (int ago = 0; ago < kObservationTurns && ago < history_.size(); ++ago) {
    const Position position = turn(ago);
    fill(2 * ago, position.stones(to_play_));
    fill(2 * ago + 1, position.stones(opponent(to_play_)));
  }
  if (to_play_ == kBlack) fill(kObservationPlanes - 1, geometry.on_board.word.data());
}

}  // namespace honte::go
