// Sets of points, one bit a point. How many words are in use is the geometry's to
// say: every function takes it, and leaves the words beyond untouched and zero.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

namespace honte::go {

inline constexpr int kMaxWords = 11;

struct Bits {
  std::array<std::uint64_t, kMaxWords> word{};

  bool has(int point) const { return word[point >> 6] >> (point & 63) & 1; }
  void set(int point) { word[point >> 6] |= std::uint64_t{1} << (point & 63); }
  void clear(int point) { word[point >> 6] &= ~(std::uint64_t{1} << (point & 63)); }
  std::uint64_t operator[](int index) const { return word[index]; }
  std::uint64_t& operator[](int index) { return word[index]; }
  bool operator==(const Bits&) const = default;
};

// Calls f with the number of words as a constant for the common sizes (9×9, 13×13,
// 19×19), so that the loops over words unroll.
template <class F>
inline decltype(auto) with_words(int words, F&& f) {
  switch (words) {
    case 2: return f(std::integral_constant<int, 2>{});
    case 4: return f(std::integral_constant<int, 4>{});
    case 7: return f(std::integral_constant<int, 7>{});
    default: return f(words);
  }
}

template <class N>
inline int count(const Bits& set, N words) {
  int total = 0;
  for (int i = 0; i < words; ++i) total += std::popcount(set[i]);
  return total;
}

template <class N>
inline bool any(const Bits& set, N words) {
  std::uint64_t all = 0;
  for (int i = 0; i < words; ++i) all |= set[i];
  return all != 0;
}

// Calls f(point) for every point of the set in ascending order.
template <class N, class F>
inline void for_each(const Bits& set, N words, F&& f) {
  for (int i = 0; i < words; ++i)
    for (std::uint64_t rest = set[i]; rest; rest &= rest - 1) f(i * 64 + std::countr_zero(rest));
}

// The points next to a point of the set, walls included.
template <class N>
inline Bits neighbours(const Bits& set, N words, int stride) {
  Bits result;
  for (int i = 0; i < words; ++i) {
    const std::uint64_t here = set[i], before = i > 0 ? set[i - 1] : 0,
                        after = i + 1 < words ? set[i + 1] : 0;
    result[i] = here << 1 | before >> 63 | here >> 1 | after << 63 | here << stride |
                before >> (64 - stride) | here >> stride | after << (64 - stride);
  }
  return result;
}

// The set moved by a number of points, of which there are fewer than 64; upwards if positive.
template <class N>
inline Bits shifted(const Bits& set, N words, int by) {
  Bits result;
  if (by > 0) {
    for (int i = 0; i < words; ++i)
      result[i] = set[i] << by | (i > 0 ? set[i - 1] >> (64 - by) : 0);
  } else {
    for (int i = 0; i < words; ++i)
      result[i] = set[i] >> -by | (i + 1 < words ? set[i + 1] << (64 + by) : 0);
  }
  return result;
}

// The points of `within` that can be reached from `seed` through points of `within`.
template <class N>
inline Bits flood(Bits seed, const Bits& within, N words, int stride) {
  for (int i = 0; i < words; ++i) seed[i] &= within[i];
  for (;;) {
    std::uint64_t grown = 0;
    for (int i = 0; i < words; ++i) {
      const std::uint64_t here = seed[i], before = i > 0 ? seed[i - 1] : 0,
                          after = i + 1 < words ? seed[i + 1] : 0, open = within[i];
      std::uint64_t next = here << 1 | before >> 63 | here >> 1 | after << 63 | here << stride |
                           before >> (64 - stride) | here >> stride | after << (64 - stride);
      next = here | (next & open);
      // The carry of a sum runs upwards through a row of open points: all of them at once.
      next |= open & ~(open + next);
      grown |= next ^ here;
      seed[i] = next;
    }
    if (!grown) return seed;
  }
}

// The index of the n-th (from 0) bit that is set in a word.
inline int select(std::uint64_t word, int n) {
#if defined(__BMI2__)
  return std::countr_zero(_pdep_u64(std::uint64_t{1} << n, word));
#else
  int base = 0;
  for (int half = 32; half > 0; half /= 2) {
    const int below = std::popcount(word & ((std::uint64_t{1} << half) - 1));
    if (n >= below) {
      n -= below;
      word >>= half;
      base += half;
    }
  }
  return base;
#endif
}

// The n-th (from 0) point of a set that has more than n.
template <class N>
inline int select(const Bits& set, N words, int n) {
  for (int i = 0; i < words; ++i) {
    const int here = std::popcount(set[i]);
    if (n < here) return i * 64 + select(set[i], n);
    n -= here;
  }
  return 0;
}

}  // namespace honte::go
