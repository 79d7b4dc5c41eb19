// The inputs of KataGo's networks (version 7 of its features).
#pragma once

#include "games/go/state.hpp"

namespace honte::go {

inline constexpr int kKataGoPlanes = 22;
inline constexpr int kKataGoGlobals = 19;

struct KataGoFeatureOptions {
  // Some networks were trained with area planes computed as if suicide were legal; their
  // files say so.
  bool pass_alive_as_if_suicide = false;
};

// Fills spatial [22, height, width] and global [19] from the side to move, under one of
// the eight symmetries (see num_symmetries; a transposed board must fit too). A board
// smaller than height × width lies in the top left corner, all else is zero.
//
// The planes: 0 the board; 1, 2 own and the opponent's stones; 3 to 5 stones with one,
// two, three liberties; 6 points banned by ko; 7 stones whose ko may not be retaken
// (clean-up); 9 to 13 the last five moves; 14 to 16 stones in a ladder now, one and two
// turns ago; 17 plays that start one; 18, 19 own and the opponent's area; 20, 21 stones
// when the second clean-up phase began. The numbers: 0 to 4 which of the last five moves
// passed; 5 komi; 6 to 11 rules; 12, 13 clean-up phases; 14 whether a pass ends the phase;
// 15, 16 a handicap in playouts, always zero here; 17 the button; 18 the parity of komi.
void write_katago_features(const GoState& state, int symmetry, int width, int height,
                           float* spatial, float* global, KataGoFeatureOptions options = {});

}  // namespace honte::go
