#include "search/weighing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

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

std::uint32_t& SubtreeBias::slot(std::uint64_t name) {
  std::size_t i = name & (slots_.size() - 1);
  while (slots_[i] != kNone && buckets_[slots_[i]].name != name) i = (i + 1) & (slots_.size() - 1);
  return slots_[i];
}

std::uint32_t SubtreeBias::bucket(std::uint64_t name) {
  if (2 * (buckets_.size() + 1) > slots_.size()) {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kNone);
    for (std::uint32_t i = 0; i < buckets_.size(); ++i) slot(buckets_[i].name) = i;
  }
  std::uint32_t& found = slot(name);
  if (found == kNone) {
    found = static_cast<std::uint32_t>(buckets_.size());
    buckets_.push_back({name});
  }
  return found;
}

void SubtreeBias::rebuild(Tree& tree) {
  buckets_.clear();
  slots_.clear();
  for (std::uint32_t i = 0; i < tree.node_count; ++i) {
    Extension& extension = tree.extensions[i];
    extension.bucket = bucket(extension.bucket_name);
    Bucket& sums = buckets_[extension.bucket];
    sums.delta += extension.bias_delta;
    sums.weight += extension.bias_weight;
  }
}

Favour::Favour(double exponent) {
  for (std::uint32_t i = 0; i <= kEntries; ++i) {
    const double z = (static_cast<double>(i) - kEntries / 2) / kPerUnit;
    const double cdf = 0.5 + 0.3183098861837907 * (z / (1.0 + z * z) + std::atan(z));
    table_[i] = std::pow(cdf + 1e-4, exponent);
  }
}

namespace {

// Searches are made by the thousand in self-play, all with one exponent: they share its table.
std::shared_ptr<const Favour> favour_of(double exponent) {
  static std::mutex mutex;
  static std::map<double, std::weak_ptr<const Favour>> tables;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const Favour>& known = tables[exponent];
  std::shared_ptr<const Favour> table = known.lock();
  if (!table) known = table = std::make_shared<const Favour>(exponent);
  return table;
}

// 1 / (√3 · σ) of a mean of so much weight, with σ² = 1 / (1.5 √weight).
double firmness(double weight) { return std::sqrt(0.5 * std::sqrt(weight)); }

}  // namespace

Weighing::Weighing(const BackupParameters& parameters) : parameters_(parameters) {
  if (parameters.value_weight_exponent > 0.0) favour_ = favour_of(parameters.value_weight_exponent);
}

Share share_of(const Tree& tree, const Edge& edge) {
  const Node& child = tree.nodes[edge.child];
  const Extension& extension = tree.extensions[edge.child];
  const double per_visit = 1.0 / child.n;
  Share share{.value = static_cast<float>(child.value_sum * per_visit),
              .square = static_cast<float>(child.value_square_sum * per_visit),
              .result = static_cast<float>(extension.result_sum * per_visit),
              .score = static_cast<float>(child.score_sum * per_visit),
              .weight = static_cast<float>(edge.n == child.n ? extension.weight_sum : extension.weight_sum * edge.n * per_visit),
              .firmness = 0.0f};
  share.firmness = static_cast<float>(firmness(share.weight));
  return share;
}

// A child with more weight than twice what its prior deserves, and a value below that of the
// children before it, owes the excess to noise; it loses the more of it the worse it is.
Weighing::Sums Weighing::of_children(const Tree& tree, const Node& node) {
  const std::uint32_t count = node.edge_count;
  if (count == 0) return {};
  const Edge* edges = tree.edges.at(node.edges);
  const Share* shares = tree.shares.at(node.edges);
  const double mover = side(node.player), scale = parameters_.noise_prune_scale;
  weights_.resize(count);
  firmness_.resize(count);
  double priors = 0.0, weights = 0.0, values = 0.0;
  std::uint32_t present = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Share& share = shares[i];
    double weight = share.weight, firm = share.firmness;
    weights_[i] = firmness_[i] = 0.0;
    if (weight == 0.0) continue;
    const double value = share.value, p = edges[i].p;
    if (scale > 0.0 && mover * (values - value * weights) > 0.0 && weight * priors > 2.0 * weights * p) {
      const double gap = mover * (values / weights - value), excess = weight - 2.0 * weights * p / priors;
      weight -= excess * (1.0 - std::exp(-gap / scale));
      firm = firmness(weight);
    }
    weights_[i] = weight;
    firmness_[i] = firm;
    values += weight * value;
    weights += weight;
    priors += p;
    ++present;
  }
  if (present == 0) return {};

  // Children that are worse than the mean by their own uncertainty count less; the sum stays.
  const bool favours = favour_ && present > 1;
  const double mean = values / weights;
  Sums sums;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Share& share = shares[i];
    double weight = weights_[i];
    if (favours) weight *= (*favour_)(mover * (share.value - mean) * firmness_[i]);
    sums.value += weight * share.value;
    sums.square += weight * share.square;
    sums.result += weight * share.result;
    sums.score += weight * share.score;
    sums.weight += weight;
  }
  const double ratio = favours ? weights / sums.weight : 1.0;
  return {sums.value * ratio, sums.square * ratio, sums.result * ratio, sums.score * ratio, weights};
}

void Weighing::recompute(Tree& tree, std::uint32_t index, SubtreeBias& bias) {
  Node& node = tree.nodes[index];
  Extension& extension = tree.extensions[index];
  Sums sums = of_children(tree, node);
  double own = extension.own_utility;
  if (parameters_.bias_factor > 0.0 && !node.terminal) {
    const double correction = bias.correction(extension.bucket);
    if (sums.weight > 0.0) {
      const double counted = std::pow(sums.weight, parameters_.bias_exponent);
      bias.update(extension, (sums.value / sums.weight - own) * counted, counted);
    }
    own = std::clamp(own + parameters_.bias_factor * correction, -2.0, 2.0);
  }
  const double n = node.n, own_weight = node.terminal ? n : extension.own_weight;
  sums.weight += own_weight;
  const double per_weight = n / sums.weight;
  node.value_sum = (sums.value + own_weight * own) * per_weight;
  node.value_square_sum = (sums.square + own_weight * own * own) * per_weight;
  node.score_sum = (sums.score + own_weight * node.raw_lead) * per_weight;
  extension.result_sum = (sums.result + own_weight * node.raw_value) * per_weight;
  extension.weight_sum = sums.weight;
}

}  // namespace honte
