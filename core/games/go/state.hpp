// A game of Go: board, turn, history and rules. Players: 0 black, 1 white. Action
// y · width + x with row 0 on top; width · height passes.
#pragma once

#include <span>
#include <vector>

#include "games/go/board.hpp"
#include "games/go/cleanup.hpp"
#include "games/go/history.hpp"
#include "games/go/life.hpp"
#include "games/go/playout_policy.hpp"
#include "games/go/rules.hpp"
#include "games/state.hpp"
#include "random.hpp"

namespace honte::go {

enum class Legality : std::uint8_t {
  legal,
  off_board,
  occupied,
  suicide,
  ko,
  superko,
  repeated_ko,  // clean-up: this player took this ko in this position before
  game_over,
};

class GoState {
 public:
  // Setup stones as actions. std::invalid_argument if they are off the board, given
  // twice, or leave a chain without liberties.
  GoState(int width, int height, Rules rules, double komi, std::span<const Action> black = {},
          std::span<const Action> white = {}, Colour to_play = kBlack);

  // honte::State
  int num_distinct_actions() const { return geometry().area + 1; }
  int num_players() const { return 2; }
  int current_player() const { return over_ ? kTerminalPlayer : to_play_; }
  bool is_terminal() const { return over_; }
  void legal_actions(std::vector<Action>& actions) const;
  void apply_action(Action action) { play(action, to_play_); }  // must be legal
  double returns(int player) const;  // 1 won, 0 drawn or no result, −1 lost
  PositionKey key() const;
  // The position however it was reached: the stones, the side to move, passes, and what the past
  // forbids or ends; not the moves that networks see.
  PositionKey graph_key() const;
  // Superko and repetition come from further back than the last position.
  bool graph_keys_follow() const { return false; }
  int num_symmetries() const { return go::num_symmetries(geometry()); }
  Action transform_action(Action action, int symmetry) const {
    return go::transform_action(geometry(), action, symmetry);
  }
  int observation_size() const { return kObservationPlanes * geometry().area; }
  // AlphaGo Zero's planes: for each of the last 8 positions, newest first, the stones
  // of the side to move and the opponent's; then ones if black is to move.
  void observation(std::span<float> planes, int symmetry) const;

  // Whether the player may play the action now, and if not why; either player may be
  // asked about (a move out of turn).
  Legality legality(Action action, Colour player) const;
  bool is_legal(Action action) const { return legality(action, to_play_) == Legality::legal; }
  void play(Action action, Colour player);  // must be legal for the player
  Bits legal_points(Colour player) const;   // passing aside

  // Makes copies cheap: everything so far becomes shared and immutable.
  void freeze() { history_.freeze(); }
  // The result for the side to move (1, 0 or −1) after both play at random without filling their
  // own eyes: by a policy, or uniformly.
  double playout(Random& random, std::vector<Played>* played = nullptr,
                 const PlayoutPolicy* policy = nullptr) const;
  // Plays on from the board as it stands and adds 1 to each point (by action) that Black owns at
  // the end of such a playout, takes 1 from each that White owns.
  void playout_ownership(Random& random, std::span<int> black) const;

  // White's points minus black's, komi and bonuses included, as the board stands by
  // the rules; exact once the game is over. Area scoring without friendly passes
  // (Tromp-Taylor, CGOS) counts every stone on the board as alive; all other rules
  // take stones inside pass-alive territory as dead.
  double score() const;
  // The same by agreement: the stones at these points are taken off as dead first.
  // std::invalid_argument where there is no stone.
  double score_with_dead(std::span<const Action> dead) const;
  Bits dead_stones() const;  // inside the opponent's pass-alive territory
  bool is_no_result() const { return no_result_; }

  // Copies with one thing changed; stones and history stay.
  GoState with_komi(double komi) const;
  GoState with_rules(Rules rules) const;  // replays the moves; std::invalid_argument if one is illegal
  GoState with_to_play(Colour player) const;
  GoState resumed() const;  // after two passes, play goes on
  GoState without_earlier_moves() const;  // networks see the board alone, not how it came about
  // Whether two passes under territory scoring lead to the clean-up phases (as they do
  // from the start) or end the game, dead stones being left to the players' agreement.
  GoState with_cleanup(bool cleanup) const;

