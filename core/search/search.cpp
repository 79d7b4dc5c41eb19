#include "search/search.hpp"

#include <algorithm>
#include <cmath>

#include "search/expansion.hpp"
#include "search/selection.hpp"

namespace honte {

double SearchBase::urgency(std::uint32_t index) const {
  const Node& node = tree_.nodes[index];
  const SelectionParameters& selection = parameters_.selection;
  return first_play_urgency(index == 0 ? selection.root_urgency : selection.urgency,
                            index == 0 ? selection.root_urgency_value : selection.urgency_value,
                            node.n ? side(node.player) * node.value_sum / node.n : 0.0, node.visited_prior);
}

std::vector<EdgeView> SearchBase::edges(std::uint32_t index) const {
  const Node& node = tree_.nodes[index];
  const Edge* edges = tree_.edges_of(node);
  const double mover = side(node.player);
  const double scale = exploration_scale(parameters_.selection, visits_in_view(node, parameters_.backup)) *
                       spread_factor(parameters_.selection, node);
  const double unvisited = urgency(index);
  std::vector<EdgeView> views;
  views.reserve(node.edge_count);
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    const Edge& edge = edges[i];
    if (edge.closed) continue;
    EdgeView view{.action = edge.action, .n = edge.n, .w = edge.w, .q = edge.known ? edge.q : unvisited,
                  .u = scale * exploration_bonus(parameters_.selection, edge.p, visits_in_view(edge, parameters_.backup)), .p = edge.p, .value_square_sum = 0, .score_sum = 0,
                  .proven = false, .proven_value = 0, .child = edge.child};
    if (edge.child != kNone) {
      const Node& child = tree_.nodes[edge.child];
      const double visits = child.n > 0 ? static_cast<double>(edge.n) / child.n : 0.0;  // of the child's
      view.value_square_sum = child.value_square_sum * visits;
      view.score_sum = mover * child.score_sum * visits;
      view.proven = child.proven;
      view.proven_value = mover * child.proven_value;
    }
    views.push_back(view);
  }
  return views;
}

std::vector<std::pair<Action, std::uint32_t>> SearchBase::most_visited_line(std::uint32_t index,
                                                                            std::size_t length) const {
  std::vector<std::pair<Action, std::uint32_t>> line;
  std::vector<std::uint32_t> passed;
  const bool from_root = index == 0;
  while (index != kNone && line.size() < length && std::ranges::find(passed, index) == passed.end()) {
    if (tree_.shares_positions) passed.push_back(index);
    const Node& node = tree_.nodes[index];
    const Edge* edges = tree_.edges_of(node);
    const Edge* best = nullptr;
    for (std::uint32_t i = 0; i < node.edge_count; ++i)
      if (!edges[i].closed && edges[i].n > (best ? best->n : 0)) best = &edges[i];
    if (!best) break;
    line.emplace_back(best->action, best->n);
    index = best->child;
  }
  if (from_root && tree_.shares_positions) line.resize(playable(line));
  return line;
}

std::vector<double> SearchBase::priors(std::uint32_t index) const {
  const Node& node = tree_.nodes[index];
  std::vector<double> priors(node.n > 0 ? node.legal_count : 0);
  for (std::uint32_t i = 0; i < priors.size(); ++i) priors[i] = prior_at(tree_, node, i);
  return priors;
}

NodeSnapshot SearchBase::snapshot(std::uint32_t index, std::size_t line_length) const {
  NodeSnapshot snapshot;
  snapshot.edges = edges(index);
  snapshot.scale = exploration_scale(parameters_.selection, visits_in_view(node(index), parameters_.backup)) *
                   spread_factor(parameters_.selection, node(index));
  std::erase_if(snapshot.edges, [](const EdgeView& edge) { return edge.n == 0; });
  for (const EdgeView& edge : snapshot.edges) {
    NodeSnapshot::Line line = most_visited_line(edge.child, line_length);
    line.insert(line.begin(), {edge.action, edge.n});
    if (index == 0 && tree_.shares_positions) line.resize(playable(line));
    snapshot.lines.push_back(std::move(line));
  }
  return snapshot;
}

std::vector<float> SearchBase::mean_ownership(std::uint32_t root, std::vector<float>* stdev) const {
  const std::uint32_t points = tree_.points;
  std::vector<double> sum(points), square_sum(points);  // of whole numbers, so exact
  double count = 0;
  for_each_evaluation(root, [&](const Node& node, double weight) {
    if (node.ownership == kNone) return;
    count += weight;
    const std::int8_t* owned = &tree_.ownership[node.ownership];
    for (std::uint32_t i = 0; i < points; ++i) {
      const double share = owned[i];
      sum[i] += weight * share;
      square_sum[i] += weight * share * share;
    }
  });
  if (count == 0) return {};
  std::vector<float> mean(points);
  if (stdev) stdev->resize(points);
  for (std::uint32_t i = 0; i < points; ++i) {
    const double m = sum[i] / count;
    mean[i] = static_cast<float>(m / 127.0);
    if (stdev)
      (*stdev)[i] = static_cast<float>(
          std::sqrt(std::max(0.0, square_sum[i] / count - m * m)) / 127.0);
  }
  return mean;
}

TreeMeans SearchBase::means(std::uint32_t root) const {
  double count = 0, sum = 0, square_sum = 0, no_result = 0;
  for_each_evaluation(root, [&](const Node& node, double weight) {
    const double score = node.raw_score, stdev = node.raw_stdev;
    count += weight;
    sum += weight * score;
    square_sum += weight * (score * score + stdev * stdev);
    no_result += weight * node.raw_no_result;
  });
  if (count == 0) return {};
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, square_sum / count - mean * mean)), no_result / count};
}

void SearchBase::prune() {
  std::uint32_t goal = std::max(1u, tree_.node_count / 2);
  if (parameters_.maximum_nodes > 0) goal = std::min(goal, static_cast<std::uint32_t>(parameters_.maximum_nodes / 2));
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

namespace {

// Calls `act(row, number)` with the first row of each leaf.
template <class Act>
void for_each_leaf(const std::vector<LeafRow>& rows, Act act) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].search != rows[i - 1].search || rows[i].leaf != rows[i - 1].leaf) act(rows[i], i);
}

}  // namespace

std::vector<LeafBatch::Refusal> LeafBatch::receive(const Answer& answer) {
  std::vector<Refusal> refusals;
  for_each_leaf(rows, [&](const LeafRow& row, std::size_t i) {
    try {
      row.search->check(row.leaf, answer, i);
      row.search->receive(row.leaf, answer, i);
    } catch (const EvaluationError& error) {
      row.search->cancel(row.leaf);
      refusals.push_back({row.search, error.what()});
    }
  });
  rows.clear();
  return refusals;
}

void LeafBatch::cancel() {
  for_each_leaf(rows, [](const LeafRow& row, std::size_t) { row.search->cancel(row.leaf); });
  rows.clear();
}

}  // namespace honte
