// KataGo's ways to a better mean: a node's value is computed anew from its own evaluation and
// its children, each with a weight, whenever something below it changed. [KataGo methods]
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/parameters.hpp"
#include "search/tree.hpp"

namespace honte {

// The utility of a score for player 0, who leads by `mean` points, give or take `stdev`: the
// expectation of (2/π) atan((x − centre) / (scale · √area)), by seven-point Gauss–Hermite.
double score_utility(double mean, double stdev, double center, double scale, double area);

// The weight of an evaluation whose expected absolute error is known: coefficient /
// (error^exponent + coefficient / maximum).
double evaluation_weight(const BackupParameters& parameters, double error);

// How far the search found positions reached by the same two moves to be off their evaluation.
class SubtreeBias {
 public:
  double correction(std::uint64_t bucket) const {
    const auto found = buckets_.find(bucket);
    return found == buckets_.end() || found->second.weight <= 0.001 ? 0.0 : found->second.delta / found->second.weight;
  }

  // Replaces what a node had added.
  void update(Extension& extension, double delta, double weight) {
    Sums& sums = buckets_[extension.bucket];
    sums.delta += delta - extension.bias_delta;
    sums.weight += weight - extension.bias_weight;
    extension.bias_delta = delta;
    extension.bias_weight = weight;
  }

  // Starts over from what the nodes of a tree have added.
  void rebuild(const Tree& tree);

 private:
  struct Sums {
    double delta = 0, weight = 0;
  };
  std::unordered_map<std::uint64_t, Sums> buckets_;
};

class Weighing {
 public:
  // A node's means from its own evaluation and its children; the sums it keeps are mean · N.
  void recompute(Tree& tree, const BackupParameters& parameters, std::uint32_t index, SubtreeBias& bias);

 private:
  struct Share {
    std::uint32_t child;
    double weight, value, p;  // the value is from the side to move at the node
  };

  void prune_noise(double scale);
  void favour_good_children(double exponent);

  std::vector<Share> shares_;
};

}  // namespace honte
