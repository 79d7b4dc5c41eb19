// The configuration of a search as the core reads it: one struct a phase, under the
// names of honte.search.config, where each field is documented and validated. The decision
// is not here: it reads the root once a move, in honte.search.decision.
#pragma once

#include <cstdint>

namespace honte {

enum class Formula : std::uint8_t { kUcb1, kPuct, kPolynomialPuct, kUctLikePuct, kGumbel, kRave, kCustom };

// A formula of the user's own: scores of `count` actions from their Q, N and P; N(s) and the mean
// value are the node's, from its side to move. The last action may be an unvisited one, with the
// first-play urgency as its Q.
using CustomFormula = void (*)(const double* q, const double* n, const double* p, std::int64_t count,
                               double node_visits, double node_value, double* scores);
enum class RaveSchedule : std::uint8_t { kEquivalence, kMinimumMse };
enum class UrgencyRule : std::uint8_t { kConstant, kParent, kParentMinusConstant, kParentMinusVisitedPolicy, kUnvisitedFirst };
enum class VirtualLossRule : std::uint8_t { kLostVisits, kUnobserved };
enum class NoiseRule : std::uint8_t { kNone, kPlain, kScaled, kShaped };
enum class SymmetryRule : std::uint8_t { kIdentity, kRandom, kMean };

struct SelectionParameters {
  Formula formula = Formula::kPuct;
  double c = 1.5;            // c of UCB1, c_puct, or the constant part of a growing c_puct
  double c_log = 0.0;        // weight of the growing part: c + c_log · log((N + c_base) / c_base)
  double c_base = 19652.0;
  double exponent = 0.5;     // α of polynomial PUCT
  bool visits_plus_one = false;  // Q = W / (N + 1)
  UrgencyRule urgency = UrgencyRule::kConstant;
  double urgency_value = 0.0;    // the constant value, or the reduction
  UrgencyRule root_urgency = UrgencyRule::kConstant;
  double root_urgency_value = 0.0;
  double forced_playouts = 0.0;  // k of KataGo's forced playouts at the root; 0 turns them off
  double spread_scale = 0.0;     // KataGo's variance-scaled c_puct; 0 turns it off
  double spread_prior = 0.4;     // the standard deviation that changes nothing
  double spread_prior_weight = 2.0;
  RaveSchedule rave_schedule = RaveSchedule::kEquivalence;
  double rave_equivalence = 1000.0;  // k: AMAF and mean weigh the same at N(s) = k
  double rave_bias = 0.0;            // of the minimum-MSE schedule
  std::uint32_t rave_reference = 0;  // GRAVE: AMAF of the nearest ancestor with so many visits
  CustomFormula custom = nullptr;
  std::uint32_t considered = 16;  // m of Gumbel's root
  double visit_offset = 50.0;     // c_visit
  double value_scale = 1.0;       // c_scale
};

struct ExpansionParameters {
  std::uint32_t threshold = 1;     // n_thr: visits a leaf needs before it is expanded
  NoiseRule noise = NoiseRule::kNone;
  double noise_weight = 0.25;      // ε
  double noise_concentration = 0.03;  // α, or Σα where it is scaled or shaped
  double root_temperature = 1.0;
  double policy_temperature = 1.0;
  double policy_filter = 0.0;      // actions with P below it are dropped, the best never
  double widening_factor = 0.0;    // C of progressive widening ⌈C·N^β⌉; 0 turns it off
  double widening_exponent = 0.5;  // β
  SymmetryRule symmetry = SymmetryRule::kIdentity;
  bool dynamic_pruning = false;    // at the root, leave actions that can no longer become the most visited
};

struct BackupParameters {
  VirtualLossRule virtual_loss = VirtualLossRule::kLostVisits;
  double virtual_visits = 1.0;     // n_vl
  bool solver = false;

  // Score utility: what is backed up is v + static · S(score; 0) + dynamic · S(score; centre).
  double static_score = 0.0, static_scale = 2.0;
  double dynamic_score = 0.0, dynamic_scale = 0.75, center_share = 0.8;

  // Weighted means; a node's value is then computed anew from its children at each backup.
  double uncertainty_coefficient = 0.0, uncertainty_exponent = 1.0, maximum_weight = 8.0;
  double value_weight_exponent = 0.0;
  double noise_prune_scale = 0.0;
  double bias_factor = 0.0, bias_exponent = 0.85;

  // AlphaGo's two means: (1 − λ) W_v / N_v + λ W_r / N_r in the place of W / N.
  bool separate_means = false;
  double rollout_weight = 0.5;  // λ

  bool transpositions = false;  // one node a position: the tree is a graph, whose means are weighed

  bool weighs() const {
    return transpositions || uncertainty_coefficient > 0.0 || value_weight_exponent > 0.0 || noise_prune_scale > 0.0 || bias_factor > 0.0;
  }
  bool scores() const { return static_score > 0.0 || dynamic_score > 0.0; }
  bool extends() const { return weighs() || scores(); }
};

struct Parameters {
  SelectionParameters selection;
  ExpansionParameters expansion;
  BackupParameters backup;
  std::uint64_t maximum_nodes = 0;  // hard cap of the tree; 0 for the 32-bit limit
  std::uint64_t maximum_bytes = 0;  // likewise; 0 for none
  std::uint32_t maximum_depth = 10000;
  bool ownership = false;  // keep each evaluation's ownership of the points
};

}  // namespace honte
