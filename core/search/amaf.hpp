// RAVE and GRAVE: every action of a simulation counts for the nodes above it as if it had been
// played there first. [Gelly & Silver 2011; Cazenave 2015]
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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

  // Of an action, or of eight, that were visited and have AMAF visits; without the former it is 1, without
  // the latter 0.
  template <class Number>
  Number operator()(Number n, Number amaf_n) const {
    return of_the_node_ ? Number{} + equivalence_ : amaf_n / (n + amaf_n + bias_ * n * amaf_n);
  }

 private:
  bool of_the_node_;  // the equivalence schedule's weight is the same for all edges of a node
  double equivalence_;
  double bias_;
};

// (1 − β) Q + β Q_AMAF + the exploration term of an action, or of eight; one that nobody has played at any time
// comes first, and one that may not be chosen never. `q` is NaN without visits.
template <class Number>
Number score_by_amaf(Number q, Number explored, Number amaf_w, Number amaf_n, Number beta) {
  const Number first = amaf_w / amaf_n, none{}, infinite = none + std::numeric_limits<double>::infinity();
  const Number known = q == q ? (1.0 - beta) * q + beta * first : first;
  const Number unknown = q == q ? q : infinite;
  const Number score = (amaf_n > none ? known : unknown) + explored;
  return q == -infinite ? q : score;
}

// The edge that scores highest, the first of equals; kNone where none may be chosen. `table` is null where
// none speaks of the player to move; `scale` is c √(ln N(s)). Every action has its edge, in the order
// of the candidates, which lie closer together.
inline std::uint32_t place_by_amaf(const SelectionParameters& selection, const Tree& tree, const Node& node,
                                   const AmafBlock* table, double visits, double scale) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  const AmafWeight weight(selection, visits);
  const Candidate* order = tree.orders.at(node.order);
  const Edge* edges = weight.asks_for_visits() ? tree.edges_of(node) : nullptr;
  const MeritColumns merits = tree.merits_of(node);
  const auto visits_of = [&](std::size_t i) { return edges ? static_cast<double>(edges[i].n + edges[i].in_flight) : 0.0; };
  const auto block_of = [&](std::size_t i) -> const AmafBlock& { return table[static_cast<std::size_t>(order[i].action) / kLanes]; };
  const auto lane_of = [&](std::size_t i) { return static_cast<std::size_t>(order[i].action) % kLanes; };
#if defined(__AVX512F__)
  const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
  if (table && !edges && tree.amaf_blocks() == 1) {  // a game of eight actions: all in registers
    const __m512i places = _mm512_loadu_si512(order);  // an action is in the low three bits of its candidate
    const auto w = reinterpret_cast<Lanes>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(table->w)));
    const auto n = reinterpret_cast<Lanes>(_mm512_permutexvar_pd(places, reinterpret_cast<__m512d>(table->n)));
    const Lanes q = load_first(merits.q, capacity, node.edge_count, never);
    const Lanes explored = scale * load_first(merits.bonus, capacity, node.edge_count, 0.0);
    const Lanes scores = score_by_amaf(q, explored, w, n, weight(n, n));
    const double score = highest_lane(scores);
    return score == never ? kNone : static_cast<std::uint32_t>(std::countr_zero(lanes_equal(scores, score)));
  }
  FirstHighest scores;
  for (std::size_t start = 0; start < node.edge_count; start += kLanes) {
    const std::size_t left = node.edge_count - start;
    const Lanes q = load_first(merits.q + start, capacity, left, never);
    const Lanes explored = scale * load_first(merits.bonus + start, capacity, left, 0.0);
    Lanes w{}, amaf_n{}, n{};
    for (std::size_t lane = 0, i = start; lane < std::min(left, kLanes); ++lane, ++i) {
      if (table) w[lane] = block_of(i).w[lane_of(i)], amaf_n[lane] = block_of(i).n[lane_of(i)];
      n[lane] = visits_of(i);
    }
    scores.take(score_by_amaf(q, explored, w, amaf_n, weight(n, amaf_n)));
  }
  const double score = scores.number();
  return score == never ? kNone : scores.place(score);
#else
  Choice best;
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    const double w = table ? block_of(i).w[lane_of(i)] : 0.0, n = table ? block_of(i).n[lane_of(i)] : 0.0;
    const double score = score_by_amaf(merits.q[i], scale * merits.bonus[i], w, n, weight(visits_of(i), n));
    if (score > best.score) best = {i, score};
  }
  return best.place;
#endif
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
    const double worth = side(node.player) * value;
    const Later& later = later_[static_cast<std::size_t>(node.player)];
    for (const std::uint32_t block : later.blocks) {
#if defined(__AVX512F__)
      const LaneIntegers chosen = lanes_of(later.bits[block]);
      table[block].w += chosen ? all_lanes(worth) : Lanes{};
      table[block].n += chosen ? all_lanes(1.0) : Lanes{};
#else
      for (unsigned bits = later.bits[block]; bits; bits &= bits - 1) {
        const int lane = std::countr_zero(bits);
        table[block].w[lane] += worth;
        table[block].n[lane] += 1.0;
      }
#endif
    }
  }

  std::array<Later, 2> later_;
};

}  // namespace honte
