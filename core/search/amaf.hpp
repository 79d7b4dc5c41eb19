// RAVE and GRAVE: every action of a simulation counts for the nodes above it as if it had been
// played there first. [Gelly & Silver 2011; Cazenave 2015]
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "search/parameters.hpp"
#include "search/search.hpp"
#include "search/tree.hpp"

namespace honte {

// β: the weight of the AMAF value beside the mean, from N(s), N(s,a) and the AMAF visits ñ.
class AmafWeight {
 public:
  AmafWeight(const SelectionParameters& parameters, double node_visits)
      : of_the_node_(parameters.rave_schedule == RaveSchedule::kEquivalence),
        equivalence_(std::sqrt(parameters.rave_equivalence / (3.0 * node_visits + parameters.rave_equivalence))),
        bias_(parameters.rave_bias) {}

  bool asks_for_visits() const { return !of_the_node_; }

  // Of an action that was visited and has AMAF visits; without the former it is 1, without the
  // latter 0.
  double operator()(double n, double amaf_n) const {
    return of_the_node_ ? equivalence_ : amaf_n / (n + amaf_n + bias_ * n * amaf_n);
  }

 private:
  bool of_the_node_;  // the equivalence schedule's weight is the same for all edges of a node
  double equivalence_;
  double bias_;
};

// Counts one sequence, the way down and what was played after it, for every node on the way and
// the leaf. An action counts once a node, for the player to move there. `value` is player 0's.
class AmafUpdate {
 public:
  void run(Tree& tree, std::span<const Step> path, std::uint32_t leaf, std::span<const Played> after, double value) {
    if (seen_.size() < tree.actions) seen_.resize(tree.actions, {0, 0});
    ++stamp_;
    for (std::vector<Action>& actions : later_) actions.clear();
    for (const Played& played : after) note(played);
    if (!tree.nodes[leaf].terminal) count(tree, tree.nodes[leaf], value);
    for (std::size_t i = path.size(); i-- > 0;) {
      Node& node = tree.nodes[path[i].node];
      note({node.player, tree.edges.at(node.edges)[path[i].edge].action});
      count(tree, node, value);
    }
  }

 private:
  void note(const Played& played) {
    std::uint64_t& stamp = seen_[played.action][played.player];
    if (stamp == stamp_) return;
    stamp = stamp_;
    later_[played.player].push_back(played.action);
  }

  void count(Tree& tree, Node& node, double value) {
    Amaf* table = tree.amaf_of(node);
    for (const Action action : later_[node.player]) {
      table[action].w += side(node.player) * value;
      ++table[action].n;
    }
  }

  std::array<std::vector<Action>, 2> later_;
  std::vector<std::array<std::uint64_t, 2>> seen_;  // the sequence in which a player last chose an action
  std::uint64_t stamp_ = 0;
};

}  // namespace honte
