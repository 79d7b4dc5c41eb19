// What the clean-up phases of territory scoring remember: KataGo's computer-friendly
// replacement for the players' agreement on what is dead.
#pragma once

#include <memory>
#include <vector>

#include "games/go/board.hpp"

namespace honte::go {

struct Cleanup {
  // Stones that took a ko and may not be retaken: a play that would retake one only
  // lifts its block.
  Bits blocked;
  // The blocks at every position since the phase began, for repetition.
  std::vector<Bits> block_history;
  int phase_start = 0;  // the first position of block_history
  // The stones when the second clean-up phase began.
  std::array<Bits, 2> start_stones;
};

// A pointer that copies what it points to.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(const Boxed& other) : pointer_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed&&) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (pointer_ || other.pointer_) {
      if (this != &other) pointer_ = other ? std::make_unique<T>(*other) : nullptr;
    }
    return *this;
  }
  explicit operator bool() const { return pointer_ != nullptr; }
  T& operator*() { return *pointer_; }
  const T& operator*() const { return *pointer_; }
  T* operator->() { return pointer_.get(); }
  const T* operator->() const { return pointer_.get(); }
  void emplace() { pointer_ = std::make_unique<T>(); }

 private:
  std::unique_ptr<T> pointer_;
};

}  // namespace honte::go
