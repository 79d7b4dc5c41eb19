// The search of one kind of game: what it is made of. Each part is defined in a file of its own,
// included at the end.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "search/amaf.hpp"
#include "search/expansion.hpp"
#include "search/gumbel.hpp"
#include "search/lanes.hpp"
#include "search/rollout.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"

namespace honte {

template <State S>
class SearchOf final : public SearchBase {
 public:
  SearchOf(S root, const Parameters& parameters, std::uint64_t seed, std::shared_ptr<EvaluationCache> cache)
      : root_state_(std::move(root)), scratch_(root_state_), seed_(seed), cache_(std::move(cache)), weighing_(parameters) {
    parameters_ = parameters;
    start_tree();
  }

  const S& root_state() const { return root_state_; }
  const S& leaf_state(std::uint32_t leaf) const { return leaves_[leaf]->state; }

  std::uint64_t select(LeafBatch& batch, std::size_t maximum_rows, std::uint64_t maximum_simulations) override;

  void simulate(const NativeEvaluator& evaluator, std::uint64_t simulations) override;

  void check(std::uint32_t leaf, const Answer& answer, std::size_t first_row) const override;

  void receive(std::uint32_t number, const Answer& answer, std::size_t first_row) override;

  void cancel(std::uint32_t number) override;

  int observation_size() const override { return root_state_.observation_size(); }
  void observation(std::uint32_t leaf, int symmetry, std::span<float> planes) const override {
    leaves_[leaf]->state.observation(planes, symmetry);
  }
  void legal_mask(std::uint32_t leaf, int symmetry, const Columns& columns, std::span<bool> mask) const override;
  int leaf_player(std::uint32_t leaf) const override { return leaves_[leaf]->state.current_player(); }
  bool wants_value(std::uint32_t leaf) const override { return leaves_[leaf]->wants_value; }
  double rollout(std::uint32_t leaf, std::uint32_t playouts, const go::PlayoutPolicy* policy) const override;
  bool follows_policy() const override { return FollowsPolicy<S>; }

  bool advance(Action action) override;

  std::string saved_tree() const override;

  void load_tree(std::span<const char> bytes) override;

  void restrict_root(std::span<const Action> allowed) override;

  void restrict_tree(std::vector<DepthRestriction> restrictions) override;

  std::vector<double> root_prior() const override;

  void plan(std::uint64_t simulations) override;

  std::vector<GumbelChild> gumbel_children() const override;

  std::vector<double> gumbel_policy() const override;

  std::size_t playable(const NodeSnapshot::Line& line) const override;

  int num_actions() const override { return root_state_.num_distinct_actions(); }

 private:
  static constexpr std::size_t kScales = 4096;
  static constexpr std::uint64_t kSymmetryStream = 2, kNoiseStream = 3, kSaltStream = 4, kGumbelStream = 5;

  // Where a way down ended.
  struct Arrival {
    // kAtEdge: in a graph, at an edge whose child needs no further visit.
    enum Kind { kNew, kKnown, kWaiting, kAtEdge } kind;
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
    bool wants_value = true;  // false: only a rollout
  };

  // Where an answer speaks of an action: a small board lies in the top left corner of the largest.
  static std::size_t column(const Columns& columns, const S& state, Action action);

  // Calls `act(action, column)` for each legal action of a leaf, with where an answer under a
  // symmetry speaks of it. Boards look that up: it is asked for hundreds of actions a leaf.
  template <class Act>
  void for_each_column(const Columns& columns, const Leaf& leaf, int symmetry, Act act) const;

  void start_tree();

  // Nothing is left to search: the root's exact value is known and visited.
  bool root_is_known() const { return tree_.nodes[0].proven && tree_.nodes[0].n > 0; }

  bool at_capacity() {
    if (parameters_.maximum_nodes > 0 && tree_.node_count >= parameters_.maximum_nodes) wants_pruning_ = true;
    if (parameters_.maximum_bytes > 0 && tree_.bytes() >= parameters_.maximum_bytes) wants_pruning_ = true;
    return wants_pruning_;
  }

