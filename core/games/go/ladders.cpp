#include "games/go/ladders.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace honte::go {
namespace {

// A search that needs more plays than this counts as escaped; one that runs deeper
// than one and a half boards counts as captured.
constexpr int kMostPlays = 25000;
constexpr int kDeepest = kMaxArea * 3 / 2 + 1;

template <int N>
struct Set {
  std::array<std::uint64_t, N> word{};

  bool has(int point) const { return word[point >> 6] >> (point & 63) & 1; }
  void set(int point) { word[point >> 6] |= std::uint64_t{1} << (point & 63); }
  void clear(int point) { word[point >> 6] &= ~(std::uint64_t{1} << (point & 63)); }
  void add(const Set& other) {
    for (int i = 0; i < N; ++i) word[i] |= other.word[i];
  }
  int count() const {
    int total = 0;
    for (int i = 0; i < N; ++i) total += std::popcount(word[i]);
    return total;
  }
  Point first() const {
    int i = 0;
    while (word[i] == 0) ++i;
    return static_cast<Point>(i * 64 + std::countr_zero(word[i]));
  }
  template <class F>
  void for_each(F&& f) const {
    for (int i = 0; i < N; ++i)
      for (std::uint64_t rest = word[i]; rest; rest &= rest - 1)
        f(static_cast<Point>(i * 64 + std::countr_zero(rest)));
  }
};

// A board for reading out sequences: each chain knows its exact liberties, and every
// play can be taken back at the price of playing it.
//
// A chain that is captured or absorbed keeps its record untouched, so taking back only
// has to point its stones at it again.
template <int N>
class LadderBoard {
 public:
  LadderBoard() : chains_(kMaxArea + kDeepest + 1) {}

  void set_up(const Geometry& geometry, const Bits& black, const Bits& white, Point ko_point) {
    geometry_ = &geometry;
    steps_ = geometry.neighbours();
    ko_point_ = ko_point;
    used_ = 0;
    for (int i = 0; i < geometry.points; ++i) colour_[i] = kWall;
    for (int i = 0; i < N; ++i) {
      put(i, black[i], kBlack);
      put(i, white[i], kWhite);
      put(i, geometry.on_board[i] & ~(black[i] | white[i]), kEmpty);
    }
    for (const Bits* stones : {&black, &white})
      for (int i = 0; i < N; ++i)
        for (std::uint64_t rest = (*stones)[i]; rest; rest &= rest - 1) {
          const auto point = static_cast<Point>(i * 64 + std::countr_zero(rest));
          if (chain_of_[point] == kNoChain) gather_chain(point);
        }
  }

  Tactics tactics() {
    Tactics found;
    // Searching adds chains behind these and leaves these as they were.
    const int chains = used_;
    for (int i = 0; i < chains; ++i) {
      const int liberties = chains_[i].liberty_count;
      if (liberties > 3) continue;
      add(found.liberties[liberties - 1], chains_[i].stones);
      if (liberties == 3) continue;
      const Point stone = chains_[i].stones.first();
      if (liberties == 1 ? is_captured(stone) : find_capturing_moves(stone, found))
        add(found.laddered, chains_[i].stones);
    }
    return found;
  }

 private:
  static constexpr std::uint16_t kNoChain = 0xffff;

  struct Chain {
    Set<N> stones, liberties;
    int liberty_count;
  };

  // What taking a play back needs.
  struct Play {
    Point point;
    Point ko_point;
    Colour colour;
    std::uint8_t captured_count = 0, absorbed_count = 0;
    bool made_new_chain = false;
    std::uint16_t chain;
    std::array<std::uint16_t, 4> captured;
    std::array<std::uint16_t, 3> absorbed;
    Chain before;  // of the chain that grew
  };

  void put(int word, std::uint64_t points, Colour colour) {
    for (; points; points &= points - 1) {
      const int point = word * 64 + std::countr_zero(points);
      colour_[point] = colour;
      chain_of_[point] = kNoChain;
    }
  }

