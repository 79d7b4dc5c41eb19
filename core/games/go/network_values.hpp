// What a search reads of a KataGo network's value head.
#pragma once

#include <cstddef>

namespace honte::go {

// How the raw numbers scale, as the network's file says it; see honte.networks.OutputScales.
struct ValueScales {
  int version = 8;
  double score_mean = 20, score_stdev = 20, lead = 20, short_term_value = 0.25;
};

enum ValueNumber { kValue, kScoreMean, kScoreStdev, kScoreLead, kNoResult, kValueError, kValueNumbers };

// Fills numbers [kValueNumbers, rows], from the side to move: P(win) − P(loss), points,
// P(no result) and the expected error of the first, 0 where the network does not tell it.
// `value` is [rows, 3], `misc` [rows, misc_width] with 4 or at least 6 numbers, `global`
// [rows, 19] the features, which tell whether a game can end without result: by simple ko,
// or under territory scoring.
void read_values(std::size_t rows, const float* value, const float* misc, std::size_t misc_width,
                 const float* global, const ValueScales& scales, float* numbers);

}  // namespace honte::go
