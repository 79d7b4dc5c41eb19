// One search of one game: the four phases joined. The phases themselves are in selection.hpp,
// expansion.hpp, rollout.hpp, backup.cpp and weighed_backup.cpp; search_of.hpp joins them for a game.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "games/state.hpp"
#include "search/evaluation_cache.hpp"
#include "search/leaf_batch.hpp"
#include "search/parameters.hpp"
#include "search/rollout.hpp"
#include "search/saved_tree.hpp"
#include "search/tree.hpp"
#include "search/weighing.hpp"

namespace honte {

// An evaluator inside the core.
struct NativeEvaluator {
  enum class Kind : std::uint8_t { kUniform, kRollout } kind = Kind::kUniform;
  std::uint32_t playouts = 1;  // per leaf
  const go::PlayoutPolicy* policy = nullptr;  // of the playouts; uniform without one
};

// One edge as a reader sees it; values are from the side to move at the node.
struct EdgeView {
  Action action;
  std::uint32_t n;
  double w, q, u, p;
  double value_square_sum;  // Σ v² of the visits below
  double score_sum;         // Σ points
  bool proven;
  double proven_value;
  std::uint32_t child;      // kNone where it was pruned
};

// A snapshot of a node's visited edges, and of the way of most visits below each.
struct NodeSnapshot {
  using Line = std::vector<std::pair<Action, std::uint32_t>>;
  std::vector<EdgeView> edges;
  std::vector<Line> lines;
  double scale = 0;  // the node's part of the exploration term
};

// One way down as it was chosen, for those who want to watch: what selection saw at each node.
struct TracedStep {
  std::uint32_t node;
  int player;
  std::uint32_t n;
  double urgency;               // first-play urgency, for the side to move
  std::vector<EdgeView> edges;  // before the choice
  Action chosen;
  bool opened;                  // the choice had no edge before
};

enum class LeafKind : std::uint8_t { kNew, kTerminal, kProven, kCached, kRevisited, kTooDeep, kTransposition, kCycle };

struct Trace {
  std::vector<TracedStep> steps;
  std::uint32_t leaf = 0;
  LeafKind kind = LeafKind::kNew;
  double value = 0;  // what was backed up, for player 0
};

// What the evaluations below a node say on the mean, for player 0.
struct TreeMeans {
  double score_mean = 0, score_stdev = 0;  // points; the spread of the evaluations and within each
  double no_result = 0;                    // probability of a game without result
};

// In the first `until_depth` plies of the tree a player may choose these actions alone, or all but these.
struct DepthRestriction {
  int player;
  std::uint32_t until_depth;
  bool allow;
  std::vector<Action> actions;
};

// What Gumbel's root knows of an allowed action.
struct GumbelChild {
  Action action;
  std::uint32_t visits;  // since the plan was made
  double score;
};

struct SearchStatistics {
  std::uint64_t simulations = 0;   // in all, since the search was made
  std::uint64_t evaluations = 0;   // answers from an evaluator
  std::uint64_t cache_hits = 0;
  std::uint64_t pruned = 0;        // times that the tree was pruned at its cap
  std::uint32_t deepest = 0;       // longest way down
};

// The face that bindings and batches see; Search<S> below fills it for each game.
class SearchBase : public std::enable_shared_from_this<SearchBase> {
 public:
  virtual ~SearchBase() = default;

  // Selects leaves until the batch has `maximum_rows` rows, `maximum_simulations` have been
  // made, or every way down ends at a leaf that already waits. Returns the simulations made,
  // those that ended at a terminal, proven or cached position included.
  virtual std::uint64_t select(LeafBatch& batch, std::size_t maximum_rows, std::uint64_t maximum_simulations) = 0;

  // Whole simulations with an evaluator inside the core.
  virtual void simulate(const NativeEvaluator& evaluator, std::uint64_t simulations) = 0;

  // How much of a line from the root can be played; in a graph a node may have been reached by a way
  // that forbade less.
  virtual std::size_t playable(const NodeSnapshot::Line& line) const = 0;

  // Throws EvaluationError without changing the tree if the rows of the answer cannot be.
  virtual void check(std::uint32_t leaf, const Answer& answer, std::size_t first_row) const = 0;
  virtual void receive(std::uint32_t leaf, const Answer& answer, std::size_t first_row) = 0;
  virtual void cancel(std::uint32_t leaf) = 0;

  // Of one waiting leaf under a symmetry.
  virtual int observation_size() const = 0;
  virtual void observation(std::uint32_t leaf, int symmetry, std::span<float> planes) const = 0;
  virtual void legal_mask(std::uint32_t leaf, int symmetry, const Columns& columns, std::span<bool> mask) const = 0;
  virtual int leaf_player(std::uint32_t leaf) const = 0;
  // False where the position has its value and only a rollout is asked for.
  virtual bool wants_value(std::uint32_t leaf) const = 0;
  virtual double rollout(std::uint32_t leaf, std::uint32_t playouts, const go::PlayoutPolicy* policy) const = 0;  // for the side to move
  virtual bool follows_policy() const = 0;  // whether its playouts can follow a policy

