// The native games' searches are compiled once, in files of their own, so that whoever uses
// them need not.
#pragma once

#include "games/connect_four.hpp"
#include "games/go/state.hpp"
#include "games/gomoku.hpp"
#include "games/hex.hpp"
#include "games/othello.hpp"
#include "games/tictactoe.hpp"
#include "search/search_of.hpp"

namespace honte {

extern template class SearchOf<go::GoState>;
extern template class SearchOf<TicTacToe>;
extern template class SearchOf<ConnectFour>;
extern template class SearchOf<Gomoku>;
extern template class SearchOf<Hex>;
extern template class SearchOf<Othello>;

}  // namespace honte
