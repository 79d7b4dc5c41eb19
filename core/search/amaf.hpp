// RAVE and GRAVE: every action of a simulation counts for the nodes above it as if it had been
// played there first. [Gelly & Silver 2011; Cazenave 2015]
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "search/lanes.hpp"
#include "search/parameters.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"
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

  // Of actions that were visited and have AMAF visits; without the former it is 1, without the
  // latter 0.
  Lanes operator()(Lanes n, Lanes amaf_n) const {
    return of_the_node_ ? all_lanes(equivalence_) : amaf_n / (n + amaf_n + bias_ * n * amaf_n);
  }

 private:
  bool of_the_node_;  // the equivalence schedule's weight is the same for all edges of a node
  double equivalence_;
  double bias_;
};

// What a table says of eight actions, the first `count` of them.
inline AmafBlock amaf_of_actions(const AmafBlock* table, [[maybe_unused]] std::uint32_t blocks, const Candidate* actions, std::size_t count) {
#if defined(__AVX512F__)
  if (blocks == 1) {
    const __m512i places = _mm512_loadu_si512(actions);  // the low three bits count: an action's own
    return {reinterpret_cast<Lanes>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(table->w))),
            reinterpret_cast<Lanes>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(table->n)))};
  }
#endif
  AmafBlock eight{};
  for (std::size_t i = 0; i < std::min(count, kLanes); ++i) {
    const auto action = static_cast<std::size_t>(actions[i].action);
    eight.w[i] = table[action / kLanes].w[action % kLanes];
    eight.n[i] = table[action / kLanes].n[action % kLanes];
  }
  return eight;
}

// (1 − β) Q + β Q_AMAF + c √(ln N(s) / N(s,a)): the edge with the highest, the first of equals. An action that
// nobody has played at any time comes first. `table` is null where no table speaks of the player to
// move; `scale` is c √(ln N(s)). Every action has its edge, in the order of the candidates, which lie
// closer together.
inline std::uint32_t place_by_amaf(const SelectionParameters& selection, const Tree& tree, const Node& node,
                                   const AmafBlock* table, double visits, double scale) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const AmafWeight weight(selection, visits);
  const Candidate* order = tree.orders.at(node.order);
  const Edge* edges = weight.asks_for_visits() ? tree.edges_of(node) : nullptr;
  const MeritColumns merits = tree.merits_of(node);
  const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
  FirstHighest scores;
  for (std::size_t i = 0; i < node.edge_count; i += kLanes) {
    const std::size_t left = node.edge_count - i;
    const Lanes q = load_first(merits.q + i, capacity, left, never);
    const Lanes explored = scale * load_first(merits.bonus + i, capacity, left, 0.0);
    const AmafBlock amaf = table ? amaf_of_actions(table, tree.amaf_blocks(), order + i, left) : AmafBlock{};
    Lanes n{};
    for (std::size_t lane = 0; edges && lane < std::min(left, kLanes); ++lane) n[lane] = edges[i + lane].n + edges[i + lane].in_flight;
    const Lanes beta = weight(n, amaf.n), first = amaf.w / amaf.n;
    const Lanes known = q == q ? (1.0 - beta) * q + beta * first : first;
    const Lanes unknown = q == q ? q : all_lanes(-never);
    const Lanes score = (amaf.n > 0.0 ? known : unknown) + explored;
    scores.take(q == all_lanes(never) ? q : score);
  }
  const double score = scores.number();
  return score == never ? kNone : scores.place(score);
}

// Counts one sequence, the way down and what was played after it, for every node on the way and
// the leaf. An action counts once a node, for the player to move there. `value` is player 0's.
class AmafUpdate {
 public:
  void run(Tree& tree, std::span<const Step> path, std::uint32_t leaf, std::span<const Played> after, double value) {
    for (Later& later : later_) later.clear(tree.amaf_blocks());
    for (const Played& played : after) note(played);
    if (!tree.nodes[leaf].terminal) count(tree, tree.nodes[leaf], value);
    for (std::size_t i = path.size(); i-- > 0;) {
      Node& node = tree.nodes[path[i].node];
      note({node.player, tree.edges.at(node.edges)[path[i].edge].action});
      count(tree, node, value);
    }
  }

 private:
  // What a player chose from some time on: a bit an action, by eight, and which eights have any.
  struct Later {
    std::vector<std::uint8_t> bits;
    std::vector<std::uint32_t> blocks;

    void clear(std::uint32_t most_blocks) {
      for (const std::uint32_t block : blocks) bits[block] = 0;
      blocks.clear();
      if (bits.size() < most_blocks) bits.resize(most_blocks, 0);
    }
  };

  void note(const Played& played) {
    Later& later = later_[static_cast<std::size_t>(played.player)];
    const auto action = static_cast<std::uint32_t>(played.action), block = action / static_cast<std::uint32_t>(kLanes);
    if (later.bits[block] == 0) later.blocks.push_back(block);
    later.bits[block] |= static_cast<std::uint8_t>(1u << action % kLanes);
  }

  void count(Tree& tree, Node& node, double value) {
    AmafBlock* table = tree.amaf_of(node);
    const Lanes none{}, one = all_lanes(1.0), worth = all_lanes(side(node.player) * value);
    const Later& later = later_[static_cast<std::size_t>(node.player)];
    for (const std::uint32_t block : later.blocks) {
      const LaneIntegers chosen = lanes_of(later.bits[block]);
      table[block].w += chosen ? worth : none;
      table[block].n += chosen ? one : none;
    }
  }

  std::array<Later, 2> later_;
};

}  // namespace honte
