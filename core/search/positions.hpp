// The positions of a search that is a graph: which node each of them is.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "games/state.hpp"
#include "search/arena.hpp"

namespace honte {

// What a node is besides where positions are shared, side by side with the nodes.
struct Identity {
  PositionKey key;
  std::uint64_t passed;  // the last way down that came through
};

// From a position's key to its node: open addressing over the nodes' identities.
class Positions {
 public:
  std::uint32_t find(const Arena<Identity, 12>& identities, const PositionKey& key) const {
    if (slots_.empty()) return kNone;
    for (std::size_t i = key.hash() & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1))
      if (slots_[i] == kNone || identities[slots_[i]].key == key) return slots_[i];
  }

  // The node's identity must have its key, and no other node the same.
  void add(const Arena<Identity, 12>& identities, std::uint32_t node) {
    if (2 * (count_ + 1) > slots_.size()) {
      std::vector<std::uint32_t> old = std::move(slots_);
      slots_.assign(old.empty() ? 64 : 2 * old.size(), kNone);
      for (const std::uint32_t known : old)
        if (known != kNone) place(identities, known);
    }
    place(identities, node);
    ++count_;
  }

  std::uint64_t bytes() const { return slots_.size() * sizeof(std::uint32_t); }

 private:
  void place(const Arena<Identity, 12>& identities, std::uint32_t node) {
    std::size_t i = identities[node].key.hash() & (slots_.size() - 1);
    while (slots_[i] != kNone) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = node;
  }

  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
};

// The key of a position as a graph knows it: what its future depends on, however it was reached.
template <class S>
PositionKey graph_key(const S& state) {
  if constexpr (requires { state.graph_key(); }) return state.graph_key();
  else return state.key();
}

// Whether a position's key and an action say which position follows. Where the past forbids moves,
// as superko does, the same action may lead to one that allows more or less.
template <class S>
bool keys_follow(const S& state) {
  if constexpr (requires { state.graph_keys_follow(); }) return state.graph_keys_follow();
  else return true;
}

}  // namespace honte
