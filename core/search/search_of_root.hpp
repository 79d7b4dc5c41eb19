// The root: moving it, its own priors (temperature, noise, what is allowed), and Gumbel's plan.
#pragma once

#include "search/search_of.hpp"

namespace honte {

template <State S>
bool SearchOf<S>::advance(Action action) {
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
    tree_ = compacted(tree_, edges[i].child, 0, 0);  // in a graph with cycles the old root may lie below
    if (parameters_.backup.bias_factor > 0.0) bias_.rebuild(tree_);
    set_center();
    prepare_root();
    return true;
  }
  start_tree();
  return false;
}

template <State S>
std::string SearchOf<S>::saved_tree() const {
  Tree saved = compacted(tree_, 0, 0);
  Node& root = saved.nodes[0];
  // The root's codes hold noise and restrictions; what is saved is the evaluator's own answer.
  if (root.codes != kNone)
    for (std::size_t i = 0; i < root_priors_.size(); ++i)
      saved.codes[root.codes + static_cast<std::uint32_t>(i)] = root_priors_[i] == 0.0 ? kDropped : encode_prior(root_priors_[i]);
  return serialized(saved);
}

template <State S>
void SearchOf<S>::load_tree(std::span<const char> bytes) {
  path_.clear();
  Tree loaded = deserialized(bytes, static_cast<std::uint32_t>(num_actions()));
  const BackupParameters& backup = parameters_.backup;
  if (loaded.extended != backup.extends() || loaded.weighed != backup.weighs() || loaded.separates != backup.separate_means ||
      loaded.shares_positions != backup.transpositions)
    throw std::invalid_argument("the saved tree was grown by another kind of backup");
  if (loaded.shares_positions && loaded.identities[0].key != key_of(root_state_))
    throw std::invalid_argument("the saved tree was grown at another position");
  tree_ = std::move(loaded);
  for (std::uint32_t i = 0; i < tree_.node_count; ++i) {
    const Node& node = tree_.nodes[i];
    for (std::uint32_t e = 0; e < node.edge_count; ++e) refresh(tree_, parameters_, node, e);
    if (tree_.weighed) tree_.extensions[i].spread = spread_factor(parameters_.selection, node);
  }
  if (parameters_.backup.bias_factor > 0.0) bias_.rebuild(tree_);
  set_center();
  allowed_.clear();
  ++root_number_;
  prepare_root();
}

template <State S>
void SearchOf<S>::restrict_root(std::span<const Action> allowed) {
  allowed_.assign(allowed.begin(), allowed.end());
  std::ranges::sort(allowed_);
  prepare_root();
}

template <State S>
void SearchOf<S>::restrict_tree(std::vector<DepthRestriction> restrictions) {
  restrictions_ = std::move(restrictions);
  for (DepthRestriction& restriction : restrictions_) std::ranges::sort(restriction.actions);
  allowed_.clear();
  start_tree();
}

template <State S>
std::vector<double> SearchOf<S>::root_prior() const {
  std::vector<double> prior(num_actions(), 0.0);
  for (std::size_t i = 0; i < root_legal_.size(); ++i) prior[root_legal_[i]] = root_priors_[i];
  return prior;
}

template <State S>
void SearchOf<S>::plan(std::uint64_t simulations) {
  planned_simulations_ = simulations;
  simulations_before_plan_ = statistics_.simulations;
  make_plan();
}

template <State S>
std::vector<GumbelChild> SearchOf<S>::gumbel_children() const {
  std::vector<GumbelChild> children;
  const std::vector<double> scores = gumbel_scores();
  const Edge* edges = tree_.edges_of(tree_.nodes[0]);
  for (std::uint32_t i = 0; i < scores.size(); ++i)
    if (!edges[i].closed) children.push_back({edges[i].action, edges[i].n - before_plan_[i], scores[i]});
  return children;
}

template <State S>
std::vector<double> SearchOf<S>::gumbel_policy() const {
  const Node& root = tree_.nodes[0];
  const Edge* edges = tree_.edges_of(root);
  const CompletedValues values(parameters_.selection, root, edges, every_edge(root));
  std::vector<double> logits, policy(num_actions(), 0.0);
  for (std::uint32_t i = 0; i < root.edge_count; ++i)
    if (!edges[i].closed) logits.push_back(std::log(static_cast<double>(edges[i].p)) + values.transformed(edges[i]));
  if (logits.empty()) return policy;
  softmax(logits, 1.0);
  for (std::uint32_t i = 0, next = 0; i < root.edge_count; ++i)
    if (!edges[i].closed) policy[edges[i].action] = logits[next++];
  return policy;
}

