// The search as Python sees it: one class for every game, and the batch of waiting leaves.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "error.hpp"
#include "python/python_search.hpp"
#include "search/go_features.hpp"
#include "search/search_of_games.hpp"
#include "search/search_pool.hpp"

namespace honte::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class... States>
struct Games {
  // The search of a state's own game; anything that is not native is taken for a Python state.
  static std::shared_ptr<SearchBase> make(nb::handle state, const Parameters& parameters, std::uint64_t seed,
                                          std::shared_ptr<EvaluationCache> cache) {
    std::shared_ptr<SearchBase> search;
    const auto try_game = [&]<class S>(S*) {
      if (search || !nb::isinstance<S>(state)) return;
      search = std::make_shared<SearchOf<S>>(nb::cast<const S&>(state), parameters, seed, cache);
    };
    (try_game(static_cast<States*>(nullptr)), ...);
    if (!search) search = std::make_shared<SearchOf<PythonState>>(PythonState(state), parameters, seed, cache);
    return search;
  }

  static nb::tuple playout(nb::handle state, std::uint64_t seed, std::uint64_t serial, std::uint64_t number) {
    std::vector<Played> played;
    Random random{seed, kRolloutStream, serial, number};
    double result = 0.0;
    bool done = false;
    const auto try_game = [&]<class S>(S*) {
      if (done || !nb::isinstance<S>(state)) return;
      result = random_playout(nb::cast<const S&>(state), random, &played);
      done = true;
    };
    (try_game(static_cast<States*>(nullptr)), ...);
    if (!done) result = random_playout(PythonState(state), random, &played);
    nb::list actions;
    for (const Played& one : played) actions.append(nb::make_tuple(one.player, one.action));
    return nb::make_tuple(result, actions);
  }

  static nb::object root_state(const SearchBase& search) {
    return of(search, [](const auto& typed) { return typed.root_state(); });
  }

  static nb::object leaf_state(const LeafRow& row) {
    return of(*row.search, [&](const auto& typed) { return typed.leaf_state(row.leaf); });
  }

 private:
  template <class Get>
  static nb::object of(const SearchBase& search, Get get) {
    nb::object state;
    const auto try_game = [&]<class S>(S*) {
      if (const auto* typed = dynamic_cast<const SearchOf<S>*>(&search)) state = nb::cast(get(*typed));
    };
    (try_game(static_cast<States*>(nullptr)), ...);
    if (const auto* typed = dynamic_cast<const SearchOf<PythonState>*>(&search)) state = get(*typed).clone_object();
    return state;
  }
};

using NativeGames = Games<go::GoState, TicTacToe, ConnectFour, Gomoku, Hex, Othello>;

template <class T>
using Array = nb::ndarray<nb::numpy, T>;
template <class T, std::size_t N>
using Input = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

using Output = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

void check_policy(const SearchBase& search, const go::PlayoutPolicy* policy) {
  if (policy && !search.follows_policy())
    throw StateError("Rollouts by patterns are for honte's own Go: this game has uniform ones only.");
}

// The shape of the boards of a batch of Go; TypeError for any other game.
BoardShape checked_board_shape(const LeafBatch& batch) {
  const std::optional<BoardShape> shape = board_shape(batch);
  if (!shape) throw nb::type_error("KataGo's networks evaluate Go only: give this game a network of its own.");
  return *shape;
}

void write_batch_features(const LeafBatch& batch, const Output& spatial, const Output& globals, bool pass_alive_as_if_suicide) {
  const std::size_t rows = batch.rows.size();
  const BoardShape shape = checked_board_shape(batch);
  if (spatial.ndim() != 4 || globals.ndim() != 2 || spatial.shape(0) < rows || globals.shape(0) < rows ||
      spatial.shape(1) != go::kKataGoPlanes || globals.shape(1) != go::kKataGoGlobals ||
      static_cast<int>(spatial.shape(2)) < shape.height || static_cast<int>(spatial.shape(3)) < shape.width)
    throw nb::value_error("the arrays for a batch of Go are [B, 22, H, W] and [B, 19], as large as the batch and its boards");
  const BoardShape into{static_cast<int>(spatial.shape(2)), static_cast<int>(spatial.shape(3))};
  const nb::gil_scoped_release release;
  write_katago_features(batch, into, spatial.data(), globals.data(),
                        {.pass_alive_as_if_suicide = pass_alive_as_if_suicide}, batch.threads);
}

