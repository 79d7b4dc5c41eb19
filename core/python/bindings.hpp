#pragma once

#include <nanobind/nanobind.h>

namespace honte::python {

void bind_go(nanobind::module_& m);
void bind_go_playouts(nanobind::module_& m);
void bind_go_features(nanobind::module_& m);
void bind_network_values(nanobind::module_& m);
void bind_games(nanobind::module_& m);
void bind_search(nanobind::module_& m);

}  // namespace honte::python
