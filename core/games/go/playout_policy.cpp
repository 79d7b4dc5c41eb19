#include "games/go/playout_policy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace honte::go {
namespace {

std::uint32_t fixed(int sixteenths, std::uint32_t most) {
  const double weight = std::exp(sixteenths / 16.0) * (1u << PlayoutPolicy::kOneBits);
  return static_cast<std::uint32_t>(std::clamp(std::round(weight), 1.0, static_cast<double>(most)));
}

}  // namespace

PlayoutPolicy::PlayoutPolicy(const PlayoutWeights& weights) {
  if (weights.patterns.size() != weights.pattern_weights.size())
    throw std::invalid_argument("There are as many weights as patterns, no more and no fewer.");
  if (weights.responses.size() != weights.diamonds.size() * kDiamondPoints)
    throw std::invalid_argument("A diamond has 12 weights.");
  std::vector<std::int8_t> of_canonical(kPatternCodes, weights.other_pattern);
  for (std::size_t i = 0; i < weights.patterns.size(); ++i)
    of_canonical[canonical(weights.patterns[i])] = weights.pattern_weights[i];
  pattern_.resize(kPatternCodes);
  in_atari_.resize(kPatternCodes);
  for (int code = 0; code < kPatternCodes; ++code) {
    const auto pattern = static_cast<Pattern>(code);
    const std::int8_t weight = std::max<std::int8_t>(of_canonical[canonical(pattern)], -127);
    in_atari_[code] = is_own_eye(pattern) ? kNever : weight;
    pattern_[code] = is_surrounded(pattern) ? kNever : in_atari_[code];
  }
  for (int tactic = 0; tactic < kTactics; ++tactic) {
    const bool shy = tactic >= kSelfAtari && tactic < kSelfAtari + 3;
    tactic_[tactic] = fixed(weights.tactics[tactic], shy ? 1u << kOneBits : kMost);
  }
  for (int sixteenths = -127; sixteenths < 128; ++sixteenths)
    multiplier_[static_cast<std::uint8_t>(sixteenths)] = fixed(sixteenths, kMost);
  multiplier_[static_cast<std::uint8_t>(kNever)] = 0;
  other_ = weights.other_response;

  const std::size_t most = weights.diamonds.size() * 8;  // symmetries
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * most, 16));
  slots_.assign(slots, {});
  mask_ = static_cast<std::uint32_t>(slots - 1);
  shift_ = 32 - std::countr_zero(slots);
  for (std::size_t i = 0; i < weights.diamonds.size(); ++i) {
    const Diamond diamond = weights.diamonds[i];
    if (diamond >= 2 * kLastInAtari || canonical(diamond, 0).diamond != diamond)
      throw std::invalid_argument("A diamond's code is not the smallest of its symmetries.");
    const std::int8_t* of_points = &weights.responses[i * kDiamondPoints];
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
      const Diamond image = turned(diamond, symmetry);
      std::array<std::int8_t, kDiamondPoints> row;
      for (int k = 0; k < kDiamondPoints; ++k) row[k] = of_points[canonical(image, k).point];
      add(image, row.data());
    }
  }
}

void PlayoutPolicy::add(Diamond diamond, const std::int8_t* weights) {
  std::uint32_t slot = hash(diamond);
  while (slots_[slot].diamond != kFree && slots_[slot].diamond != diamond) slot = (slot + 1) & mask_;
  slots_[slot].diamond = diamond;
  std::copy_n(weights, kDiamondPoints, slots_[slot].weights.begin());
}

std::vector<PlayoutMove> playout_moves(const Board& board, Colour player, Point last) {
  const Geometry& geometry = board.geometry();
  const Colour other = opponent(player);
  const auto on_sides = [&](Point point, auto&& act) {
    for (const int step : geometry.neighbours()) act(static_cast<Point>(point + step));
  };
  Bits extending, capturing;
  std::array<std::int8_t, kMaxPoints> place;
  place.fill(-1);
  Diamond diamond = 0;
  if (board.at(last) == other) {
    diamond = diamond_at(board, last, player);
    for (int k = 0; k < kDiamondPoints; ++k) {
      const Point point = diamond_point(board, last, k);
      if (point != kNoPoint) place[point] = static_cast<std::int8_t>(k);
    }
    on_sides(last, [&](Point own) {
      if (board.at(own) != player || !board.in_atari(own)) return;
      const Point liberty = board.last_liberty(own);
      if (board.self_atari(liberty, player) == 0) extending.set(liberty);
      board.for_each_in_chain(own, [&](Point stone) {
        on_sides(stone, [&](Point enemy) {
          if (board.at(enemy) == other && board.in_atari(enemy)) capturing.set(board.last_liberty(enemy));
        });
      });
    });
  }
  std::vector<PlayoutMove> moves;
  for_each(board.placeable(player, false), geometry.words, [&](int index) {
    const auto point = static_cast<Point>(index);
    const Pattern pattern = pattern_at(board, point, player);
    if (point == board.ko_point() || is_own_eye(pattern)) return;
    std::array<int, 2> in_atari{};
    std::array<Point, 4> seen{};
    int count = 0;
    on_sides(point, [&](Point next) {
      if (board.at(next) > kWhite || !board.in_atari(next)) return;
      const Point head = board.head(next);
      if (std::find(seen.begin(), seen.begin() + count, head) != seen.begin() + count) return;
      seen[count++] = head;
      in_atari[board.at(next)] += board.chain_size(next);
    });
    unsigned tactics = 0;
    if (in_atari[other] > 0) tactics |= 1u << (kCapture + size_class(in_atari[other]));
    if (in_atari[player] > 0) tactics |= 1u << (kExtend + size_class(in_atari[player]));
    if (const int left = board.self_atari(point, player)) tactics |= 1u << (kSelfAtari + size_class(left));
    if (extending.has(point)) tactics |= 1u << kSaveByExtending;
    if (capturing.has(point)) tactics |= 1u << kSaveByCapturing;
    PlayoutMove move{point, canonical(pattern), static_cast<std::uint16_t>(tactics), -1, 0};
    if (place[point] >= 0) {
      const Answer12 answer = canonical(diamond, place[point]);
      move.response = static_cast<std::int8_t>(answer.point);
      move.diamond = answer.diamond;
    }
    moves.push_back(move);
  });
  return moves;
}

}  // namespace honte::go