template <class T>
Array<T> new_array(std::initializer_list<std::size_t> shape, T*& data) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  data = new T[size]();
  const nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
  return Array<T>(data, shape, owner);
}

// Boards of Go may differ in size; all else has one action space.
Columns columns_of(const LeafBatch& batch) {
  if (batch.empty()) return {};
  const std::optional<BoardShape> shape = board_shape(batch);
  if (!shape) return {.num_actions = batch.rows.front().search->num_actions()};
  return {.num_actions = shape->height * shape->width + 1, .board_width = shape->width};
}

void bind_parameters(nb::module_& m) {
  nb::enum_<Formula>(m, "Formula")
      .value("UCB1", Formula::kUcb1)
      .value("PUCT", Formula::kPuct)
      .value("POLYNOMIAL_PUCT", Formula::kPolynomialPuct)
      .value("UCT_LIKE_PUCT", Formula::kUctLikePuct)
      .value("GUMBEL", Formula::kGumbel)
      .value("RAVE", Formula::kRave)
      .value("CUSTOM", Formula::kCustom);
  nb::enum_<RaveSchedule>(m, "RaveSchedule")
      .value("EQUIVALENCE", RaveSchedule::kEquivalence)
      .value("MINIMUM_MSE", RaveSchedule::kMinimumMse);
  nb::enum_<UrgencyRule>(m, "UrgencyRule")
      .value("CONSTANT", UrgencyRule::kConstant)
      .value("PARENT", UrgencyRule::kParent)
      .value("PARENT_MINUS_CONSTANT", UrgencyRule::kParentMinusConstant)
      .value("PARENT_MINUS_VISITED_POLICY", UrgencyRule::kParentMinusVisitedPolicy)
      .value("UNVISITED_FIRST", UrgencyRule::kUnvisitedFirst);
  nb::enum_<VirtualLossRule>(m, "VirtualLossRule")
      .value("LOST_VISITS", VirtualLossRule::kLostVisits)
      .value("UNOBSERVED", VirtualLossRule::kUnobserved);
  nb::enum_<NoiseRule>(m, "NoiseRule")
      .value("NONE", NoiseRule::kNone)
      .value("PLAIN", NoiseRule::kPlain)
      .value("SCALED", NoiseRule::kScaled)
      .value("SHAPED", NoiseRule::kShaped);
  nb::enum_<SymmetryRule>(m, "SymmetryRule")
      .value("IDENTITY", SymmetryRule::kIdentity)
      .value("RANDOM", SymmetryRule::kRandom)
      .value("MEAN", SymmetryRule::kMean);

  nb::class_<SelectionParameters>(m, "SelectionParameters")
      .def_rw("formula", &SelectionParameters::formula)
      .def_rw("c", &SelectionParameters::c)
      .def_rw("c_log", &SelectionParameters::c_log)
      .def_rw("c_base", &SelectionParameters::c_base)
      .def_rw("exponent", &SelectionParameters::exponent)
      .def_rw("visits_plus_one", &SelectionParameters::visits_plus_one)
      .def_rw("urgency", &SelectionParameters::urgency)
      .def_rw("urgency_value", &SelectionParameters::urgency_value)
      .def_rw("root_urgency", &SelectionParameters::root_urgency)
      .def_rw("root_urgency_value", &SelectionParameters::root_urgency_value)
      .def_rw("forced_playouts", &SelectionParameters::forced_playouts)
      .def_rw("spread_scale", &SelectionParameters::spread_scale)
      .def_rw("spread_prior", &SelectionParameters::spread_prior)
      .def_rw("spread_prior_weight", &SelectionParameters::spread_prior_weight)
      .def_prop_rw("custom_address",
                   [](const SelectionParameters& parameters) { return reinterpret_cast<std::uintptr_t>(parameters.custom); },
                   [](SelectionParameters& parameters, std::uintptr_t address) {
                     parameters.custom = reinterpret_cast<CustomFormula>(address);
                   },
                   "The address of a compiled formula, see honte.search.formula.")
      .def_rw("rave_schedule", &SelectionParameters::rave_schedule)
      .def_rw("rave_equivalence", &SelectionParameters::rave_equivalence)
      .def_rw("rave_bias", &SelectionParameters::rave_bias)
      .def_rw("rave_reference", &SelectionParameters::rave_reference)
      .def_rw("considered", &SelectionParameters::considered)
      .def_rw("visit_offset", &SelectionParameters::visit_offset)
      .def_rw("value_scale", &SelectionParameters::value_scale);
  nb::class_<ExpansionParameters>(m, "ExpansionParameters")
      .def_rw("threshold", &ExpansionParameters::threshold)
      .def_rw("noise", &ExpansionParameters::noise)
      .def_rw("noise_weight", &ExpansionParameters::noise_weight)
      .def_rw("noise_concentration", &ExpansionParameters::noise_concentration)
      .def_rw("root_temperature", &ExpansionParameters::root_temperature)
      .def_rw("policy_temperature", &ExpansionParameters::policy_temperature)
      .def_rw("policy_filter", &ExpansionParameters::policy_filter)
      .def_rw("widening_factor", &ExpansionParameters::widening_factor)
      .def_rw("widening_exponent", &ExpansionParameters::widening_exponent)
      .def_rw("symmetry", &ExpansionParameters::symmetry)
      .def_rw("dynamic_pruning", &ExpansionParameters::dynamic_pruning);
  nb::class_<BackupParameters>(m, "BackupParameters")
      .def_rw("virtual_loss", &BackupParameters::virtual_loss)
      .def_rw("virtual_visits", &BackupParameters::virtual_visits)
      .def_rw("solver", &BackupParameters::solver)
      .def_rw("static_score", &BackupParameters::static_score)
      .def_rw("static_scale", &BackupParameters::static_scale)
      .def_rw("dynamic_score", &BackupParameters::dynamic_score)
      .def_rw("dynamic_scale", &BackupParameters::dynamic_scale)
      .def_rw("center_share", &BackupParameters::center_share)
      .def_rw("uncertainty_coefficient", &BackupParameters::uncertainty_coefficient)
      .def_rw("uncertainty_exponent", &BackupParameters::uncertainty_exponent)
      .def_rw("maximum_weight", &BackupParameters::maximum_weight)
      .def_rw("value_weight_exponent", &BackupParameters::value_weight_exponent)
      .def_rw("noise_prune_scale", &BackupParameters::noise_prune_scale)
      .def_rw("bias_factor", &BackupParameters::bias_factor)
      .def_rw("bias_exponent", &BackupParameters::bias_exponent)
      .def_rw("separate_means", &BackupParameters::separate_means)
      .def_rw("rollout_weight", &BackupParameters::rollout_weight)
      .def_rw("transpositions", &BackupParameters::transpositions);
  nb::class_<Parameters>(m, "SearchParameters")
      .def(nb::init<>())
      .def_rw("selection", &Parameters::selection)
      .def_rw("expansion", &Parameters::expansion)
      .def_rw("backup", &Parameters::backup)
      .def_rw("maximum_nodes", &Parameters::maximum_nodes)
      .def_rw("maximum_bytes", &Parameters::maximum_bytes)
      .def_rw("maximum_depth", &Parameters::maximum_depth)
      .def_rw("ownership", &Parameters::ownership);
}

