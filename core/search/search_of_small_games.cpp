#include "search/search_of_games.hpp"

namespace honte {

template class SearchOf<TicTacToe>;
template class SearchOf<ConnectFour>;
template class SearchOf<Gomoku>;
template class SearchOf<Hex>;
template class SearchOf<Othello>;

}  // namespace honte
