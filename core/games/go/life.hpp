// Who owns which point: unconditional life (Benson 1976), areas and independent
// life, with the meanings that KataGo's scoring and network inputs give them.
#pragma once

#include <array>

#include "games/go/board.hpp"
#include "games/go/rules.hpp"

namespace honte::go {

// The points of black and of white; a point is in at most one.
using Ownership = std::array<Bits, 2>;

struct AreaOptions {
  bool stones = false;              // stones that are not pass-alive, outside pass-alive territory
  bool safe_territories = false;    // empty regions of any size inside pass-alive stones of one colour
  bool unsafe_territories = false;  // empty regions beside stones of one colour alone
};

// Pass-alive stones and pass-alive territory (regions that the opponent cannot live
// in, with the dead stones in them), and what the options add. A region is vital to
// a chain if all its empty points are liberties of the chain; where suicide is
// legal all its points must be beside the chain, since the stones on them can vanish.
Ownership area(const Board& board, AreaOptions options, bool suicide);

// The stones, and the empty regions that reach stones of one colour alone: the area
// of Tromp and Taylor's rules.
Ownership plain_area(const Board& board);

struct IndependentLife {
  Ownership owner;
  int black_regions = 0, white_regions = 0;  // what a group tax counts
};

// The connected parts of an area that are no seki: none of their points is beside an
// empty point that nobody owns, and no stone of the owner's is in atari. The
// surrounded points and the stones of the sekis can be kept.
IndependentLife independent_life(const Board& board, const Ownership& area, bool keep_territories,
                                 bool keep_stones);

}  // namespace honte::go