template <class Rows>
const float* data_or_null(const std::optional<Rows>& array, const char* name, std::size_t rows) {
  if (!array) return nullptr;
  if (array->shape(0) < rows)
    throw EvaluationError(std::string(name) + " has " + std::to_string(array->shape(0)) + " rows, the batch has " + std::to_string(rows));
  return array->data();
}

void bind_batch(nb::module_& m) {
  nb::class_<LeafBatch>(m, "LeafBatch", "Leaves that wait for an evaluator; see honte.evaluation.LeafBatch.")
      .def(nb::init<>())
      .def_prop_ro("size", [](const LeafBatch& batch) { return batch.rows.size(); })
      .def_prop_ro("num_actions", [](const LeafBatch& batch) { return columns_of(batch).num_actions; })
      .def("states",
           [](const LeafBatch& batch) {
             nb::list states;
             for (const LeafRow& row : batch.rows) states.append(NativeGames::leaf_state(row));
             return states;
           })
      .def("players",
           [](const LeafBatch& batch) {
             std::int32_t* players;
             auto array = new_array<std::int32_t>({batch.rows.size()}, players);
             for (std::size_t i = 0; i < batch.rows.size(); ++i) players[i] = batch.rows[i].search->leaf_player(batch.rows[i].leaf);
             return array;
           })
      .def("symmetries",
           [](const LeafBatch& batch) {
             std::int32_t* symmetries;
             auto array = new_array<std::int32_t>({batch.rows.size()}, symmetries);
             for (std::size_t i = 0; i < batch.rows.size(); ++i) symmetries[i] = batch.rows[i].symmetry;
             return array;
           },
           "The symmetry each row is shown under, shape [B].")
      .def("legal_mask",
           [](const LeafBatch& batch) {
             const Columns columns = columns_of(batch);
             const auto actions = static_cast<std::size_t>(columns.num_actions);
             bool* mask;
             auto array = new_array<bool>({batch.rows.size(), actions}, mask);
             for (std::size_t i = 0; i < batch.rows.size(); ++i)
               batch.rows[i].search->legal_mask(batch.rows[i].leaf, batch.rows[i].symmetry, columns, {mask + i * actions, actions});
             return array;
           })
      .def("observations",
           [](const LeafBatch& batch) {
             const std::size_t size = batch.empty() ? 0 : batch.rows.front().search->observation_size();
             float* planes;
             auto array = new_array<float>({batch.rows.size(), size}, planes);
             for (std::size_t i = 0; i < batch.rows.size(); ++i)
               batch.rows[i].search->observation(batch.rows[i].leaf, batch.rows[i].symmetry, {planes + i * size, size});
             return array;
           })
      .def_rw("threads", &LeafBatch::threads, "How many threads may encode its rows.")
      .def_prop_ro("wants_ownership",
                   [](const LeafBatch& batch) {
                     for (const LeafRow& row : batch.rows)
                       if (row.search->parameters().ownership) return true;
                     return false;
                   })
      .def_prop_ro("board_shape",
                   [](const LeafBatch& batch) {
                     const BoardShape shape = checked_board_shape(batch);
                     return std::pair{shape.height, shape.width};
                   })
      .def("write_katago_features", &write_batch_features, "spatial"_a, "globals_"_a, "pass_alive_as_if_suicide"_a = false)
      .def("wants_value",
           [](const LeafBatch& batch) {
             bool* wants;
             auto array = new_array<bool>({batch.rows.size()}, wants);
             for (std::size_t i = 0; i < batch.rows.size(); ++i) wants[i] = batch.rows[i].search->wants_value(batch.rows[i].leaf);
             return array;
           },
           "False for rows that have their value already, shape [B]: only a rollout is asked for.")
      .def("only",
           [](const LeafBatch& batch, const std::vector<std::size_t>& rows) {
             LeafBatch some;
             some.threads = batch.threads;
             for (const std::size_t row : rows) some.rows.push_back(batch.rows.at(row));
             return some;
           },
           "rows"_a, "Some of the rows, to be read, while the batch waits; the answer goes to the batch itself.")
      .def("rollout_values",
           [](const LeafBatch& batch, std::uint32_t playouts, const go::PlayoutPolicy* policy) {
             for (const LeafRow& row : batch.rows) check_policy(*row.search, policy);
             float* values;
             auto array = new_array<float>({batch.rows.size()}, values);
             const nb::gil_scoped_release release;
             for (std::size_t i = 0; i < batch.rows.size(); ++i)
               values[i] = static_cast<float>(batch.rows[i].search->rollout(batch.rows[i].leaf, playouts, policy));
             return array;
           },
           "playouts"_a, nb::arg("policy").none() = nb::none(),
           "The mean result of random playouts from each row, for the side to move, shape [B]; by a policy where one is given.")
      .def("receive",
           [](LeafBatch& batch, Input<float, 1> value, std::optional<Input<float, 2>> policy_logits,
              std::optional<Input<float, 1>> score_mean, std::optional<Input<float, 1>> score_stdev,
              std::optional<Input<float, 1>> score_lead, std::optional<Input<float, 2>> ownership,
              std::optional<Input<float, 1>> no_result, std::optional<Input<float, 1>> uncertainty,
              std::optional<Input<float, 1>> rollout) {
             const std::size_t rows = batch.rows.size();
             Answer answer;
             try {
               answer.rows = value.shape(0);
               answer.value = value.data();
               answer.policy_logits = data_or_null(policy_logits, "policy_logits", rows);
               answer.num_logits = policy_logits ? static_cast<int>(policy_logits->shape(1)) : 0;
               answer.columns = columns_of(batch);
               answer.score_mean = data_or_null(score_mean, "score_mean", rows);
               answer.score_stdev = data_or_null(score_stdev, "score_stdev", rows);
               answer.score_lead = data_or_null(score_lead, "score_lead", rows);
               answer.uncertainty = data_or_null(uncertainty, "uncertainty", rows);
               answer.rollout = data_or_null(rollout, "rollout", rows);
               answer.ownership = data_or_null(ownership, "ownership", rows);
               answer.points = ownership ? ownership->shape(1) : 0;
               answer.no_result = data_or_null(no_result, "no_result", rows);
               if (answer.rows < rows)
                 throw EvaluationError("value has " + std::to_string(answer.rows) + " rows, the batch has " + std::to_string(rows));
             } catch (...) {
               batch.cancel();
               throw;
             }
             std::vector<LeafBatch::Refusal> refusals;
             {
               const nb::gil_scoped_release release;
               refusals = batch.receive(answer);
             }
             std::vector<std::pair<std::shared_ptr<SearchBase>, std::string>> named;
             for (const LeafBatch::Refusal& refusal : refusals) named.emplace_back(refusal.search->shared_from_this(), refusal.reason);
             return named;
           },
           "value"_a, "policy_logits"_a = nb::none(), "score_mean"_a = nb::none(), "score_stdev"_a = nb::none(),
           "score_lead"_a = nb::none(), "ownership"_a = nb::none(), "no_result"_a = nb::none(), "uncertainty"_a = nb::none(),
           "rollout"_a = nb::none(),
           "Give every leaf its answer and empty the batch. Returns the searches whose answer cannot be, each with the reason; their leaves were taken back.")
      .def("cancel", &LeafBatch::cancel, "Take the leaves back, as if they had never been selected.");
}

