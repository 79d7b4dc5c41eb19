// The fast rollout policy of AlphaGo 2016: the probability of a move in a playout is proportional
// to exp(Σ θ) over the features that it has [Silver 2016, Extended Data Table 4, after Coulom 2007].
//
// A move has one pattern (the eight points around it), any of the tactics below, and, next to the
// opponent's last move, one response (the diamond around that move, and where in it the move is).
// Points that would fill an eye are no moves.
#pragma once

#include <cstdint>
#include <vector>

#include "games/go/playout_patterns.hpp"

namespace honte::go {

// In the order of their weights. Sizes are 1, 2, and 3 or more stones.
enum Tactic : std::uint8_t {
  kCapture = 0,      // takes stones of so many
  kExtend = 3,       // joins own chains in atari of so many stones
  kSelfAtari = 6,    // takes nothing and leaves a chain of so many with one liberty; never above 0
  kSaveByExtending = 9,   // a chain that the last move put in atari, and not into another atari
  kSaveByCapturing = 10,  // takes a chain beside one that the last move put in atari
};
inline constexpr int kTactics = 11;

constexpr int size_class(int stones) { return stones < 3 ? stones - 1 : 2; }

struct PlayoutWeights {
  // In sixteenths, −127 … 127, so that the tables stay small: playouts live in the cache.
  std::vector<Pattern> patterns;  // canonical codes
  std::vector<std::int8_t> pattern_weights;
  std::int8_t other_pattern = 0;  // of the patterns not listed
  std::array<std::int8_t, kTactics> tactics{};
  std::vector<Diamond> diamonds;       // canonical codes
  std::vector<std::int8_t> responses;  // 12 for each diamond
  std::array<std::int8_t, kDiamondPoints> other_response{};
};

// The weights as tables of exp(θ), with every symmetry written out; integers, so that sums of them
// are exact and a playout is the same on every machine.
class PlayoutPolicy {
 public:
  static constexpr int kOneBits = 16;  // weight 1 is 2^16
  static constexpr std::uint32_t kMost = 1u << 27;  // 16 of them fit 32 bits

  // std::invalid_argument where lengths do not fit or a code is no code.
  explicit PlayoutPolicy(const PlayoutWeights& weights);

  // What a move's pattern weighs where no chain beside it is in atari; 0 for an own eye, and where it
  // would be suicide: with the opponent's stones or the edge on all four sides.
  std::uint32_t pattern(Pattern code) const { return multiplier(pattern_[code]); }
  // What it weighs beside a chain in atari; 0 for an own eye.
  std::uint32_t pattern_in_atari(Pattern code) const { return multiplier(in_atari_[code]); }

  // The weight times exp(θ) of a tactic, between 1 and kMost.
  std::uint32_t with_tactic(std::uint32_t weight, int tactic) const {
    const std::uint64_t scaled = std::uint64_t{weight} * tactic_[tactic] >> kOneBits;
    return scaled == 0 ? 1 : scaled > kMost ? kMost : static_cast<std::uint32_t>(scaled);
  }

  // The probability, times 2^16, that a move into atari is let through once it was drawn.
  std::uint32_t self_atari(int stones) const { return tactic_[kSelfAtari + size_class(stones)]; }

  // Numbers for multiplier() of the twelve points of a diamond.
  const std::int8_t* response(Diamond diamond) const {
    for (std::uint32_t slot = hash(diamond);; slot = (slot + 1) & mask_) {
      const Slot& found = slots_[slot];
      if (found.diamond == diamond) return found.weights.data();
      if (found.diamond == kFree) return other_.data();
    }
  }
  // exp(sixteenths / 16) · 2^16, and 0 for kNever.
  std::uint32_t multiplier(std::int8_t sixteenths) const {
    return multiplier_[static_cast<std::uint8_t>(sixteenths)];
  }
  std::uint32_t tactic(int tactic) const { return tactic_[tactic]; }

 private:
  static constexpr Diamond kFree = ~Diamond{0};
  static constexpr std::int8_t kNever = -128;
  struct Slot {
    Diamond diamond = kFree;
    std::array<std::int8_t, kDiamondPoints> weights{};
  };

  std::uint32_t hash(Diamond diamond) const {
    diamond *= 0x9e3779b1u;
    return (diamond ^ diamond >> 15) * 0x85ebca6bu >> shift_;
  }
  void add(Diamond diamond, const std::int8_t* weights);

  std::vector<std::int8_t> pattern_, in_atari_;
  std::array<std::uint32_t, kTactics> tactic_;
  std::array<std::uint32_t, 256> multiplier_;
  std::vector<Slot> slots_;
  std::uint32_t mask_ = 0;
  int shift_ = 0;
  std::array<std::int8_t, kDiamondPoints> other_;
};

// One move that a playout may make, and the features it has.
struct PlayoutMove {
  Point point;
  Pattern pattern;        // canonical
  std::uint16_t tactics;  // bit t: has tactic t
  std::int8_t response;   // the canonical point of the canonical diamond; −1 away from the last move
  Diamond diamond;        // canonical for this point
};

// The moves of a playout with their features, found from the board alone: what the weights are
// learned from, and what the tables of a running playout must agree with.
std::vector<PlayoutMove> playout_moves(const Board& board, Colour player, Point last);

}  // namespace honte::go
