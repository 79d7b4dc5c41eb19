#include "bindings.hpp"

namespace honte::python {

void bind_search(nanobind::module_&) {}

}  // namespace honte::python