template <State S>
void SearchOf<S>::start_tree() {
  if constexpr (requires { root_state_.freeze(); }) root_state_.freeze();
  scratch_ = root_state_;
  tree_ = Tree{};
  tree_.actions = static_cast<std::uint32_t>(num_actions());
  tree_.extended = parameters_.backup.extends();
  tree_.weighed = parameters_.backup.weighs();
  tree_.separates = parameters_.backup.separate_means;
  tree_.shares_positions = parameters_.backup.transpositions;
  path_.clear();
  bias_ = SubtreeBias{};
  make_node(tree_.add_node());
  if (tree_.shares_positions) tree_.identify(0, key_of(root_state_));
  prepare_root();
}

template <State S>
void SearchOf<S>::prepare_root() {
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

template <State S>
void SearchOf<S>::reorder_root(Node& root, std::span<const double> priors) {
  std::vector<PriorCode> codes(priors.size());
  for (std::size_t i = 0; i < priors.size(); ++i)
    codes[i] = priors[i] < 0.0 ? kDropped : encode_prior(priors[i]);
  if (root.codes == kNone) root.codes = tree_.codes.allocate(root.legal_count);
  // Actions that already have an edge come first and keep their places.
  std::vector<PriorCode> rest = codes;
  Edge* edges = tree_.edges_of(root);
  root.visited_prior = 0.0f;
  root_has_closed_ = false;
  for (std::uint32_t i = 0; i < root.edge_count; ++i) {
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(root_legal_, edges[i].action) - root_legal_.begin());
    rest[place] = kDropped;
    edges[i].closed = codes[place] == kDropped;
    root_has_closed_ = root_has_closed_ || edges[i].closed;
    if (!edges[i].closed) {
      edges[i].p = static_cast<float>(decode_prior(codes[place]));
      root.visited_prior += edges[i].p;
      if (tree_.weighed && edges[i].n > 0) tree_.shares_of(root).prior[i] = edges[i].p;
    }
    refresh(tree_, parameters_, root, i);
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
  for (std::uint32_t i = 0; i < root.edge_count; ++i)
    order[i] = {.action = edges[i].action, .code = encode_prior(edges[i].p)};
  if (root.order != kNone) tree_.orders.release(root.order, root.order_capacity_log2);
  root.order_capacity_log2 = order_capacity_log2(order.size());
  root.order = tree_.orders.allocate(root.order_capacity_log2);
  std::ranges::copy(order, tree_.orders.at(root.order));
  root.listed = root.width = static_cast<std::uint16_t>(order.size());
  if (parameters_.selection.formula == Formula::kGumbel) open_every_action(root);
}

template <State S>
void SearchOf<S>::open_every_action(Node& root) {
  while (root.edge_count < root.width) open(root, tree_.orders.at(root.order)[root.edge_count]);
  drawn_.clear();
  const Edge* edges = tree_.edges_of(root);
  for (std::uint32_t i = 0; i < root.edge_count; ++i) {
    Random random{seed_, kGumbelStream, root_number_, static_cast<std::uint64_t>(edges[i].action)};
    drawn_.push_back(-std::log(-std::log(random.uniform())) + std::log(static_cast<double>(edges[i].p)));
  }
  make_plan();
}

template <State S>
void SearchOf<S>::make_plan() {
  if (parameters_.selection.formula != Formula::kGumbel) return;
  const Node& root = tree_.nodes[0];
  visits_before_plan_ = root.edge_visits + root.in_flight;
  before_plan_.clear();
  played_.clear();
  std::uint32_t open_actions = 0;
  const Edge* edges = tree_.edges_of(root);
  for (std::uint32_t i = 0; i < root.edge_count; ++i) {
    before_plan_.push_back(edges[i].n + edges[i].in_flight);
    if (before_plan_.back() > 0) played_.push_back(i);
    open_actions += !edges[i].closed;
  }
  plan_ = halving_schedule(std::min(parameters_.selection.considered, open_actions), planned_simulations_);
}

}  // namespace honte