  static void add(Bits& bits, const Set<N>& set) {
    for (int i = 0; i < N; ++i) bits[i] |= set.word[i];
  }

  void gather_chain(Point start) {
    const auto index = static_cast<std::uint16_t>(used_++);
    Chain& chain = chains_[index];
    chain = {};
    std::array<Point, kMaxArea> todo;
    int waiting = 0;
    todo[waiting++] = start;
    chain_of_[start] = index;
    const Colour colour = colour_[start];
    while (waiting > 0) {
      const Point point = todo[--waiting];
      chain.stones.set(point);
      for (const int step : steps_) {
        const int next = point + step;
        if (colour_[next] == kEmpty) {
          chain.liberties.set(next);
        } else if (colour_[next] == colour && chain_of_[next] == kNoChain) {
          chain_of_[next] = index;
          todo[waiting++] = static_cast<Point>(next);
        }
      }
    }
    chain.liberty_count = chain.liberties.count();
  }

  const Chain& chain_at(int point) const { return chains_[chain_of_[point]]; }
  int liberties_at(int point) const { return chain_at(point).liberty_count; }

  void add_liberty(Chain& chain, Point point) {
    chain.liberty_count += !chain.liberties.has(point);
    chain.liberties.set(point);
  }
  void remove_liberty(Chain& chain, Point point) {
    chain.liberty_count -= chain.liberties.has(point);
    chain.liberties.clear(point);
  }

  // Suicide never helps in a ladder, so it does not count as legal under any rules.
  bool is_legal(Point point, Colour colour) const {
    if (point == ko_point_) return false;
    for (const int step : steps_) {
      const Colour there = colour_[point + step];
      if (there == kEmpty) return true;
      if (there == kWall) continue;
      if ((liberties_at(point + step) > 1) == (there == colour)) return true;
    }
    return false;
  }

  void play(Point point, Colour colour, Play& record) {
    record.point = point;
    record.colour = colour;
    record.ko_point = ko_point_;
    record.captured_count = record.absorbed_count = 0;
    colour_[point] = colour;

    // The neighbours: opponents lose a liberty, the largest own chain grows.
    int own = kNoChain;
    std::array<std::uint16_t, 4> joined;
    int joined_count = 0;
    for (const int step : steps_) {
      const int next = point + step;
      const Colour there = colour_[next];
      if (there >= kEmpty) continue;
      const std::uint16_t index = chain_of_[next];
      if (there != colour) {
        Chain& chain = chains_[index];
        remove_liberty(chain, point);
        if (chain.liberty_count == 0 &&
            std::find(record.captured.begin(), record.captured.begin() + record.captured_count,
                      index) == record.captured.begin() + record.captured_count)
          record.captured[record.captured_count++] = index;
      } else if (std::find(joined.begin(), joined.begin() + joined_count, index) ==
                 joined.begin() + joined_count) {
        joined[joined_count++] = index;
      }
    }
    record.made_new_chain = joined_count == 0;
    if (record.made_new_chain) {
      own = used_++;
      chains_[own].stones = {};
      chains_[own].liberties = {};
    } else {
      own = joined[0];
      int most = joined_count > 1 ? chains_[own].stones.count() : 0;
      for (int i = 1; i < joined_count; ++i)
        if (const int size = chains_[joined[i]].stones.count(); size > most) {
          own = joined[i];
          most = size;
        }
      record.before = chains_[own];
    }
    record.chain = static_cast<std::uint16_t>(own);
    Chain& chain = chains_[own];
    for (int i = 0; i < joined_count; ++i) {
      if (joined[i] == own) continue;
      const Chain& other = chains_[joined[i]];
      chain.stones.add(other.stones);
      chain.liberties.add(other.liberties);
      point_stones_at(other.stones, record.chain);
      record.absorbed[record.absorbed_count++] = joined[i];
    }
    chain.stones.set(point);
    chain_of_[point] = record.chain;
    for (const int step : steps_)
      if (colour_[point + step] == kEmpty) chain.liberties.set(point + step);
    chain.liberties.clear(point);
    chain.liberty_count = chain.liberties.count();

    for (int i = 0; i < record.captured_count; ++i)
      chains_[record.captured[i]].stones.for_each([&](Point stone) {
        colour_[stone] = kEmpty;
        for (const int step : steps_)
          if (colour_[stone + step] == colour) add_liberty(chains_[chain_of_[stone + step]], stone);
      });
    ko_point_ = kNoPoint;
    if (record.captured_count == 1 && record.made_new_chain && chain.liberty_count == 1) {
      const Set<N>& taken = chains_[record.captured[0]].stones;
      if (taken.count() == 1) ko_point_ = taken.first();
    }
  }

