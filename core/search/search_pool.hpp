// Many searches on their way to their budgets that fill an evaluator's batches together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "search/search.hpp"

namespace honte {

// Every search has at most one leaf in flight, so what it finds does not depend on which others
// share its batches.
class SearchPool {
 public:
  // A search that may make so many simulations from here on, at least the one of its root.
  void add(std::shared_ptr<SearchBase> search, std::uint64_t simulations);

  // Selects a leaf of each search in turn until the batch has `maximum_rows` rows. Returns, and
  // lets go of, those met on the way that have ended: their simulations are made, or their root's
  // exact value is known.
  std::vector<std::shared_ptr<SearchBase>> fill(LeafBatch& batch, std::size_t maximum_rows);

  // Lets go of a search, whose leaf in flight must have been taken back.
  void remove(const SearchBase* search);

  std::size_t size() const { return members_.size(); }

 private:
  struct Member {
    std::shared_ptr<SearchBase> search;
    std::uint64_t end;  // the number of simulations in all at which it has ended

    bool has_ended() const;
  };
  std::deque<Member> members_;
};

}  // namespace honte
