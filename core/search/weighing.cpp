#include "search/weighing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/search.hpp"

namespace honte {

double score_utility(double mean, double stdev, double center, double scale, double area) {
  static constexpr std::array<double, 4> kNodes{0.0, 1.154405394739968, 2.366759410734541, 3.750439717725742};
  static constexpr std::array<double, 4> kWeights{16.0 / 35.0, 0.2401231786050127, 0.0307571239675865, 0.000548268855972218};
  const double unit = scale * std::sqrt(area);
  const auto value = [&](double x) { return std::atan((x - center) / unit) * 0.6366197723675814; };
  double expected = kWeights[0] * value(mean);
  for (std::size_t i = 1; i < kNodes.size(); ++i)
    expected += kWeights[i] * (value(mean + stdev * kNodes[i]) + value(mean - stdev * kNodes[i]));
  return expected;
}

double evaluation_weight(const BackupParameters& parameters, double error) {
  const double coefficient = parameters.uncertainty_coefficient;
  if (coefficient <= 0.0) return 1.0;
  return coefficient / (std::pow(std::max(0.0, error), parameters.uncertainty_exponent) + coefficient / parameters.maximum_weight);
}

void SubtreeBias::rebuild(const Tree& tree) {
  buckets_.clear();
  for (std::uint32_t i = 0; i < tree.node_count; ++i) {
    const Extension& extension = tree.extensions[i];
    Sums& sums = buckets_[extension.bucket];
    sums.delta += extension.bias_delta;
    sums.weight += extension.bias_weight;
  }
}

// A child with more weight than twice what its prior deserves, and a value below that of the
// children before it, owes the excess to noise; it loses the more of it the worse it is.
void Weighing::prune_noise(double scale) {
  double priors = 0.0, weights = 0.0, values = 0.0;
  for (Share& share : shares_) {
    if (weights > 0.0 && priors > 0.0) {
      const double gap = values / weights - share.value;
      const double excess = share.weight - 2.0 * weights * share.p / priors;
      if (gap > 0.0 && excess > 0.0) share.weight -= excess * (1.0 - std::exp(-gap / scale));
    }
    values += share.value * share.weight;
    weights += share.weight;
    priors += share.p;
  }
}

// Children that are worse than the mean by their own uncertainty count less; the sum stays.
void Weighing::favour_good_children(double exponent) {
  double total = 0.0, values = 0.0;
  for (const Share& share : shares_) {
    total += share.weight;
    values += share.value * share.weight;
  }
  if (total <= 0.0) return;
  const double mean = values / total;
  double after = 0.0;
  for (Share& share : shares_) {
    const double stdev = std::sqrt(1e-8 + 1.0 / (1.5 * std::sqrt(share.weight)));
    const double z = (share.value - mean) / stdev / 1.7320508075688772;
    // Student's t with 3 degrees of freedom.
    const double cdf = 0.5 + 0.3183098861837907 * (z / (1.0 + z * z) + std::atan(z));
    share.weight *= std::pow(cdf + 1e-4, exponent);
    after += share.weight;
  }
  for (Share& share : shares_) share.weight *= total / after;
}

void Weighing::recompute(Tree& tree, const BackupParameters& parameters, std::uint32_t index, SubtreeBias& bias) {
  Node& node = tree.nodes[index];
  Extension& extension = tree.extensions[index];
  const double mover = side(node.player), n = node.n;
  Edge* edges = tree.edges_of(node);
  shares_.clear();
  for (std::uint32_t i = 0; i < node.edge_count; ++i) {
    const Edge& edge = edges[i];
    if (edge.n == 0 || edge.child == kNone || tree.nodes[edge.child].n == 0) continue;
    const Node& child = tree.nodes[edge.child];
    shares_.push_back({edge.child, tree.extensions[edge.child].weight_sum * edge.n / child.n,
                       mover * child.value_sum / child.n, edge.p});
  }
  if (parameters.noise_prune_scale > 0.0) prune_noise(parameters.noise_prune_scale);
  if (parameters.value_weight_exponent > 0.0) favour_good_children(parameters.value_weight_exponent);

  double weight = 0.0, value = 0.0, square = 0.0, result = 0.0, score = 0.0;
  for (const Share& share : shares_) {
    const Node& child = tree.nodes[share.child];
    weight += share.weight;
    value += share.weight * (child.value_sum / child.n);
    square += share.weight * (child.value_square_sum / child.n);
    result += share.weight * (tree.extensions[share.child].result_sum / child.n);
    score += share.weight * (child.score_sum / child.n);
  }
  double own = extension.own_utility;
  if (parameters.bias_factor > 0.0 && !node.terminal) {
    if (weight > 0.0) {
      const double counted = std::pow(weight, parameters.bias_exponent);
      bias.update(extension, (value / weight - own) * counted, counted);
    }
    own = std::clamp(own + parameters.bias_factor * bias.correction(extension.bucket), -2.0, 2.0);
  }
  const double own_weight = node.terminal ? n : extension.own_weight;
  weight += own_weight;
  value += own_weight * own;
  square += own_weight * own * own;
  result += own_weight * node.raw_value;
  score += own_weight * node.raw_lead;
  node.value_sum = value / weight * n;
  node.value_square_sum = square / weight * n;
  node.score_sum = score / weight * n;
  extension.result_sum = result / weight * n;
  extension.weight_sum = weight;
}

}  // namespace honte
