// The search of one kind of game. The order of the members is the order of the phases.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "search/amaf.hpp"
#include "search/expansion.hpp"
#include "search/gumbel.hpp"
#include "search/rollout.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"

namespace honte {

template <State S>
class SearchOf final : public SearchBase {
 public:
  SearchOf(S root, const Parameters& parameters, std::uint64_t seed, std::shared_ptr<EvaluationCache> cache)
      : root_state_(std::move(root)), scratch_(root_state_), seed_(seed), cache_(std::move(cache)) {
    parameters_ = parameters;
    start_tree();
  }

  const S& root_state() const { return root_state_; }
  const S& leaf_state(std::uint32_t leaf) const { return leaves_[leaf]->state; }

  std::uint64_t select(LeafBatch& batch, std::size_t maximum_rows, std::uint64_t maximum_simulations) override {
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
      if (arrival.kind == Arrival::kKnown || answer_from_cache(arrival.node)) {
        back_up_known(arrival.node, true);
        continue;
      }
      send(batch, arrival.node);
    }
    for (const Step& step : ghosts_) remove_virtual_loss(tree_, parameters_, step);
    ghosts_.clear();
    return made;
  }

  void simulate(const NativeEvaluator& evaluator, std::uint64_t simulations) override {
    for (; simulations > 0 && !root_is_known(); --simulations) {
      if (at_capacity()) {
        if (waiting_ > 0) return;
        prune();
      }
      const Arrival arrival = descend(false);
      if (arrival.kind == Arrival::kWaiting) return;
      ++statistics_.simulations;
      if (arrival.kind == Arrival::kKnown) {
        back_up_known(arrival.node, false);
        continue;
      }
      Node& node = tree_.nodes[arrival.node];
      const double value = evaluator.kind == NativeEvaluator::Kind::kUniform ? 0.0 : mean_rollout(scratch_, evaluator.playouts);
      if (parameters_.selection.formula == Formula::kRave) count_playouts(arrival.node);
      ++statistics_.evaluations;
      if (node.n == 0) node.raw_value = static_cast<float>(value);
      if (node.n == 0) extend(arrival.node, value, 0.0);
      finish(arrival.node, path_, {value, value, 0.0}, false);
    }
  }

