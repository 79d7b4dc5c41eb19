// Sums, maxima and exponentials over the actions of a node, eight at a time, in an order of operations
// that is the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace honte {

inline constexpr std::size_t kLanes = 8;

// Eight numbers in vector registers, as many as the processor needs for them.
using Lanes = double __attribute__((vector_size(64)));
using LaneIntegers = std::int64_t __attribute__((vector_size(64)));  // also what comparing Lanes gives
static_assert(sizeof(Lanes) == kLanes * sizeof(double));

inline constexpr LaneIntegers kPlaces{0, 1, 2, 3, 4, 5, 6, 7};

// Eight numbers of half the size. Compilers convert them in two halves where the processor needs one
// instruction.
using FloatLanes = float __attribute__((vector_size(32)));
using IntLanes = std::int32_t __attribute__((vector_size(32)));

inline Lanes widened(FloatLanes x) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(reinterpret_cast<__m256>(x));
#else
  return __builtin_convertvector(x, Lanes);
#endif
}

inline Lanes widened(IntLanes x) {
#if defined(__AVX512F__)
  return _mm512_cvtepi32_pd(reinterpret_cast<__m256i>(x));
#else
  return __builtin_convertvector(x, Lanes);
#endif
}

// Towards zero.
inline IntLanes whole_numbers(Lanes x) {
#if defined(__AVX512F__)
  return reinterpret_cast<IntLanes>(_mm512_cvttpd_epi32(x));
#else
  return __builtin_convertvector(x, IntLanes);
#endif
}

inline Lanes all_lanes(double x) { return Lanes{x, x, x, x, x, x, x, x}; }

inline Lanes load_lanes(const double* numbers) {
  Lanes lanes;
  std::memcpy(&lanes, numbers, sizeof lanes);
  return lanes;
}

inline void store_lanes(double* numbers, Lanes lanes) { std::memcpy(numbers, &lanes, sizeof lanes); }

// The first of a column with this capacity, a power of two; `beyond` past its end.
inline Lanes load_lanes(const double* column, std::size_t capacity, double beyond) {
  if (capacity >= kLanes) return load_lanes(column);
  const double z = beyond;
  if (capacity == 4) return Lanes{column[0], column[1], column[2], column[3], z, z, z, z};
  if (capacity == 2) return Lanes{column[0], column[1], z, z, z, z, z, z};
  return Lanes{column[0], z, z, z, z, z, z, z};
}

// The first `count` of a column with this capacity, a power of two; `beyond` past them.
inline Lanes load_first(const double* column, [[maybe_unused]] std::size_t capacity, std::size_t count, double beyond) {
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask8>(count >= kLanes ? 0xffu : (1u << count) - 1u);
  return reinterpret_cast<Lanes>(_mm512_mask_loadu_pd(_mm512_set1_pd(beyond), mask, column));
#else
  const Lanes lanes = load_lanes(column, capacity, beyond);
  return kPlaces < static_cast<std::int64_t>(count) ? lanes : all_lanes(beyond);
#endif
}

// The first of a column with this capacity, a power of two; 0 beyond it.
inline Lanes load_lanes(const float* column, std::size_t capacity) {
  FloatLanes floats{};
#if defined(__AVX512VL__)
  const auto within = static_cast<__mmask8>(capacity >= kLanes ? 0xffu : (1u << capacity) - 1u);
  floats = reinterpret_cast<FloatLanes>(_mm256_maskz_loadu_ps(within, column));
#else
  if (capacity >= kLanes) std::memcpy(&floats, column, 8 * sizeof(float));
  else if (capacity == 4) floats = FloatLanes{column[0], column[1], column[2], column[3]};
  else if (capacity == 2) floats = FloatLanes{column[0], column[1]};
  else floats = FloatLanes{column[0]};
#endif
  return widened(floats);
}

// The same numbers with one lane replaced.
inline Lanes with_lane(Lanes x, std::size_t lane, double number) {
  return kPlaces == static_cast<std::int64_t>(lane) ? all_lanes(number) : x;
}

// Added pairwise: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7)).
inline double lane_sum(Lanes x) {
  x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7);
  x += __builtin_shufflevector(x, x, 2, 3, 2, 3, 2, 3, 2, 3);
  return x[0] + x[1];
}

// Four at once, each added as by lane_sum.
using FourLanes = double __attribute__((vector_size(32)));
inline FourLanes lane_sums(Lanes a, Lanes b, Lanes c, Lanes d) {
  const auto halves = [](Lanes x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7);
  };
  const auto quarters = [](FourLanes x, FourLanes y) {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
  };
  const FourLanes ab = quarters(halves(a), halves(b)), cd = quarters(halves(c), halves(d));
  return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
}

