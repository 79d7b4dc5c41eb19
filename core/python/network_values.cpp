// The value head's numbers for Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bindings.hpp"
#include "games/go/features.hpp"
#include "games/go/network_values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace honte::python {
namespace {

using Input = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<nb::numpy, float, nb::ndim<2>>;

Output read_values(const Input& value, const Input& misc, const Input& globals, std::size_t rows,
                   const go::ValueScales& scales) {
  if (value.shape(0) < rows || misc.shape(0) < rows || globals.shape(0) < rows || value.shape(1) != 3 ||
      (misc.shape(1) != 4 && misc.shape(1) < 6) || globals.shape(1) != go::kKataGoGlobals)
    throw nb::value_error("the arrays are value [N, 3], misc [N, 4 or 6] and globals [N, 19] with N of at least rows");
  auto* numbers = new float[go::kValueNumbers * rows];
  nb::capsule owner(numbers, [](void* memory) noexcept { delete[] static_cast<float*>(memory); });
  go::read_values(rows, value.data(), misc.data(), misc.shape(1), globals.data(), scales, numbers);
  return Output(numbers, {static_cast<std::size_t>(go::kValueNumbers), rows}, owner);
}

}  // namespace

void bind_network_values(nb::module_& m) {
  nb::class_<go::ValueScales>(m, "ValueScales", "See honte.networks.OutputScales.")
      .def("__init__",
           [](go::ValueScales* self, int version, double score_mean, double score_stdev, double lead, double short_term_value) {
             new (self) go::ValueScales{version, score_mean, score_stdev, lead, short_term_value};
           },
           "version"_a, "score_mean"_a, "score_stdev"_a, "lead"_a, "short_term_value"_a);
  m.def("read_katago_values", &read_values, "value"_a, "misc"_a, "globals_"_a, "rows"_a, "scales"_a,
        "What a search reads of a KataGo network's raw value head, [6, rows] float32 from the side to move:\n"
        "P(win) - P(loss), score mean, score stdev, lead, P(no result), expected error of the first.");
}

}  // namespace honte::python
