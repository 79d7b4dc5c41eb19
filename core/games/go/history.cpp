#include "games/go/history.hpp"

#include <algorithm>

namespace honte::go {

Position History::operator[](int index) const {
  const int first = prefix_size();
  const std::uint64_t* record = index < first ? &prefix_->records[std::size_t(index) * record_words()]
                                              : &tail_[std::size_t(index - first) * record_words()];
  return {record[0], record + 1, record + 1 + words_};
}

void History::push(std::uint64_t meta, const Bits& black, const Bits& white) {
  const std::size_t at = tail_.size();
  tail_.resize(at + record_words());
  std::uint64_t* record = &tail_[at];
  record[0] = meta;
  std::copy_n(black.word.begin(), words_, record + 1);
  std::copy_n(white.word.begin(), words_, record + 1 + words_);
}

void History::set_last_next(Colour next) {
  if (tail_.empty()) {
    const Position last = this->last();
    const std::vector<std::uint64_t> record(&last.black[-1], &last.black[-1] + record_words());
    auto shorter = std::make_shared<Prefix>(*prefix_);
    --shorter->size;
    shorter->records.resize(shorter->records.size() - record_words());
    std::erase_if(shorter->by_counts, [&](std::uint64_t entry) {
      return (entry & 0xffffffff) == std::uint64_t(shorter->size);
    });
    prefix_ = std::move(shorter);
    tail_ = record;
  }
  std::uint64_t& meta = tail_[tail_.size() - record_words()];
  meta = (meta & ~(std::uint64_t{1} << 13)) | std::uint64_t{next} << 13;
}

void History::freeze() {
  if (tail_.empty()) return;
  auto prefix = std::make_shared<Prefix>();
  if (prefix_) *prefix = *prefix_;
  const int added = tail_size();
  const auto middle = static_cast<std::ptrdiff_t>(prefix->by_counts.size());
  for (int i = 0; i < added; ++i) {
    const std::uint64_t counts = tail_[std::size_t(i) * record_words()] >> 28 & 0xffffff;
    prefix->by_counts.push_back(counts << 32 | std::uint64_t(prefix_size() + i));
  }
  std::sort(prefix->by_counts.begin() + middle, prefix->by_counts.end());
  std::inplace_merge(prefix->by_counts.begin(), prefix->by_counts.begin() + middle,
                     prefix->by_counts.end());
  prefix->records.insert(prefix->records.end(), tail_.begin(), tail_.end());
  prefix->size = prefix_size() + added;
  prefix_ = std::move(prefix);
  tail_.clear();
}

std::span<const std::uint64_t> History::prefix_with_counts(int from, std::uint32_t counts) const {
  if (!prefix_) return {};
  const auto& index = prefix_->by_counts;
  const auto begin = std::lower_bound(index.begin(), index.end(),
                                      std::uint64_t{counts} << 32 | std::uint64_t(from));
  const auto end = std::lower_bound(begin, index.end(), std::uint64_t{counts + 1} << 32);
  return {begin, end};
}

}  // namespace honte::go
