// Evaluation: leaves on their way to an evaluator and back, or answered inside the core.
#pragma once

#include "search/search_of.hpp"

namespace honte {

template <State S>
std::uint64_t SearchOf<S>::select(LeafBatch& batch, std::size_t maximum_rows, std::uint64_t maximum_simulations) {
  std::uint64_t made = 0;
  std::size_t collisions = 0;
  while (made < maximum_simulations && collisions <= maximum_rows) {
    const std::size_t rows_per_leaf = parameters_.expansion.symmetry == SymmetryRule::kMean ? root_state_.num_symmetries() : 1;
    if (!batch.empty() && batch.rows.size() + rows_per_leaf > maximum_rows) break;
    if (at_capacity() || root_is_known()) break;
    const Arrival arrival = descend(true);
    if (arrival.kind == Arrival::kWaiting) {
      // The way stays charged until this batch is full, so that the next ones go elsewhere.
      ghosts_.insert(ghosts_.end(), path_.begin(), path_.end());
      ++collisions;
      continue;
    }
    ++made;
    ++statistics_.simulations;
    if (arrival.kind == Arrival::kAtEdge) {
      back_up_at_edge(arrival.node, true);
      continue;
    }
    if (arrival.kind == Arrival::kKnown || (!parameters_.backup.separate_means && answer_from_cache(arrival.node))) {
      back_up_known(arrival.node, true);
      continue;
    }
    send(batch, arrival.node);
  }
  for (const Step& step : ghosts_) remove_virtual_loss(tree_, parameters_, step);
  ghosts_.clear();
  return made;
}

template <State S>
void SearchOf<S>::simulate(const NativeEvaluator& evaluator, std::uint64_t simulations) {
  for (; simulations > 0 && !root_is_known(); --simulations) {
    if (at_capacity()) {
      if (waiting_ > 0) return;
      prune();
    }
    const Arrival arrival = descend(false);
    if (arrival.kind == Arrival::kWaiting) return;
    ++statistics_.simulations;
    if (arrival.kind == Arrival::kAtEdge) {
      back_up_at_edge(arrival.node, false);
      continue;
    }
    if (arrival.kind == Arrival::kKnown) {
      back_up_known(arrival.node, false);
      continue;
    }
    Node& node = tree_.nodes[arrival.node];
    const double value = evaluator.kind == NativeEvaluator::Kind::kUniform ? 0.0 : mean_rollout(scratch_, evaluator.playouts, evaluator.policy);
    if (parameters_.selection.formula == Formula::kRave) count_playouts(arrival.node);
    ++statistics_.evaluations;
    if (node.n == 0) node.raw_value = static_cast<float>(value);
    if (node.n == 0) extend(arrival.node, value, 0.0);
    if (parameters_.backup.separate_means) finish_separately(arrival.node, path_, {true, value, value, value, 0.0}, false);
    else finish(arrival.node, path_, {value, value, 0.0}, false);
  }
}

template <State S>
void SearchOf<S>::check(std::uint32_t leaf, const Answer& answer, std::size_t first_row) const {
  const Leaf& waiting = *leaves_[leaf];
  for (std::size_t row = first_row; row < first_row + waiting.symmetries.size(); ++row) {
    const auto finite = [&](const float* numbers, const char* name) {
      if (numbers && !std::isfinite(numbers[row]))
        throw EvaluationError(std::string(name) + " is " + std::to_string(numbers[row]) + " in row " + std::to_string(row));
    };
    if (parameters_.backup.separate_means) {
      if (!answer.rollout) throw EvaluationError("it has no rollouts, and separate means need them: wrap it in WithRollouts");
      finite(answer.rollout, "rollout");
      if (std::abs(answer.rollout[row]) > 1.0f + 1e-3f)
        throw EvaluationError("rollout is " + std::to_string(answer.rollout[row]) + " in row " + std::to_string(row) + ", outside [-1, 1]");
      if (!waiting.wants_value) continue;
    }
    finite(answer.value, "value");
    finite(answer.score_mean, "score_mean");
    finite(answer.score_lead, "score_lead");
    finite(answer.score_stdev, "score_stdev");
    finite(answer.no_result, "no_result");
    finite(answer.uncertainty, "uncertainty");
    if (answer.ownership)
      for (std::size_t point = 0; point < answer.points; ++point)
        if (!std::isfinite(answer.ownership[row * answer.points + point]))
          throw EvaluationError("ownership is not a number in row " + std::to_string(row));
    if (std::abs(answer.value[row]) > 1.0f + 1e-3f)
      throw EvaluationError("value is " + std::to_string(answer.value[row]) + " in row " + std::to_string(row) + ", outside [-1, 1]");
    if (!answer.policy_logits) continue;
    if (answer.num_logits != answer.columns.num_actions)
      throw EvaluationError("policy_logits have " + std::to_string(answer.num_logits) + " actions, the game has " + std::to_string(answer.columns.num_actions));
    const float* logits = answer.policy_logits + row * static_cast<std::size_t>(answer.num_logits);
    for_each_column(answer.columns, waiting, waiting.symmetries[row - first_row], [&](Action action, std::size_t column) {
      const float logit = logits[column];
      if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity())
        throw EvaluationError("policy_logits hold " + std::to_string(logit) + " for legal action " + std::to_string(action) + " in row " + std::to_string(row));
    });
  }
}

