// Memory for a tree: elements are addressed by 32-bit index and never move, blocks
// are contiguous, and everything is freed at once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace honte {

inline constexpr std::uint32_t kNone = 0xffffffffu;

template <class T, unsigned kChunkBits>
class Arena {
 public:
  static constexpr std::uint32_t kChunk = 1u << kChunkBits;

  T& operator[](std::uint32_t index) { return chunks_[index >> kChunkBits][index & (kChunk - 1)]; }
  const T& operator[](std::uint32_t index) const { return chunks_[index >> kChunkBits][index & (kChunk - 1)]; }

  // A block of `count` contiguous elements, uninitialised; count is at most kChunk.
  std::uint32_t allocate(std::uint32_t count) {
    const std::uint32_t room = kChunk - (size_ & (kChunk - 1));
    if (count > room) size_ += room;  // a block never straddles two chunks
    if (size_ + std::uint64_t{count} > kNone) throw std::length_error("the tree has no indices left");
    const std::uint32_t index = size_;
    size_ += count;
    while (chunks_.size() * std::uint64_t{kChunk} < size_)
      chunks_.push_back(std::make_unique_for_overwrite<T[]>(kChunk));
    return index;
  }

  std::uint64_t bytes() const { return std::uint64_t{size_} * sizeof(T); }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::uint32_t size_ = 0;
};

// An arena whose blocks come in powers of two and are used again when they are given back.
template <class T, unsigned kChunkBits>
class BlockArena {
 public:
  T* at(std::uint32_t index) { return &arena_[index]; }
  const T* at(std::uint32_t index) const { return &arena_[index]; }

  std::uint32_t allocate(unsigned log2_capacity) {
    std::vector<std::uint32_t>& free = free_[log2_capacity];
    if (free.empty()) return arena_.allocate(1u << log2_capacity);
    const std::uint32_t index = free.back();
    free.pop_back();
    return index;
  }

  void release(std::uint32_t index, unsigned log2_capacity) { free_[log2_capacity].push_back(index); }

  std::uint64_t bytes() const { return arena_.bytes(); }

 private:
  Arena<T, kChunkBits> arena_;
  std::array<std::vector<std::uint32_t>, kChunkBits + 1> free_;
};

}  // namespace honte
