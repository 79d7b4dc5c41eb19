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
    mixed = visits > 0.0 ? (raw + visits * weighted / prior) / (1.0 + visits) : raw;
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

// Eight actions of a node as the choice inside the tree reads them.
struct ImprovedActions {
  Lanes p, q, n;  // leaves in flight included; q is NaN where there is no answer yet
};

// The priors of eight actions from a node's order, 0 beyond the first `count`.
inline Lanes priors_of(const Candidate* order, std::size_t count) {
  static_assert(sizeof(Candidate) == sizeof(double) && offsetof(Candidate, code) == 4);
  LaneIntegers candidates;
  std::memcpy(&candidates, order, sizeof candidates);
  const LaneIntegers place{0, 1, 2, 3, 4, 5, 6, 7};
  const LaneIntegers codes = std::endian::native == std::endian::little ? candidates >> 32 & 0xffff : candidates >> 16 & 0xffff;
  // decode_prior's number with the exponent and the mantissa of a double.
  const Lanes p = std::bit_cast<Lanes>((codes + ((1023 - 31) << 11)) << 41);
  return place < static_cast<std::int64_t>(count) ? p : Lanes{};
}

}  // namespace honte
