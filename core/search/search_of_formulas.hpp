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
  std::uint64_t done = 0;
  const Edge* edges = tree_.edges_of(root);
  const auto planned = [&](std::uint32_t i) { return edges[i].n + edges[i].in_flight - before_plan_[i]; };
  for (const std::uint32_t i : played_) done += planned(i);
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
  const SelectionParameters& selection = parameters_.selection;
  while (const Candidate* next = next_candidate(node, visits)) open(node, *next);
  Node* source = &tree_.nodes[0];
  if (selection.rave_reference == 0 || node.n >= selection.rave_reference) source = &node;
  else
    for (const Step& step : path_)
      if (tree_.nodes[step.node].n >= selection.rave_reference) source = &tree_.nodes[step.node];
  const Amaf* table = tree_.amaf_of(*source);
  const double scale = scale_at(visits);
  const AmafWeight weight(selection, visits);
  // Every action has its edge, in the order of the candidates, which lie closer together.
  const Candidate* order = tree_.orders.at(node.order);
  const Edge* edges = weight.asks_for_visits() ? tree_.edges_of(node) : nullptr;
  const MeritColumns merits = tree_.merits_of(node);
  const bool knows = source->player == node.player;
  Choice best;
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    const double q = merits.q[i];
    const Amaf amaf = knows ? table[order[i].action] : Amaf{0.0, 0};
    const bool visited = !std::isnan(q);
    if (q == Merit{}.q) continue;  // closed
    double score = std::numeric_limits<double>::infinity();
    if (amaf.n > 0) {
      const double beta = !visited ? 1.0 : weight(edges ? edges[i].n + edges[i].in_flight : 1.0, amaf.n);
      score = (beta < 1.0 ? (1.0 - beta) * q : 0.0) + beta * (amaf.w / amaf.n) + scale * merits.bonus[i];
    } else if (visited) {
      score = q + scale * merits.bonus[i];
    }
    if (score > best.score) best = {i, score};
  }
  return best.place;
}

template <State S>
std::uint32_t SearchOf<S>::choose_improved(Node& node) {
  const SelectionParameters& selection = parameters_.selection;
  const std::uint32_t count = node.edge_count;
  const double visits = static_cast<double>(node.edge_visits) + node.in_flight;
  Choice best;
  double unopened = 1.0, per_total = 1.0;
  if (count > 0) {
    const std::size_t blocks = whole_lanes(count) / kLanes;
    if (improved_.size() < blocks) improved_.resize(2 * blocks);
    const MeritColumns merits = tree_.merits_of(node);
    const Candidate* order = tree_.orders.at(node.order);
    const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
    Lanes opened{}, visited{}, weighted{}, most{};
    for (std::size_t b = 0; b < blocks; ++b) {
      ImprovedActions& actions = improved_[b];
      actions.p = priors_of(order + b * kLanes, count - b * kLanes);
      actions.q = load_lanes(merits.q + b * kLanes, capacity, Merit{}.q);
      actions.n = load_lanes(merits.bonus + b * kLanes, capacity, 0.0);
      const Lanes p = actions.q == actions.q ? actions.p : Lanes{};
      opened += actions.p;
      visited += p;
      weighted += p * (p > 0.0 ? actions.q : Lanes{});
      most = actions.n > most ? actions.n : most;
    }
    const CompletedValues values(selection, node, highest_lane(most), lane_sum(visited), lane_sum(weighted));
    const double unvisited = values.transformed(values.mixed);
    const Lanes mixed = all_lanes(values.mixed), scale = all_lanes(values.scale);
    Lanes highest = all_lanes(unvisited);
    for (std::size_t b = 0; b < blocks; ++b) {
      Lanes& q = improved_[b].q;
      q = scale * ((q == q ? q : mixed) + 1.0) / 2.0;
      highest = q > highest ? q : highest;
    }
    const double top = highest_lane(highest);
    Lanes weights{};
    for (std::size_t b = 0; b < blocks; ++b) weights += improved_[b].q = improved_[b].p * falling_exp(improved_[b].q - top);
    unopened = falling_exp(all_lanes(unvisited - top))[0];
    per_total = 1.0 / (std::max(0.0, 1.0 - lane_sum(opened)) * unopened + lane_sum(weights));
    const double per_visit = 1.0 / (1.0 + visits);
    for (std::size_t b = 0; b < blocks; ++b) {
      const ImprovedActions& actions = improved_[b];
      const Lanes score = actions.q * per_total - actions.n * per_visit;
      const std::size_t left = count - b * kLanes;
      for (std::size_t lane = 0; lane < std::min(left, kLanes); ++lane)
        if (score[lane] > best.score) best = {static_cast<std::uint32_t>(b * kLanes + lane), score[lane]};
    }
  }
  if (const Candidate* next = next_candidate(node, visits)) {
    const double share = decode_prior(next->code) * unopened * per_total;
    if (best.place == kNone || share > best.score) return open(node, *next);
  }
  return best.place;
}

template <State S>
std::uint32_t SearchOf<S>::choose_by_custom(Node& node, bool at_root, double visits) {
  const SelectionParameters& selection = parameters_.selection;
  const double value = side(node.player) * node.value_sum / node.n;
  const double urgency = first_play_urgency(at_root ? selection.root_urgency : selection.urgency,
                                            at_root ? selection.root_urgency_value : selection.urgency_value,
                                            value, node.visited_prior);
  const Candidate* next = next_candidate(node, visits);
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
  unsigned nan = 0;
  for (std::size_t at = 0; at < whole; at += kLanes) {
    const Lanes eight = load_lanes(scores + at);
    nan |= lane_mask(eight != eight);
  }
  if (nan) throw StateError("The selection formula gave NaN" + way() + ".");
  if (at_root) {
    const Edge* edges = tree_.edges_of(node);
    for (std::size_t i = 0; i < edge_count; ++i)
      if (edges[i].closed) scores[i] = never;
  }
  const std::span<const double> all(scores, whole);
  const double best = highest(all);
  if (best == never) throw StateError("The selection formula gave minus infinity for every action" + way() + ".");
  const std::uint32_t chosen = first_place(all, best);
  return chosen == edge_count ? open(node, *next) : chosen;
}

}  // namespace honte
