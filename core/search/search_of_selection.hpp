// Selection: the way down, and the choice at each node by the formula of the configuration.
#pragma once

#include "search/search_of.hpp"

namespace honte {

template <State S>
typename SearchOf<S>::Arrival SearchOf<S>::descend(bool in_flight) {
  scratch_ = root_state_;
  path_.clear();
  if (tracing_) trace_.steps.clear();
  std::uint32_t index = 0;
  ++ways_down_;
  try {
    for (;;) {
      Node& node = tree_.nodes[index];
      if (node.terminal) return arrive(Arrival::kKnown, index, LeafKind::kTerminal);
      if (parameters_.backup.solver && node.proven) return arrive(Arrival::kKnown, index, LeafKind::kProven);
      if (node.pending) return {Arrival::kWaiting, index};
      if (node.n < (index == 0 ? 1 : parameters_.expansion.threshold))
        return arrive(Arrival::kNew, index, node.n == 0 ? LeafKind::kNew : LeafKind::kRevisited);
      if (path_.size() >= parameters_.maximum_depth) return arrive(Arrival::kKnown, index, LeafKind::kTooDeep);
      const std::uint32_t before = node.edge_count;
      if (node.edge_count > 0) fetch_edges_ahead(index);
      if (tracing_) trace_.steps.push_back({index, node.player, node.n, urgency(index), edges(index), 0, false});
      const Step step{index, choose(index)};
      if (tracing_) {
        trace_.steps.back().chosen = tree_.edges.at(node.edges)[step.edge].action;
        trace_.steps.back().opened = step.edge == before;
      }
      if (in_flight) add_virtual_loss(tree_, parameters_, step);
      path_.push_back(step);
      Edge& edge = tree_.edges.at(node.edges)[step.edge];
      if (edge.child != kNone) fetch_ahead(edge.child);
      scratch_.apply_action(edge.action);
      if (tree_.shares_positions) tree_.identities[index].passed = ways_down_;
      index = child_of(edge);
      if (tree_.shares_positions) {
        // A child with more visits than this edge needs none for it [KataGo]; one on the way here
        // would lead round in a circle.
        if (tree_.identities[index].passed == ways_down_) return arrive(Arrival::kAtEdge, index, LeafKind::kCycle);
        const std::uint32_t visits = edge.n + edge.in_flight - (in_flight ? 1u : 0u);
        if (tree_.nodes[index].n > visits) return arrive(Arrival::kAtEdge, index, LeafKind::kTransposition);
      }
    }
  } catch (...) {
    if (in_flight)
      for (const Step& step : path_) remove_virtual_loss(tree_, parameters_, step);
    throw;
  }
}

template <State S>
std::uint32_t SearchOf<S>::child_of(Edge& edge) {
  if (!tree_.shares_positions) {
    if (edge.child == kNone) {
      edge.child = tree_.add_node();
      make_node(edge.child);
    }
    return edge.child;
  }
  if (edge.child != kNone && keys_follow(scratch_)) return edge.child;
  const PositionKey key = key_of(scratch_);
  if (edge.child != kNone && tree_.identities[edge.child].key == key) return edge.child;
  edge.child = tree_.find(key);
  if (edge.child == kNone) {
    edge.child = tree_.add_node();
    make_node(edge.child);
    tree_.identify(edge.child, key);
  }
  tree_.parents.connect(path_.back().node, edge.child);
  return edge.child;
}

template <State S>
std::size_t SearchOf<S>::playable(const NodeSnapshot::Line& line) const {
  if (keys_follow(root_state_)) return line.size();
  S state = root_state_;
  std::vector<Action> legal;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (state.is_terminal()) return i;
    const Action action = line[i].first;
    if constexpr (requires { state.is_legal(action); }) {
      if (!state.is_legal(action)) return i;
    } else {
      state.legal_actions(legal);
      if (!std::ranges::binary_search(legal, action)) return i;
    }
    state.apply_action(action);
  }
  return line.size();
}

template <State S>
typename SearchOf<S>::Arrival SearchOf<S>::arrive(typename Arrival::Kind kind, std::uint32_t index, LeafKind leaf) {
  if (tracing_) {
    trace_.leaf = index;
    trace_.kind = leaf;
  }
  return {kind, index};
}

// The way down waits for memory more than for anything else: what a node will ask for is on its
// way while the move before it is played.
template <State S>
void SearchOf<S>::fetch_ahead(std::uint32_t index) const {
  const auto* bytes = reinterpret_cast<const char*>(&tree_.nodes[index]);
  __builtin_prefetch(bytes);
  __builtin_prefetch(bytes + sizeof(Node) - 1);
  if (tree_.weighed) __builtin_prefetch(&tree_.extensions[index]);
}