  void take_back(const Play& record) {
    const Colour other = opponent(record.colour);
    for (int i = 0; i < record.captured_count; ++i)
      chains_[record.captured[i]].stones.for_each([&](Point stone) {
        colour_[stone] = other;
        chain_of_[stone] = record.captured[i];
        for (const int step : steps_)
          if (colour_[stone + step] == record.colour)
            remove_liberty(chains_[chain_of_[stone + step]], stone);
      });
    if (record.made_new_chain)
      --used_;
    else
      chains_[record.chain] = record.before;
    for (int i = 0; i < record.absorbed_count; ++i)
      point_stones_at(chains_[record.absorbed[i]].stones, record.absorbed[i]);
    colour_[record.point] = kEmpty;
    for (const int step : steps_)
      if (colour_[record.point + step] == other)
        add_liberty(chains_[chain_of_[record.point + step]], record.point);
    ko_point_ = record.ko_point;
  }

  void point_stones_at(const Set<N>& stones, std::uint16_t chain) {
    stones.for_each([&](Point stone) { chain_of_[stone] = chain; });
  }

  // Whether the chain in atari cannot get away though it moves first.
  bool is_captured(Point stone) {
    const Point ko_point = ko_point_;
    ko_point_ = kNoPoint;  // all kos work for the defender
    stone_ = stone;
    defender_ = colour_[stone];
    plays_ = 0;
    depth_limit_ = geometry_->area * 3 / 2;
    moves_.clear();
    const bool captured = defend(0);
    ko_point_ = ko_point;
    return captured && plays_ < kMostPlays;
  }

  bool find_capturing_moves(Point stone, Tactics& found) {
    const Colour defender = colour_[stone], attacker = opponent(defender);
    const Set<N> liberties = chain_at(stone).liberties;
    bool works = false;
    liberties.for_each([&](Point move) {
      if (!is_legal(move, attacker)) return;
      Play record;
      play(move, attacker, record);
      // A capture may give the chain its liberties back, or take the attacker's own.
      if (liberties_at(stone) == 1 && is_captured(stone)) {
        found.capturing_moves[defender].set(move);
        works = true;
      }
      take_back(record);
    });
    return works;
  }

  bool exhausted() const { return plays_ >= kMostPlays; }

  // The chain is to move. Whether it is captured whatever it does.
  bool defend(int depth) {
    if (depth >= depth_limit_) return true;
    if (exhausted()) return false;
    if (liberties_at(stone_) >= 2) return false;
    // A ladder that needs a ko is not one; nor can a sequence without kos go in circles.
    if (ko_point_ != kNoPoint) return false;
    const std::size_t first = moves_.size();
    add_saving_captures(first);
    const Point escape = chain_at(stone_).liberties.first();
    if (std::find(moves_.begin() + first, moves_.end(), escape) == moves_.end())
      moves_.push_back(escape);
    const std::size_t end = moves_.size();
    const auto [fewest, most] = liberties_after_escape(moves_.back());
    bool captured = true;
    if (fewest >= 3) {
      captured = false;
    } else if (end - first > 1 || most > 1) {
      Play record;
      for (std::size_t i = first; i < end && captured; ++i) {
        const Point move = moves_[i];
        if (!is_legal(move, defender_)) continue;
        play(move, defender_, record);
        ++plays_;
        captured = attack(depth + 1);
        take_back(record);
        if (exhausted()) captured = false;
      }
    }
    moves_.resize(first);
    return captured;
  }

