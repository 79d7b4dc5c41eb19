// A prior in 16 bits: an unsigned float of 5 exponent and 11 mantissa bits, from 2^-31
// to 1 with a relative error of at most 2^-12. A node of 19×19 Go keeps hundreds of
// priors and reads few, so their size decides the size of the tree.
#pragma once

#include <bit>
#include <cstdint>

namespace honte {

using PriorCode = std::uint16_t;

inline PriorCode encode_prior(double p) {
  constexpr std::uint32_t bias = (127u - 31u) << 11;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(p));
  const std::uint32_t rounded = (bits + 0x800u) >> 12;
  return rounded <= bias ? 0 : static_cast<PriorCode>(rounded - bias);
}

inline double decode_prior(PriorCode code) {
  constexpr std::uint32_t bias = (127u - 31u) << 11;
  return std::bit_cast<float>((code + bias) << 12);
}

}  // namespace honte
