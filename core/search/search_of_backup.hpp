// What a node is told of itself: by the state when it is made, by the evaluator when it is
// expanded, and by every simulation that ends at it or passes it.
#pragma once

#include "search/search_of.hpp"

namespace honte {

template <State S>
std::uint64_t SearchOf<S>::bucket_name() const {
  std::uint64_t name = 0;
  for (std::size_t i = path_.size() > 2 ? path_.size() - 2 : 0; i < path_.size(); ++i) {
    const Node& node = tree_.nodes[path_[i].node];
    name = mix64(name + 1 + static_cast<std::uint64_t>(tree_.edges.at(node.edges)[path_[i].edge].action) * 2 +
                 static_cast<std::uint64_t>(node.player));
  }
  return name;
}

template <State S>
void SearchOf<S>::make_node(std::uint32_t index) {
  Node& node = tree_.nodes[index];
  if (parameters_.backup.bias_factor > 0.0) {
    Extension& extension = tree_.extensions[index];
    extension.bucket_name = bucket_name();
    extension.bucket = bias_.bucket(extension.bucket_name);
  }
  node.salt = static_cast<std::uint32_t>(mix64(seed_ ^ mix64(kSaltStream << 56 ^ node_serial_++)));
  if (scratch_.is_terminal()) {
    node.terminal = node.proven = true;
    node.player = kTerminalPlayer;
    node.proven_value = scratch_.returns(0);
    node.raw_value = static_cast<float>(node.proven_value);
    if constexpr (requires { scratch_.score(); }) node.raw_lead = node.raw_score = static_cast<float>(-scratch_.score());
    if constexpr (requires { scratch_.is_no_result(); }) node.raw_no_result = scratch_.is_no_result() ? 1.0f : 0.0f;
    if (tree_.extended) {
      tree_.extensions[index].own_utility = static_cast<float>(parameters_.backup.scores() ? utility_of(node, scratch_) : node.proven_value);
      tree_.extensions[index].own_weight = 1.0f;
    }
  } else {
    node.player = static_cast<std::int8_t>(scratch_.current_player());
  }
}

template <State S>
void SearchOf<S>::expand(std::uint32_t index, const CachedEvaluation& evaluation) {
  Node& node = tree_.nodes[index];
  const float mover = static_cast<float>(side(node.player));
  node.raw_value = mover * evaluation.value;
  node.raw_score = mover * evaluation.score_mean;
  node.raw_lead = mover * evaluation.score_lead;
  node.raw_stdev = evaluation.score_stdev;
  node.raw_no_result = evaluation.no_result;
  if (!evaluation.ownership.empty()) {
    tree_.points = static_cast<std::uint32_t>(evaluation.ownership.size());
    node.ownership = tree_.ownership.allocate(tree_.points);
    std::ranges::copy(evaluation.ownership, &tree_.ownership[node.ownership]);
  }
  if (evaluation.codes.empty()) return;
  const auto count = static_cast<std::uint32_t>(evaluation.codes.size());
  node.codes = tree_.codes.allocate(count);
  std::ranges::copy(evaluation.codes, &tree_.codes[node.codes]);
  node.legal_count = static_cast<std::uint16_t>(count);
  node.width = static_cast<std::uint16_t>(count - std::ranges::count(evaluation.codes, kDropped));
}

template <State S>
void SearchOf<S>::back_up_known(std::uint32_t index, bool was_in_flight) {
  const Node& node = tree_.nodes[index];
  const bool exact = node.terminal || (parameters_.backup.solver && node.proven);
  Worth outcome{node.raw_value, node.raw_value, node.raw_lead};
  if (exact) outcome.value = outcome.result = node.proven_value;
  if (node.n > 0 && !exact) outcome = {node.value_sum / node.n, node.value_sum / node.n, node.score_sum / node.n};
  if (tree_.extended) {
    const Extension& extension = tree_.extensions[index];
    if (node.terminal || node.n == 0) outcome.value = extension.own_utility;
    if (node.n > 0 && !exact) outcome.result = extension.result_sum / node.n;
  }
  if (parameters_.backup.separate_means) {  // what is known counts in both means
    SeparateWorth worth{true, outcome.value, outcome.value, outcome.value, outcome.score};
    if (node.n > 0 && !exact) {
      const SeparateSums& sums = tree_.separate_sums[index];
      worth.value = sums.value_sum / sums.values;
      worth.rollout = sums.rollout_sum / node.n;
    }
    finish_separately(index, path_, worth, was_in_flight);
    return;
  }
  finish(index, path_, outcome, was_in_flight);
}

template <State S>
void SearchOf<S>::back_up_at_edge(std::uint32_t child, bool was_in_flight) {
  const Node& node = tree_.nodes[child];
  const double value = parameters_.backup.solver && node.proven ? node.proven_value : node.value_sum / node.n;
  weighing_.back_up_graph(tree_, parameters_, path_, kNone, was_in_flight, bias_);
  note_end(child, path_, value);
}

template <State S>
double SearchOf<S>::utility_of(const Node& node, const S& state) const {
  const BackupParameters& backup = parameters_.backup;
  const double area = state.num_distinct_actions() - 1;
  double utility = node.terminal ? node.proven_value : node.raw_value;
  if (backup.static_score > 0.0)
    utility += backup.static_score * score_utility(node.raw_score, node.raw_stdev, 0.0, backup.static_scale, area);
  if (backup.dynamic_score > 0.0)
    utility += backup.dynamic_score * score_utility(node.raw_score, node.raw_stdev, center_, backup.dynamic_scale, area);
  return utility;
}

template <State S>
void SearchOf<S>::extend(std::uint32_t index, double utility, double error) {
  if (!tree_.extended) return;
  tree_.extensions[index].own_utility = static_cast<float>(utility);
  tree_.extensions[index].own_weight = static_cast<float>(evaluation_weight(parameters_.backup, error));
}

template <State S>
void SearchOf<S>::finish(std::uint32_t index, std::span<const Step> path, const Worth& outcome, bool was_in_flight) {
  const double value = outcome.value;
  if (parameters_.selection.formula == Formula::kRave && recorded_ == 0) amaf_.run(tree_, path, index, {}, value);
  recorded_ = 0;
  if (parameters_.backup.transpositions) weighing_.back_up_graph(tree_, parameters_, path, index, was_in_flight, bias_);
  else if (parameters_.backup.weighs()) weighing_.back_up(tree_, parameters_, path, index, was_in_flight, bias_);
  else back_up(tree_, parameters_, path, index, outcome, was_in_flight);
  note_end(index, path, value);
}

template <State S>
void SearchOf<S>::finish_separately(std::uint32_t index, std::span<const Step> path, const SeparateWorth& worth, bool was_in_flight) {
  if (parameters_.selection.formula == Formula::kRave && recorded_ == 0) amaf_.run(tree_, path, index, {}, worth.mixed);
  recorded_ = 0;
  back_up_separately(tree_, parameters_, path, index, worth, was_in_flight);
  note_end(index, path, worth.mixed);
}

template <State S>
void SearchOf<S>::note_end(std::uint32_t index, std::span<const Step> path, double value) {
  trace_.value = value;
  statistics_.deepest = std::max(statistics_.deepest, static_cast<std::uint32_t>(path.size()));
  if (index == 0 && tree_.nodes[0].n == 1) prepare_root();
  foresee(path);
}

template <State S>
void SearchOf<S>::receive_rollout(const Leaf& leaf, double rollout) {
  const Node& node = tree_.nodes[leaf.node];
  const double weight = parameters_.backup.rollout_weight, value = node.raw_value;
  finish_separately(leaf.node, leaf.path, {node.n == 0, value, rollout, (1.0 - weight) * value + weight * rollout, node.raw_lead}, true);
}

}  // namespace honte
