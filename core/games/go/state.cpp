#include "games/go/state.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace honte::go {
namespace {

// A tail this long is frozen on its own, so long games played without a search stay quick.
constexpr int kLongTail = 128;

Bits setup(const Geometry& geometry, std::span<const Action> actions, Bits& taken) {
  Bits stones;
  for (const Action action : actions) {
    if (action < 0 || action >= geometry.area)
      throw std::invalid_argument("Setup stone " + std::to_string(action) + " is off the board.");
    const Point point = geometry.point_of[action];
    if (taken.has(point))
      throw std::invalid_argument("Two setup stones share point " + std::to_string(action) + ".");
    taken.set(point);
    stones.set(point);
  }
  return stones;
}

Board setup_board(int width, int height, std::span<const Action> black,
                  std::span<const Action> white) {
  const Geometry& geometry = Geometry::of(width, height);
  Bits taken;
  const Bits black_stones = setup(geometry, black, taken);
  const Bits white_stones = setup(geometry, white, taken);
  return Board(geometry, black_stones, white_stones);
}

}  // namespace

GoState::GoState(int width, int height, Rules rules, double komi, std::span<const Action> black,
                 std::span<const Action> white, Colour to_play)
    : board_(setup_board(width, height, black, white)),
      history_(board_.geometry().words),
      rules_(rules),
      komi_(komi),
      to_play_(to_play),
      button_(rules.button) {
  const int blacks = board_.stone_count(kBlack), whites = board_.stone_count(kWhite);
  most_stones_ = {static_cast<std::uint16_t>(blacks), static_cast<std::uint16_t>(whites)};
  if (rules_.scoring == Scoring::territory) bonus_ = static_cast<float>(blacks - whites);
  if (whites == 0 && blacks > 1) handicap_ = blacks;
  history_.push(Position::pack(-1, kBlack, to_play, kNoPoint, false, blacks, whites),
                board_.stones(kBlack), board_.stones(kWhite));
}

Position GoState::turn(int turns_ago) const {
  return history_[std::max(0, history_.size() - 1 - turns_ago)];
}

Board GoState::board_before(int turns_ago) const {
  const Position position = turn(turns_ago);
  Bits black, white;
  std::copy_n(position.black, geometry().words, black.word.begin());
  std::copy_n(position.white, geometry().words, white.word.begin());
  return Board(geometry(), black, white, position.ko_point());
}

void GoState::play(Action action, Colour player) {
  if (player != to_play_) history_.set_last_next(player);
  bool ends = false, took_ko = false;
  if (action == geometry().pass())
    ends = take_pass(player);
  else
    took_ko = place(geometry().point_of[action], player);
  to_play_ = opponent(player);
  record(action, player, took_ko);
  if (!white_has_played_) count_handicap(action, player);
  if (ends) end_phase();
  if (action != geometry().pass() && passes_clear_history() && occurrences() >= 3)
    over_ = no_result_ = true;
}

bool GoState::take_pass(Colour player) {
  board_.clear_ko_point();
  if (button_) {
    button_ = false;
    bonus_ += player == kWhite ? 0.5f : -0.5f;
    passes_ = 0;
    // A board with the button and one without are different situations.
    ko_from_ = history_.size();
    passes_from_ = history_.size() + 1;
    counted_passes_ = 0;
    return false;
  }
  const bool repeated = repeats_a_pass(player);
  ++counted_passes_;
  if (passes_clear_history()) ko_from_ = history_.size();
  return ++passes_ >= 2 || repeated;
}

bool GoState::place(Point point, Colour player) {
  passes_ = 0;
  if (phase_ == 0) {
    board_.play(point, player);
    most_stones_[player] =
        std::max(most_stones_[player], static_cast<std::uint16_t>(board_.stone_count(player)));
    if (rules_.scoring == Scoring::territory) bonus_ += player == kBlack ? 1.0f : -1.0f;
    return false;
  }
  Bits& blocked = cleanup_->blocked;
  if (lifts_block(point, player)) {
    const Point taken = board_.at(point) == kEmpty ? board_.ko_capture(point, player) : point;
    blocked.clear(taken);
    return false;
  }
  board_.play(point, player);
  const bool took_ko = board_.ko_point() != kNoPoint;
  if (took_ko) blocked.set(point);
  board_.clear_ko_point();  // in the clean-up phases the blocks stand in for it
  for (int i = 0; i < geometry().words; ++i)
    blocked[i] &= board_.stones(kBlack)[i] | board_.stones(kWhite)[i];
  if (phase_ == 1) bonus_ += player == kBlack ? 1.0f : -1.0f;
  return took_ko;
}

