// Selection: score = Q + scale · bonus. Every formula splits into a part that only the
// node changes (scale, from N(s)) and a part that only the edge changes (bonus, from P and
// N(s,a)); the tree keeps the edge's part, so choosing among visited actions divides nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/lanes.hpp"
#include "search/parameters.hpp"
#include "search/tree.hpp"

namespace honte {

// The node's part, from N(s) = Σ_b N(s,b). At a fresh node N(s) = 0 would make every
// score equal; 1 stands in for it, so the highest prior is chosen first.
inline double exploration_scale(const SelectionParameters& parameters, double visits) {
  const double n = std::max(1.0, visits);
  const double c = parameters.c_log == 0.0
                       ? parameters.c
                       : parameters.c + parameters.c_log * std::log((n + parameters.c_base) / parameters.c_base);
  switch (parameters.formula) {
    case Formula::kUcb1:
    case Formula::kRave: return c * std::sqrt(std::log(n));
    case Formula::kPuct: return c * std::sqrt(n);
    case Formula::kPolynomialPuct: return c * std::pow(n, parameters.exponent);
    case Formula::kUctLikePuct: return c * std::sqrt(std::log(1.0 + n + parameters.c_base));
    case Formula::kGumbel:
    case Formula::kCustom: return 0.0;
  }
  return 0.0;
}

// KataGo's factor on c_puct: above 1 where the values seen below the node spread more than
// usual. The node's values count with a prior of the usual spread. [KataGo methods]
inline double spread_factor(const SelectionParameters& parameters, const Node& node) {
  if (parameters.spread_scale == 0.0 || node.n == 0) return 1.0;
  const double n = node.n, weight = parameters.spread_prior_weight, prior = parameters.spread_prior;
  const double deviations = std::max(0.0, node.value_square_sum - node.value_sum * node.value_sum * (1.0 / n));
  const double variance = (weight + deviations * (1.0 / (prior * prior))) * (1.0 / (weight + n));  // over the usual one
  return 1.0 + parameters.spread_scale * (std::sqrt(variance) - 1.0);
}

// The edge's part, from P(s,a) and N(s,a).
inline double exploration_bonus(const SelectionParameters& parameters, double p, double n) {
  switch (parameters.formula) {
    case Formula::kUcb1:
    case Formula::kRave: return 1.0 / std::sqrt(std::max(1.0, n));
    case Formula::kPuct:
    case Formula::kPolynomialPuct: return p / (1.0 + n);
    case Formula::kUctLikePuct: return p / std::sqrt(1.0 + n);
    case Formula::kGumbel:
    case Formula::kCustom: return 0.0;
  }
  return 0.0;
}

// What selection compares of an edge with so many visits, leaves in flight included. A proven loss
// teaches nothing more, but to the actions above it that it has in common with other ways.
inline Merit merit_of(const SelectionParameters& selection, const Edge& edge, double n) {
  constexpr double never = -std::numeric_limits<double>::infinity(), unknown = std::numeric_limits<double>::quiet_NaN();
  if (selection.formula == Formula::kCustom) return {edge.known ? edge.q : unknown, static_cast<double>(edge.n + edge.in_flight)};
  if (selection.formula == Formula::kGumbel) return {edge.n > 0 ? edge.q : unknown, static_cast<double>(edge.n + edge.in_flight)};
  const bool barred = edge.closed || (edge.exact && edge.q <= -1.0 && selection.formula != Formula::kRave);
  return {barred ? never : edge.known ? edge.q : unknown, exploration_bonus(selection, edge.p, n)};
}

// First-play urgency: the value that stands in for an unvisited action, from the side to
// move at the node; `parent_value` is the node's mean value from the same side.
inline double first_play_urgency(UrgencyRule rule, double amount, double parent_value, double visited_prior) {
  switch (rule) {
    case UrgencyRule::kConstant: return amount;
    case UrgencyRule::kParent: return parent_value;
    case UrgencyRule::kParentMinusConstant: return parent_value - amount;
    case UrgencyRule::kParentMinusVisitedPolicy: return parent_value - amount * std::sqrt(visited_prior);
    case UrgencyRule::kUnvisitedFirst: return std::numeric_limits<double>::infinity();
  }
  return 0.0;
}

// N(s,a) as selection sees it, leaves in flight included.
inline double visits_in_view(const Edge& edge, const BackupParameters& backup) {
  const double weight = backup.virtual_loss == VirtualLossRule::kLostVisits ? backup.virtual_visits : 1.0;
  return edge.n + weight * edge.in_flight;
}

// Brings an edge's q and merit up to date after its counts changed.
inline void refresh(Tree& tree, const Parameters& parameters, const Node& node, std::uint32_t place) {
  const SelectionParameters& selection = parameters.selection;
  const BackupParameters& backup = parameters.backup;
  Edge& edge = tree.edges.at(node.edges)[place];
  const double n = visits_in_view(edge, backup);
  double w = edge.w, answered = edge.n;
  if (backup.virtual_loss == VirtualLossRule::kLostVisits) {
    w -= n - answered;
    answered = n;
  }
  edge.known = edge.exact || answered > 0.0;
  if (edge.known && !edge.exact) edge.q = selection.visits_plus_one ? w / (answered + 1.0) : w / answered;
  tree.merits_of(node).set(place, merit_of(selection, edge, n));
}

// The edge with the highest score, the first of equals; kNone where nothing may be chosen.
struct Choice {
  std::uint32_t place = kNone;
  double score = -std::numeric_limits<double>::infinity();
};

inline Choice best_edge(const MeritColumns& merits, std::uint32_t count, double urgency, double scale) {
  Choice best;
  if (count <= kLanes / 2) {  // a chain of comparisons, which the processor foretells well
    for (std::uint32_t i = 0; i < count; ++i) {
      const double q = merits.q[i], score = (std::isnan(q) ? urgency : q) + scale * merits.bonus[i];
      if (score > best.score) best = {i, score};
    }
    return best;
  }
  const Lanes urgencies = all_lanes(urgency), scales = all_lanes(scale);
  const auto scores = [&](std::uint32_t i) {
    const Lanes q = load_lanes(merits.q + i);
    return (q == q ? q : urgencies) + scales * load_lanes(merits.bonus + i);
  };
  if (count <= kLanes) {  // most nodes of a small game
    const Lanes score = scores(0), highest = highest_in_all(score);
    if (highest[0] == best.score) return best;
    return {static_cast<std::uint32_t>(std::countr_zero(lane_mask(score == highest))), highest[0]};
  }
  FirstHighest highest;
  for (std::uint32_t i = 0; i < count; i += kLanes) highest.take(scores(i));
  const double score = highest.number();
  return score == best.score ? best : Choice{highest.place(score), score};
}

// Σ_b N(s,b) as selection sees it, leaves in flight included.
inline double visits_in_view(const Node& node, const BackupParameters& backup) {
  const double weight = backup.virtual_loss == VirtualLossRule::kLostVisits ? backup.virtual_visits : 1.0;
  return node.edge_visits + weight * node.in_flight;
}

}  // namespace honte
