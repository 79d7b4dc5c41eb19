#include "search/expansion.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "search/lanes.hpp"

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

namespace {

// Breaks ties between equal priors: 16 bits of a hash of the node's salt and the action's place.
std::uint32_t tie_of(std::uint32_t salt, std::uint32_t place) {
  std::uint32_t x = salt + place * 0x9e3779b9u;
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x >> 16;
}

std::uint64_t candidate_key(PriorCode code, std::uint32_t salt, std::uint32_t place) {
  return std::uint64_t{(0xfffeu - code) << 16 | tie_of(salt, place)} << 16 | place;
}

// Sorts up to eight different numbers: each goes to the place that counts how many are smaller.
void put_in_order(std::span<std::uint64_t> numbers) {
  LaneIntegers eight = LaneIntegers{} + std::numeric_limits<std::int64_t>::max(), places{};  // the numbers have 48 bits
  std::memcpy(&eight, numbers.data(), numbers.size_bytes());
  for (const std::uint64_t number : numbers) places -= eight > static_cast<std::int64_t>(number);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[static_cast<std::size_t>(places[i])] = static_cast<std::uint64_t>(eight[i]);
}

// Puts so many of the smallest numbers, sorted, to the front and spoils the rest. A tree that digs
// asks hundreds of actions for the best few at every node, so those few are kept in order while the
// rest is only looked at.
void put_smallest_first(std::span<std::uint64_t> numbers, std::uint32_t wanted) {
  constexpr std::uint32_t few = 16;
  if (numbers.size() <= kLanes) return put_in_order(numbers);
  if (wanted > few || numbers.size() <= 2 * few) {
    if (wanted < numbers.size()) std::nth_element(numbers.begin(), numbers.begin() + (wanted - 1), numbers.end());
    std::sort(numbers.begin(), numbers.begin() + wanted);
    return;
  }
  std::sort(numbers.begin(), numbers.begin() + wanted);
  std::uint64_t* last = &numbers[wanted - 1];
  const auto keep = [&](std::uint64_t number) {
    if (number > *last) return;
    std::uint64_t* place = last;
    for (; place != numbers.data() && place[-1] > number; --place) *place = place[-1];
    *place = number;
  };
  std::size_t i = wanted;
  for (; i + kLanes <= numbers.size(); i += kLanes) {
    LaneIntegers eight;  // the numbers have 48 bits
    std::memcpy(&eight, &numbers[i], sizeof eight);
    for (unsigned below = lane_mask(eight < static_cast<std::int64_t>(*last)); below; below &= below - 1)
      keep(numbers[i + static_cast<std::size_t>(std::countr_zero(below))]);
  }
  for (; i < numbers.size(); ++i) keep(numbers[i]);
}

}  // namespace

void list_candidates(Tree& tree, Node& node, std::uint32_t needed, std::span<const Action> legal,
                     std::vector<std::uint64_t>& scratch) {
  needed = std::min<std::uint32_t>(needed, node.width);
  std::uint32_t wanted = std::max<std::uint32_t>(8, 2u * node.listed);
  while (wanted < needed) wanted *= 2;
  wanted = std::min<std::uint32_t>(wanted, node.width);

  // Prior, tie and place in one number, the smallest first; what is dropped comes last.
  const std::uint32_t count = node.legal_count;
  scratch.resize(count);
  if (node.codes == kNone) {
    const PriorCode uniform = uniform_code(count);
    for (std::uint32_t i = 0; i < count; ++i) scratch[i] = candidate_key(uniform, node.salt, i);
  } else {
    const PriorCode* codes = &tree.codes[node.codes];
    for (std::uint32_t i = 0; i < count; ++i) scratch[i] = candidate_key(codes[i], node.salt, i);
  }
  put_smallest_first(scratch, wanted);

  if (node.order != kNone) tree.orders.release(node.order, node.order_capacity_log2);
  node.order_capacity_log2 = order_capacity_log2(wanted);
  node.order = tree.orders.allocate(node.order_capacity_log2);
  for (std::uint32_t i = 0; i < wanted; ++i)
    tree.orders.at(node.order)[i] = {.action = legal[scratch[i] & 0xffff],
                                     .code = static_cast<PriorCode>(0xfffe - (scratch[i] >> 32))};
  node.listed = static_cast<std::uint16_t>(wanted);
}

}  // namespace honte
