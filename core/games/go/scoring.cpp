// What a board is worth by the rules.
#include <stdexcept>
#include <string>

#include "games/go/state.hpp"

namespace honte::go {

double GoState::returns(int player) const {
  if (no_result_) return 0.0;
  const double white = score();
  if (white == 0.0) return 0.0;
  return (white > 0.0) == (player == kWhite) ? 1.0 : -1.0;
}

double GoState::score() const {
  // A button that nobody took goes to the side to move.
  const double button = button_ ? (to_play_ == kWhite ? 0.5 : -0.5) : 0.0;
  return board_score(board_, false) + button + self_komi(kWhite);
}

double GoState::score_with_dead(std::span<const Action> dead) const {
  Bits black = board_.stones(kBlack), white = board_.stones(kWhite);
  for (const Action action : dead) {
    const Point point = action >= 0 && action < geometry().area ? geometry().point_of[action] : kNoPoint;
    if (board_.at(point) >= kEmpty)
      throw std::invalid_argument("There is no stone at " + std::to_string(action) +
                                  " that could be dead.");
    black.clear(point);
    white.clear(point);
  }
  const double button = button_ ? (to_play_ == kWhite ? 0.5 : -0.5) : 0.0;
  return board_score(Board(geometry(), black, white), true) + button + self_komi(kWhite);
}

Bits GoState::dead_stones() const {
  const Ownership alive = area(board_, {}, rules_.suicide);
  Bits dead;
  for (int i = 0; i < geometry().words; ++i)
    dead[i] = (board_.stones(kBlack)[i] & alive[kWhite][i]) |
              (board_.stones(kWhite)[i] & alive[kBlack][i]);
  return dead;
}

Ownership GoState::basic_area(const Board& board, bool agreed) const {
  // Agreed dead stones are off the board already, and strict area scoring takes none off.
  const bool strict = rules_.scoring == Scoring::area && !rules_.friendly_pass;
  if (agreed || strict) return plain_area(board);
  return area(board, {.stones = true, .safe_territories = true, .unsafe_territories = true},
              rules_.suicide);
}

double GoState::board_score(const Board& board, bool agreed) const {
  const int words = geometry().words;
  const Ownership basic = basic_area(board, agreed);
  if (rules_.scoring == Scoring::area && rules_.tax == Tax::none)
    return count(basic[kWhite], words) - count(basic[kBlack], words);
  // Under territory scoring each stone played costs a point (see self_komi), so the
  // stones on the board count here as well; those that came in the second clean-up
  // phase were free and count only inside an independent region.
  const bool territory = rules_.scoring == Scoring::territory;
  const IndependentLife life = independent_life(board, basic, territory && rules_.tax == Tax::none,
                                                !territory || agreed);
  Ownership owner = life.owner;
  if (territory && !agreed) {
    for (const Colour colour : {kBlack, kWhite})
      for (int i = 0; i < words; ++i) {
        const std::uint64_t counted =
            phase_ < 2 ? ~std::uint64_t{0} : cleanup_->start_stones[colour][i];
        owner[colour][i] |= board.stones(colour)[i] & counted & ~owner[opponent(colour)][i];
      }
  }
  double score = count(owner[kWhite], words) - count(owner[kBlack], words);
  if (rules_.tax == Tax::all) score -= 2.0 * (life.white_regions - life.black_regions);
  return score;
}

Ownership GoState::scored_area(bool as_if_suicide) const {
  const Ownership basic = area(
      board_, {.stones = true, .safe_territories = true, .unsafe_territories = true},
      rules_.suicide || as_if_suicide);
  if (rules_.scoring == Scoring::area) {
    if (rules_.tax == Tax::none) return basic;
    return independent_life(board_, basic, false, true).owner;
  }
  // Territory scoring shows nothing before the phase in which it counts.
  if (phase_ < 2) return {};
  Ownership owner = independent_life(board_, basic, rules_.tax == Tax::none, false).owner;
  for (const Colour colour : {kBlack, kWhite})
    for (int i = 0; i < geometry().words; ++i)
      owner[colour][i] |= board_.stones(colour)[i] & cleanup_->start_stones[colour][i] &
                          ~owner[opponent(colour)][i];
  return owner;
}

}  // namespace honte::go
