"""What is played: the State protocol, the native games and the adapters.

Go and the small games are here by name; rules, scoring and moves of Go are in
:mod:`honte.games.go`. Games of OpenSpiel need no adapter
(:mod:`honte.games.openspiel` only loads them by name); chess comes through python-chess
(:mod:`honte.games.chess`).
"""

from __future__ import annotations

from honte.games.connect_four import ConnectFour, ConnectFourState
from honte.games.go import Go, GoState
from honte.games.gomoku import Gomoku, GomokuState
from honte.games.hex import Hex, HexState
from honte.games.othello import Othello, OthelloState
from honte.games.protocol import TERMINAL_PLAYER, Observable, State
from honte.games.tic_tac_toe import TicTacToe, TicTacToeState

__all__ = [
    "TERMINAL_PLAYER",
    "ConnectFour",
    "ConnectFourState",
    "Go",
    "GoState",
    "Gomoku",
    "GomokuState",
    "Hex",
    "HexState",
    "Observable",
    "Othello",
    "OthelloState",
    "State",
    "TicTacToe",
    "TicTacToeState",
]
