// KataGo's ways to a better mean: a node's value is computed anew from its own evaluation and
// its children, each with a weight, whenever something below it changed. [KataGo methods]
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/lanes.hpp"
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
  // The place of a name in the table, which makes room for a new one. Names are hashes already.
  std::uint32_t bucket(std::uint64_t name);

  double correction(std::uint32_t bucket) const {
    const Bucket& sums = buckets_[bucket];
    return sums.weight <= 0.001 ? 0.0 : sums.delta / sums.weight;
  }

  // Replaces what a node had added.
  void update(Extension& extension, double delta, double weight) {
    Bucket& sums = buckets_[extension.bucket];
    sums.delta += delta - extension.bias_delta;
    sums.weight += weight - extension.bias_weight;
    extension.bias_delta = delta;
    extension.bias_weight = weight;
  }

  void fetch_ahead(std::uint32_t bucket) const { __builtin_prefetch(&buckets_[bucket]); }

  // Starts over from what the nodes of a tree have added.
  void rebuild(Tree& tree);

 private:
  struct Bucket {
    std::uint64_t name;
    double delta = 0, weight = 0;
  };
  std::uint32_t& slot(std::uint64_t name);

  std::vector<Bucket> buckets_;
  std::vector<std::uint32_t> slots_;  // open addressing: a place in `buckets_`, or kNone
};

// (F(z) + 10⁻⁴)^exponent by z/√3, where F is Student's distribution with 3 degrees of freedom:
// a table with straight lines between its entries, since weighing asks for each child it reads.
class Favour {
 public:
  explicit Favour(double exponent);

  Lanes operator()(Lanes z) const {
    Lanes place = z * kPerUnit + kEntries / 2;
    place = place > 0.0 ? place : Lanes{};
    place = place < kEntries - 1.0 ? place : all_lanes(kEntries - 1.0);
    const IntLanes i = whole_numbers(place);
    FloatLanes here, rise;
#if defined(__AVX512F__)
    const __m512i entries = _mm512_i32gather_epi64(reinterpret_cast<__m256i>(i), table_.data(), sizeof(Entry));
    here = reinterpret_cast<FloatLanes>(_mm512_cvtepi64_epi32(entries));
    rise = reinterpret_cast<FloatLanes>(_mm512_cvtepi64_epi32(_mm512_srli_epi64(entries, 32)));
#else
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      here[lane] = table_[static_cast<std::size_t>(i[lane])].here;
      rise[lane] = table_[static_cast<std::size_t>(i[lane])].rise;
    }
#endif
    return widened(here) + (place - widened(i)) * widened(rise);
  }

 private:
  struct Entry {
    float here, rise;  // to the next entry
  };
  static constexpr std::int32_t kEntries = 1024;
  static constexpr double kPerUnit = 32.0;

  std::array<Entry, kEntries> table_;
};

class Weighing {
 public:
  explicit Weighing(const Parameters& parameters);

  // N += 1 along the way; every node on it computes its means anew.
  void back_up(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf, bool was_in_flight, SubtreeBias& bias);

  // The same in a graph, where a node on the way reads all its children anew if one of them was
  // visited by another way. A way that ended at an edge, its child being visited already, has no leaf
  // (kNone).
  void back_up_graph(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf, bool was_in_flight, SubtreeBias& bias);

 private:
  // The weighed means of a node's children, and Σ w.
  struct Weighed {
    Means means{};
    double weight = 0;
  };

  // Eight of the node's children.
  struct Children {
    Lanes value, weight, firmness, prior;
  };

  // A node's means from its own evaluation and its shares; the sums it keeps, which are returned, are
  // mean · N. The share at `place`, if any, is replaced first.
  Means recompute(Tree& tree, std::uint32_t index, SubtreeBias& bias, std::uint32_t place, const Share& share);

  // The children's means by their weights: noise pruned, good children favoured. The share at `place`
  // is not read but given: what was only just written to a column would be waited for. `kFew`: eight
  // children at most.
  template <bool kFew>
  Weighed of_children(const ShareColumns& shares, std::uint32_t count, std::size_t capacity, double mover, std::uint32_t place, const Share& share);

  static bool has_noise(std::span<const Children> all, double mover);
  void prune_noise(std::span<Children> all, std::uint32_t count, double mover) const;

  SelectionParameters selection_;
  BackupParameters parameters_;
  std::shared_ptr<const Favour> favour_;
  std::vector<Children> children_;
};

}  // namespace honte