template <State S>
void SearchOf<S>::fetch_edges_ahead(std::uint32_t index) const {
  const Node& node = tree_.nodes[index];
  const auto fetch = [](const void* from, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(from) + at);
  };
  const std::size_t capacity = std::min<std::size_t>(std::size_t{1} << node.edge_capacity_log2, 8);
  fetch(tree_.merits.at(node.edges), capacity * sizeof(Merit));
  fetch(tree_.edges.at(node.edges), std::min<std::size_t>(node.edge_count, 8) * sizeof(Edge));
  if (parameters_.selection.formula == Formula::kRave && node.amaf != kNone) {
    fetch(&tree_.amaf[node.amaf], std::min<std::size_t>(tree_.amaf_blocks(), 2) * sizeof(AmafBlock));
  }
  if (!tree_.weighed) return;
  fetch(tree_.shares.at(node.edges), capacity * sizeof(Share));
  if (parameters_.backup.bias_factor > 0.0) bias_.fetch_ahead(tree_.extensions[index].bucket);
}

// Most nodes of a tree have few visits, so the node's part of the formula is asked for the same
// numbers again and again: logarithms and powers are taken once. A root alone is quicker taken anew.
template <State S>
double SearchOf<S>::scale_at(double visits) {
  const SelectionParameters& selection = parameters_.selection;
  if (selection.formula == Formula::kPuct && selection.c_log == 0.0) return selection.c * std::sqrt(std::max(1.0, visits));
  if (scales_.empty()) scales_.assign(kScales, -1.0);
  const auto whole = static_cast<std::uint64_t>(visits);
  if (whole >= kScales || static_cast<double>(whole) != visits) return exploration_scale(selection, visits);
  double& scale = scales_[whole];
  if (scale < 0.0) scale = exploration_scale(selection, visits);
  return scale;
}

template <State S>
std::uint32_t SearchOf<S>::choose(std::uint32_t index) {
  Node& node = tree_.nodes[index];
  const bool at_root = index == 0;
  const SelectionParameters& selection = parameters_.selection;
  const double visits = visits_in_view(node, parameters_.backup);
  if (selection.formula == Formula::kRave) return choose_by_amaf(node, visits);
  if (selection.formula == Formula::kCustom) return choose_by_custom(node, at_root, visits);
  if (selection.formula == Formula::kGumbel) return at_root ? choose_by_halving(node) : choose_improved(node);
  const double scale = scale_at(visits) * (tree_.weighed ? tree_.extensions[index].spread : spread_factor(selection, node));
  const double urgency = first_play_urgency(at_root ? selection.root_urgency : selection.urgency,
                                            at_root ? selection.root_urgency_value : selection.urgency_value,
                                            side(node.player) * node.value_sum / node.n, node.visited_prior);
  const double hopeless = at_root ? hopeless_visits(node) : -1.0;
  Choice best;
  if (hopeless >= 0.0 || (at_root && selection.forced_playouts > 0.0)) {
    best = best_of_root(node, urgency, scale, hopeless);
  } else if (node.edge_count > 0) {
    best = best_edge(tree_.merits_of(node), node.edge_count, urgency, scale);
  }
  if (hopeless < 0.0 && !is_open(node))
    if (const Candidate* next = next_candidate(node, visits)) {
      const double p = decode_prior(next->code);
      if (best.place == kNone || urgency + scale * exploration_bonus(selection, p, 0.0) > best.score) return open(node, *next);
    }
  return best.place != kNone ? best.place : most_visited(node);
}

template <State S>
Choice SearchOf<S>::best_of_root(const Node& root, double urgency, double scale, double hopeless) const {
  const Edge* edges = tree_.edges_of(root);
  const double forced = parameters_.selection.forced_playouts * root.edge_visits;
  Choice best;
  for (std::uint32_t i = 0; i < root.edge_count; ++i) {
    const double n = edges[i].n + edges[i].in_flight;
    if (edges[i].closed || n <= hopeless) continue;
    if (n > 0.0 && n * n < forced * edges[i].p) return {i, std::numeric_limits<double>::infinity()};
    const Merit merit = tree_.merits_of(root).get(i);
    const double score = (std::isnan(merit.q) ? urgency : merit.q) + scale * merit.bonus;
    if (score > best.score) best = {i, score};
  }
  return best;
}

