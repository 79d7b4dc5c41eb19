#include "games/go/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "games/go/ladders.hpp"

namespace honte::go {
namespace {

constexpr int kTurns = 5;  // of history that a network sees

// Sets points of planes to one, wherever the symmetry puts them.
class PlaneWriter {
 public:
  PlaneWriter(const Geometry& geometry, int symmetry, int width, int height, float* spatial)
      : geometry_(geometry), area_(width * height), spatial_(spatial) {
    // A step along x or y moves by a fixed distance in the planes (see transform_action).
    const int along_x = symmetry & 4 ? width : 1, along_y = symmetry & 4 ? 1 : width;
    const int step_x = symmetry & 2 ? -along_x : along_x, step_y = symmetry & 1 ? -along_y : along_y;
    int row = (symmetry & 2 ? (geometry.width - 1) * along_x : 0) +
              (symmetry & 1 ? (geometry.height - 1) * along_y : 0);
    for (int y = 0; y < geometry.height; ++y, row += step_y) {
      int* const out = &place_[(y + 1) * geometry.stride + 1];
      for (int x = 0; x < geometry.width; ++x) out[x] = row + x * step_x;
    }
  }

  void set(int plane, Point point) { spatial_[plane * area_ + place_[point]] = 1.0f; }
  void set(int plane, const Bits& points) {
    float* const out = spatial_ + plane * area_;
    for_each(points, geometry_.words, [&](int point) { out[place_[point]] = 1.0f; });
  }

 private:
  const Geometry& geometry_;
  int area_;
  float* spatial_;
  std::array<int, kMaxPoints> place_;
};

bool pass_ends_phase(const GoState& state) {
  // After the last pass of a game the next one would still be one too many.
  return state.pass_would_end_phase() || (state.is_terminal() && state.passes_in_a_row() >= 1);
}

bool pass_ends_game(const GoState& state) {
  return pass_ends_phase(state) && (state.rules().scoring == Scoring::area || state.phase() == 2);
}

// Where players may pass before all dead stones are captured, a pass in answer to a pass
// is no claim that the game is over: networks are then not told that it would be.
bool hides_end_of_game(const GoState& state) {
  return pass_ends_game(state) && state.rules().friendly_pass &&
         state.rules().scoring == Scoring::area && state.passes_in_a_row() == 1;
}

// How many of the last moves are shown, and the moves themselves. A side that moved twice
// in a row ends what is shown.
int write_history(const GoState& state, int most, PlaneWriter& planes, float* global) {
  const Geometry& geometry = state.geometry();
  most = std::min(most, state.visible_turns());
  int shown = 0;
  for (Colour player = opponent(state.to_play()); shown < most; player = opponent(player)) {
    const Position position = state.turn(shown);
    if (position.player() != player) break;
    if (position.action() == geometry.pass())
      global[shown] = 1.0f;
    else
      planes.set(9 + shown, geometry.point_of[position.action()]);
    ++shown;
  }
  return shown;
}

const Tactics& tactics_of(const Geometry& geometry, const Position& position) {
  Bits black, white;
  std::copy_n(position.black, geometry.words, black.word.begin());
  std::copy_n(position.white, geometry.words, white.word.begin());
  return recall_tactics(geometry, black, white, position.ko_point());
}

void write_tactics(const GoState& state, int turns_shown, PlaneWriter& planes) {
  const Geometry& geometry = state.geometry();
  const Board& board = state.board();
  {
    const Tactics& now = recall_tactics(geometry, board.stones(kBlack), board.stones(kWhite),
                                        board.ko_point());
    for (int i = 0; i < 3; ++i) planes.set(3 + i, now.liberties[i]);
    planes.set(14, now.laddered);
    planes.set(17, now.capturing_moves[opponent(state.to_play())]);
    // What is not shown is taken to have been as it is now, or as it was a turn later.
    if (turns_shown < 1) planes.set(15, now.laddered);
    if (turns_shown < 1) planes.set(16, now.laddered);
  }
  if (turns_shown < 1) return;
  const Bits before = tactics_of(geometry, state.turn(1)).laddered;
  planes.set(15, before);
  planes.set(16, turns_shown < 2 ? before : tactics_of(geometry, state.turn(2)).laddered);
}

// A triangle wave of period 2 in komi: how much half a point more would be worth, given
// which scores the number of points on the board allows.
float komi_parity(float komi, int area) {
  const float drawable = area % 2 == 0 ? std::floor(komi / 2) * 2 : std::floor((komi - 1) / 2) * 2 + 1;
  const float above = std::clamp(komi - drawable, 0.0f, 2.0f);
  if (above < 0.5f) return above;
  return above < 1.5f ? 1 - above : above - 2;
}

void write_rules(const GoState& state, float* global) {
  const Rules& rules = state.rules();
  const int area = state.geometry().area;
  const float limit = static_cast<float>(area) + 20;
  const float komi = std::clamp(static_cast<float>(state.self_komi(state.to_play())), -limit, limit);
  global[5] = komi / 20;
  if (rules.ko != Ko::simple) {
    global[6] = 1.0f;
    global[7] = rules.ko == Ko::positional ? 0.5f : -0.5f;
  }
  global[8] = rules.suicide;
  global[9] = rules.scoring == Scoring::territory;
  global[10] = rules.tax != Tax::none;
  global[11] = rules.tax == Tax::all;
  global[12] = state.phase() > 0;
  global[13] = state.phase() > 1;
  global[17] = state.has_button();
  if (rules.scoring == Scoring::area || state.phase() == 2) global[18] = komi_parity(komi, area);
}

}  // namespace

void write_katago_features(const GoState& state, int symmetry, int width, int height,
                           float* spatial, float* global, KataGoFeatureOptions options) {
  std::fill_n(spatial, kKataGoPlanes * width * height, 0.0f);
  std::fill_n(global, kKataGoGlobals, 0.0f);
  const Geometry& geometry = state.geometry();
  const Board& board = state.board();
  const Colour own = state.to_play(), other = opponent(own);
  PlaneWriter planes(geometry, symmetry, width, height, spatial);

  planes.set(0, geometry.on_board);
  planes.set(1, board.stones(own));
  planes.set(2, board.stones(other));
  planes.set(6, state.ko_banned(own));
  planes.set(7, state.recapture_blocked());
  const Ownership area = state.scored_area(options.pass_alive_as_if_suicide);
  planes.set(18, area[own]);
  planes.set(19, area[other]);
  planes.set(20, state.second_phase_stones(own));
  planes.set(21, state.second_phase_stones(other));

  const bool hidden = hides_end_of_game(state);
  const int most_turns = hidden ? 0 : state.is_terminal() ? 1 : kTurns;
  const int shown = write_history(state, most_turns, planes, global);
  write_tactics(state, shown, planes);
  write_rules(state, global);
  global[14] = !hidden && pass_ends_phase(state);
}

}  // namespace honte::go
