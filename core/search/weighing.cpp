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
  if (stdev == 0.0 && mean == center) return 0.0;  // where nobody speaks of points
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
  const double positive = std::max(0.0, error), exponent = parameters.uncertainty_exponent;
  return coefficient / ((exponent == 1.0 ? positive : std::pow(positive, exponent)) + coefficient / parameters.maximum_weight);
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
  const auto favour = [&](std::int32_t entry) {
    const double z = (static_cast<double>(entry) - kEntries / 2) / kPerUnit;
    const double cdf = 0.5 + 0.3183098861837907 * (z / (1.0 + z * z) + std::atan(z));
    return std::pow(cdf + 1e-4, exponent);
  };
  for (std::int32_t i = 0; i < kEntries; ++i)
    table_[i] = {static_cast<float>(favour(i)), static_cast<float>(favour(i + 1) - favour(i))};
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

}  // namespace

Weighing::Weighing(const Parameters& parameters) : selection_(parameters.selection), parameters_(parameters.backup) {
  if (parameters_.value_weight_exponent > 0.0) favour_ = favour_of(parameters_.value_weight_exponent);
}

}  // namespace honte
