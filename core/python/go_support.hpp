// What the Go bindings share: conversions, errors, pickling and drawing.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "games/go/state.hpp"

namespace honte::python {

namespace nb = nanobind;
using go::GoState;
using go::Legality;

using RuleNumbers = std::tuple<int, int, bool, int, int, bool, bool>;
using Moves = std::vector<std::pair<int, Action>>;
// Everything a state can be rebuilt from: size, rules, komi, setup stones, who moved
// first, the moves, who moves now, whether the game is over,
// whether it has clean-up phases, the move up to which networks are told nothing.
using Pickled = std::tuple<int, int, RuleNumbers, double, std::vector<Action>, std::vector<Action>,
                           int, Moves, int, bool, bool, int>;

// From and to honte.games.go.rules.Rules.
go::Rules rules_from(const nb::object& rules);
nb::object rules_of(const GoState& state);

[[noreturn]] void raise_error(const std::string& message);  // as HonteError
go::Colour colour_from(int player);
go::Colour colour_from(const GoState& state, const nb::object& player);  // None: the side to move

// Raises IllegalMove. A tolerant play takes what records of games under other rules hold.
void play(GoState& state, Action action, const nb::object& player, bool tolerant);

template <class T, std::size_t rank>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<rank>>;

// A new array of this shape, zeros.
template <class T, std::size_t rank>
Array<T, rank> zeros(const std::array<std::size_t, rank>& shape) {
  std::size_t size = 1;
  for (const std::size_t side : shape) size *= side;
  T* const data = new T[size]();
  const nb::capsule owner(data, [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
  return Array<T, rank>(data, rank, shape.data(), owner);
}

// [H, W]: 1 on black's points, 2 on white's.
using BoardMap = Array<std::int8_t, 2>;

BoardMap map_of(const go::Geometry& geometry, const go::Bits& black, const go::Bits& white);
BoardMap map_of(const GoState& state, const go::Ownership& owner);
std::vector<Action> actions_of(const go::Geometry& geometry, const go::Bits& points);
Moves moves_of(const GoState& state);

Pickled pickle(const GoState& state);
void unpickle(GoState& state, const Pickled& pickled);  // into memory without a state

std::string draw(const GoState& state);
std::string describe(const GoState& state);

}  // namespace honte::python