void bind_views(nb::module_& m) {
  nb::class_<EdgeView>(m, "EdgeView")
      .def_ro("action", &EdgeView::action)
      .def_ro("n", &EdgeView::n)
      .def_ro("w", &EdgeView::w)
      .def_ro("q", &EdgeView::q)
      .def_ro("u", &EdgeView::u)
      .def_ro("p", &EdgeView::p)
      .def_ro("value_square_sum", &EdgeView::value_square_sum)
      .def_ro("score_sum", &EdgeView::score_sum)
      .def_ro("proven", &EdgeView::proven)
      .def_ro("proven_value", &EdgeView::proven_value)
      .def_prop_ro("child", [](const EdgeView& view) -> std::optional<std::uint32_t> {
        if (view.child == kNone) return std::nullopt;
        return view.child;
      });
  nb::class_<NodeSnapshot>(m, "NodeSnapshot", "A node's visited edges as they were when it was taken.")
      .def("__len__", [](const NodeSnapshot& snapshot) { return snapshot.edges.size(); })
      .def_ro("scale", &NodeSnapshot::scale, "c(N) · √N or its like: what multiplies an edge's part of the exploration term.")
      .def("edge", [](const NodeSnapshot& snapshot, std::size_t i) { return snapshot.edges.at(i); }, "index"_a)
      .def("line", [](const NodeSnapshot& snapshot, std::size_t i) { return snapshot.lines.at(i); }, "index"_a,
           "The edge and the way of most visits below it, as pairs of action and visits.")
      .def("arrays",
           [](const NodeSnapshot& snapshot) {
             const std::size_t count = snapshot.edges.size();
             double* data;
             auto array = new_array<double>({5, count}, data);
             std::int64_t* actions;
             auto action_array = new_array<std::int64_t>({count}, actions);
             for (std::size_t i = 0; i < count; ++i) {
               const EdgeView& edge = snapshot.edges[i];
               actions[i] = edge.action;
               const double row[] = {static_cast<double>(edge.n), edge.q, edge.p, edge.value_square_sum,
                                     edge.proven ? edge.proven_value : std::numeric_limits<double>::quiet_NaN()};
               for (std::size_t r = 0; r < 5; ++r) data[r * count + i] = row[r];
             }
             return nb::make_tuple(action_array, array);
           },
           "The actions, int64 [E], and n, q, p, value_square_sum and proven value (NaN where unknown), float64 [5, E].");
  nb::class_<TreeMeans>(m, "TreeMeans", "What the evaluations below a node say on the mean, for player 0.")
      .def_ro("score_mean", &TreeMeans::score_mean)
      .def_ro("score_stdev", &TreeMeans::score_stdev)
      .def_ro("no_result", &TreeMeans::no_result);
  nb::enum_<LeafKind>(m, "LeafKind")
      .value("NEW", LeafKind::kNew)
      .value("TERMINAL", LeafKind::kTerminal)
      .value("PROVEN", LeafKind::kProven)
      .value("CACHED", LeafKind::kCached)
      .value("REVISITED", LeafKind::kRevisited)
      .value("TOO_DEEP", LeafKind::kTooDeep)
      .value("TRANSPOSITION", LeafKind::kTransposition)
      .value("CYCLE", LeafKind::kCycle);
  nb::class_<TracedStep>(m, "TracedStep", "What selection saw at one node of a way down.")
      .def_ro("node", &TracedStep::node)
      .def_ro("player", &TracedStep::player)
      .def_ro("n", &TracedStep::n)
      .def_ro("urgency", &TracedStep::urgency)
      .def_ro("edges", &TracedStep::edges)
      .def_ro("chosen", &TracedStep::chosen)
      .def_ro("opened", &TracedStep::opened);
  nb::class_<Trace>(m, "Trace", "The last way down.")
      .def_ro("steps", &Trace::steps)
      .def_ro("leaf", &Trace::leaf)
      .def_ro("kind", &Trace::kind)
      .def_ro("value", &Trace::value);
  nb::class_<Node>(m, "NodeView", "One node; sums and values are from the side of player 0.")
      .def_ro("n", &Node::n)
      .def_ro("edge_visits", &Node::edge_visits)
      .def_ro("in_flight", &Node::in_flight)
      .def_ro("value_sum", &Node::value_sum)
      .def_ro("value_square_sum", &Node::value_square_sum)
      .def_ro("score_sum", &Node::score_sum)
      .def_ro("raw_value", &Node::raw_value)
      .def_ro("raw_score", &Node::raw_score)
      .def_ro("raw_lead", &Node::raw_lead)
      .def_ro("raw_stdev", &Node::raw_stdev)
      .def_ro("raw_no_result", &Node::raw_no_result)
      .def_ro("player", &Node::player)
      .def_ro("terminal", &Node::terminal)
      .def_ro("proven", &Node::proven)
      .def_ro("proven_value", &Node::proven_value)
      .def_ro("legal_count", &Node::legal_count);
  nb::class_<SearchStatistics>(m, "SearchStatistics")
      .def_ro("simulations", &SearchStatistics::simulations)
      .def_ro("evaluations", &SearchStatistics::evaluations)
      .def_ro("cache_hits", &SearchStatistics::cache_hits)
      .def_ro("pruned", &SearchStatistics::pruned)
      .def_ro("deepest", &SearchStatistics::deepest);
  nb::class_<EvaluationCache>(m, "EvaluationCache", "Evaluations by position, for searches that share one evaluator.")
      .def(nb::init<std::size_t>(), "capacity"_a)
      .def("clear", &EvaluationCache::clear)
      .def("__len__", &EvaluationCache::size)
      .def_prop_ro("capacity", &EvaluationCache::capacity)
      .def_prop_ro("hits", &EvaluationCache::hits)
      .def_prop_ro("misses", &EvaluationCache::misses);
}

