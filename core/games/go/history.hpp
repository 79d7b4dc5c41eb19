// The positions of a game, as packed boards. What was played before the last
// freeze() is shared between copies of a state and indexed; the rest is a short
// tail of each copy's own, so a search can copy a state for every simulation.
//
// Repetition is decided by comparing boards, never by a hash: positions are looked
// up by their numbers of stones, which very few positions of a game share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "games/go/board.hpp"

namespace honte::go {

// A position of the history and the move that led to it. The words belong to the
// history and live until it changes.
struct Position {
  std::uint64_t meta = 0;
  const std::uint64_t* black = nullptr;
  const std::uint64_t* white = nullptr;

  static std::uint64_t pack(Action action, Colour player, Colour next, Point ko_point,
                            bool cleanup_ko, int black_count, int white_count) {
    return std::uint64_t(action + 1) | std::uint64_t{player} << 12 | std::uint64_t{next} << 13 |
           std::uint64_t{cleanup_ko} << 14 | std::uint64_t{ko_point} << 16 |
           std::uint64_t(black_count) << 28 | std::uint64_t(white_count) << 40;
  }

  Action action() const { return static_cast<Action>(meta & 0xfff) - 1; }  // −1: no move led here
  Colour player() const { return meta >> 12 & 1; }                         // who played it
  Colour next() const { return meta >> 13 & 1; }                           // who moves now
  bool took_cleanup_ko() const { return meta >> 14 & 1; }  // by a ko capture in a clean-up phase
  Point ko_point() const { return meta >> 16 & 0xfff; }
  std::uint32_t counts() const { return meta >> 28 & 0xffffff; }
  const std::uint64_t* stones(Colour colour) const { return colour == kBlack ? black : white; }
};

class History {
 public:
  explicit History(int words) : words_(words) {}
  History(const History&) = default;
  History(History&&) = default;
  History& operator=(History&&) = default;
  History& operator=(const History& other) {
    words_ = other.words_;
    if (prefix_ != other.prefix_) prefix_ = other.prefix_;  // spares the atomic counter
    tail_.assign(other.tail_.begin(), other.tail_.end());
    return *this;
  }

  // Positions so far: one more than moves. Position i is the one after i moves.
  int size() const { return prefix_size() + static_cast<int>(tail_.size()) / record_words(); }
  Position operator[](int index) const;
  Position last() const { return (*this)[size() - 1]; }

  void push(std::uint64_t meta, const Bits& black, const Bits& white);
  void set_last_next(Colour next);
  void freeze();
  int tail_size() const { return static_cast<int>(tail_.size()) / record_words(); }

  // Calls f(index, position) for the positions from index `from` on that have
  // these numbers of stones.
  template <class F>
  void for_each_with_counts(int from, int black_count, int white_count, F&& f) const {
    const std::uint32_t counts = black_count | white_count << 12;
    for (const std::uint64_t entry : prefix_with_counts(from, counts)) {
      const int index = static_cast<int>(entry & 0xffffffff);
      f(index, (*this)[index]);
    }
    const int first = prefix_size();
    const std::uint64_t* record = tail_.data();
    const int words = record_words(), end = tail_size();
    for (int i = 0; i < end; ++i, record += words)
      if ((record[0] >> 28 & 0xffffff) == counts && first + i >= from)
        f(first + i, Position{record[0], record + 1, record + 1 + words_});
  }

 private:
  struct Prefix {
    int size;
    std::vector<std::uint64_t> records;
    std::vector<std::uint64_t> by_counts;  // counts << 32 | index, sorted
  };

  int record_words() const { return 1 + 2 * words_; }
  int prefix_size() const { return prefix_ ? prefix_->size : 0; }
  std::span<const std::uint64_t> prefix_with_counts(int from, std::uint32_t counts) const;

  int words_;
  std::shared_ptr<const Prefix> prefix_;
  std::vector<std::uint64_t> tail_;
};

}  // namespace honte::go
