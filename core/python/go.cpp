#include "bindings.hpp"

namespace honte::python {

void bind_go(nanobind::module_&) {}

}  // namespace honte::python
