#include "search/search_of_games.hpp"

namespace honte {

template class SearchOf<go::GoState>;

}  // namespace honte
