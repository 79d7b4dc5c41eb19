// Counter-based random numbers: a stream is named, never carried over, so any
// part of a run can be replayed by itself.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace honte {

// The finaliser of SplitMix64: a bijection of 64-bit words that mixes well.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  x ^= x >> 31;
  return x;
}

// A stream of random numbers named by words, for example (seed, game, move, purpose).
// The n-th number depends on the name and on n alone.
class Random {
 public:
  explicit constexpr Random(std::initializer_list<std::uint64_t> name) {
    for (std::uint64_t word : name) key_ = mix64(key_ + 0x9e3779b97f4a7c15ull + word) ^ (word << 1);
  }

  constexpr std::uint64_t next() { return mix64(key_ + 0x9e3779b97f4a7c15ull * ++counter_); }

  // Uniform in [0, bound); bound must be positive. Lemire's multiply-shift: the
  // bias is below bound / 2^32, which no search can see.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  // Uniform in (0, 1): never 0, so its logarithm is finite.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

  // Box and Muller (1958).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

  // Gamma(shape, 1) by Marsaglia and Tsang (2000); a shape below 1 is boosted.
  double gamma(double shape) {
    if (shape < 1.0) {
      const double boosted = gamma(shape + 1.0);
      return boosted * std::pow(uniform(), 1.0 / shape);
    }
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double x = normal(), t = 1.0 + c * x;
      if (t <= 0.0) continue;
      const double v = t * t * t;
      if (std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  std::uint64_t key_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace honte
