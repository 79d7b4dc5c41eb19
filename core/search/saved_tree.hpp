// A tree as bytes: each node followed by its edges, codes, candidates, ownership and AMAF table.
// The layout is this version's own; the file around it carries a version and a checksum.
#pragma once

#include <span>
#include <string>

#include "search/tree.hpp"

namespace honte {

// The tree must be compacted: nodes numbered from 0 without gaps.
std::string serialized(const Tree& tree);

// Throws std::invalid_argument if the bytes are no tree of a game with that many actions; every
// number that could lead outside the tree is checked.
Tree deserialized(std::span<const char> bytes, std::uint32_t actions);

}  // namespace honte
