// In a graph: who leads to each node.
#pragma once

#include <cstdint>
#include <vector>

#include "search/arena.hpp"

namespace honte {

// A node that is visited by way of one edge changes what is read by others that lead to it. Their
// nodes are marked, and read all children anew at their own next backup; whoever is not marked
// need not.
class Parents {
 public:
  // There is an edge from now on. Of one parent two edges are enough to know of.
  void connect(std::uint32_t parent, std::uint32_t child) {
    if (child >= of_.size()) of_.resize(2 * child + 64);
    Of& of = of_[child];
    if (of.first == kNone) {
      of.first = parent;
      return;
    }
    unsigned known = of.first == parent;
    for (std::uint32_t i = of.further; i != kNone; i = links_[i].next) known += links_[i].parent == parent;
    if (known == 2) return;
    links_.push_back({parent, of.further});
    of.further = static_cast<std::uint32_t>(links_.size() - 1);
  }

  // A visit by one edge of `parent` changed the child.
  void changed(std::uint32_t child, std::uint32_t parent) {
    if (child >= of_.size()) return;
    const Of& of = of_[child];
    bool by_it = of.first == parent;
    if (!by_it && of.first != kNone) mark(of.first);
    for (std::uint32_t i = of.further; i != kNone; i = links_[i].next) {
      if (links_[i].parent != parent || by_it) mark(links_[i].parent);
      by_it = by_it || links_[i].parent == parent;
    }
  }

  void mark(std::uint32_t node) {
    if (node >= marked_.size()) marked_.resize(2 * node + 64);
    marked_[node] = 1;
  }

  // Whether the node was marked; it is no longer.
  bool take_mark(std::uint32_t node) {
    if (node >= marked_.size() || !marked_[node]) return false;
    marked_[node] = 0;
    return true;
  }

  std::uint64_t bytes() const { return of_.size() * sizeof(Of) + links_.size() * sizeof(Link) + marked_.size(); }

 private:
  struct Of {
    std::uint32_t first = kNone, further = kNone;  // `further`: a place in `links_`
  };
  struct Link {
    std::uint32_t parent, next;
  };

  std::vector<Of> of_;
  std::vector<Link> links_;
  std::vector<std::uint8_t> marked_;
};

}  // namespace honte