  // The opponent is to move. Whether it captures the chain.
  bool attack(int depth) {
    if (depth >= depth_limit_) return true;
    if (exhausted()) return false;
    const Chain& chain = chain_at(stone_);
    if (chain.liberty_count <= 1) return true;
    if (chain.liberty_count >= 3) return false;
    std::array<Point, 2> moves;
    int found = 0;
    chain.liberties.for_each([&](Point point) { moves[found++] = point; });
    std::array<int, 2> open{empty_neighbours(moves[0]), empty_neighbours(moves[1])};
    if (open[0] == 0 && open[1] == 0 && is_double_ko_death(moves)) return true;
    int first = 0, end = 2;
    if (!are_neighbours(moves[0], moves[1])) {
      // The chain gets away where the point left to it has room.
      if (open[0] >= 3 && open[1] >= 3) return false;
      if (open[0] >= 3) end = 1;
      else if (open[1] >= 3) first = 1;
    }
    if (end - first == 2) {
      // The point that would help the chain more is tried first.
      for (int i = 0; i < 2; ++i) open[i] = open[i] * 2 + room_by_connection(moves[i]);
      if (open[1] > open[0]) std::swap(moves[0], moves[1]);
    }
    const Colour attacker = opponent(defender_);
    Play record;
    for (int i = first; i < end; ++i) {
      if (!is_legal(moves[i], attacker)) continue;
      play(moves[i], attacker, record);
      ++plays_;
      const bool captured = defend(depth + 1);
      take_back(record);
      if (exhausted()) return false;
      if (captured) return true;
    }
    return false;
  }

  bool are_neighbours(Point a, Point b) const {
    return std::find(steps_.begin(), steps_.end(), b - a) != steps_.end();
  }

  int empty_neighbours(Point point) const {
    int total = 0;
    for (const int step : steps_) total += colour_[point + step] == kEmpty;
    return total;
  }

  int room_by_connection(Point point) const {
    int total = 0;
    for (const int step : steps_)
      if (colour_[point + step] == defender_)
        if (const int liberties = liberties_at(point + step); liberties > 1)
          total += liberties * 2 - 3;
    return total;
  }

  // Appends the plays that capture a chain in atari beside the defender's.
  void add_saving_captures(std::size_t first) {
    const Colour attacker = opponent(defender_);
    chain_at(stone_).stones.for_each([&](Point stone) {
      for (const int step : steps_) {
        if (colour_[stone + step] != attacker) continue;
        const Chain& chain = chain_at(stone + step);
        if (chain.liberty_count != 1) continue;
        const Point move = chain.liberties.first();
        if (std::find(moves_.begin() + first, moves_.end(), move) == moves_.end())
          moves_.push_back(move);
      }
    });
  }

  bool can_capture() {
    const std::size_t first = moves_.size();
    add_saving_captures(first);
    const bool can = moves_.size() > first;
    moves_.resize(first);
    return can;
  }

  // Bounds that need no look at the chains' liberties themselves.
  std::pair<int, int> liberties_after_escape(Point point) const {
    int open = 0, captures = 0, captured_stones = 0, joined = 0, most_joined = 0;
    for (const int step : steps_) {
      const int next = point + step;
      const Colour there = colour_[next];
      if (there == kEmpty) {
        ++open;
      } else if (there == defender_) {
        const int others = liberties_at(next) - 1;
        joined += others;
        most_joined = std::max(most_joined, others);
      } else if (there != kWall && liberties_at(next) == 1) {
        ++captures;
        captured_stones += chain_at(next).stones.count();
      }
    }
    return {captures + std::max(open, most_joined), open + captured_stones + joined};
  }

