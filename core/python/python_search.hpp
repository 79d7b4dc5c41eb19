// The search of games written in Python, compiled in a file of its own.
#pragma once

#include "python/python_state.hpp"
#include "search/search_of.hpp"

namespace honte {

extern template class SearchOf<python::PythonState>;

}  // namespace honte