template <State S>
template <class Act>
void SearchOf<S>::for_each_column(const Columns& columns, const Leaf& leaf, int symmetry, Act act) const {
  const auto find = [&](Action action) { return column(columns, leaf.state, leaf.state.transform_action(action, symmetry)); };
  if constexpr (requires { leaf.state.geometry().width; }) {
    if (columns != tabled_) {
      tabled_ = columns;
      tables_.assign(leaf.state.num_symmetries(), {});
    }
    std::vector<std::uint32_t>& table = tables_[symmetry];
    if (table.empty())
      for (Action action = 0; action < num_actions(); ++action) table.push_back(static_cast<std::uint32_t>(find(action)));
    for (const Action action : leaf.legal) act(action, table[action]);
  } else {
    for (const Action action : leaf.legal) act(action, find(action));
  }
}

template <State S>
void SearchOf<S>::receive(std::uint32_t number, const Answer& answer, std::size_t first_row) {
  Leaf& leaf = *leaves_[number];
  const std::size_t rows = leaf.symmetries.size();
  const double share = 1.0 / static_cast<double>(rows);
  double rollout = 0.0;
  if (parameters_.backup.separate_means) {
    for (std::size_t row = first_row; row < first_row + rows; ++row) rollout += share * std::clamp(answer.rollout[row], -1.0f, 1.0f);
    rollout *= side(leaf.state.current_player());
  }
  if (!leaf.wants_value) {
    ++statistics_.evaluations;
    tree_.nodes[leaf.node].pending = false;
    receive_rollout(leaf, rollout);
    release(number);
    return;
  }
  CachedEvaluation evaluation;
  double value = 0, mean = 0, stdev = 0, lead = 0, no_result = 0, error = 0;
  std::vector<double>& priors = priors_;
  priors.assign(answer.policy_logits ? leaf.legal.size() : 0, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = first_row + r;
    value += share * std::clamp(answer.value[row], -1.0f, 1.0f);
    if (answer.score_mean) mean += share * answer.score_mean[row];
    if (answer.score_stdev) stdev += share * answer.score_stdev[row];
    if (answer.no_result) no_result += share * answer.no_result[row];
    if (answer.uncertainty) error += share * answer.uncertainty[row];
    if (answer.score_lead) lead += share * answer.score_lead[row], tree_.scored = true;
    if (!answer.policy_logits) continue;
    const float* logits = answer.policy_logits + row * static_cast<std::size_t>(answer.num_logits);
    logits_.clear();
    logits_.reserve(leaf.legal.size());
    for_each_column(answer.columns, leaf, leaf.symmetries[r], [&](Action, std::size_t column) { logits_.push_back(logits[column]); });
    softmax(logits_, parameters_.expansion.policy_temperature);
    for (std::size_t i = 0; i < priors.size(); ++i) priors[i] += share * logits_[i];
  }
  evaluation.value = static_cast<float>(value);
  evaluation.score_mean = static_cast<float>(mean);
  evaluation.score_stdev = static_cast<float>(stdev);
  evaluation.score_lead = static_cast<float>(lead);
  evaluation.no_result = static_cast<float>(no_result);
  evaluation.uncertainty = static_cast<float>(error);
  if (answer.ownership && parameters_.ownership) {
    evaluation.ownership.resize(answer.columns.board_width ? num_actions() - 1 : answer.points);
    for (std::uint32_t point = 0; point < evaluation.ownership.size(); ++point) {
      double owned = 0.0;
      for (std::size_t r = 0; r < rows; ++r)
        owned += share * answer.ownership[(first_row + r) * answer.points +
                                          column(answer.columns, leaf.state, leaf.state.transform_action(static_cast<Action>(point), leaf.symmetries[r]))];
      evaluation.ownership[point] = static_cast<std::int8_t>(
          std::lround(127.0 * side(leaf.state.current_player()) * std::clamp(owned, -1.0, 1.0)));
    }
  }
  evaluation.codes.resize(priors.size());
  if (!priors.empty()) encode_priors(priors, parameters_.expansion.policy_filter, evaluation.codes);

  ++statistics_.evaluations;
  tree_.nodes[leaf.node].pending = false;
  if (tree_.nodes[leaf.node].n == 0) expand(leaf.node, evaluation);
  const double mover = side(tree_.nodes[leaf.node].player);
  if (parameters_.backup.separate_means) {
    receive_rollout(leaf, rollout);
  } else {
    if (leaf.node == 0) set_center();
    const double utility = parameters_.backup.scores() ? utility_of(tree_.nodes[leaf.node], leaf.state) : mover * value;
    if (tree_.nodes[leaf.node].n == 0) extend(leaf.node, utility, evaluation.uncertainty);
    finish(leaf.node, leaf.path, {utility, mover * value, mover * lead}, true);
  }
  if (cache_ && leaf.has_key) {
    evaluation.key = leaf.key;
    cache_->store(std::move(evaluation));
  }
  release(number);
}