  // The root.
  virtual bool advance(Action action) = 0;  // true if the subtree was kept
  virtual void restrict_root(std::span<const Action> allowed) = 0;  // empty: everything is allowed
  // The tree as bytes, and back, at the same position; std::invalid_argument if they are no tree.
  virtual std::string saved_tree() const = 0;
  virtual void load_tree(std::span<const char> bytes) = 0;
  // Below the root; the tree begins anew. Where nothing would be left, a restriction has no say.
  virtual void restrict_tree(std::vector<DepthRestriction> restrictions) = 0;
  virtual std::vector<double> root_prior() const = 0;  // [A], before noise

  // Gumbel's root. `plan` lays out that many simulations from here on; the children's scores are
  // g + log P + σ(q); the policy is softmax(log P + σ(completed q)), [A].
  virtual void plan(std::uint64_t simulations) = 0;
  virtual std::vector<GumbelChild> gumbel_children() const = 0;
  virtual std::vector<double> gumbel_policy() const = 0;

  virtual int num_actions() const = 0;

  // First-play urgency at a visited node, for its side to move.
  double urgency(std::uint32_t node) const;

  // The edges of a node in the order in which they were opened; closed ones are left out.
  std::vector<EdgeView> edges(std::uint32_t node) const;

  // The priors of a node below the root over its legal actions in ascending order; empty before
  // its expansion. The root's own are root_prior().
  std::vector<double> priors(std::uint32_t node) const;

  NodeSnapshot snapshot(std::uint32_t node, std::size_t line_length) const;

  // Mean ownership below a node, [points], for player 0: every evaluation counts once. Empty
  // where the evaluator gives none. `stdev` takes the standard deviation.
  std::vector<float> mean_ownership(std::uint32_t node, std::vector<float>* stdev) const;
  TreeMeans means(std::uint32_t node) const;

  // The way down by most visits from a node, at most `length` edges; ties go to the edge opened first.
  std::vector<std::pair<Action, std::uint32_t>> most_visited_line(std::uint32_t node, std::size_t length) const;

  const Node& node(std::uint32_t index) const { return tree_.nodes[index]; }
  const Tree& tree() const { return tree_; }
  const Parameters& parameters() const { return parameters_; }
  const SearchStatistics& statistics() const { return statistics_; }
  // While tracing, the last way down is kept; it costs a copy of every edge on the way.
  void set_tracing(bool tracing) { tracing_ = tracing; }
  const Trace& trace() const { return trace_; }

  std::uint32_t waiting() const { return waiting_; }
  bool wants_pruning() const { return wants_pruning_; }

  // Drops rarely visited subtrees until the tree is at most half its cap; no leaf may wait.
  void prune();

 protected:
  // Calls `visit(node, weight)` for what was evaluated below a node. In a large tree the own
  // evaluation of a rarely visited node stands for all below it, so that the time is bounded.
  template <class Visit>
  void for_each_evaluation(std::uint32_t root, Visit visit) const {
    constexpr std::uint32_t kFinest = 5'000;
    const std::uint32_t least = tree_.nodes[0].n / kFinest;
    std::vector<std::uint32_t> open{root};
    std::vector<bool> seen(tree_.shares_positions ? tree_.node_count : 0);
    while (!open.empty()) {
      const std::uint32_t index = open.back();
      const Node& node = tree_.nodes[index];
      open.pop_back();
      if (!seen.empty()) {
        if (seen[index]) continue;
        seen[index] = true;
      }
      if (node.n == 0) continue;
      const bool last = node.terminal || node.n < least;
      visit(node, last ? node.n : 1u);
      if (last) continue;
      const Edge* edges = tree_.edges_of(node);
      for (std::uint32_t i = 0; i < node.edge_count; ++i)
        if (edges[i].child != kNone) open.push_back(edges[i].child);
    }
  }

  Tree tree_;
  Parameters parameters_;
  SearchStatistics statistics_;
  std::uint32_t waiting_ = 0;
  bool wants_pruning_ = false;
  bool tracing_ = false;
  Trace trace_;
};

inline double side(int player) { return player == 1 ? -1.0 : 1.0; }

// What a simulation brings home, for player 0. The value is what the search maximises; the result
// is win − loss, the same unless points count.
struct Worth {
  double value, result, score;
};

// Passes exact values up: a node is proven once its side to move has a proven win, or once
// every legal action is proven; then the best of them is its value.
// [Winands, Björnsson, Saito 2008, with draws as in Cazenave and Saffidine 2010]
bool try_to_prove(Tree& tree, Node& node);

// Applies one simulation's answer along its way: N += 1, W += v.
void back_up(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
             const Worth& outcome, bool was_in_flight);

// What a simulation brings home where value and rollout have means of their own, for player 0.
struct SeparateWorth {
  bool has_value;        // the position's value comes with this visit
  double value, rollout;
  double mixed;          // (1 − λ) v + λ z of this visit
  double score;          // points
};

void back_up_separately(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
                        const SeparateWorth& worth, bool was_in_flight);

// Adds (or takes away) one leaf in flight along a way.
void add_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step);
void remove_virtual_loss(Tree& tree, const Parameters& parameters, const Step& step);

}  // namespace honte
