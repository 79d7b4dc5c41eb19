// Memory for a tree: elements are addressed by 32-bit index and never move, blocks
// are contiguous, and everything is freed at once.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace honte {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// Memory that trees gave back, kept for the next one: a page that is touched for the first time costs
// as much as a simulation.
class SpareSlabs {
 public:
  // Of exactly this size, or nothing.
  static void* take(std::size_t bytes) {
    Kept& kept = all();
    const std::lock_guard lock(kept.mutex);
    for (std::size_t i = kept.slabs.size(); i-- > 0;)
      if (kept.slabs[i].second == bytes) {
        void* memory = kept.slabs[i].first;
        kept.slabs[i] = kept.slabs.back();
        kept.slabs.pop_back();
        kept.bytes -= bytes;
        return memory;
      }
    return nullptr;
  }

  static void give(void* memory, std::size_t bytes) {
    Kept& kept = all();
    const std::lock_guard lock(kept.mutex);
    if (kept.bytes + bytes > kMost) return std::free(memory);
    kept.slabs.emplace_back(memory, bytes);
    kept.bytes += bytes;
  }

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t kMost = 0;  // so that a use after the end of a tree is seen
#else
  static constexpr std::size_t kMost = std::size_t{64} << 20;
#endif
  struct Kept {
    std::mutex mutex;
    std::vector<std::pair<void*, std::size_t>> slabs;
    std::size_t bytes = 0;
  };
  static Kept& all() {
    static Kept* kept = new Kept;  // outlives every tree, at the end of the program too
    return *kept;
  }
};

// Memory whose pages may be large ones: a walk through a tree of many megabytes otherwise waits
// for the tables of the pages as long as for what is on them.
class Slab {
 public:
  explicit Slab(std::size_t bytes) {
    const bool large = bytes >= kLargePage;
    const std::size_t alignment = large ? kLargePage : 64, whole = (bytes + alignment - 1) / alignment * alignment;
    void* memory = SpareSlabs::take(whole);
    if (!memory) {
      memory = std::aligned_alloc(alignment, whole);
      if (!memory) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
      if (large) madvise(memory, whole, MADV_HUGEPAGE);  // a hint: what it answers changes nothing
#endif
    }
    memory_ = std::unique_ptr<void, Return>(memory, Return{whole});
  }

  void* data() { return memory_.get(); }

 private:
  static constexpr std::size_t kLargePage = std::size_t{1} << 21;
  struct Return {
    std::size_t bytes;
    void operator()(void* memory) const { SpareSlabs::give(memory, bytes); }
  };
  std::unique_ptr<void, Return> memory_;
};

template <class T, unsigned kChunkBits>
class Arena {
  static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 64);

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
    while (chunks_.size() * std::uint64_t{kChunk} < size_) add_chunks();
    return index;
  }

  std::uint64_t bytes() const { return std::uint64_t{size_} * sizeof(T); }

 private:
  // A small tree takes chunk by chunk, a large one eight at a time, side by side.
  void add_chunks() {
    constexpr std::size_t several = 8;
    const std::size_t count = chunks_.size() < several ? 1 : several;
    T* items = static_cast<T*>(slabs_.emplace_back(count * kChunk * sizeof(T)).data());
    for (std::size_t i = 0; i < count; ++i) chunks_.push_back(items + i * kChunk);
  }

  std::vector<Slab> slabs_;
  std::vector<T*> chunks_;
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