template <State S>
void SearchOf<S>::cancel(std::uint32_t number) {
  Leaf& leaf = *leaves_[number];
  for (const Step& step : leaf.path) remove_virtual_loss(tree_, parameters_, step);
  tree_.nodes[leaf.node].pending = false;
  release(number);
}

template <State S>
void SearchOf<S>::legal_mask(std::uint32_t leaf, int symmetry, const Columns& columns, std::span<bool> mask) const {
  std::ranges::fill(mask, false);
  for_each_column(columns, *leaves_[leaf], symmetry, [&](Action, std::size_t column) { mask[column] = true; });
}

template <State S>
double SearchOf<S>::rollout(std::uint32_t leaf, std::uint32_t playouts, const go::PlayoutPolicy* policy) const {
  double sum = 0.0;
  for (std::uint32_t i = 0; i < playouts; ++i) {
    Random random{seed_, kRolloutStream, leaves_[leaf]->serial, i};
    sum += random_playout(leaves_[leaf]->state, random, nullptr, policy);
  }
  return side(leaf_player(leaf)) * sum / playouts;
}

template <State S>
std::size_t SearchOf<S>::column(const Columns& columns, const S& state, Action action) {
  if constexpr (requires { state.geometry().width; }) {
    const int width = state.geometry().width;
    if (action == state.num_distinct_actions() - 1) return columns.num_actions - 1;
    return static_cast<std::size_t>(action / width * columns.board_width + action % width);
  }
  return static_cast<std::size_t>(action);
}

