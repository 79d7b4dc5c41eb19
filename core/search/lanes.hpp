// Sums, maxima and exponentials over the actions of a node, in an order of operations that
// compilers turn into vector instructions and that is the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>

namespace honte {

inline constexpr std::size_t kLanes = 8;

// The sum of a multiple of kLanes numbers: number i goes to lane i mod 8, and the lanes are added
// pairwise.
inline double lane_sum(std::span<const double> numbers) {
  std::array<double, kLanes> lanes{};
  for (std::size_t i = 0; i < numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += numbers[i + lane];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

inline double highest_lane(const double* x) {
  return std::max(std::max(std::max(x[0], x[4]), std::max(x[2], x[6])), std::max(std::max(x[1], x[5]), std::max(x[3], x[7])));
}

// The highest of some numbers, a multiple of kLanes of them; minus infinity where there are none.
inline double highest(std::span<const double> numbers) {
  if (numbers.size() == kLanes) return highest_lane(numbers.data());
  std::array<double, kLanes> lanes;
  lanes.fill(-std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = std::max(lanes[lane], numbers[i + lane]);
  return highest_lane(lanes.data());
}

// The place of the first that is `wanted`, among a multiple of kLanes numbers that hold it.
inline std::uint32_t first_place(std::span<const double> numbers, double wanted) {
  for (std::size_t i = 0;; i += kLanes) {
    unsigned equal = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) equal |= static_cast<unsigned>(numbers[i + lane] == wanted) << lane;
    if (equal) return static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(std::countr_zero(equal));
  }
}

// `count` rounded up to whole lanes.
inline std::size_t whole_lanes(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// e^x for x ≤ 0, to 2·10⁻⁷ of its size: 2^k · 2^f with k the nearest integer to x / ln 2.
inline double falling_exp(double x) {
  constexpr double to_integer = 6755399441055744.0;  // 1.5 · 2^52: the low bits of a sum with it are k
  const double y = std::max(x * 1.4426950408889634, -1000.0);
  const double shifted = y + to_integer;
  const double f = y - (shifted - to_integer);
  double power = 1.5403530393381609e-4;
  power = power * f + 1.3333558146428443e-3;
  power = power * f + 9.618129107628477e-3;
  power = power * f + 5.550410866482158e-2;
  power = power * f + 2.402265069591007e-1;
  power = power * f + 6.931471805599453e-1;
  power = power * f + 1.0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(power) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace honte
