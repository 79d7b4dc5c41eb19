// Gumbel AlphaZero: sequential halving over the actions that Gumbel-top-k draws at the root,
// completed Q values everywhere, and a deterministic choice inside the tree that follows the
// improved policy. [Danihelka, Guez, Schrittwieser, Silver 2022]
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "random.hpp"
#include "search/lanes.hpp"
#include "search/parameters.hpp"
#include "search/selection.hpp"
#include "search/tree.hpp"

namespace honte {

// For each simulation at the root, how many visits the action to be visited has so far: the
// halving of `considered` actions over `simulations`.
inline std::vector<std::uint32_t> halving_schedule(std::uint32_t considered, std::uint64_t simulations) {
  std::vector<std::uint32_t> schedule, visits(std::max(1u, considered), 0);
  const double rounds = std::max(1.0, std::ceil(std::log2(static_cast<double>(visits.size()))));
  std::size_t left = visits.size();
  while (schedule.size() < simulations) {
    const auto extra = static_cast<std::uint64_t>(static_cast<double>(simulations) / (rounds * static_cast<double>(left)));
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(1, extra); ++i)
      for (std::size_t k = 0; k < left; ++k) schedule.push_back(visits[k]++);
    left = visits.size() == 1 ? 1 : std::max<std::size_t>(2, left / 2);
  }
  schedule.resize(simulations);
  return schedule;
}

// Q values of a node completed where there are none: from its side to move, with
// σ(q) = (c_visit + max_b N(b)) · c_scale · (q + 1) / 2.
struct CompletedValues {
  // `prior` and `weighted` are Σ P and Σ P·Q of the visited actions, `most` the highest N of one.
  CompletedValues(const SelectionParameters& parameters, const Node& node, double most, double prior, double weighted) {
    const double raw = (node.player == 1 ? -1.0 : 1.0) * node.raw_value, visits = node.edge_visits;
    mixed = visits > 0.0 ? (raw * prior + visits * weighted) / (prior * (1.0 + visits)) : raw;
    scale = (parameters.visit_offset + most) * parameters.value_scale;
  }

  // From the edges of a node at some places, in ascending order, all visited ones among them.
  template <class Places>
  CompletedValues(const SelectionParameters& parameters, const Node& node, const Edge* edges, const Places& places)
      : CompletedValues(parameters, node, 0, 1.0, 0.0) {
    std::array<double, kLanes> prior{}, weighted{};
    std::uint32_t most = 0;
    for (const std::uint32_t i : places) {
      if (edges[i].n == 0) continue;
      most = std::max(most, edges[i].n);
      prior[i % kLanes] += edges[i].p;
      weighted[i % kLanes] += edges[i].p * edges[i].q;
    }
    *this = CompletedValues(parameters, node, most, lane_sum(prior), lane_sum(weighted));
  }

  double transformed(double q) const { return scale * (q + 1.0) / 2.0; }
  double transformed(const Edge& edge) const { return transformed(edge.n > 0 ? edge.q : mixed); }

  double mixed;  // v_mix: the value that completes unvisited actions
  double scale;
};

// Eight actions of a node as the choice inside the tree reads them: P, Q (NaN where there is no answer
// yet), N with leaves in flight, and P · e^σ(Q) in some unit.
struct ImprovedActions {
  Lanes p, q, n, weight;
};

// The priors of eight actions from a node's order, 0 beyond the first `count`.
inline Lanes priors_of(const Candidate* order, std::size_t count) {
  static_assert(sizeof(Candidate) == sizeof(double) && offsetof(Candidate, code) == 4);
  LaneIntegers candidates;
  std::memcpy(&candidates, order, sizeof candidates);
  const LaneIntegers codes = std::endian::native == std::endian::little ? candidates >> 32 & 0xffff : candidates >> 16 & 0xffff;
  // decode_prior's number with the exponent and the mantissa of a double.
  const Lanes p = std::bit_cast<Lanes>((codes + ((1023 - 31) << 11)) << 41);
  return kPlaces < static_cast<std::int64_t>(count) ? p : Lanes{};
}

