// Which chains are caught in a ladder, as KataGo's networks were trained to be told.
#pragma once

#include <array>

#include "games/go/bits.hpp"
#include "games/go/board.hpp"
#include "games/go/geometry.hpp"

namespace honte::go {

// What the networks' inputs need to know of a position's chains.
struct Tactics {
  std::array<Bits, 3> liberties;  // the stones with one, two, three liberties
  // Stones of chains that are captured by an unbroken row of ataris: of chains in atari
  // whoever escapes first, of chains with two liberties if the opponent moves first. A
  // ladder that the defender could break by a ko does not count.
  Bits laddered;
  // By the colour of the chain: the opponent's plays that capture a chain with two
  // liberties in a ladder.
  std::array<Bits, 2> capturing_moves;
};

// The ko point is one that may not be played now; kNoPoint if there is none. Stones
// must all have a liberty.
Tactics find_tactics(const Geometry& geometry, const Bits& black, const Bits& white,
                     Point ko_point);

// The same, remembered for the positions that this thread asked for last: in a search
// the inputs of a position need those of its parents, which were asked for before.
// The reference holds until this thread asks again.
const Tactics& recall_tactics(const Geometry& geometry, const Bits& black, const Bits& white,
                              Point ko_point);

}  // namespace honte::go
