#include "python/python_search.hpp"

namespace honte {

template class SearchOf<python::PythonState>;

}  // namespace honte
