// Selection: score = Q + scale · bonus. Every formula splits into a part that only the
// node changes (scale, from N(s)) and a part that only the edge changes (bonus, from P and
// N(s,a)); the edge keeps its part, so choosing among visited actions divides nothing.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

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
  const double n = node.n, weight = parameters.spread_prior_weight;
  const double mean = node.value_sum / n;
  const double square = std::max(mean * mean, node.value_square_sum / n);
  const double prior_square = mean * mean + parameters.spread_prior * parameters.spread_prior;
  const double variance = (prior_square * weight + square * n) / (weight + n) - mean * mean;
  return 1.0 + parameters.spread_scale * (std::sqrt(std::max(0.0, variance)) / parameters.spread_prior - 1.0);
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

// Brings the cached parts of an edge up to date after its counts changed.
inline void refresh(Edge& edge, const SelectionParameters& selection, const BackupParameters& backup) {
  double n = edge.n, w = edge.w;
  if (edge.in_flight > 0) {
    if (backup.virtual_loss == VirtualLossRule::kLostVisits) {
      n += backup.virtual_visits * edge.in_flight;
      w -= backup.virtual_visits * edge.in_flight;
    } else {
      n += edge.in_flight;
    }
  }
  const double answered = backup.virtual_loss == VirtualLossRule::kLostVisits ? n : edge.n;
  edge.known = edge.exact || answered > 0.0;
  if (edge.known && !edge.exact) edge.q = selection.visits_plus_one ? w / (answered + 1.0) : w / answered;
  edge.bonus = exploration_bonus(selection, edge.p, n);
}

// Σ_b N(s,b) as selection sees it, leaves in flight included.
inline double visits_in_view(const Node& node, const BackupParameters& backup) {
  const double weight = backup.virtual_loss == VirtualLossRule::kLostVisits ? backup.virtual_visits : 1.0;
  return node.edge_visits + weight * node.in_flight;
}

}  // namespace honte