// Inside the tree visits follow the improved policy π' = softmax(log P + σ(completed q)): the edge with
// the highest π'(a) − N(a) / (1 + ΣN), the first of equals, or `edge_count` for the next action without an
// edge, whose prior is `next` (0 where none may be opened). The node has edges; `actions` is room for
// them, by eight. e^σ(q) is told in the unit of the highest, so that none overflows, and the scores times
// 1 + ΣN and the sum that makes π' one, which spares dividing by them.
template <std::size_t kBlocks>
std::uint32_t improved_place(const SelectionParameters& selection, const Tree& tree, const Node& node, double visits,
                             double next, std::span<ImprovedActions, kBlocks> actions) {
  const MeritColumns merits = tree.merits_of(node);
  const Candidate* order = tree.orders.at(node.order);
  const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
  const auto left = [&](std::size_t block) { return node.edge_count - block * kLanes; };
  const auto add = [](std::size_t block, Lanes sum, Lanes x) { return block == 0 ? x : sum + x; };
  constexpr double none = -std::numeric_limits<double>::infinity(), unknown = std::numeric_limits<double>::quiet_NaN();
  Lanes visited{}, weighted{}, most{}, best = all_lanes(none);
  for (std::size_t b = 0; b < actions.size(); ++b) {
    const Lanes p = priors_of(order + b * kLanes, left(b));
    const Lanes q = load_first(merits.q + b * kLanes, capacity, left(b), unknown);
    const Lanes n = load_first(merits.bonus + b * kLanes, capacity, left(b), 0.0);
    visited = add(b, visited, q == q ? p : Lanes{});
    weighted = add(b, weighted, q == q ? p * q : Lanes{});
    most = n > most ? n : most;
    best = q > best ? q : best;
    actions[b].p = p, actions[b].q = q, actions[b].n = n;
  }
  const double prior = lane_sum(visited);
  const CompletedValues values(selection, node, highest_lane(most), prior, lane_sum(weighted));
  const double highest = node.edge_visits > 0 ? highest_lane(best) : values.mixed;
  constexpr double per_power = 0.5 / std::numbers::ln2;  // σ(q) = scale · (q + 1) / 2 as a power of two
  const double scale = values.scale * per_power;
  Lanes sum{};
  for (std::size_t b = 0; b < actions.size(); ++b) {
    actions[b].weight = actions[b].p * power_of_two((actions[b].q - highest) * scale);
    sum = add(b, sum, actions[b].weight);
  }
  const Lanes unvisited = power_of_two(all_lanes(std::min((values.mixed - highest) * scale, kLargestPower)));
  const double total = std::max(0.0, 1.0 - prior) * unvisited[0] + lane_sum(sum);
  FirstHighest scores;
  for (std::size_t b = 0; b < actions.size(); ++b) {
    const auto& [p, q, n, weight] = actions[b];
    const Lanes score = (q == q ? weight : p * unvisited) * (1.0 + visits) - n * total;
    scores.take(kPlaces < static_cast<std::int64_t>(left(b)) ? score : all_lanes(none));
  }
  const double score = scores.number();
  return next > 0.0 && next * unvisited[0] * (1.0 + visits) > score ? node.edge_count : scores.place(score);
}

inline std::uint32_t improved_place(const SelectionParameters& selection, const Tree& tree, const Node& node, double visits,
                                    double next, std::vector<ImprovedActions>& room) {
  if (node.edge_count <= kLanes) {  // in registers
    std::array<ImprovedActions, 1> eight;
    return improved_place(selection, tree, node, visits, next, std::span(eight));
  }
  const std::size_t blocks = whole_lanes(node.edge_count) / kLanes;
  if (room.size() < blocks) room.resize(2 * blocks);
  return improved_place(selection, tree, node, visits, next, std::span(room).first(blocks));
}

}  // namespace honte