  const Geometry& geometry() const { return board_.geometry(); }
  const Board& board() const { return board_; }
  const Rules& rules() const { return rules_; }
  double komi() const { return komi_; }
  Colour to_play() const { return to_play_; }  // of a finished game: who would move
  const History& history() const { return history_; }
  int move_number() const { return history_.size() - 1; }
  Point last_point() const;  // where the last move went; kNoPoint after a pass or at the start
  Position turn(int turns_ago) const;    // the position so many turns ago; the first one beyond the start
  Board board_before(int turns_ago) const;
  std::vector<Action> setup_stones(Colour colour) const;  // ascending
  int handicap() const { return handicap_; }
  int handicap_bonus() const;

  // For the networks' inputs.
  int passes_in_a_row() const { return passes_; }
  bool has_button() const { return button_; }  // still to be taken
  bool pass_would_end_phase() const;
  int phase() const { return phase_; }  // 0 play, 1 and 2 clean-up
  bool cleans_up() const { return cleans_up_; }
  // How many of the last moves a network may see: those of this phase, a single one
  // after play was resumed, those since others were hidden.
  int visible_turns() const { return move_number() - visible_from_; }
  // Komi, handicap, button and, under territory scoring, a point for every stone
  // played: what the player has besides the area of the board.
  double self_komi(Colour player) const;
  Bits ko_banned(Colour player) const;  // by ko, superko or the clean-up's once-only rule
  Bits recapture_blocked() const { return cleanup_ ? cleanup_->blocked : Bits{}; }
  // Empty before the second clean-up phase.
  Bits second_phase_stones(Colour colour) const {
    return cleanup_ ? cleanup_->start_stones[colour] : Bits{};
  }
  // What the rules' scoring would give each player now: KataGo's area planes. Some of
  // its networks want pass-alive areas computed as if suicide were legal.
  Ownership scored_area(bool as_if_suicide = false) const;

  static constexpr int kObservationTurns = 8;
  static constexpr int kObservationPlanes = 2 * kObservationTurns + 1;

 private:
  bool is_banned_ko(Point point, Colour player) const;
  Bits superko_banned(Colour player) const;
  Bits once_only_banned(Colour player) const;
  bool has_occurred(const Bits& black, const Bits& white, Colour next) const;
  bool lifts_block(Point point, Colour player) const;
  bool same_situation(const Position& position, int index) const;
  bool repeats_a_pass(Colour player) const;
  int occurrences() const;
  class Hasher;
  void hash_situation(Hasher& hasher) const;  // all but the stones
  bool turns_matter() const { return phase_ > 0 || rules_.ko != Ko::positional; }
  bool passes_clear_history() const { return phase_ > 0 || rules_.ko == Ko::simple; }

  bool take_pass(Colour player);  // whether it ends the phase
  bool place(Point point, Colour player);  // whether it took a ko in a clean-up phase
  void count_handicap(Action action, Colour player);
  void end_phase();
  void record(Action action, Colour player, bool took_ko);
  int opening_black_moves() const;
  double board_score(const Board& board, bool agreed) const;
  Ownership basic_area(const Board& board, bool agreed) const;

  Board board_;
  History history_;
  Rules rules_;
  double komi_;
  Colour to_play_;
  std::uint8_t passes_ = 0, phase_ = 0;
  bool button_, over_ = false, no_result_ = false, white_has_played_ = false, cleans_up_ = true;
  int handicap_ = 0;
  float bonus_ = 0;        // white's, for the button and for stones played under territory scoring
  int ko_from_ = 0;        // the first position that counts as seen before
  int passes_from_ = 0;    // the first move of which a pass may end the phase when repeated
  int counted_passes_ = 0; // passes since then
  int visible_from_ = 0;
  std::array<std::uint16_t, 2> most_stones_{};  // that a colour had on the board at any time
  Boxed<Cleanup> cleanup_;
};

static_assert(State<GoState>);

}  // namespace honte::go