inline double highest_lane(Lanes x) {
  Lanes y = __builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7);
  x = x > y ? x : y;
  y = __builtin_shufflevector(x, x, 2, 3, 2, 3, 2, 3, 2, 3);
  x = x > y ? x : y;
  return x[0] > x[1] ? x[0] : x[1];
}

// The highest lane, in all lanes.
inline Lanes highest_in_all(Lanes x) {
  Lanes y = __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
  x = x > y ? x : y;
  y = __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
  x = x > y ? x : y;
  y = __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
  return x > y ? x : y;
}

// Each lane moves up one; 0 comes in.
inline Lanes lanes_before(Lanes x) { return __builtin_shufflevector(Lanes{}, x, 0, 8, 9, 10, 11, 12, 13, 14); }

// Each lane becomes the sum of itself and those before it.
inline Lanes running_sums(Lanes x) {
  const Lanes none{};
  x += lanes_before(x);
  x += __builtin_shufflevector(none, x, 0, 1, 8, 9, 10, 11, 12, 13);
  x += __builtin_shufflevector(none, x, 0, 1, 2, 3, 8, 9, 10, 11);
  return x;
}

// One bit a lane: which lanes a comparison holds for.
inline unsigned lane_mask(LaneIntegers holds) {
#if defined(__AVX512F__)
  const auto bits = reinterpret_cast<__m512i>(holds);
  return _mm512_test_epi64_mask(bits, bits);
#else
  unsigned mask = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) mask |= static_cast<unsigned>(holds[lane] & 1) << lane;
  return mask;
#endif
}

// One bit a lane: which lanes are this number.
inline unsigned lanes_equal(Lanes x, double number) {
#if defined(__AVX512F__)
  return _mm512_cmpeq_pd_mask(reinterpret_cast<__m512d>(x), _mm512_set1_pd(number));
#else
  return lane_mask(x == all_lanes(number));
#endif
}

// The lanes of a mask with one bit a lane.
inline LaneIntegers lanes_of(std::uint8_t mask) {
  const auto bits = static_cast<std::int64_t>(mask);
  return (LaneIntegers{bits, bits, bits, bits, bits, bits, bits, bits} & LaneIntegers{1, 2, 4, 8, 16, 32, 64, 128}) != 0;
}

// The sum of a multiple of kLanes numbers: number i goes to lane i mod 8, and the lanes are added
// pairwise.
inline double lane_sum(std::span<const double> numbers) {
  std::array<double, kLanes> lanes{};
  for (std::size_t i = 0; i < numbers.size(); i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += numbers[i + lane];
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

// `count` rounded up to whole lanes.
inline std::size_t whole_lanes(std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

// The highest of numbers that come by eight, and the place of the first of equals.
class FirstHighest {
 public:
  void take(Lanes eight) {
    const LaneIntegers higher = eight > highest_;
    highest_ = taken_ ? higher ? eight : highest_ : eight;
    blocks_ = higher ? all_blocks(taken_) : blocks_;
    ++taken_;
  }

  double number() const { return highest_lane(highest_); }

  // Of `number`, which was taken.
  std::uint32_t place(double number) const {
    unsigned equals = lanes_equal(highest_, number);
    if (taken_ == 1) return static_cast<std::uint32_t>(std::countr_zero(equals));
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (; equals; equals &= equals - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(equals));
      first = std::min(first, static_cast<std::uint32_t>(blocks_[lane]) * static_cast<std::uint32_t>(kLanes) + lane);
    }
    return first;
  }

 private:
  static LaneIntegers all_blocks(std::int64_t block) { return LaneIntegers{block, block, block, block, block, block, block, block}; }

  Lanes highest_ = all_lanes(-std::numeric_limits<double>::infinity());
  LaneIntegers blocks_{};
  std::int64_t taken_ = 0;
};

inline constexpr double kLargestPower = 900.0;

// 2^y to 2·10⁻⁷ of its size: 2^k · 2^(y − k) with k the nearest integer to y ≤ 900. 0 where y is −900 or less,
// or no number.
inline Lanes power_of_two(Lanes y) {
  constexpr double to_integer = 6755399441055744.0;  // 1.5 · 2^52: the low bits of a sum with it are k
  const Lanes shifted = y + to_integer;
  const Lanes f = y - (shifted - to_integer), square = f * f;
  const Lanes first = (f * 6.931471805599453e-1 + 1.0) + square * (f * 5.550410866482158e-2 + 2.402265069591007e-1);
  const Lanes last = (f * 1.3333558146428443e-3 + 9.618129107628477e-3) + square * 1.5403530393381609e-4;
  const Lanes power = first + (square * square) * last;
  const Lanes scaled = std::bit_cast<Lanes>(std::bit_cast<LaneIntegers>(power) + (std::bit_cast<LaneIntegers>(shifted) << 52));
  return y > -kLargestPower ? scaled : Lanes{};
}

}  // namespace honte
