// The networks' inputs for Python: for tools and tests; a search writes them in the core.
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>
#include <tuple>

#include "bindings.hpp"
#include "games/go/features.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace honte::python {
namespace {

using Array = nb::ndarray<nb::numpy, float>;

std::tuple<Array, Array> katago_features(const go::GoState& state, int width, int height,
                                         int symmetry, bool pass_alive_as_if_suicide) {
  const go::Geometry& geometry = state.geometry();
  if (symmetry < 0 || symmetry > 7)
    throw std::invalid_argument("A symmetry is 0 to 7, not " + std::to_string(symmetry) + ".");
  const bool turned = symmetry & 4;
  const int own_width = turned ? geometry.height : geometry.width;
  const int own_height = turned ? geometry.width : geometry.height;
  if (width == 0) width = own_width;
  if (height == 0) height = own_height;
  if (own_width > width || own_height > height || width > go::kMaxSide || height > go::kMaxSide)
    throw std::invalid_argument("A board of " + std::to_string(own_width) + " × " +
                                std::to_string(own_height) + " does not fit into " +
                                std::to_string(width) + " × " + std::to_string(height) +
                                " (at most 25 × 25).");
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

}  // namespace

void bind_go_features(nb::module_& m) {
  m.def("katago_features", &katago_features, "state"_a, "width"_a = 0, "height"_a = 0,
        "symmetry"_a = 0, "pass_alive_as_if_suicide"_a = false,
        "The inputs of KataGo's networks (version 7): spatial [22, height, width] and global [19]\n"
        "float32, from the side to move, the board in the top left corner under the symmetry.\n"
        "Width and height 0 mean the board's own. ValueError if the board does not fit.");
}

}  // namespace honte::python