  // Selection: walk down from the root by the formula until a position that is not expanded.
  Arrival descend(bool in_flight);

  // The node below an edge that was just played; makes it if there is none.
  std::uint32_t child_of(Edge& edge);

  // Restrictions depend on the depth: while there are any, a position is another at each depth.
  PositionKey key_of(const S& state) const {
    PositionKey key = graph_key(state);
    if (!restrictions_.empty()) key.low ^= mix64(path_.size());
    return key;
  }

  Arrival arrive(typename Arrival::Kind kind, std::uint32_t index, LeafKind leaf);

  // The edge with the highest score; opens the next action where that one scores highest.
  std::uint32_t choose(std::uint32_t index);

  // Asks for the memory of a node that is about to be reached, and of its edges once it is.
  void fetch_ahead(std::uint32_t index) const;
  void fetch_edges_ahead(std::uint32_t index) const;

  // The node's part of the exploration term.
  double scale_at(double visits);

  // The choice among the root's edges where some are forced, or hopeless: those that lack forced
  // playouts come before all others.
  Choice best_of_root(const Node& root, double urgency, double scale, double hopeless) const;

  // What is left when every action that may be chosen is lost.
  std::uint32_t most_visited(const Node& node) const;

  // At the root under dynamic pruning: with so many visits or fewer an action can no longer
  // become the most visited within the plan; negative where none is hopeless.
  double hopeless_visits(const Node& root) const;

  std::uint32_t choose_by_custom(Node& node, bool at_root, double visits);

  // The best action without an edge, if another may be opened.
  const Candidate* next_candidate(Node& node, double visits);

  // Takes what the restrictions forbid at this depth out of the node's candidates.
  void drop_forbidden(Node& node);

  std::uint32_t open(Node& node, Candidate next);

  static auto every_edge(const Node& node) { return std::views::iota(0u, std::uint32_t{node.edge_count}); }

  // g + log P + σ(q) of the root's edges.
  std::vector<double> gumbel_scores() const;

  // Gumbel's root: among the actions with as many visits as the plan asks for now, the highest
  // g + log P + σ(q); where the plan has ended, among those with the fewest visits.
  std::uint32_t choose_by_halving(Node& root);

  // RAVE and GRAVE: (1 − β) Q + β Q_AMAF + c √(ln N(s) / N(s,a)). An action that nobody has played
  // at any time comes first.
  std::uint32_t choose_by_amaf(Node& node, double visits);

  // Gumbel inside the tree: visits follow the improved policy π' = softmax(log P + σ(completed q)),
  // by the highest π'(a) − N(a) / (1 + ΣN).
  std::uint32_t choose_improved(Node& node);

  // The formulas whose choice is a long chain of operations choose on the way up, where the nodes of a
  // way do not wait for each other: what was found stays with the node until it is visited again.
  void foresee(std::span<const Step> path);

  // That choice, if it still stands; kNone otherwise.
  std::uint32_t foreseen(Node& node);

  // Whether every action has its edge, so that none need be asked for.
  static bool is_open(const Node& node) { return node.edge_count > 0 && node.edge_count == node.width; }

  // Whether an action without an edge may get one.
  bool may_open(const Node& node, double visits) const {
    return node.edge_count < node.width && node.edge_count < open_limit(parameters_.expansion, visits, node.width);
  }

  void set_legal(Node& node);

  std::string way() const;

  // Subtree value bias goes by who made the last move, what it was, and what it answered.
  std::uint64_t bucket_name() const;

  // Gives a new node what the state at hand says of it.
  void make_node(std::uint32_t index);

  // Expansion: the evaluator's answer becomes the node's priors.
  void expand(std::uint32_t index, const CachedEvaluation& evaluation);

  bool find_cached(std::uint32_t index, CachedEvaluation& found);
  bool answer_from_cache(std::uint32_t index);