template <State S>
bool SearchOf<S>::find_cached(std::uint32_t index, CachedEvaluation& found) {
  if constexpr (requires { scratch_.has_key(); })
    if (!scratch_.has_key()) return false;
  if (!cache_ || tree_.nodes[index].n > 0) return false;
  if (!cache_->find(scratch_.key(), found)) return false;
  ++statistics_.cache_hits;
  trace_.kind = LeafKind::kCached;
  return true;
}

template <State S>
bool SearchOf<S>::expand_from_cache(std::uint32_t index) {
  CachedEvaluation found;
  if (!find_cached(index, found)) return false;
  expand(index, found);
  return true;
}

template <State S>
bool SearchOf<S>::answer_from_cache(std::uint32_t index) {
  CachedEvaluation found;
  if (!find_cached(index, found)) return false;
  expand(index, found);
  if (index == 0) set_center();
  const Node& node = tree_.nodes[index];
  extend(index, parameters_.backup.scores() ? utility_of(node, scratch_) : node.raw_value, found.uncertainty);
  return true;
}

template <State S>
void SearchOf<S>::send(LeafBatch& batch, std::uint32_t index) {
  std::uint32_t number;
  if (free_leaves_.empty()) {
    number = static_cast<std::uint32_t>(leaves_.size());
    leaves_.push_back(std::make_unique<Leaf>(Leaf{scratch_, {}, {}, {}, {}, 0, 0, false}));
  } else {
    number = free_leaves_.back();
    free_leaves_.pop_back();
    leaves_[number]->state = scratch_;
  }
  Leaf& leaf = *leaves_[number];
  leaf.path = path_;
  leaf.node = index;
  leaf.serial = ++leaf_serial_;
  scratch_.legal_actions(leaf.legal);
  if (leaf.legal.empty()) {
    legal_.clear();
    const std::string text = "The state has no legal action but is not terminal" + way() + ".";
    ++waiting_;
    cancel(number);
    throw StateError(text);
  }
  leaf.has_key = cache_ != nullptr;
  if constexpr (requires { scratch_.has_key(); }) leaf.has_key = leaf.has_key && scratch_.has_key();
  if (leaf.has_key) leaf.key = scratch_.key();
  leaf.wants_value = !parameters_.backup.separate_means || (tree_.nodes[index].n == 0 && !expand_from_cache(index));
  leaf.symmetries.clear();
  const int count = scratch_.num_symmetries();
  if (!leaf.wants_value) leaf.symmetries.push_back(0);
  else switch (parameters_.expansion.symmetry) {
    case SymmetryRule::kIdentity: leaf.symmetries.push_back(0); break;
    case SymmetryRule::kRandom:
      leaf.symmetries.push_back(static_cast<int>(Random{seed_, kSymmetryStream, leaf.serial}.below(count)));
      break;
    case SymmetryRule::kMean:
      for (int symmetry = 0; symmetry < count; ++symmetry) leaf.symmetries.push_back(symmetry);
      break;
  }
  for (const int symmetry : leaf.symmetries) batch.rows.push_back({this, number, symmetry});
  tree_.nodes[index].pending = tree_.nodes[index].n == 0;
  ++waiting_;
}

template <State S>
double SearchOf<S>::mean_rollout(const S& state, std::uint32_t playouts, const go::PlayoutPolicy* policy) {
  ++leaf_serial_;
  const bool keep = parameters_.selection.formula == Formula::kRave;
  if (keep && playouts_.size() < playouts) playouts_.resize(playouts);
  recorded_ = keep ? playouts : 0;
  double sum = 0.0;
  for (std::uint32_t i = 0; i < playouts; ++i) {
    Random random{seed_, kRolloutStream, leaf_serial_, i};
    if (keep) playouts_[i].played.clear();
    const double result = random_playout(state, random, keep ? &playouts_[i].played : nullptr, policy);
    if (keep) playouts_[i].result = result;
    sum += result;
  }
  return sum / playouts;
}

}  // namespace honte
