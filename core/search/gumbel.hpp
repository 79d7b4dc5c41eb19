// Gumbel AlphaZero: sequential halving over the actions that Gumbel-top-k draws at the root,
// completed Q values everywhere, and a deterministic choice inside the tree that follows the
// improved policy. [Danihelka, Guez, Schrittwieser, Silver 2022]
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "random.hpp"
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
  CompletedValues(const SelectionParameters& parameters, const Node& node, const Edge* edges) {
    double visits = 0.0, prior = 0.0, weighted = 0.0, most = 0.0;
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      const Edge& edge = edges[i];
      if (edge.n == 0) continue;
      visits += edge.n;
      most = std::max(most, static_cast<double>(edge.n));
      prior += edge.p;
      weighted += edge.p * edge.q;
    }
    const double raw = (node.player == 1 ? -1.0 : 1.0) * node.raw_value;
    mixed = visits > 0.0 ? (raw + visits * weighted / prior) / (1.0 + visits) : raw;
    scale = (parameters.visit_offset + most) * parameters.value_scale;
  }

  double transformed(const Edge& edge) const { return scale * ((edge.n > 0 ? edge.q : mixed) + 1.0) / 2.0; }
  double transformed_unvisited() const { return scale * (mixed + 1.0) / 2.0; }

  double mixed;  // v_mix: the value that completes unvisited actions
  double scale;
};

}  // namespace honte