template <State S>
std::uint32_t SearchOf<S>::most_visited(const Node& node) const {
  std::uint32_t most = kNone;
  const Edge* edges = tree_.edges_of(node);
  for (std::uint32_t i = 0; i < node.edge_count; ++i)
    if (!edges[i].closed && (most == kNone || edges[i].n > edges[most].n)) most = i;
  return most;
}

template <State S>
double SearchOf<S>::hopeless_visits(const Node& root) const {
  if (!parameters_.expansion.dynamic_pruning || planned_simulations_ == 0) return -1.0;
  const std::uint64_t done = statistics_.simulations - simulations_before_plan_;
  const double left = done < planned_simulations_ ? static_cast<double>(planned_simulations_ - done) : 0.0;
  double most = 0.0;
  const Edge* edges = tree_.edges_of(root);
  for (std::uint32_t i = 0; i < root.edge_count; ++i)
    if (!edges[i].closed) most = std::max(most, static_cast<double>(edges[i].n + edges[i].in_flight));
  return most - left - 1.0;
}

template <State S>
const Candidate* SearchOf<S>::next_candidate(Node& node, double visits) {
  bool legal_is_fresh = false;
  if (node.legal_count == 0) {
    scratch_.legal_actions(legal_);
    legal_is_fresh = true;
    set_legal(node);
  }
  if (!restrictions_.empty() && !path_.empty() && node.listed == 0) {
    if (!legal_is_fresh) scratch_.legal_actions(legal_);
    legal_is_fresh = true;
    drop_forbidden(node);
  }
  if (node.edge_count >= open_limit(parameters_.expansion, visits, node.width)) return nullptr;
  if (node.listed <= node.edge_count) {
    if (!legal_is_fresh) scratch_.legal_actions(legal_);
    list_candidates(tree_, node, node.edge_count + 1u, legal_, sort_scratch_);
  }
  return tree_.orders.at(node.order) + node.edge_count;
}

template <State S>
void SearchOf<S>::drop_forbidden(Node& node) {
  const auto forbidden = [&](Action action) {
    return std::ranges::any_of(restrictions_, [&](const DepthRestriction& restriction) {
      return restriction.player == node.player && path_.size() < restriction.until_depth &&
             std::ranges::binary_search(restriction.actions, action) != restriction.allow;
    });
  };
  if (std::ranges::all_of(legal_, forbidden) || std::ranges::none_of(legal_, forbidden)) return;
  if (node.codes == kNone) {
    node.codes = tree_.codes.allocate(node.legal_count);
    std::fill_n(&tree_.codes[node.codes], node.legal_count, uniform_code(node.legal_count));
  }
  PriorCode* codes = &tree_.codes[node.codes];
  std::uint32_t left = 0, allowed = 0;
  for (std::uint32_t i = 0; i < node.legal_count; ++i) {
    if (forbidden(legal_[i])) codes[i] = kDropped;
    else ++allowed, left += codes[i] != kDropped;
  }
  if (left == 0) {  // whatever is allowed was too improbable for the policy filter
    left = allowed;
    for (std::uint32_t i = 0; i < node.legal_count; ++i)
      if (!forbidden(legal_[i])) codes[i] = uniform_code(allowed);
  }
  node.width = static_cast<std::uint16_t>(left);
}

template <State S>
std::uint32_t SearchOf<S>::open(Node& node, Candidate next) {
  Edge& edge = tree_.add_edge(node);
  edge.action = next.action;
  edge.p = static_cast<float>(decode_prior(next.code));
  node.visited_prior += edge.p;
  refresh(tree_, parameters_, node, node.edge_count - 1u);
  return node.edge_count - 1u;
}

template <State S>
void SearchOf<S>::set_legal(Node& node) {
  if (legal_.empty())
    throw StateError("The state has no legal action but is not terminal" + way() + ".");
  if (legal_.size() > kMaximumLegalActions)
    throw StateError("The state has " + std::to_string(legal_.size()) + " legal actions" + way() +
                     "; a node holds at most " + std::to_string(kMaximumLegalActions) + ".");
  node.legal_count = node.width = static_cast<std::uint16_t>(legal_.size());
}

template <State S>
std::string SearchOf<S>::way() const {
  if (path_.empty()) return " at the root";
  std::string text = " after actions";
  for (const Step& step : path_) text += ' ' + std::to_string(tree_.edges.at(tree_.nodes[step.node].edges)[step.edge].action);
  return text;
}

}  // namespace honte
