// The networks' inputs for Python: for tools and tests; a search writes them in the core.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "bindings.hpp"
#include "games/go/features.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace honte::python {
namespace {

using Array = nb::ndarray<nb::numpy, float>;

struct Shape {
  int width, height;
};

// The board's shape under the symmetry.
Shape shape_under(const go::GoState& state, int symmetry) {
  if (symmetry < 0 || symmetry > 7)
    throw std::invalid_argument("A symmetry is 0 to 7, not " + std::to_string(symmetry) + ".");
  const go::Geometry& geometry = state.geometry();
  if (symmetry & 4) return {geometry.height, geometry.width};
  return {geometry.width, geometry.height};
}

void check_fit(const go::GoState& state, int symmetry, int width, int height) {
  const Shape shape = shape_under(state, symmetry);
  if (shape.width > width || shape.height > height)
    throw std::invalid_argument("A board of " + std::to_string(shape.width) + " × " +
                                std::to_string(shape.height) + " does not fit into " +
                                std::to_string(width) + " × " + std::to_string(height) + ".");
}

std::tuple<Array, Array> katago_features(const go::GoState& state, int width, int height,
                                         int symmetry, bool pass_alive_as_if_suicide) {
  const Shape shape = shape_under(state, symmetry);
  if (width == 0) width = shape.width;
  if (height == 0) height = shape.height;
  check_fit(state, symmetry, width, height);
  if (width > go::kMaxSide || height > go::kMaxSide)
    throw std::invalid_argument("Planes are at most 25 × 25, not " + std::to_string(width) + " × " +
                                std::to_string(height) + ".");
  const std::size_t spatial_size = static_cast<std::size_t>(go::kKataGoPlanes) * width * height;
  auto* values = new float[spatial_size + go::kKataGoGlobals];
  nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<float*>(p); });
  go::write_katago_features(state, symmetry, width, height, values, values + spatial_size,
                            {.pass_alive_as_if_suicide = pass_alive_as_if_suicide});
  return {Array(values,
                {static_cast<std::size_t>(go::kKataGoPlanes), static_cast<std::size_t>(height),
                 static_cast<std::size_t>(width)},
                owner),
          Array(values + spatial_size, {static_cast<std::size_t>(go::kKataGoGlobals)}, owner)};
}

using Output = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

void write_katago_features(const std::vector<const go::GoState*>& states,
                           const std::vector<int>& symmetries, Output spatial, Output global,
                           bool pass_alive_as_if_suicide) {
  if (symmetries.size() != states.size())
    throw std::invalid_argument("There are " + std::to_string(states.size()) + " states and " +
                                std::to_string(symmetries.size()) + " symmetries.");
  if (spatial.ndim() != 4 || spatial.shape(1) != go::kKataGoPlanes || global.ndim() != 2 ||
      global.shape(1) != go::kKataGoGlobals || spatial.shape(0) < states.size() ||
      global.shape(0) < states.size())
    throw std::invalid_argument("The arrays should be [N, 22, H, W] and [N, 19], N at least " +
                                std::to_string(states.size()) + ".");
  const int height = static_cast<int>(spatial.shape(2)), width = static_cast<int>(spatial.shape(3));
  for (std::size_t i = 0; i < states.size(); ++i) check_fit(*states[i], symmetries[i], width, height);
  const nb::gil_scoped_release release;
  for (std::size_t i = 0; i < states.size(); ++i)
    go::write_katago_features(*states[i], symmetries[i], width, height,
                              spatial.data() + i * go::kKataGoPlanes * height * width,
                              global.data() + i * go::kKataGoGlobals,
                              {.pass_alive_as_if_suicide = pass_alive_as_if_suicide});
}

}  // namespace

void bind_go_features(nb::module_& m) {
  m.def("katago_features", &katago_features, "state"_a, "width"_a = 0, "height"_a = 0,
        "symmetry"_a = 0, "pass_alive_as_if_suicide"_a = false,
        "The inputs of KataGo's networks (version 7): spatial [22, height, width] and global [19]\n"
        "float32, from the side to move, the board in the top left corner under the symmetry.\n"
        "Width and height 0 mean the board's own. ValueError if the board does not fit.");
  m.def("write_katago_features", &write_katago_features, "states"_a, "symmetries"_a, "spatial"_a,
        "global_"_a, "pass_alive_as_if_suicide"_a = false,
        "Write the inputs of many positions, each under its symmetry, into the first rows of\n"
        "spatial [N, 22, H, W] and global_ [N, 19]. ValueError if something does not fit.");
}

}  // namespace honte::python
