// Backup: one answer changes every node and edge on its way, and nothing else.
#include "search/search.hpp"
#include "search/selection.hpp"

namespace honte {

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

namespace {

// (1 − λ) W_v / N_v + λ W_r / N_r, for player 0, with `lost` of its rollouts counted as lost by the
// player who chose the edge to it.
double mixed_mean(const Tree& tree, const BackupParameters& backup, std::uint32_t index, double lost = 0.0, double mover = 1.0) {
  const SeparateSums& sums = tree.separate_sums[index];
  const double n = tree.nodes[index].n;
  return (1.0 - backup.rollout_weight) * (sums.value_sum / sums.values) +
         backup.rollout_weight * ((sums.rollout_sum - mover * lost) / (n + lost));
}

void refresh_separate(Tree& tree, const Parameters& parameters, const Node& node, std::uint32_t place) {
  const BackupParameters& backup = parameters.backup;
  refresh(tree, parameters, node, place);
  // A virtual loss is a lost rollout [Silver 2016]: it has no part in the mean of the values.
  Edge& edge = tree.edges.at(node.edges)[place];
  if (!backup.separate_means || edge.in_flight == 0 || edge.exact || backup.virtual_loss != VirtualLossRule::kLostVisits) return;
  if (edge.child == kNone || tree.nodes[edge.child].n == 0) return;
  const double lost = backup.virtual_visits * edge.in_flight, n = edge.n + lost;
  const double mean = side(node.player) * mixed_mean(tree, backup, edge.child, lost, side(node.player));
  edge.q = parameters.selection.visits_plus_one ? mean * n / (n + 1.0) : mean;
  tree.merits_of(node).set(place, merit_of(parameters.selection, edge, n));
}

}  // namespace

void add_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step) {
  Node& node = tree.nodes[step.node];
  Edge& edge = tree.edges.at(node.edges)[step.edge];
  ++node.in_flight;
  ++edge.in_flight;
  refresh_separate(tree, parameters, node, step.edge);
}

void remove_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step) {
  Node& node = tree.nodes[step.node];
  Edge& edge = tree.edges.at(node.edges)[step.edge];
  --node.in_flight;
  --edge.in_flight;
  refresh_separate(tree, parameters, node, step.edge);
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
    refresh(tree, parameters, node, path[i].edge);
  }
}

void back_up_separately(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
                        const SeparateWorth& worth, bool was_in_flight) {
  const auto count = [&](std::uint32_t index) {
    Node& node = tree.nodes[index];
    SeparateSums& sums = tree.separate_sums[index];
    node.n += 1;
    if (worth.has_value) {
      sums.values += 1;
      sums.value_sum += worth.value;
    }
    sums.rollout_sum += worth.rollout;
    node.value_sum = mixed_mean(tree, parameters.backup, index) * node.n;
    node.value_square_sum += worth.mixed * worth.mixed;
    node.score_sum += worth.score;
  };
  count(leaf);
  bool proven = parameters.backup.solver && tree.nodes[leaf].proven;
  for (std::size_t i = path.size(); i-- > 0;) {
    count(path[i].node);
    Node& node = tree.nodes[path[i].node];
    Edge& edge = tree.edges.at(node.edges)[path[i].edge];
    edge.n += 1;
    node.edge_visits += 1;
    if (was_in_flight) {
      --edge.in_flight;
      --node.in_flight;
    }
    const Node& child = tree.nodes[edge.child];
    edge.w = side(node.player) * child.value_sum / child.n * edge.n;
    if (proven) {
      edge.exact = true;
      edge.q = side(node.player) * child.proven_value;
      proven = node.proven || try_to_prove(tree, node);
    }
    refresh_separate(tree, parameters, node, path[i].edge);
  }
}

}  // namespace honte
