#include "search/weighing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>

#include "search/lanes.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"

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
  for (std::int32_t i = 0; i <= kEntries; ++i) {
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

Weighing::Weighing(const Parameters& parameters) : selection_(parameters.selection), parameters_(parameters.backup) {
  if (parameters_.value_weight_exponent > 0.0) favour_ = favour_of(parameters_.value_weight_exponent);
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
              .firmness = 0.0f,
              .prior = edge.p};
  share.firmness = static_cast<float>(firmness(share.weight));
  return share;
}

// A child with more weight than twice what its prior deserves, and a value below that of the
// children before it, owes the excess to noise; it loses the more of it the worse it is. Whether any
// does is asked of eight at once, with running sums; only then are they gone through one by one.
bool Weighing::prune_noise(const ShareColumns& shares, std::uint32_t count, double mover) {
  const std::size_t blocks = whole_lanes(count) / kLanes;
  Lanes weights{}, values{}, priors{};  // of the blocks before
  unsigned any = 0;
  for (std::size_t b = 0; b < blocks && !any; ++b) {
    const Children& children = children_[b];
    const Lanes value_of = children.weight * children.value;
    const Lanes weight_sums = running_sums(children.weight), value_sums = running_sums(value_of), prior_sums = running_sums(children.prior);
    const Lanes before_weights = weights + lanes_before(weight_sums), before_values = values + lanes_before(value_sums),
                before_priors = priors + lanes_before(prior_sums);
    any = lane_mask((mover * (before_values - children.value * before_weights) > 0.0) &
                    (children.weight * before_priors > 2.0 * before_weights * children.prior));
    weights += weight_sums[7];
    values += value_sums[7];
    priors += prior_sums[7];
  }
  if (!any) return false;
  double all = 0.0, value = 0.0, prior = 0.0;
  for (std::uint32_t i = 0; i < count; ++i) {
    double weight = shares.weight[i], firm = shares.firmness[i];
    if (weight == 0.0) continue;
    const double v = shares.value[i], p = shares.prior[i];
    if (mover * (value - v * all) > 0.0 && weight * prior > 2.0 * all * p) {
      const double gap = mover * (value / all - v), excess = weight - 2.0 * all * p / prior;
      weight -= excess * (1.0 - std::exp(-gap / parameters_.noise_prune_scale));
      firm = firmness(weight);
      children_[i / kLanes].weight[i % kLanes] = weight;
      children_[i / kLanes].firmness[i % kLanes] = firm;
    }
    value += weight * v;
    all += weight;
    prior += p;
  }
  return true;
}

Weighing::Sums Weighing::of_children(const Tree& tree, const Node& node) {
  const std::uint32_t count = node.edge_count;
  if (count == 0) return {};
  const std::size_t blocks = whole_lanes(count) / kLanes, capacity = std::size_t{1} << node.edge_capacity_log2;
  const ShareColumns shares = tree.shares_of(node);
  const double mover = side(node.player);
  if (count == 1) {  // most nodes of a tree that digs
    const auto [value, square, result, score, weight, firmness, prior] = shares.get(0);
    const double w = weight;
    return {w * value, w * square, w * result, w * score, w};
  }
  if (children_.size() < blocks) children_.resize(2 * blocks);
  const bool prunes = parameters_.noise_prune_scale > 0.0;
  Lanes weights{}, values{};
  for (std::size_t b = 0; b < blocks; ++b) {
    Children& children = children_[b];
    const std::size_t at = b * kLanes;
    children.value = load_lanes(shares.value + at, capacity);
    children.weight = load_lanes(shares.weight + at, capacity);
    children.firmness = load_lanes(shares.firmness + at, capacity);
    if (prunes) children.prior = load_lanes(shares.prior + at, capacity);
    weights += children.weight;
    values += children.weight * children.value;
  }
  if (prunes && prune_noise(shares, count, mover)) {
    weights = values = Lanes{};
    for (std::size_t b = 0; b < blocks; ++b) {
      weights += children_[b].weight;
      values += children_[b].weight * children_[b].value;
    }
  }
  const double weight = lane_sum(weights);
  if (weight == 0.0) return {};

  // Children that are worse than the mean by their own uncertainty count less; the sum stays.
  const bool favours = favour_ && count > 1;
  const Lanes mean = all_lanes(favours ? lane_sum(values) / weight : 0.0);
  Lanes favoured{}, value{}, square{}, result{}, score{};
  for (std::size_t b = 0; b < blocks; ++b) {
    const Children& children = children_[b];
    const std::size_t at = b * kLanes;
    Lanes w = children.weight;
    if (favours) w *= (*favour_)(mover * (children.value - mean) * children.firmness);
    favoured += w;
    value += w * children.value;
    square += w * load_lanes(shares.square + at, capacity);
    result += w * load_lanes(shares.result + at, capacity);
    score += w * load_lanes(shares.score + at, capacity);
  }
  const double ratio = favours ? weight / lane_sum(favoured) : 1.0;
  return {lane_sum(value) * ratio, lane_sum(square) * ratio, lane_sum(result) * ratio, lane_sum(score) * ratio, weight};
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
  extension.spread = spread_factor(selection_, node);
}

}  // namespace honte
