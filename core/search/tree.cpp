#include "search/tree.hpp"

#include <algorithm>

namespace honte {

namespace {

// Copies a node with its edges, codes and order; its edges still name children of the old tree.
std::uint32_t copy_node(const Tree& from, std::uint32_t index, Tree& to) {
  const Node& old = from.nodes[index];
  const std::uint32_t added = to.add_node();
  Node& node = to.nodes[added];
  node = old;
  if (from.extended) to.extensions[added] = from.extensions[index];
  if (from.shares_positions) to.identify(added, from.identities[index].key);
  if (from.separates) to.separate_sums[added] = from.separate_sums[index];
  if (old.edge_count > 0) {
    node.edge_capacity_log2 = static_cast<std::uint8_t>(std::bit_width(old.edge_count - 1u));
    node.edges = to.allocate_edges(node.edge_capacity_log2);
    std::copy_n(from.edges.at(old.edges), old.edge_count, to.edges.at(node.edges));
    copy_columns(from.merits_of(old), to.merits_of(node), old.edge_count);
    if (from.weighed) copy_columns(from.shares_of(old), to.shares_of(node), old.edge_count);
  } else {
    node.edges = kNone;
  }
  if (old.codes != kNone) {
    node.codes = to.codes.allocate(old.legal_count);
    std::copy_n(&from.codes[old.codes], old.legal_count, &to.codes[node.codes]);
  }
  if (old.amaf != kNone) {
    node.amaf = to.amaf.allocate(from.amaf_blocks());
    std::copy_n(&from.amaf[old.amaf], from.amaf_blocks(), &to.amaf[node.amaf]);
  }
  if (old.ownership != kNone) {
    node.ownership = to.ownership.allocate(from.points);
    std::copy_n(&from.ownership[old.ownership], from.points, &to.ownership[node.ownership]);
  }
  if (old.order != kNone) {
    node.order = to.orders.allocate(old.order_capacity_log2);
    std::copy_n(from.orders.at(old.order), old.listed, to.orders.at(node.order));
  }
  return added;
}

}  // namespace

Tree compacted(const Tree& tree, std::uint32_t root, std::uint32_t minimum_visits, std::uint32_t left_out) {
  Tree kept;
  kept.extended = tree.extended;
  kept.weighed = tree.weighed;
  kept.separates = tree.separates;
  kept.shares_positions = tree.shares_positions;
  kept.points = tree.points;
  kept.actions = tree.actions;
  kept.scored = tree.scored;
  std::vector<std::uint32_t> copies;  // in a graph: of each old node the new one
  if (tree.shares_positions) copies.assign(tree.node_count, kNone);
  const auto copy = [&](std::uint32_t old) {
    if (copies.empty()) return copy_node(tree, old, kept);
    if (copies[old] == kNone) copies[old] = copy_node(tree, old, kept);
    return copies[old];
  };
  copy(root);
  for (std::uint32_t index = 0; index < kept.node_count; ++index) {  // nodes are consecutive
    const Node node = kept.nodes[index];
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      Edge& edge = kept.edges.at(node.edges)[i];
      if (edge.child == kNone) continue;
      const bool drops = tree.nodes[edge.child].n < minimum_visits || edge.child == left_out;
      edge.child = drops ? kNone : copy(edge.child);
    }
  }
  if (kept.shares_positions) kept.find_parents();
  return kept;
}

}  // namespace honte