void GoState::record(Action action, Colour player, bool took_ko) {
  if (history_.tail_size() >= kLongTail) history_.freeze();
  history_.push(Position::pack(action, player, to_play_, board_.ko_point(), took_ko,
                               board_.stone_count(kBlack), board_.stone_count(kWhite)),
                board_.stones(kBlack), board_.stones(kWhite));
  if (cleanup_) cleanup_->block_history.push_back(cleanup_->blocked);
}

void GoState::end_phase() {
  if (rules_.scoring == Scoring::area || phase_ == 2 || !cleans_up_) {
    over_ = true;
    return;
  }
  ++phase_;
  passes_ = 0;
  ko_from_ = history_.size() - 1;
  passes_from_ = history_.size();
  counted_passes_ = 0;
  visible_from_ = move_number();
  cleanup_.emplace();
  cleanup_->phase_start = history_.size() - 1;
  cleanup_->block_history.push_back(Bits{});
  if (phase_ == 2) cleanup_->start_stones = {board_.stones(kBlack), board_.stones(kWhite)};
}

// KataGo's guess: black stones before white's first move are handicap if there are
// at least two of them and no white stone was set up; single white passes in between
// do not count as moves, two white turns in a row mean a position being set up.
void GoState::count_handicap(Action action, Colour player) {
  if (player == kWhite) {
    white_has_played_ = action != geometry().pass();
    return;
  }
  const Position first = history_[0];
  const int blacks = first.counts() & 0xfff, whites = first.counts() >> 12;
  const int stones = whites == 0 ? blacks + opening_black_moves() : 0;
  handicap_ = stones > 1 ? stones : 0;
}

int GoState::opening_black_moves() const {
  int moves = 0;
  for (int i = 1; i < history_.size(); ++i) {
    const Position here = history_[i];
    if (here.player() == kWhite) {
      if (i + 1 < history_.size() && history_[i + 1].player() == kWhite) return 0;
      if (here.action() != geometry().pass()) return moves;
    } else if (here.action() != geometry().pass()) {
      ++moves;
    }
  }
  return moves;
}

int GoState::handicap_bonus() const {
  switch (rules_.handicap_bonus) {
    case HandicapBonus::n: return handicap_;
    case HandicapBonus::n_minus_one: return handicap_ > 1 ? handicap_ - 1 : 0;
    case HandicapBonus::none: break;
  }
  return 0;
}

double GoState::self_komi(Colour player) const {
  const double white = komi_ + bonus_ + handicap_bonus();
  return player == kWhite ? white : -white;
}

GoState GoState::with_komi(double komi) const {
  GoState copy = *this;
  copy.komi_ = komi;
  return copy;
}

GoState GoState::with_to_play(Colour player) const {
  GoState copy = *this;
  copy.to_play_ = player;
  copy.history_.set_last_next(player);
  return copy;
}

GoState GoState::with_cleanup(bool cleanup) const {
  GoState copy = *this;
  copy.cleans_up_ = cleanup;
  return copy;
}

GoState GoState::without_earlier_moves() const {
  GoState copy = *this;
  copy.visible_from_ = move_number();
  return copy;
}

GoState GoState::resumed() const {
  GoState copy = *this;
  if (!over_) return copy;
  copy.over_ = copy.no_result_ = false;
  copy.passes_ = 0;
  copy.ko_from_ = history_.size() - 1;
  copy.passes_from_ = history_.size();
  copy.counted_passes_ = 0;
  copy.visible_from_ = std::max(copy.visible_from_, move_number() - 1);
  return copy;
}

std::vector<Action> GoState::setup_stones(Colour colour) const {
  const Position start = history_[0];
  std::vector<Action> actions;
  for (Action action = 0; action < geometry().area; ++action) {
    const Point point = geometry().point_of[action];
    if (start.stones(colour)[point >> 6] >> (point & 63) & 1) actions.push_back(action);
  }
  return actions;
}

GoState GoState::with_rules(Rules rules) const {
  GoState copy(geometry().width, geometry().height, rules, komi_, setup_stones(kBlack),
               setup_stones(kWhite), history_[0].next());
  copy.cleans_up_ = cleans_up_;
  for (int i = 1; i < history_.size(); ++i) {
    const Position move = history_[i];
    if (copy.over_) copy = copy.resumed();
    if (copy.legality(move.action(), move.player()) != Legality::legal)
      throw std::invalid_argument("Move " + std::to_string(i) + " is illegal under the new rules.");
    copy.play(move.action(), move.player());
  }
  copy.to_play_ = to_play_;
  copy.history_.set_last_next(to_play_);
  return copy;
}

}  // namespace honte::go