  // Both liberties are ko mouths that the opponent can take in turn, and connecting
  // there gains nothing: the chain is dead though each ko could be fought.
  bool is_double_ko_death(const std::array<Point, 2>& mouths) {
    const Colour attacker = opponent(defender_);
    for (const Point mouth : mouths)
      if (!is_ko_mouth(mouth, attacker)) return false;
    for (const Point mouth : mouths)
      if (liberties_after_play(mouth, defender_) > 2) return false;
    return !can_capture();
  }

  bool is_ko_mouth(Point point, Colour colour) const {
    int taken = -1;
    for (const int step : steps_) {
      const int next = point + step;
      if (colour_[next] == kWall) continue;
      if (colour_[next] != opponent(colour)) return false;
      if (liberties_at(next) != 1) continue;
      if (taken >= 0) return false;
      taken = next;
    }
    return taken >= 0 && chain_at(taken).stones.count() == 1;
  }

  int liberties_after_play(Point point, Colour colour) {
    Play record;
    play(point, colour, record);
    const int liberties = liberties_at(point);
    take_back(record);
    return liberties;
  }

  const Geometry* geometry_ = nullptr;
  std::array<int, 4> steps_;
  Point ko_point_ = kNoPoint;
  std::array<Colour, kMaxPoints> colour_;
  std::array<std::uint16_t, kMaxPoints> chain_of_;
  std::vector<Chain> chains_;
  int used_ = 0;

  Point stone_ = kNoPoint;  // of the chain that is hunted
  Colour defender_ = kEmpty;
  int plays_ = 0, depth_limit_ = 0;
  std::vector<Point> moves_;  // the open choices of all levels
};

template <int N>
Tactics find_with_words(const Geometry& geometry, const Bits& black, const Bits& white,
                        Point ko_point) {
  thread_local const auto board = std::make_unique<LadderBoard<N>>();
  board->set_up(geometry, black, white, ko_point);
  return board->tactics();
}

// A table of positions, each with the whole of what its answer depends on.
class Memory {
 public:
  const Tactics& get(const Geometry& geometry, const Bits& black, const Bits& white,
                     Point ko_point) {
    std::uint64_t hash = ko_point * 0x9e3779b97f4a7c15ull + geometry.points;
    for (int i = 0; i < geometry.words; ++i) {
      hash = (hash ^ black[i]) * 0xff51afd7ed558ccdull;
      hash = (hash ^ hash >> 29 ^ white[i]) * 0xc4ceb9fe1a85ec53ull;
    }
    Entry& entry = entries_[hash >> (64 - kBits)];
    if (entry.geometry != &geometry || entry.ko_point != ko_point || entry.black != black ||
        entry.white != white) {
      entry.tactics = find_tactics(geometry, black, white, ko_point);
      entry.geometry = &geometry;
      entry.ko_point = ko_point;
      entry.black = black;
      entry.white = white;
    }
    return entry.tactics;
  }

 private:
  static constexpr int kBits = 11;
  struct Entry {
    const Geometry* geometry = nullptr;
    Point ko_point = kNoPoint;
    Bits black, white;
    Tactics tactics;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(1 << kBits);
};

}  // namespace

Tactics find_tactics(const Geometry& geometry, const Bits& black, const Bits& white,
                     Point ko_point) {
  switch (geometry.words) {
    case 1:
    case 2: return find_with_words<2>(geometry, black, white, ko_point);
    case 3:
    case 4: return find_with_words<4>(geometry, black, white, ko_point);
    case 5:
    case 6:
    case 7: return find_with_words<7>(geometry, black, white, ko_point);
    default: return find_with_words<kMaxWords>(geometry, black, white, ko_point);
  }
}

const Tactics& recall_tactics(const Geometry& geometry, const Bits& black, const Bits& white,
                              Point ko_point) {
  thread_local const auto memory = std::make_unique<Memory>();
  return memory->get(geometry, black, white, ko_point);
}

}  // namespace honte::go
