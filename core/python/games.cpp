#include "bindings.hpp"

namespace honte::python {

void bind_games(nanobind::module_&) {}

}  // namespace honte::python
