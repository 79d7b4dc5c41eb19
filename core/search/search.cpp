#include "search/search.hpp"

#include <algorithm>

#include "search/selection.hpp"

namespace honte {

std::vector<EdgeView> SearchBase::edges(std::uint32_t index) const {
  const Node& node = tree_.nodes[index];
  const Edge* edges = tree_.edges_of(node);
  const double mover = side(node.player);
  const double scale = exploration_scale(parameters_.selection, visits_in_view(node, parameters_.backup));
  const SelectionParameters& selection = parameters_.selection;
  const double urgency = first_play_urgency(
      index == 0 ? selection.root_urgency : selection.urgency,
      index == 0 ? selection.root_urgency_value : selection.urgency_value,
      node.n ? mover * node.value_sum / node.n : 0.0, node.visited_prior);
  std::vector<EdgeView> views;
  views.reserve(node.edge_count);
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    const Edge& edge = edges[i];
    if (edge.closed) continue;
    EdgeView view{.action = edge.action, .n = edge.n, .w = edge.w, .q = edge.known ? edge.q : urgency,
                  .u = scale * edge.bonus, .p = edge.p, .value_square_sum = 0, .score_sum = 0,
                  .proven = false, .proven_value = 0, .child = edge.child};
    if (edge.child != kNone) {
      const Node& child = tree_.nodes[edge.child];
      view.value_square_sum = child.value_square_sum;
      view.score_sum = mover * child.score_sum;
      view.proven = child.proven;
      view.proven_value = mover * child.proven_value;
    }
    views.push_back(view);
  }
  return views;
}

void SearchBase::prune() {
  const std::uint32_t goal = static_cast<std::uint32_t>(parameters_.maximum_nodes / 2);
  std::vector<std::uint32_t> visits;
  visits.reserve(tree_.node_count);
  for (std::uint32_t i = 0; i < tree_.node_count; ++i) visits.push_back(tree_.nodes[i].n);
  if (visits.size() > goal) {
    std::nth_element(visits.begin(), visits.end() - goal, visits.end());
    tree_ = compacted(tree_, 0, *(visits.end() - goal) + 1);
    ++statistics_.pruned;
  }
  wants_pruning_ = false;
}

int LeafBatch::num_actions() const { return rows.empty() ? 0 : rows.front().search->num_actions(); }

namespace {

// Calls `act(row, number)` with the first row of each leaf.
template <class Act>
void for_each_leaf(const std::vector<LeafRow>& rows, Act act) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].search != rows[i - 1].search || rows[i].leaf != rows[i - 1].leaf) act(rows[i], i);
}

}  // namespace

void LeafBatch::receive(const Answer& answer) {
  try {
    if (answer.rows < rows.size())
      throw EvaluationError("the answer has " + std::to_string(answer.rows) + " rows, the batch has " +
                            std::to_string(rows.size()));
    for_each_leaf(rows, [&](const LeafRow& row, std::size_t i) { row.search->check(row.leaf, answer, i); });
  } catch (...) {
    cancel();
    throw;
  }
  for_each_leaf(rows, [&](const LeafRow& row, std::size_t i) { row.search->receive(row.leaf, answer, i); });
  rows.clear();
}

void LeafBatch::cancel() {
  for_each_leaf(rows, [](const LeafRow& row, std::size_t) { row.search->cancel(row.leaf); });
  rows.clear();
}

}  // namespace honte
