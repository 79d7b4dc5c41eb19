#include "games/go/life.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace honte::go {
namespace {

struct Region {
  Bits points;
  bool has_opponent;
  bool small;  // at most one point that is not beside a stone of the owner's
  int first_contact, last_contact;  // its part of the contacts, the last not included
};

// A region and a chain of the owner's beside it.
struct Contact {
  int chain;
  bool vital;
};

struct Chain {
  Bits stones, beside;
  bool alive = true;
};

// `N` is the number of words in use, as a constant where it can be one.
template <class N>
class Benson {
 public:
  Benson(const Board& board, Colour colour, bool suicide, N words)
      : board_(board), colour_(colour), words_(words), stride_(board.geometry().stride) {
    chains_.reserve(kUsualCount);
    regions_.reserve(kUsualCount);
    contacts_.reserve(2 * kUsualCount);
    find_chains();
    find_regions(suicide);
    settle();
  }

  void mark(AreaOptions options, Ownership& owner) const {
    Bits& own = owner[colour_];
    Bits& other = owner[opponent(colour_)];
    for (const Chain& chain : chains_)
      if (chain.alive) join(own, chain.stones);
    if (chains_.empty()) return;
    for (const Region& region : regions_) {
      const bool safe = healthy(region);
      if (safe && (region.small || (options.safe_territories && !region.has_opponent))) {
        join(own, region.points);
        // The opponent may have claimed it as a big territory inside stones that are dead here.
        for (int i = 0; i < words_; ++i) other[i] &= ~region.points[i];
      } else if (options.unsafe_territories && !region.has_opponent) {
        for (int i = 0; i < words_; ++i) own[i] |= region.points[i] & ~other[i];
      }
    }
  }

 private:
  static constexpr int kUsualCount = 48;  // of chains; more is no mistake

  void join(Bits& into, const Bits& from) const {
    for (int i = 0; i < words_; ++i) into[i] |= from[i];
  }

  bool meets(const Bits& a, const Bits& b) const {
    std::uint64_t common = 0;
    for (int i = 0; i < words_; ++i) common |= a[i] & b[i];
    return common != 0;
  }

  bool inside(const Bits& a, const Bits& b) const {
    std::uint64_t outside = 0;
    for (int i = 0; i < words_; ++i) outside |= a[i] & ~b[i];
    return outside == 0;
  }

  void find_chains() {
    Bits rest = board_.stones(colour_);
    for (int i = 0; i < words_; ++i) {
      while (rest[i]) {
        Bits seed;
        seed.set(i * 64 + std::countr_zero(rest[i]));
        Chain& chain = chains_.emplace_back();
        chain.stones = flood(seed, rest, words_, stride_);
        chain.beside = neighbours(chain.stones, words_, stride_);
        for (int j = i; j < words_; ++j) rest[j] &= ~chain.stones[j];
      }
    }
  }

  void find_regions(bool suicide) {
    const Bits& own = board_.stones(colour_);
    const Bits empty = board_.empty();
    const Bits beside_own = neighbours(own, words_, stride_);
    Bits rest;
    for (int i = 0; i < words_; ++i) rest[i] = board_.geometry().on_board[i] & ~own[i];
    for (int i = 0; i < words_; ++i) {
      while (rest[i]) {
        Bits seed;
        seed.set(i * 64 + std::countr_zero(rest[i]));
        Region& region = regions_.emplace_back();
        region.points = flood(seed, rest, words_, stride_);
        Bits interior, liberties;
        for (int j = 0; j < words_; ++j) {
          rest[j] &= ~region.points[j];
          interior[j] = region.points[j] & ~beside_own[j];
          liberties[j] = region.points[j] & (suicide ? ~std::uint64_t{0} : empty[j]);
        }
        region.has_opponent = meets(region.points, board_.stones(opponent(colour_)));
        region.small = count(interior, words_) <= 1;
        region.first_contact = static_cast<int>(contacts_.size());
        for (int c = 0; c < static_cast<int>(chains_.size()); ++c)
          if (meets(chains_[c].beside, region.points))
            contacts_.push_back({c, inside(liberties, chains_[c].beside)});
        region.last_contact = static_cast<int>(contacts_.size());
      }
    }
  }

