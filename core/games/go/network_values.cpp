#include "games/go/network_values.hpp"

#include <algorithm>
#include <cmath>

#include "games/go/features.hpp"

namespace honte::go {
namespace {

constexpr int kKoRule = 6, kTerritory = 9;  // of the global features; the first is 0 for simple ko

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// Version 9 predicts the error, 10 to 13 its square, 14 and newer half of the root of that.
double value_error(double raw, const ValueScales& scales) {
  if (scales.version <= 9) return softplus(raw);
  const double half = softplus(raw / 2);
  const double square = scales.version <= 13 ? softplus(raw) : half * half;
  return std::sqrt(square * scales.short_term_value);
}

}  // namespace

void read_values(std::size_t rows, const float* value, const float* misc, std::size_t misc_width,
                 const float* global, const ValueScales& scales, float* numbers) {
  const auto put = [&](ValueNumber number, std::size_t row, double x) { numbers[number * rows + row] = static_cast<float>(x); };
  for (std::size_t row = 0; row < rows; ++row, value += 3, misc += misc_width, global += kKataGoGlobals) {
    const bool no_result_possible = global[kKoRule] == 0.0f || global[kTerritory] != 0.0f;
    const double highest = std::max({value[0], value[1], no_result_possible ? value[2] : value[1]});
    const double win = std::exp(value[0] - highest), loss = std::exp(value[1] - highest);
    const double none = no_result_possible ? std::exp(value[2] - highest) : 0.0;
    const double total = win + loss + none;
    // A game without result counts as 0 points.
    const double has_result = (win + loss) / total;
    const double mean = misc[0] * scales.score_mean, stdev = softplus(misc[1]) * scales.score_stdev;
    const double variance = (mean * mean + stdev * stdev) * has_result - mean * mean * has_result * has_result;
    put(kValue, row, (win - loss) / total);
    put(kScoreMean, row, mean * has_result);
    // Not std::max, which would turn a NaN into 0.
    put(kScoreStdev, row, variance < 0 ? 0.0 : std::sqrt(variance));
    put(kScoreLead, row, misc[2] * scales.lead * has_result);
    put(kNoResult, row, none / total);
    put(kValueError, row, misc_width >= 6 ? value_error(misc[4], scales) : 0.0);
  }
}

}  // namespace honte::go
