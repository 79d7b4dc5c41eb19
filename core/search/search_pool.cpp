#include "search/search_pool.hpp"

#include <algorithm>
#include <utility>

namespace honte {

void SearchPool::add(std::shared_ptr<SearchBase> search, std::uint64_t simulations) {
  const std::uint64_t least = search->node(0).n == 0 ? 1 : 0;
  const std::uint64_t end = search->statistics().simulations + std::max(simulations, least);
  members_.push_back({std::move(search), end});
}

std::vector<std::shared_ptr<SearchBase>> SearchPool::fill(LeafBatch& batch, std::size_t maximum_rows) {
  std::vector<std::shared_ptr<SearchBase>> ended;
  for (std::size_t turns = members_.size(); turns > 0 && batch.rows.size() < maximum_rows; --turns) {
    Member member = std::move(members_.front());
    members_.pop_front();
    SearchBase& search = *member.search;
    if (search.waiting() == 0 && !member.has_ended()) {
      if (search.wants_pruning()) search.prune();
      try {
        search.select(batch, batch.rows.size() + 1, member.end - search.statistics().simulations);
      } catch (...) {
        members_.push_back(std::move(member));
        throw;
      }
    }
    // Simulations that end at a known position need no answer, so it may have ended just now.
    if (search.waiting() == 0 && member.has_ended())
      ended.push_back(std::move(member.search));
    else
      members_.push_back(std::move(member));
  }
  return ended;
}

bool SearchPool::Member::has_ended() const {
  const Node& root = search->node(0);
  return root.terminal || (root.proven && root.n > 0) || search->statistics().simulations >= end;
}

void SearchPool::remove(const SearchBase* search) {
  std::erase_if(members_, [search](const Member& member) { return member.search.get() == search; });
}

}  // namespace honte