  // Whether the cache knew the position; it is expanded then.
  bool expand_from_cache(std::uint32_t index);

  // Evaluation: the leaf waits in the batch for its answer.
  void send(LeafBatch& batch, std::uint32_t index);

  void release(std::uint32_t number) {
    free_leaves_.push_back(number);
    --waiting_;
  }

  double mean_rollout(const S& state, std::uint32_t playouts, const go::PlayoutPolicy* policy);

  void count_playouts(std::uint32_t leaf) {
    for (const RecordedPlayout& playout : std::span(playouts_).first(recorded_)) amaf_.run(tree_, path_, leaf, playout.played, playout.result);
  }

  // A position whose value needs no evaluator: terminal, proven, cached, or too deep.
  void back_up_known(std::uint32_t index, bool was_in_flight);

  // A way down that ended at an edge: its child stands for itself.
  void back_up_at_edge(std::uint32_t child, bool was_in_flight);

  // The centre of the dynamic score utility: most of what the evaluator expects at the root.
  void set_center() { center_ = parameters_.backup.center_share * tree_.nodes[0].raw_score; }

  // What the search maximises where points count, for player 0.
  double utility_of(const Node& node, const S& state) const;

  // Keeps what weighing and scoring need of a node's own evaluation.
  void extend(std::uint32_t index, double utility, double error);

  void finish(std::uint32_t index, std::span<const Step> path, const Worth& outcome, bool was_in_flight);
  void finish_separately(std::uint32_t index, std::span<const Step> path, const SeparateWorth& worth, bool was_in_flight);
  void note_end(std::uint32_t index, std::span<const Step> path, double value);

  // A leaf's rollout; at its first visit with the value that its expansion brought.
  void receive_rollout(const Leaf& leaf, double rollout);

  // Gives the root its own priors: temperature, fresh noise, and only the actions allowed.
  void prepare_root();

  void reorder_root(Node& root, std::span<const double> priors);

  // Gumbel compares all actions of the root, so each has its edge at once, and its g.
  void open_every_action(Node& root);

  void make_plan();

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
  mutable Columns tabled_;
  mutable std::vector<std::vector<std::uint32_t>> tables_;  // the column of each action, by symmetry
  std::vector<std::uint64_t> sort_scratch_;
  AmafUpdate amaf_;
  Weighing weighing_;
  SubtreeBias bias_;
  double center_ = 0;  // of the dynamic score utility, points for player 0
  std::vector<RecordedPlayout> playouts_;  // of the leaf at hand, the first `recorded_`
  std::size_t recorded_ = 0;
  std::vector<Action> allowed_;      // at the root; empty: every legal action
  std::vector<DepthRestriction> restrictions_;  // below the root
  std::vector<Action> root_legal_;
  std::vector<double> root_priors_;  // before temperature and noise
  bool root_has_closed_ = false;     // an edge that is not allowed
  std::vector<double> drawn_;        // g + log P of the root's edges
  std::vector<ImprovedActions> improved_;  // room for the actions of the node at hand, for Gumbel's improved policy
  std::vector<std::uint32_t> plan_, before_plan_;
  std::uint64_t visits_before_plan_ = 0;  // the sum of `before_plan_`
  std::vector<std::uint32_t> played_;  // edges of Gumbel's root that were ever chosen, ascending
  std::vector<double> scales_;         // exploration_scale() by visits, as far as it was asked for
  std::uint64_t planned_simulations_ = 0, simulations_before_plan_ = 0;
  std::vector<double> custom_;       // q, n, p and scores of a custom formula
  std::uint64_t ways_down_ = 0, node_serial_ = 0, leaf_serial_ = 0, root_number_ = 0, root_prepared_ = 0;
};

}  // namespace honte

#include "search/search_of_backup.hpp"
#include "search/search_of_evaluation.hpp"
#include "search/search_of_formulas.hpp"
#include "search/search_of_root.hpp"
#include "search/search_of_selection.hpp"
