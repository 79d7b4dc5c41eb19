#include "search/expansion.hpp"

#include <algorithm>
#include <limits>

namespace honte {

void softmax(std::span<double> logits, double temperature) {
  double highest = -std::numeric_limits<double>::infinity(), lowest = std::numeric_limits<double>::infinity();
  for (const double logit : logits) {
    highest = std::max(highest, logit);
    lowest = std::min(lowest, logit);
  }
  if (highest == lowest) {
    std::ranges::fill(logits, 1.0 / static_cast<double>(logits.size()));
    return;
  }
  double sum = 0.0;
  for (double& logit : logits) sum += logit = std::exp((logit - highest) / temperature);
  for (double& p : logits) p /= sum;
}

void encode_priors(std::span<double> priors, double filter, std::span<PriorCode> codes) {
  if (filter > 0.0) {
    const double bar = std::min(filter, *std::ranges::max_element(priors));
    double kept = 0.0;
    for (double& p : priors) {
      if (p < bar) p = -1.0;
      else kept += p;
    }
    for (double& p : priors)
      if (p >= 0.0) p /= kept;
  }
  for (std::size_t i = 0; i < priors.size(); ++i) codes[i] = priors[i] < 0.0 ? kDropped : encode_prior(priors[i]);
}

namespace {

// The part of each action in KataGo's shaped noise; sums to 1.
std::vector<double> shape(std::span<const double> priors) {
  std::vector<double> part(priors.size());
  const double count = static_cast<double>(priors.size());
  double mean = 0.0;
  for (std::size_t i = 0; i < priors.size(); ++i) mean += part[i] = std::log(std::min(0.01, priors[i]) + 1e-20);
  mean /= count;
  double sum = 0.0;
  for (double& x : part) sum += x = std::max(0.0, x - mean);
  for (double& x : part) x = sum > 0.0 ? 0.5 * x / sum + 0.5 / count : 1.0 / count;
  return part;
}

}  // namespace

void add_noise(std::span<double> priors, const ExpansionParameters& parameters, Random& random) {
  if (parameters.noise == NoiseRule::kNone || priors.size() < 2) return;
  const double count = static_cast<double>(priors.size()), total = parameters.noise_concentration;
  std::vector<double> eta(priors.size());
  const std::vector<double> part = parameters.noise == NoiseRule::kShaped ? shape(priors) : std::vector<double>();
  double sum = 0.0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const double alpha = parameters.noise == NoiseRule::kPlain    ? total
                         : parameters.noise == NoiseRule::kScaled ? total / count
                                                                  : total * part[i];
    sum += eta[i] = random.gamma(alpha);
  }
  if (!(sum > 0.0)) return;  // every gamma underflowed: no noise rather than a division by zero
  for (std::size_t i = 0; i < eta.size(); ++i)
    priors[i] = (1.0 - parameters.noise_weight) * priors[i] + parameters.noise_weight * eta[i] / sum;
}

void list_candidates(Tree& tree, Node& node, std::uint32_t needed, std::span<const Action> legal,
                     std::vector<std::uint64_t>& scratch) {
  needed = std::min<std::uint32_t>(needed, node.width);
  std::uint32_t wanted = std::max<std::uint32_t>(8, 2u * node.listed);
  while (wanted < needed) wanted *= 2;
  wanted = std::min<std::uint32_t>(wanted, node.width);

  scratch.clear();
  const PriorCode uniform = uniform_code(node.legal_count);
  const std::uint64_t salt = std::uint64_t{node.salt} << 16;
  for (std::uint32_t i = 0; i < node.legal_count; ++i) {
    const PriorCode code = node.codes == kNone ? uniform : tree.codes[node.codes + i];
    if (code == kDropped) continue;
    const std::uint64_t tie = mix64(salt | i) >> 48;
    scratch.push_back(std::uint64_t{0xffffu - code} << 32 | tie << 16 | i);
  }
  std::nth_element(scratch.begin(), scratch.begin() + (wanted - 1), scratch.end());
  std::sort(scratch.begin(), scratch.begin() + wanted);

  if (node.order != kNone) tree.orders.release(node.order, node.order_capacity_log2);
  node.order_capacity_log2 = static_cast<std::uint8_t>(std::bit_width(wanted - 1u));
  node.order = tree.orders.allocate(node.order_capacity_log2);
  for (std::uint32_t i = 0; i < wanted; ++i)
    tree.orders.at(node.order)[i] = {.action = legal[scratch[i] & 0xffff],
                                     .code = static_cast<PriorCode>(0xffff - (scratch[i] >> 32))};
  node.listed = static_cast<std::uint16_t>(wanted);
}

}  // namespace honte
