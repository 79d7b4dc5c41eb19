// Backup: one answer changes every node and edge on its way, and nothing else.
#include "search/search.hpp"
#include "search/selection.hpp"

namespace honte {

namespace {

// Passes exact values up: a node is proven once its side to move has a proven win, or once
// every legal action is proven; then the best of them is its value.
// [Winands, Björnsson, Saito 2008, with draws as in Cazenave and Saffidine 2010]
bool try_to_prove(Tree& tree, Node& node) {
  const double mover = side(node.player);
  double best = -2.0;
  bool all = node.edge_count == node.legal_count;
  const Edge* edges = tree.edges_of(node);
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    if (edges[i].child == kNone || !tree.nodes[edges[i].child].proven) {
      all = false;
      continue;
    }
    best = std::max(best, mover * tree.nodes[edges[i].child].proven_value);
  }
  if (best < 1.0 && !all) return false;
  node.proven = true;
  node.proven_value = mover * best;
  return true;
}

}  // namespace

void add_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step) {
  Node& node = tree.nodes[step.node];
  Edge& edge = tree.edges.at(node.edges)[step.edge];
  ++node.in_flight;
  ++edge.in_flight;
  refresh(edge, parameters.selection, parameters.backup);
}

void remove_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step) {
  Node& node = tree.nodes[step.node];
  Edge& edge = tree.edges.at(node.edges)[step.edge];
  --node.in_flight;
  --edge.in_flight;
  refresh(edge, parameters.selection, parameters.backup);
}

void back_up(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
             const Worth& outcome, bool was_in_flight) {
  const auto [value, result, score] = outcome;
  Node& last = tree.nodes[leaf];
  last.n += 1;
  last.value_sum += value;
  last.value_square_sum += value * value;
  last.score_sum += score;
  if (tree.extended) tree.extensions[leaf].result_sum += result;
  bool proven = parameters.backup.solver && last.proven;
  for (std::size_t i = path.size(); i-- > 0;) {
    Node& node = tree.nodes[path[i].node];
    Edge& edge = tree.edges.at(node.edges)[path[i].edge];
    edge.n += 1;
    edge.w += side(node.player) * value;
    node.n += 1;
    node.edge_visits += 1;
    node.value_sum += value;
    node.value_square_sum += value * value;
    node.score_sum += score;
    if (tree.extended) tree.extensions[path[i].node].result_sum += result;
    if (was_in_flight) {
      --edge.in_flight;
      --node.in_flight;
    }
    if (proven) {
      edge.exact = true;
      edge.q = side(node.player) * tree.nodes[edge.child].proven_value;
      proven = node.proven || try_to_prove(tree, node);
    }
    refresh(edge, parameters.selection, parameters.backup);
  }
}

void back_up_weighed(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
                     bool was_in_flight, Weighing& weighing, SubtreeBias& bias) {
  tree.nodes[leaf].n += 1;
  weighing.recompute(tree, leaf, bias);
  bool proven = parameters.backup.solver && tree.nodes[leaf].proven;
  for (std::size_t i = path.size(); i-- > 0;) {
    Node& node = tree.nodes[path[i].node];
    Edge& edge = tree.edges.at(node.edges)[path[i].edge];
    edge.n += 1;
    node.n += 1;
    node.edge_visits += 1;
    if (was_in_flight) {
      --edge.in_flight;
      --node.in_flight;
    }
    const Node& child = tree.nodes[edge.child];
    edge.w = side(node.player) * child.value_sum * (static_cast<double>(edge.n) / child.n);
    tree.shares.at(node.edges)[path[i].edge] = share_of(tree, edge);
    if (proven) {
      edge.exact = true;
      edge.q = side(node.player) * child.proven_value;
      proven = node.proven || try_to_prove(tree, node);
    }
    refresh(edge, parameters.selection, parameters.backup);
    weighing.recompute(tree, path[i].node, bias);
  }
}

}  // namespace honte
