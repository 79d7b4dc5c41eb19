// Choices that are more than the highest Q + U: Gumbel's, by AMAF, and by a formula of the user's own.
#pragma once

#include "search/search_of.hpp"

namespace honte {

template <State S>
std::vector<double> SearchOf<S>::gumbel_scores() const {
  const Node& root = tree_.nodes[0];
  const Edge* edges = tree_.edges_of(root);
  const CompletedValues values(parameters_.selection, root, edges, every_edge(root));
  std::vector<double> scores;
  for (std::uint32_t i = 0; i < root.edge_count; ++i)
    scores.push_back(drawn_[i] + values.transformed(edges[i]));
  return scores;
}

template <State S>
std::uint32_t SearchOf<S>::choose_by_halving(Node& root) {
  const std::uint64_t done = root.edge_visits + root.in_flight - visits_before_plan_;
  const Edge* edges = tree_.edges_of(root);
  const auto planned = [&](std::uint32_t i) { return edges[i].n + edges[i].in_flight - before_plan_[i]; };
  const std::uint32_t wanted = done < plan_.size() ? plan_[done] : kNone;  // beyond the plan: evenly
  const CompletedValues values(parameters_.selection, root, edges, played_);
  const auto best_of = [&](std::uint32_t visited, const auto& places) {
    std::uint32_t best = kNone;
    double best_score = 0.0;
    for (const std::uint32_t i : places) {
      if (edges[i].closed || planned(i) != visited) continue;
      const double score = drawn_[i] + values.transformed(edges[i]);
      if (best == kNone || score > best_score) best = i, best_score = score;
    }
    return best;
  };
  // Few actions are ever played at the root; only for a first visit does it look at all of them.
  std::uint32_t best = wanted == 0 ? best_of(0, every_edge(root)) : best_of(wanted, played_);
  if (best == kNone) {
    std::uint32_t fewest = kNone;
    for (std::uint32_t i = 0; i < root.edge_count; ++i)
      if (!edges[i].closed) fewest = std::min(fewest, planned(i));
    best = best_of(fewest, every_edge(root));
  }
  const auto place = std::ranges::lower_bound(played_, best);
  if (place == played_.end() || *place != best) played_.insert(place, best);
  return best;
}

template <State S>
std::uint32_t SearchOf<S>::choose_by_amaf(Node& node, double visits) {
  if (const std::uint32_t place = foreseen(node); place != kNone) return place;
  while (const Candidate* next = next_candidate(node, visits)) open(node, *next);
  const std::uint32_t reference = parameters_.selection.rave_reference;
  Node* source = &tree_.nodes[0];
  if (reference == 0 || node.n >= reference) source = &node;
  else
    for (const Step& step : path_)
      if (tree_.nodes[step.node].n >= reference) source = &tree_.nodes[step.node];
  const AmafBlock* table = source->player == node.player ? tree_.amaf_of(*source) : nullptr;
  const double scale = parameters_.selection.c > 0.0 ? scale_at(visits) : 0.0;
  return place_by_amaf(parameters_.selection, tree_, node, table, visits, scale);
}

template <State S>
std::uint32_t SearchOf<S>::choose_improved(Node& node) {
  if (const std::uint32_t place = foreseen(node); place != kNone) return place;
  const double visits = static_cast<double>(node.edge_visits) + node.in_flight;
  const Candidate* next = is_open(node) ? nullptr : next_candidate(node, visits);
  if (node.edge_count == 0) return open(node, *next);
  const std::uint32_t place =
      improved_place(parameters_.selection, tree_, node, visits, next ? decode_prior(next->code) : 0.0, improved_);
  return place == node.edge_count ? open(node, *next) : place;
}

template <State S>
void SearchOf<S>::foresee(std::span<const Step> path) {
  const SelectionParameters& selection = parameters_.selection;
  if (selection.formula != Formula::kGumbel && selection.formula != Formula::kRave) return;
  for (const Step& step : path) {
    Node& node = tree_.nodes[step.node];
    if (step.node == 0 || node.in_flight > 0) continue;
    const double visits = node.edge_visits;
    const bool opens = may_open(node, visits);
    std::uint32_t place;
    if (selection.formula == Formula::kGumbel) {
      if (opens && node.listed == node.edge_count) continue;  // only the state knows the next action
      const double next = opens ? decode_prior(tree_.orders.at(node.order)[node.edge_count].code) : 0.0;
      place = improved_place(selection, tree_, node, visits, next, improved_);
    } else {
      if (opens || node.n < selection.rave_reference) continue;  // a table further up may change by other ways
      const double scale = selection.c > 0.0 ? scale_at(visits) : 0.0;
      place = place_by_amaf(selection, tree_, node, tree_.amaf_of(node), visits, scale);
      if (place == kNone) continue;
    }
    node.foreseen = static_cast<std::uint16_t>(place);
    node.foreseen_n = node.n;
  }
}

template <State S>
std::uint32_t SearchOf<S>::foreseen(Node& node) {
  // What has become the root since then may have other priors, and actions that are not allowed.
  if (node.foreseen_n != node.n || node.in_flight > 0 || &node == &tree_.nodes[0]) return kNone;
  return node.foreseen < node.edge_count ? node.foreseen : open(node, tree_.orders.at(node.order)[node.edge_count]);
}

template <State S>
std::uint32_t SearchOf<S>::choose_by_custom(Node& node, bool at_root, double visits) {
  const SelectionParameters& selection = parameters_.selection;
  const double value = side(node.player) * node.value_sum / node.n;
  const double urgency = first_play_urgency(at_root ? selection.root_urgency : selection.urgency,
                                            at_root ? selection.root_urgency_value : selection.urgency_value,
                                            value, node.visited_prior);
  const Candidate* next = is_open(node) ? nullptr : next_candidate(node, visits);
  const std::size_t edge_count = node.edge_count, count = edge_count + (next ? 1u : 0u), whole = whole_lanes(count);
  if (custom_.size() < 4 * whole) custom_.resize(4 * whole);
  double *q = custom_.data(), *n = q + whole, *p = n + whole, *scores = p + whole;
  if (edge_count > 0) {
    const MeritColumns merits = tree_.merits_of(node);
    const Candidate* order = tree_.orders.at(node.order);
    const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
    const Lanes unknown = all_lanes(urgency);
    for (std::size_t at = 0; at < edge_count; at += kLanes) {
      const Lanes known = load_lanes(merits.q + at, capacity, 0.0);
      store_lanes(q + at, known == known ? known : unknown);
      store_lanes(n + at, load_lanes(merits.bonus + at, capacity, 0.0));
      store_lanes(p + at, priors_of(order + at, edge_count - at));
    }
  }
  if (next) {
    q[count - 1] = urgency;
    n[count - 1] = 0.0;
    p[count - 1] = decode_prior(next->code);
  }
  selection.custom(q, n, p, static_cast<std::int64_t>(count), visits, value, scores);
  constexpr double never = -std::numeric_limits<double>::infinity();
  std::fill(scores + count, scores + whole, never);
  if (at_root && root_has_closed_) {
    const Edge* edges = tree_.edges_of(node);
    for (std::size_t i = 0; i < edge_count; ++i)
      if (edges[i].closed && !std::isnan(scores[i])) scores[i] = never;
  }
  FirstHighest best;
  LaneIntegers nan{};
  for (std::size_t at = 0; at < whole; at += kLanes) {
    const Lanes eight = load_lanes(scores + at);
    nan |= eight != eight;
    best.take(eight);
  }
  if (lane_mask(nan)) throw StateError("The selection formula gave NaN" + way() + ".");
  const double score = best.number();
  if (score == never) throw StateError("The selection formula gave minus infinity for every action" + way() + ".");
  const std::uint32_t chosen = best.place(score);
  return chosen == edge_count ? open(node, *next) : chosen;
}

}  // namespace honte
