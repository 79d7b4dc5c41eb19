// Counting move sequences, the usual check of a rules engine.
#pragma once

#include <cstdint>

#include "games/go/state.hpp"

namespace honte::go {

// The number of sequences of `depth` legal moves; a pass is a move, and a sequence
// that ends the game earlier counts once.
std::uint64_t perft(const GoState& state, int depth);

}  // namespace honte::go