void bind_tree_search(nb::module_& m) {
  nb::enum_<NativeEvaluator::Kind>(m, "NativeEvaluatorKind")
      .value("UNIFORM", NativeEvaluator::Kind::kUniform)
      .value("ROLLOUT", NativeEvaluator::Kind::kRollout);
  using release = nb::call_guard<nb::gil_scoped_release>;
  nb::class_<SearchBase>(m, "TreeSearch", "The tree and its phases; use honte.search.Search.")
      .def("select", &SearchBase::select, "batch"_a, "maximum_rows"_a, "maximum_simulations"_a, release())
      .def("simulate",
           [](SearchBase& search, NativeEvaluator::Kind kind, std::uint32_t playouts, std::uint64_t simulations,
              const go::PlayoutPolicy* policy) {
             check_policy(search, policy);
             search.simulate({.kind = kind, .playouts = playouts, .policy = policy}, simulations);
           },
           "kind"_a, "playouts"_a, "simulations"_a, nb::arg("policy").none() = nb::none(), release())
      .def("advance", &SearchBase::advance, "action"_a, release())
      .def("restrict_root", [](SearchBase& search, const std::vector<Action>& allowed) { search.restrict_root(allowed); }, "allowed"_a)
      .def("restrict_tree",
           [](SearchBase& search, const std::vector<std::tuple<int, std::uint32_t, bool, std::vector<Action>>>& restrictions) {
             std::vector<DepthRestriction> all;
             for (const auto& [player, until_depth, allow, actions] : restrictions) all.push_back({player, until_depth, allow, actions});
             search.restrict_tree(std::move(all));
           },
           "restrictions"_a, "Each is (player, until_depth, allow, actions); the tree begins anew.")
      .def("root_prior",
           [](const SearchBase& search) {
             const std::vector<double> prior = search.root_prior();
             float* data;
             auto array = new_array<float>({prior.size()}, data);
             std::ranges::copy(prior, data);
             return array;
           },
           "Before temperature and noise; illegal actions 0. float32 [A].")
      .def("standing",
           [](const SearchBase& search) {
             const Node& root = search.node(0);
             return nb::make_tuple(search.statistics().simulations, root.n, root.terminal, root.proven);
           },
           "Simulations so far, and of the root: visits, whether it is terminal, whether its exact value is known.")
      .def("plan", &SearchBase::plan, "simulations"_a)
      .def("gumbel_children",
           [](const SearchBase& search) {
             std::vector<std::tuple<Action, std::uint32_t, double>> children;
             for (const GumbelChild& child : search.gumbel_children())
               children.emplace_back(child.action, child.visits, child.score);
             return children;
           },
           "Each root action with its visits since the plan and g + log P + σ(q).")
      .def("gumbel_finalists",
           [](const SearchBase& search) {
             const std::vector<GumbelChild> children = search.gumbel_children();
             std::uint32_t most = 0;
             for (const GumbelChild& child : children) most = std::max(most, child.visits);
             std::vector<std::pair<Action, double>> finalists;
             for (const GumbelChild& child : children)
               if (child.visits == most) finalists.emplace_back(child.action, child.score);
             return finalists;
           },
           "The root's actions most visited since the plan, each with g + log P + σ(q).")
      .def("gumbel_policy", &SearchBase::gumbel_policy)
      .def("root_state", &NativeGames::root_state)
      .def("edges", &SearchBase::edges, "node"_a)
      .def("node",
           [](const SearchBase& search, std::uint32_t index) {
             if (index >= search.tree().node_count) throw nb::index_error("there is no such node");
             return Node(search.node(index));
           },
           "node"_a)
      .def("snapshot", &SearchBase::snapshot, "node"_a, "line_length"_a)
      .def("most_visited_line", &SearchBase::most_visited_line, "node"_a, "length"_a)
      .def("result_sum",
           [](const SearchBase& search, std::uint32_t node) {
             return search.tree().extended ? search.tree().extensions[node].result_sum : search.node(node).value_sum;
           },
           "node"_a, "The sum of win − loss over a node's visits, for player 0.")
      .def("mean_ownership",
           [](const SearchBase& search, std::uint32_t node) {
             std::vector<float> stdev;
             std::vector<float> mean = search.mean_ownership(node, &stdev);
             return std::make_pair(std::move(mean), std::move(stdev));
           },
           "node"_a)
      .def("means", &SearchBase::means, "node"_a)
      .def("amaf",
           [](const SearchBase& search, std::uint32_t index) {
             const Tree& tree = search.tree();
             const std::uint32_t table = tree.nodes[index].amaf;
             const std::size_t count = table == kNone ? 0 : tree.actions;
             double* data;
             auto array = new_array<double>({2, count}, data);
             for (std::size_t action = 0; action < count; ++action) {
               const AmafBlock& block = tree.amaf[table + static_cast<std::uint32_t>(action / kLanes)];
               data[action] = block.w[action % kLanes];
               data[count + action] = block.n[action % kLanes];
             }
             return array;
           },
           "node"_a, "W and N of each action as if it had been played first, for the side to move, float64 [2, A]; [2, 0] where none are kept.")
      .def("set_tracing", &SearchBase::set_tracing, "tracing"_a)
      .def("trace", [](const SearchBase& search) { return Trace(search.trace()); })
      .def("priors", &SearchBase::priors, "node"_a,
           "The priors of a node below the root over its legal actions in ascending order; empty if it is not expanded.")
      .def("saved_tree",
           [](const SearchBase& search) {
             const std::string bytes = search.saved_tree();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("load_tree", [](SearchBase& search, nb::bytes bytes) { search.load_tree({bytes.c_str(), bytes.size()}); }, "bytes"_a)
      .def("prune", &SearchBase::prune, release())
      .def_prop_ro("num_actions", &SearchBase::num_actions)
      .def_prop_ro("node_count", [](const SearchBase& search) { return search.tree().node_count; })
      .def_prop_ro("scored", [](const SearchBase& search) { return search.tree().scored; }, "Whether the evaluator gives points.")
      .def_prop_ro("bytes", [](const SearchBase& search) { return search.tree().bytes(); })
      .def_prop_ro("waiting", &SearchBase::waiting)
      .def_prop_ro("wants_pruning", &SearchBase::wants_pruning)
      .def_prop_ro("statistics", [](const SearchBase& search) { return SearchStatistics(search.statistics()); });
  nb::class_<SearchPool>(m, "SearchPool", "Searches that fill batches together, one leaf of each in flight; use honte.search.run_stream.")
      .def(nb::init<>())
      .def("add", &SearchPool::add, "search"_a, "simulations"_a)
      .def("fill", &SearchPool::fill, "batch"_a, "maximum_rows"_a, release(), "Returns the searches that have ended, which leave the pool.")
      .def("remove", &SearchPool::remove, "search"_a)
      .def("__len__", &SearchPool::size);
  m.def("random_playout", &NativeGames::playout, "state"_a, "seed"_a, "serial"_a, "number"_a = 0,
        "The playout that a search with this seed makes for its leaf of that serial number: the result for player 0, "
        "and its actions as pairs of player and action.");
  m.def("make_search", &NativeGames::make, "state"_a, "parameters"_a, "seed"_a, "cache"_a = nb::none(),
        "The search of a state's own game.");
}

}  // namespace

void bind_search(nb::module_& m) {
  nb::exception<EvaluationError>(m, "EvaluationError", PyExc_ValueError);
  nb::exception<StateError>(m, "StateError", PyExc_ValueError);
  bind_parameters(m);
  bind_views(m);
  bind_batch(m);
  bind_tree_search(m);
}

}  // namespace honte::python
