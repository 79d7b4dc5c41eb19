// The fast rollout policy for Python: made from weights, asked for probabilities, and the features
// that its weights are learned from. honte.evaluation.patterns is its public face.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "bindings.hpp"
#include "games/go/pattern_player.hpp"
#include "go_support.hpp"

using namespace nanobind::literals;

namespace honte::python {
namespace {

using go::PlayoutPolicy;

template <class T, std::size_t rank>
using Given = nb::ndarray<const T, nb::ndim<rank>, nb::c_contig, nb::device::cpu>;

go::PlayoutWeights weights_from(const Given<std::uint16_t, 1>& patterns, const Given<std::int8_t, 1>& pattern_weights,
                                std::int8_t other_pattern, const Given<std::int8_t, 1>& tactics,
                                const Given<std::uint32_t, 1>& diamonds, const Given<std::int8_t, 2>& responses,
                                const Given<std::int8_t, 1>& other_response) {
  if (tactics.shape(0) != go::kTactics || other_response.shape(0) != go::kDiamondPoints ||
      responses.shape(1) != go::kDiamondPoints)
    throw std::invalid_argument("A policy has 11 tactics, and 12 weights for each diamond and for the others.");
  go::PlayoutWeights weights;
  weights.patterns.assign(patterns.data(), patterns.data() + patterns.size());
  weights.pattern_weights.assign(pattern_weights.data(), pattern_weights.data() + pattern_weights.size());
  weights.other_pattern = other_pattern;
  std::copy_n(tactics.data(), go::kTactics, weights.tactics.begin());
  weights.diamonds.assign(diamonds.data(), diamonds.data() + diamonds.size());
  weights.responses.assign(responses.data(), responses.data() + responses.size());
  std::copy_n(other_response.data(), go::kDiamondPoints, weights.other_response.begin());
  return weights;
}

// The probability of each action, a pass being certain where there is no other.
Array<double, 1> probabilities(go::PatternPlayer& player) {
  const go::Geometry& geometry = player.board().geometry();
  auto shares = zeros<double, 1>({std::size_t(geometry.area + 1)});
  double sum = 0.0;
  player.for_each_move([&](go::Point point, std::uint64_t weight) {
    shares.data()[geometry.action_of[point]] = static_cast<double>(weight);
    sum += static_cast<double>(weight);
  });
  if (sum == 0.0) shares.data()[geometry.pass()] = sum = 1.0;
  for (int action = 0; action <= geometry.area; ++action) shares.data()[action] /= sum;
  return shares;
}

std::optional<Action> action_at(const go::Board& board, go::Point point) {
  if (point == go::kNoPoint) return std::nullopt;
  return board.geometry().action_of[point];
}

nb::tuple play_some(const PlayoutPolicy& policy, const GoState& state, int moves, std::uint64_t seed) {
  go::PatternPlayer player(state.board(), state.to_play(), state.last_point(), policy);
  Random random{seed};
  for (int move = 0; move < moves; ++move) {
    const go::Point point = player.choose(random, state.geometry().words);
    if (point == go::kNoPoint) {
      player.pass();
    } else {
      player.play(point, state.geometry().words);
    }
  }
  const go::Board& board = player.board();
  return nb::make_tuple(map_of(board.geometry(), board.stones(go::kBlack), board.stones(go::kWhite)),
                        int{player.to_play()}, action_at(board, player.last()), action_at(board, board.ko_point()),
                        probabilities(player));
}

// A column of the answer: one number for each move.
template <class T>
Array<T, 1> column(const std::vector<go::PlayoutMove>& moves, auto&& get) {
  auto array = zeros<T, 1>({moves.size()});
  for (std::size_t i = 0; i < moves.size(); ++i) array.data()[i] = static_cast<T>(get(moves[i]));
  return array;
}

nb::tuple features(const Given<std::uint8_t, 3>& own, const Given<std::uint8_t, 3>& other,
                   const Given<std::int32_t, 1>& last, const Given<std::int32_t, 1>& ko) {
  const std::size_t count = own.shape(0), area = own.shape(1) * own.shape(2);
  if (other.shape(0) != count || other.shape(1) != own.shape(1) || other.shape(2) != own.shape(2) ||
      last.shape(0) != count || ko.shape(0) != count)
    throw std::invalid_argument("The arrays of a batch have as many rows, and boards of one size.");
  const go::Geometry& geometry = go::Geometry::of(static_cast<int>(own.shape(2)), static_cast<int>(own.shape(1)));
  const auto point_of = [&](std::int32_t action) {
    if (action >= geometry.area) throw std::invalid_argument("A point is off the board.");
    return action < 0 ? go::kNoPoint : geometry.point_of[action];
  };
  auto start = zeros<std::int64_t, 1>({count + 1});
  std::vector<go::PlayoutMove> all;
  {
    const nb::gil_scoped_release release;
    for (std::size_t row = 0; row < count; ++row) {
      go::Bits mine, theirs;
      for (std::size_t action = 0; action < area; ++action) {
        if (own.data()[row * area + action]) mine.set(geometry.point_of[action]);
        if (other.data()[row * area + action]) theirs.set(geometry.point_of[action]);
      }
      const go::Board board(geometry, mine, theirs, point_of(ko.data()[row]));
      const std::vector<go::PlayoutMove> moves = go::playout_moves(board, go::kBlack, point_of(last.data()[row]));
      all.insert(all.end(), moves.begin(), moves.end());
      start.data()[row + 1] = static_cast<std::int64_t>(all.size());
    }
  }
  return nb::make_tuple(
      start, column<std::int16_t>(all, [&](const auto& move) { return geometry.action_of[move.point]; }),
      column<std::uint16_t>(all, [](const auto& move) { return move.pattern; }),
      column<std::uint16_t>(all, [](const auto& move) { return move.tactics; }),
      column<std::int8_t>(all, [](const auto& move) { return move.response; }),
      column<std::uint32_t>(all, [](const auto& move) { return move.diamond; }));
}

}  // namespace

void bind_go_playouts(nb::module_& m) {
  nb::class_<PlayoutPolicy>(m, "PlayoutPolicy", "The fast rollout policy: use honte.evaluation.PatternPolicy.")
      .def("__init__",
           [](PlayoutPolicy* self, const Given<std::uint16_t, 1>& patterns, const Given<std::int8_t, 1>& pattern_weights,
              std::int8_t other_pattern, const Given<std::int8_t, 1>& tactics, const Given<std::uint32_t, 1>& diamonds,
              const Given<std::int8_t, 2>& responses, const Given<std::int8_t, 1>& other_response) {
             new (self) PlayoutPolicy(weights_from(patterns, pattern_weights, other_pattern, tactics, diamonds,
                                                   responses, other_response));
           },
           "patterns"_a, "pattern_weights"_a, "other_pattern"_a, "tactics"_a, "diamonds"_a, "responses"_a,
           "other_response"_a)
      .def("probabilities",
           [](const PlayoutPolicy& policy, const GoState& state) {
             go::PatternPlayer player(state.board(), state.to_play(), state.last_point(), policy);
             return probabilities(player);
           },
           "state"_a, "float64 [A]: the probability of each action as the next move of a playout.")
      .def("play_some", &play_some, "state"_a, "moves"_a, "seed"_a = 0,
           "Plays so many moves of a playout: the board then, int8 [H, W], whose turn it is, the last move, the "
           "point that the ko forbids (None where there is none), and the probabilities of the next move.");
  m.def("playout_features", &features, "own"_a, "opponent"_a, "last"_a, "ko"_a,
        "The moves of playouts at N positions and their features, from the side to move: stones uint8 [N, H, W], "
        "the last move and the point the ko forbids, int32 [N], −1 for none. Gives where the moves of each position "
        "begin, int64 [N + 1], and for each move its action, pattern, tactics (bits), response point (−1: none) and "
        "diamond.");
}

}  // namespace honte::python
