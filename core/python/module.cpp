// The extension module honte._core: one binding file per room.
#include "bindings.hpp"

NB_MODULE(_core, m) {
  m.doc() = "The native core of honte. Use it through the honte package.";
  honte::python::bind_go_playouts(m);
  honte::python::bind_go(m);
  honte::python::bind_go_features(m);
  honte::python::bind_network_values(m);
  honte::python::bind_games(m);
  honte::python::bind_search(m);
}