  void check(std::uint32_t leaf, const Answer& answer, std::size_t first_row) const override {
    const Leaf& waiting = *leaves_[leaf];
    for (std::size_t row = first_row; row < first_row + waiting.symmetries.size(); ++row) {
      const auto finite = [&](const float* numbers, const char* name) {
        if (numbers && !std::isfinite(numbers[row]))
          throw EvaluationError(std::string(name) + " is " + std::to_string(numbers[row]) + " in row " + std::to_string(row));
      };
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
      for (const Action action : waiting.legal) {
        const float logit = logits[column(answer.columns, waiting.state, waiting.state.transform_action(action, waiting.symmetries[row - first_row]))];
        if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity())
          throw EvaluationError("policy_logits hold " + std::to_string(logit) + " for legal action " + std::to_string(action) + " in row " + std::to_string(row));
      }
    }
  }

  void receive(std::uint32_t number, const Answer& answer, std::size_t first_row) override {
    Leaf& leaf = *leaves_[number];
    const std::size_t rows = leaf.symmetries.size();
    const double share = 1.0 / static_cast<double>(rows);
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
      for (const Action action : leaf.legal) logits_.push_back(logits[column(answer.columns, leaf.state, leaf.state.transform_action(action, leaf.symmetries[r]))]);
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
    if (leaf.node == 0) set_center();
    const double utility = parameters_.backup.scores() ? utility_of(tree_.nodes[leaf.node], leaf.state) : mover * value;
    if (tree_.nodes[leaf.node].n == 0) extend(leaf.node, utility, evaluation.uncertainty);
    finish(leaf.node, leaf.path, {utility, mover * value, mover * lead}, true);
    if (cache_ && leaf.has_key) {
      evaluation.key = leaf.key;
      cache_->store(std::move(evaluation));
    }
    release(number);
  }

  void cancel(std::uint32_t number) override {
    Leaf& leaf = *leaves_[number];
    for (const Step& step : leaf.path) remove_virtual_loss(tree_, parameters_, step);
    tree_.nodes[leaf.node].pending = false;
    release(number);
  }

  int observation_size() const override { return root_state_.observation_size(); }
  void observation(std::uint32_t leaf, int symmetry, std::span<float> planes) const override {
    leaves_[leaf]->state.observation(planes, symmetry);
  }
  void legal_mask(std::uint32_t leaf, int symmetry, const Columns& columns, std::span<bool> mask) const override {
    const S& state = leaves_[leaf]->state;
    std::ranges::fill(mask, false);
    for (const Action action : leaves_[leaf]->legal) mask[column(columns, state, state.transform_action(action, symmetry))] = true;
  }
  int leaf_player(std::uint32_t leaf) const override { return leaves_[leaf]->state.current_player(); }
  double rollout(std::uint32_t leaf, std::uint32_t playouts) const override {
    double sum = 0.0;
    for (std::uint32_t i = 0; i < playouts; ++i) {
      Random random{seed_, kRolloutStream, leaves_[leaf]->serial, i};
      sum += random_playout(leaves_[leaf]->state, random);
    }
    return side(leaf_player(leaf)) * sum / playouts;
  }

  bool advance(Action action) override {
    root_state_.apply_action(action);
    if constexpr (requires { root_state_.freeze(); }) root_state_.freeze();
    scratch_ = root_state_;
    allowed_.clear();
    ++root_number_;
    if (!restrictions_.empty()) {
      restrictions_.clear();
      start_tree();
      return false;
    }
    const Node& root = tree_.nodes[0];
    const Edge* edges = tree_.edges_of(root);
    for (std::uint32_t i = 0; i < root.edge_count; ++i) {
      if (edges[i].action != action || edges[i].child == kNone) continue;
      tree_ = compacted(tree_, edges[i].child, 0);
      if (tree_.extended) bias_.rebuild(tree_);
      set_center();
      prepare_root();
      return true;
    }
    start_tree();
    return false;
  }

  std::string saved_tree() const override { return serialized(compacted(tree_, 0, 0)); }

  void load_tree(std::span<const char> bytes) override {
    Tree loaded = deserialized(bytes, static_cast<std::uint32_t>(num_actions()));
    if (loaded.extended != parameters_.backup.extends())
      throw std::invalid_argument("the saved tree was grown by another kind of backup");
    tree_ = std::move(loaded);
    if (tree_.extended) bias_.rebuild(tree_);
    set_center();
    allowed_.clear();
    ++root_number_;
    prepare_root();
  }

  void restrict_root(std::span<const Action> allowed) override {
    allowed_.assign(allowed.begin(), allowed.end());
    std::ranges::sort(allowed_);
    prepare_root();
  }

  void restrict_tree(std::vector<DepthRestriction> restrictions) override {
    restrictions_ = std::move(restrictions);
    for (DepthRestriction& restriction : restrictions_) std::ranges::sort(restriction.actions);
    allowed_.clear();
    start_tree();
  }

  std::vector<double> root_prior() const override {
    std::vector<double> prior(num_actions(), 0.0);
    for (std::size_t i = 0; i < root_legal_.size(); ++i) prior[root_legal_[i]] = root_priors_[i];
    return prior;
  }

  void plan(std::uint64_t simulations) override {
    planned_simulations_ = simulations;
    simulations_before_plan_ = statistics_.simulations;
    make_plan();
  }

  std::vector<GumbelChild> gumbel_children() const override {
    std::vector<GumbelChild> children;
    const std::vector<double> scores = gumbel_scores();
    const Edge* edges = tree_.edges_of(tree_.nodes[0]);
    for (std::uint32_t i = 0; i < scores.size(); ++i)
      if (!edges[i].closed) children.push_back({edges[i].action, edges[i].n - before_plan_[i], scores[i]});
    return children;
  }

  std::vector<double> gumbel_policy() const override {
    const Node& root = tree_.nodes[0];
    const Edge* edges = tree_.edges_of(root);
    const CompletedValues values(parameters_.selection, root, edges);
    std::vector<double> logits, policy(num_actions(), 0.0);
    for (std::uint32_t i = 0; i < root.edge_count; ++i)
      if (!edges[i].closed) logits.push_back(std::log(static_cast<double>(edges[i].p)) + values.transformed(edges[i]));
    if (logits.empty()) return policy;
    softmax(logits, 1.0);
    for (std::uint32_t i = 0, next = 0; i < root.edge_count; ++i)
      if (!edges[i].closed) policy[edges[i].action] = logits[next++];
    return policy;
  }

  int num_actions() const override { return root_state_.num_distinct_actions(); }

 private:
  static constexpr std::uint64_t kSymmetryStream = 2, kNoiseStream = 3, kSaltStream = 4, kGumbelStream = 5;

  // Where a way down ended.
  struct Arrival {
    enum Kind { kNew, kKnown, kWaiting } kind;
    std::uint32_t node;
  };

  struct RecordedPlayout {
    std::vector<Played> played;
    double result = 0;  // for player 0
  };

  // A leaf on its way to an evaluator.
  struct Leaf {
    S state;
    std::vector<Step> path;
    std::vector<Action> legal;
    std::vector<int> symmetries;
    PositionKey key{};
    std::uint64_t serial = 0;
    std::uint32_t node = 0;
    bool has_key = false;
  };

  // Where an answer speaks of an action: a small board lies in the top left corner of the largest.
  static std::size_t column(const Columns& columns, const S& state, Action action) {
    if constexpr (requires { state.geometry().width; }) {
      const int width = state.geometry().width;
      if (action == state.num_distinct_actions() - 1) return columns.num_actions - 1;
      return static_cast<std::size_t>(action / width * columns.board_width + action % width);
    }
    return static_cast<std::size_t>(action);
  }

  void start_tree() {
    if constexpr (requires { root_state_.freeze(); }) root_state_.freeze();
    scratch_ = root_state_;
    tree_ = Tree{};
    tree_.actions = static_cast<std::uint32_t>(num_actions());
    tree_.extended = parameters_.backup.extends();
    path_.clear();
    bias_.rebuild(tree_);
    make_node(tree_.add_node());
    prepare_root();
  }

  // Nothing is left to search: the root's exact value is known and visited.
  bool root_is_known() const { return tree_.nodes[0].proven && tree_.nodes[0].n > 0; }

  bool at_capacity() {
    if (parameters_.maximum_nodes > 0 && tree_.node_count >= parameters_.maximum_nodes) wants_pruning_ = true;
    return wants_pruning_;
  }

  // Selection: walk down from the root by the formula until a position that is not expanded.
  Arrival descend(bool in_flight) {
    scratch_ = root_state_;
    path_.clear();
    if (tracing_) trace_.steps.clear();
    std::uint32_t index = 0;
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
        if (tracing_) trace_.steps.push_back({index, node.player, node.n, urgency(index), edges(index), 0, false});
        const Step step{index, choose(node, index == 0)};
        if (tracing_) {
          trace_.steps.back().chosen = tree_.edges.at(node.edges)[step.edge].action;
          trace_.steps.back().opened = step.edge == before;
        }
        if (in_flight) add_virtual_loss(tree_, parameters_, step);
        path_.push_back(step);
        Edge& edge = tree_.edges.at(node.edges)[step.edge];
        scratch_.apply_action(edge.action);
        if (edge.child == kNone) {
          edge.child = tree_.add_node();
          make_node(edge.child);
        }
        index = edge.child;
      }
    } catch (...) {
      if (in_flight)
        for (const Step& step : path_) remove_virtual_loss(tree_, parameters_, step);
      throw;
    }
  }

  Arrival arrive(typename Arrival::Kind kind, std::uint32_t index, LeafKind leaf) {
    if (tracing_) {
      trace_.leaf = index;
      trace_.kind = leaf;
    }
    return {kind, index};
  }

  // The edge with the highest score; opens the next action where that one scores highest.
  std::uint32_t choose(Node& node, bool at_root) {
    const SelectionParameters& selection = parameters_.selection;
    const double visits = visits_in_view(node, parameters_.backup);
    if (selection.formula == Formula::kRave) return choose_by_amaf(node, visits);
    if (selection.formula == Formula::kCustom) return choose_by_custom(node, at_root, visits);
    if (selection.formula == Formula::kGumbel) return at_root ? choose_by_halving(node) : choose_improved(node);
    const double scale = exploration_scale(selection, visits) * spread_factor(selection, node);
    const double urgency = first_play_urgency(at_root ? selection.root_urgency : selection.urgency,
                                              at_root ? selection.root_urgency_value : selection.urgency_value,
                                              side(node.player) * node.value_sum / node.n, node.visited_prior);
    const double forced = at_root ? selection.forced_playouts * node.edge_visits : 0.0;
    const double hopeless = at_root ? hopeless_visits(node) : -1.0;
    double best = -std::numeric_limits<double>::infinity();
    std::uint32_t chosen = kNone;
    const Edge* edges = tree_.edges_of(node);
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      const Edge& edge = edges[i];
      if (edge.closed || edge.n + edge.in_flight <= hopeless) continue;
      if (forced > 0.0) {
        const double n = edge.n + edge.in_flight;
        if (n > 0.0 && n * n < forced * edge.p) return i;
      }
      if (edge.exact && edge.q <= -1.0) continue;  // a proven loss teaches nothing more
      const double score = (edge.known ? edge.q : urgency) + scale * edge.bonus;
      if (score > best) best = score, chosen = i;
    }
    if (hopeless < 0.0)
      if (const Candidate* next = next_candidate(node, visits)) {
        const double p = decode_prior(next->code);
        if (chosen == kNone || urgency + scale * exploration_bonus(selection, p, 0.0) > best) chosen = open(node, *next);
      }
    return chosen != kNone ? chosen : most_visited(node);
  }

  // What is left when every action that may be chosen is lost.
  std::uint32_t most_visited(const Node& node) const {
    std::uint32_t most = kNone;
    const Edge* edges = tree_.edges_of(node);
    for (std::uint32_t i = 0; i < node.edge_count; ++i)
      if (!edges[i].closed && (most == kNone || edges[i].n > edges[most].n)) most = i;
    return most;
  }

  // At the root under dynamic pruning: with so many visits or fewer an action can no longer
  // become the most visited within the plan; negative where none is hopeless.
  double hopeless_visits(const Node& root) const {
    if (!parameters_.expansion.dynamic_pruning || planned_simulations_ == 0) return -1.0;
    const std::uint64_t done = statistics_.simulations - simulations_before_plan_;
    const double left = done < planned_simulations_ ? static_cast<double>(planned_simulations_ - done) : 0.0;
    double most = 0.0;
    const Edge* edges = tree_.edges_of(root);
    for (std::uint32_t i = 0; i < root.edge_count; ++i)
      if (!edges[i].closed) most = std::max(most, static_cast<double>(edges[i].n + edges[i].in_flight));
    return most - left - 1.0;
  }

  std::uint32_t choose_by_custom(Node& node, bool at_root, double visits) {
    const SelectionParameters& selection = parameters_.selection;
    const double value = side(node.player) * node.value_sum / node.n;
    const double urgency = first_play_urgency(at_root ? selection.root_urgency : selection.urgency,
                                              at_root ? selection.root_urgency_value : selection.urgency_value,
                                              value, node.visited_prior);
    const Candidate* next = next_candidate(node, visits);
    const std::size_t count = node.edge_count + (next ? 1u : 0u);
    custom_.resize(4 * count);
    double *q = custom_.data(), *n = q + count, *p = n + count, *scores = p + count;
    const Edge* edges = tree_.edges_of(node);
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      q[i] = edges[i].known ? edges[i].q : urgency;
      n[i] = edges[i].n + edges[i].in_flight;
      p[i] = edges[i].p;
    }
    if (next) {
      q[count - 1] = urgency;
      n[count - 1] = 0.0;
      p[count - 1] = decode_prior(next->code);
    }
    selection.custom(q, n, p, static_cast<std::int64_t>(count), visits, value, scores);
    double best = -std::numeric_limits<double>::infinity();
    std::uint32_t chosen = kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (std::isnan(scores[i])) throw StateError("The selection formula gave NaN" + way() + ".");
      if (i < node.edge_count && edges[i].closed) continue;
      if (scores[i] > best) best = scores[i], chosen = i;
    }
    if (chosen == kNone) throw StateError("The selection formula gave minus infinity for every action" + way() + ".");
    return chosen == node.edge_count ? open(node, *next) : chosen;
  }

  // The best action without an edge, if another may be opened.
  const Candidate* next_candidate(Node& node, double visits) {
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

  // Takes what the restrictions forbid at this depth out of the node's candidates.
  void drop_forbidden(Node& node) {
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

  std::uint32_t open(Node& node, Candidate next) {
    Edge& edge = tree_.add_edge(node);
    edge.action = next.action;
    edge.p = static_cast<float>(decode_prior(next.code));
    node.visited_prior += edge.p;
    refresh(edge, parameters_.selection, parameters_.backup);
    return node.edge_count - 1u;
  }

  // g + log P + σ(q) of the root's edges.
  std::vector<double> gumbel_scores() const {
    const Node& root = tree_.nodes[0];
    const Edge* edges = tree_.edges_of(root);
    const CompletedValues values(parameters_.selection, root, edges);
    std::vector<double> scores;
    for (std::uint32_t i = 0; i < root.edge_count; ++i)
      scores.push_back(gumbels_[i] + std::log(static_cast<double>(edges[i].p)) + values.transformed(edges[i]));
    return scores;
  }

  // Gumbel's root: among the actions with as many visits as the plan asks for now, the highest
  // g + log P + σ(q); where the plan has ended, among those with the fewest visits.
  std::uint32_t choose_by_halving(Node& root) {
    std::uint64_t done = 0;
    const Edge* edges = tree_.edges_of(root);
    const auto planned = [&](std::uint32_t i) { return edges[i].n + edges[i].in_flight - before_plan_[i]; };
    for (std::uint32_t i = 0; i < root.edge_count; ++i) done += planned(i);
    const std::uint32_t wanted = done < plan_.size() ? plan_[done] : kNone;  // beyond the plan: evenly
    const std::vector<double> scores = gumbel_scores();
    std::uint32_t best = kNone, any = kNone;
    for (std::uint32_t i = 0; i < root.edge_count; ++i) {
      if (edges[i].closed) continue;
      if (any == kNone || planned(i) < planned(any) || (planned(i) == planned(any) && scores[i] > scores[any])) any = i;
      if (planned(i) == wanted && (best == kNone || scores[i] > scores[best])) best = i;
    }
    return best != kNone ? best : any;
  }

  // RAVE and GRAVE: (1 − β) Q + β Q_AMAF + c √(ln N(s) / N(s,a)). An action that nobody has played
  // at any time comes first.
  std::uint32_t choose_by_amaf(Node& node, double visits) {
    const SelectionParameters& selection = parameters_.selection;
    while (const Candidate* next = next_candidate(node, visits)) open(node, *next);
    Node* source = &tree_.nodes[0];
    if (selection.rave_reference == 0 || node.n >= selection.rave_reference) source = &node;
    else
      for (const Step& step : path_)
        if (tree_.nodes[step.node].n >= selection.rave_reference) source = &tree_.nodes[step.node];
    const Amaf* table = tree_.amaf_of(*source);
    const double turned = source->player == node.player ? 1.0 : -1.0;
    const double scale = exploration_scale(selection, visits);
    const Edge* edges = tree_.edges_of(node);
    double best = -std::numeric_limits<double>::infinity();
    std::uint32_t chosen = kNone;
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      const Edge& edge = edges[i];
      if (edge.closed) continue;
      const Amaf amaf = table[edge.action];
      const double n = edge.known ? edge.n + edge.in_flight : 0.0;
      double score = std::numeric_limits<double>::infinity();
      if (n > 0.0 || amaf.n > 0) {
        const double beta = turned > 0.0 ? amaf_weight(selection, visits, n, amaf.n) : 0.0;
        if (n > 0.0 || beta > 0.0)
          score = (beta < 1.0 ? (1.0 - beta) * edge.q : 0.0) + (beta > 0.0 ? beta * (amaf.w / amaf.n) : 0.0) + scale * edge.bonus;
      }
      if (score > best) best = score, chosen = i;
    }
    return chosen;
  }

  // Gumbel inside the tree: visits follow the improved policy π' = softmax(log P + σ(completed q)),
  // by the highest π'(a) − N(a) / (1 + ΣN).
  std::uint32_t choose_improved(Node& node) {
    const CompletedValues values(parameters_.selection, node, tree_.edges_of(node));
    const double unvisited = values.transformed_unvisited();
    const Edge* edges = tree_.edges_of(node);
    double highest = unvisited, visits = 0.0, opened = 0.0;
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      highest = std::max(highest, values.transformed(edges[i]));
      visits += edges[i].n + edges[i].in_flight;
      opened += edges[i].p;
    }
    double total = std::max(0.0, 1.0 - opened) * std::exp(unvisited - highest);
    for (std::uint32_t i = 0; i < node.edge_count; ++i) total += edges[i].p * std::exp(values.transformed(edges[i]) - highest);
    double best = -std::numeric_limits<double>::infinity();
    std::uint32_t chosen = kNone;
    for (std::uint32_t i = 0; i < node.edge_count; ++i) {
      const double share = edges[i].p * std::exp(values.transformed(edges[i]) - highest) / total;
      const double score = share - (edges[i].n + edges[i].in_flight) / (1.0 + visits);
      if (score > best) best = score, chosen = i;
    }
    if (const Candidate* next = next_candidate(node, visits)) {
      const double share = decode_prior(next->code) * std::exp(unvisited - highest) / total;
      if (chosen == kNone || share > best) chosen = open(node, *next);
    }
    return chosen;
  }

  void set_legal(Node& node) {
    if (legal_.empty())
      throw StateError("The state has no legal action but is not terminal" + way() + ".");
    if (legal_.size() > kMaximumLegalActions)
      throw StateError("The state has " + std::to_string(legal_.size()) + " legal actions" + way() +
                       "; a node holds at most " + std::to_string(kMaximumLegalActions) + ".");
    node.legal_count = node.width = static_cast<std::uint16_t>(legal_.size());
  }

  std::string way() const {
    if (path_.empty()) return " at the root";
    std::string text = " after actions";
    for (const Step& step : path_) text += ' ' + std::to_string(tree_.edges.at(tree_.nodes[step.node].edges)[step.edge].action);
    return text;
  }

  // Subtree value bias goes by who made the last move, what it was, and what it answered.
  std::uint64_t bucket() const {
    std::uint64_t name = 0;
    for (std::size_t i = path_.size() > 2 ? path_.size() - 2 : 0; i < path_.size(); ++i) {
      const Node& node = tree_.nodes[path_[i].node];
      name = mix64(name + 1 + static_cast<std::uint64_t>(tree_.edges.at(node.edges)[path_[i].edge].action) * 2 +
                   static_cast<std::uint64_t>(node.player));
    }
    return name;
  }

  // Gives a new node what the state at hand says of it.
  void make_node(std::uint32_t index) {
    Node& node = tree_.nodes[index];
    if (tree_.extended) tree_.extensions[index].bucket = bucket();
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

  // Expansion: the evaluator's answer becomes the node's priors.
  void expand(std::uint32_t index, const CachedEvaluation& evaluation) {
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

  bool answer_from_cache(std::uint32_t index) {
    if constexpr (requires { scratch_.has_key(); })
      if (!scratch_.has_key()) return false;
    if (!cache_ || tree_.nodes[index].n > 0) return false;
    CachedEvaluation found;
    if (!cache_->find(scratch_.key(), found)) return false;
    ++statistics_.cache_hits;
    trace_.kind = LeafKind::kCached;
    expand(index, found);
    if (index == 0) set_center();
    const Node& node = tree_.nodes[index];
    extend(index, parameters_.backup.scores() ? utility_of(node, scratch_) : node.raw_value, found.uncertainty);
    return true;
  }

  // Evaluation: the leaf waits in the batch for its answer.
  void send(LeafBatch& batch, std::uint32_t index) {
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
    leaf.symmetries.clear();
    const int count = scratch_.num_symmetries();
    switch (parameters_.expansion.symmetry) {
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

  void release(std::uint32_t number) {
    free_leaves_.push_back(number);
    --waiting_;
  }

  double mean_rollout(const S& state, std::uint32_t playouts) {
    ++leaf_serial_;
    const bool keep = parameters_.selection.formula == Formula::kRave;
    playouts_.clear();
    double sum = 0.0;
    for (std::uint32_t i = 0; i < playouts; ++i) {
      Random random{seed_, kRolloutStream, leaf_serial_, i};
      if (keep) playouts_.emplace_back();
      const double result = random_playout(state, random, keep ? &playouts_.back().played : nullptr);
      if (keep) playouts_.back().result = result;
      sum += result;
    }
    return sum / playouts;
  }

  void count_playouts(std::uint32_t leaf) {
    for (const RecordedPlayout& playout : playouts_) amaf_.run(tree_, path_, leaf, playout.played, playout.result);
  }

  // A position whose value needs no evaluator: terminal, proven, cached, or too deep.
  void back_up_known(std::uint32_t index, bool was_in_flight) {
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
    finish(index, path_, outcome, was_in_flight);
  }

  // The centre of the dynamic score utility: most of what the evaluator expects at the root.
  void set_center() { center_ = parameters_.backup.center_share * tree_.nodes[0].raw_score; }

  // What the search maximises where points count, for player 0.
  double utility_of(const Node& node, const S& state) const {
    const BackupParameters& backup = parameters_.backup;
    const double area = state.num_distinct_actions() - 1;
    double utility = node.terminal ? node.proven_value : node.raw_value;
    if (backup.static_score > 0.0)
      utility += backup.static_score * score_utility(node.raw_score, node.raw_stdev, 0.0, backup.static_scale, area);
    if (backup.dynamic_score > 0.0)
      utility += backup.dynamic_score * score_utility(node.raw_score, node.raw_stdev, center_, backup.dynamic_scale, area);
    return utility;
  }

  // Keeps what weighing and scoring need of a node's own evaluation.
  void extend(std::uint32_t index, double utility, double error) {
    if (!tree_.extended) return;
    tree_.extensions[index].own_utility = static_cast<float>(utility);
    tree_.extensions[index].own_weight = static_cast<float>(evaluation_weight(parameters_.backup, error));
  }

  void finish(std::uint32_t index, std::span<const Step> path, const Worth& outcome, bool was_in_flight) {
    const double value = outcome.value;
    if (parameters_.selection.formula == Formula::kRave && playouts_.empty()) amaf_.run(tree_, path, index, {}, value);
    playouts_.clear();
    if (parameters_.backup.weighs()) back_up_weighed(tree_, parameters_, path, index, was_in_flight, weighing_, bias_);
    else back_up(tree_, parameters_, path, index, outcome, was_in_flight);
    trace_.value = value;
    statistics_.deepest = std::max(statistics_.deepest, static_cast<std::uint32_t>(path.size()));
    if (index == 0 && tree_.nodes[0].n == 1) prepare_root();
  }

  // Gives the root its own priors: temperature, fresh noise, and only the actions allowed.
  void prepare_root() {
    Node& root = tree_.nodes[0];
    if (root.terminal || root.n == 0) {
      root_legal_.clear();
      root_priors_.clear();
      return;
    }
    if (root_prepared_ != root_number_ || root_legal_.empty()) {
      root_prepared_ = root_number_;
      root_state_.legal_actions(root_legal_);
      if (root.legal_count == 0) {
        legal_ = root_legal_;
        path_.clear();
        set_legal(root);
      }
      root_priors_.clear();
      for (std::uint32_t i = 0; i < root.legal_count; ++i) root_priors_.push_back(prior_at(tree_, root, i));
    }
    std::vector<double> priors = root_priors_;
    const ExpansionParameters& expansion = parameters_.expansion;
    if (expansion.root_temperature != 1.0) {
      for (double& p : priors) p = p > 0.0 ? std::log(p) : -1e30;
      softmax(priors, expansion.root_temperature);
    }
    Random random{seed_, kNoiseStream, root_number_};
    add_noise(priors, expansion, random);
    const auto is_allowed = [&](std::size_t i) { return allowed_.empty() || std::ranges::binary_search(allowed_, root_legal_[i]); };
    bool any = false;
    for (std::size_t i = 0; i < priors.size(); ++i) {
      if (root_priors_[i] == 0.0 || !is_allowed(i)) priors[i] = -1.0;
      any = any || priors[i] >= 0.0;
    }
    if (!any)  // the policy filter left nothing of what is allowed
      for (std::size_t i = 0; i < priors.size(); ++i)
        if (is_allowed(i)) priors[i] = 1.0 / static_cast<double>(allowed_.size());
    reorder_root(root, priors);
  }

  void reorder_root(Node& root, std::span<const double> priors) {
    std::vector<PriorCode> codes(priors.size());
    for (std::size_t i = 0; i < priors.size(); ++i)
      codes[i] = priors[i] < 0.0 ? kDropped : encode_prior(priors[i]);
    if (root.codes == kNone) root.codes = tree_.codes.allocate(root.legal_count);
    // Actions that already have an edge come first and keep their places.
    std::vector<PriorCode> rest = codes;
    Edge* edges = tree_.edges_of(root);
    root.visited_prior = 0.0f;
    for (std::uint32_t i = 0; i < root.edge_count; ++i) {
      const auto place = static_cast<std::size_t>(std::ranges::lower_bound(root_legal_, edges[i].action) - root_legal_.begin());
      rest[place] = kDropped;
      edges[i].closed = codes[place] == kDropped;
      if (edges[i].closed) continue;
      edges[i].p = static_cast<float>(decode_prior(codes[place]));
      root.visited_prior += edges[i].p;
      refresh(edges[i], parameters_.selection, parameters_.backup);
    }
    std::ranges::copy(rest, &tree_.codes[root.codes]);
    const auto unopened = static_cast<std::uint32_t>(rest.size() - std::ranges::count(rest, kDropped));
    root.width = static_cast<std::uint16_t>(unopened);
    root.listed = 0;
    std::vector<Candidate> order;
    if (unopened > 0) {
      list_candidates(tree_, root, unopened, root_legal_, sort_scratch_);
      order.assign(tree_.orders.at(root.order), tree_.orders.at(root.order) + unopened);
    }
    order.insert(order.begin(), root.edge_count, Candidate{});
    if (root.order != kNone) tree_.orders.release(root.order, root.order_capacity_log2);
    root.order_capacity_log2 = static_cast<std::uint8_t>(std::bit_width(order.size() - 1u));
    root.order = tree_.orders.allocate(root.order_capacity_log2);
    std::ranges::copy(order, tree_.orders.at(root.order));
    root.listed = root.width = static_cast<std::uint16_t>(order.size());
    if (parameters_.selection.formula == Formula::kGumbel) open_every_action(root);
  }

  // Gumbel compares all actions of the root, so each has its edge at once, and its g.
  void open_every_action(Node& root) {
    while (root.edge_count < root.width) open(root, tree_.orders.at(root.order)[root.edge_count]);
    gumbels_.clear();
    const Edge* edges = tree_.edges_of(root);
    for (std::uint32_t i = 0; i < root.edge_count; ++i) {
      Random random{seed_, kGumbelStream, root_number_, static_cast<std::uint64_t>(edges[i].action)};
      gumbels_.push_back(-std::log(-std::log(random.uniform())));
    }
    make_plan();
  }

  void make_plan() {
    if (parameters_.selection.formula != Formula::kGumbel) return;
    const Node& root = tree_.nodes[0];
    before_plan_.clear();
    std::uint32_t open_actions = 0;
    const Edge* edges = tree_.edges_of(root);
    for (std::uint32_t i = 0; i < root.edge_count; ++i) {
      before_plan_.push_back(edges[i].n + edges[i].in_flight);
      open_actions += !edges[i].closed;
    }
    plan_ = halving_schedule(std::min(parameters_.selection.considered, open_actions), planned_simulations_);
  }

  S root_state_;
  S scratch_;  // the position at the end of the way down
  std::uint64_t seed_;
  std::shared_ptr<EvaluationCache> cache_;
  std::vector<Step> path_;
  std::vector<Step> ghosts_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::uint32_t> free_leaves_;
  std::vector<Action> legal_;
  std::vector<double> priors_, logits_;
  std::vector<std::uint64_t> sort_scratch_;
  AmafUpdate amaf_;
  Weighing weighing_;
  SubtreeBias bias_;
  double center_ = 0;  // of the dynamic score utility, points for player 0
  std::vector<RecordedPlayout> playouts_;  // of the leaf at hand
  std::vector<Action> allowed_;      // at the root; empty: every legal action
  std::vector<DepthRestriction> restrictions_;  // below the root
  std::vector<Action> root_legal_;
  std::vector<double> root_priors_;  // before temperature and noise
  std::vector<double> gumbels_;      // g of the root's edges
  std::vector<std::uint32_t> plan_, before_plan_;
  std::uint64_t planned_simulations_ = 0, simulations_before_plan_ = 0;
  std::vector<double> custom_;       // q, n, p and scores of a custom formula
  std::uint64_t node_serial_ = 0, leaf_serial_ = 0, root_number_ = 0, root_prepared_ = 0;
};

}  // namespace honte
