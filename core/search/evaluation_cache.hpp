// A bounded table of evaluations by position, shared by any number of searches that use
// one evaluator. A new entry replaces what stood in its slot.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "games/state.hpp"
#include "search/prior_code.hpp"

namespace honte {

struct CachedEvaluation {
  PositionKey key;
  float value = 0, score_mean = 0, score_stdev = 0, score_lead = 0, no_result = 0, uncertainty = 0;  // from the side to move
  std::vector<PriorCode> codes;                                      // empty: uniform
  std::vector<std::int8_t> ownership;                                // 127ths, for player 0; empty: none given
  bool filled = false;
};

class EvaluationCache {
 public:
  // Room for at least `capacity` positions, rounded up to a power of two.
  explicit EvaluationCache(std::size_t capacity) {
    std::size_t size = 1;
    while (size < capacity) size *= 2;
    slots_.resize(size);
  }

  bool find(const PositionKey& key, CachedEvaluation& found) {
    const std::lock_guard lock(mutex_);
    const CachedEvaluation& slot = slots_[key.hash() & (slots_.size() - 1)];
    const bool hit = slot.filled && slot.key == key;
    ++(hit ? hits_ : misses_);
    if (hit) found = slot;
    return hit;
  }

  void store(CachedEvaluation evaluation) {
    const std::lock_guard lock(mutex_);
    evaluation.filled = true;
    CachedEvaluation& slot = slots_[evaluation.key.hash() & (slots_.size() - 1)];
    size_ += !slot.filled;
    slot = std::move(evaluation);
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    for (CachedEvaluation& slot : slots_) slot = CachedEvaluation{};
    size_ = 0;
  }

  std::size_t capacity() const { return slots_.size(); }
  std::size_t size() const { return size_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  std::mutex mutex_;
  std::vector<CachedEvaluation> slots_;
  std::size_t size_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace honte