  std::span<const Contact> contacts_of(const Region& region) const {
    return {contacts_.begin() + region.first_contact, contacts_.begin() + region.last_contact};
  }

  bool healthy(const Region& region) const {
    return std::ranges::all_of(contacts_of(region), [&](const Contact& contact) {
      return chains_[contact.chain].alive;
    });
  }

  // Chains with fewer than two vital regions, among regions walled by living chains
  // alone, die, until no more do.
  void settle() {
    std::vector<int> eyes(chains_.size());
    for (bool changed = true; changed;) {
      changed = false;
      std::fill(eyes.begin(), eyes.end(), 0);
      for (const Region& region : regions_)
        if (healthy(region))
          for (const Contact& contact : contacts_of(region)) eyes[contact.chain] += contact.vital;
      for (std::size_t c = 0; c < chains_.size(); ++c) {
        if (chains_[c].alive && eyes[c] < 2) {
          chains_[c].alive = false;
          changed = true;
        }
      }
    }
  }

  const Board& board_;
  const Colour colour_;
  const N words_;
  const int stride_;
  std::vector<Chain> chains_;
  std::vector<Region> regions_;
  std::vector<Contact> contacts_;  // region by region
};

}  // namespace

Ownership area(const Board& board, AreaOptions options, bool suicide) {
  Ownership owner;
  with_words(board.geometry().words, [&](auto words) {
    Benson(board, kBlack, suicide, words).mark(options, owner);
    Benson(board, kWhite, suicide, words).mark(options, owner);
  });
  if (options.stones) {
    for (int i = 0; i < board.geometry().words; ++i) {
      const std::uint64_t free = ~(owner[kBlack][i] | owner[kWhite][i]);
      owner[kBlack][i] |= board.stones(kBlack)[i] & free;
      owner[kWhite][i] |= board.stones(kWhite)[i] & free;
    }
  }
  return owner;
}

Ownership plain_area(const Board& board) {
  const int words = board.geometry().words, stride = board.geometry().stride;
  const Bits empty = board.empty();
  const Bits black = flood(neighbours(board.stones(kBlack), words, stride), empty, words, stride);
  const Bits white = flood(neighbours(board.stones(kWhite), words, stride), empty, words, stride);
  Ownership owner{board.stones(kBlack), board.stones(kWhite)};
  for (int i = 0; i < words; ++i) {
    owner[kBlack][i] |= black[i] & ~white[i];
    owner[kWhite][i] |= white[i] & ~black[i];
  }
  return owner;
}

IndependentLife independent_life(const Board& board, const Ownership& area, bool keep_territories,
                                 bool keep_stones) {
  const int words = board.geometry().words, stride = board.geometry().stride;
  Bits nobody;
  for (int i = 0; i < words; ++i)
    nobody[i] = board.empty()[i] & ~(area[kBlack][i] | area[kWhite][i]);
  const Bits beside_nobody = neighbours(nobody, words, stride);
  IndependentLife result;
  for (const Colour colour : {kBlack, kWhite}) {
    const Bits& own = area[colour];
    Bits doubtful = beside_nobody;
    for_each(board.stones(colour), words, [&](int stone) {
      if (board.in_atari(static_cast<Point>(stone))) doubtful.set(stone);
    });
    const Bits seki = flood(doubtful, own, words, stride);
    Bits& kept = result.owner[colour];
    for (int i = 0; i < words; ++i) kept[i] = own[i] & ~seki[i];
    int& regions = colour == kBlack ? result.black_regions : result.white_regions;
    Bits rest = kept;
    for (int i = 0; i < words; ++i) {
      while (rest[i]) {
        Bits seed;
        seed.set(i * 64 + std::countr_zero(rest[i]));
        const Bits region = flood(seed, kept, words, stride);
        for (int j = i; j < words; ++j) rest[j] &= ~region[j];
        ++regions;
      }
    }
    for (int i = 0; i < words; ++i) {
      if (keep_territories) kept[i] |= own[i] & ~board.stones(colour)[i];
      if (keep_stones) kept[i] |= own[i] & board.stones(colour)[i];
    }
  }
  return result;
}

}  // namespace honte::go
