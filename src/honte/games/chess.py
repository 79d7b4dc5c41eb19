"""Chess, with python-chess for the rules.

Actions are numbered by squares as python-chess numbers them (a1 = 0, b1 = 1 … h8 = 63):

* 64 · from + to: every move but an under-promotion. A pawn that reaches the last rank this way
  becomes a queen; castling is the king's move of two squares.
* 4096 + 3 · (8 · piece + file) + direction: a pawn on that file (a = 0) promotes to a knight,
  bishop or rook (piece 0, 1, 2), capturing towards the a-file, going straight or capturing
  towards the h-file (direction 0, 1, 2).

The game ends with mate, stalemate, too little material to mate, the third occurrence of a
position, or a hundred plies without a capture or a pawn's move; nobody needs to claim a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.games.protocol import TERMINAL_PLAYER

if TYPE_CHECKING:
    import chess

__all__ = ["Chess", "ChessState"]

NUM_ACTIONS = 4096 + 3 * 8 * 3
NUM_PLANES = 20


def _python_chess() -> Any:
    try:
        import chess
    except ImportError as error:
        raise HonteError("Chess needs python-chess: pip install 'honte[chess]'.") from error
    return chess


@dataclass(frozen=True, slots=True)
class Chess:
    """Chess from a position, by default the usual one. ``fen`` is Forsyth-Edwards Notation."""

    fen: str | None = None

    def new_initial_state(self) -> ChessState:
        """Raises ``HonteError`` for a FEN that cannot be read or a position that cannot be."""
        chess = _python_chess()
        try:
            board = chess.Board() if self.fen is None else chess.Board(self.fen)
        except ValueError as error:
            raise HonteError(f"{self.fen!r} is no chess position: {error}.") from error
        if not board.is_valid():
            raise HonteError(f"{self.fen!r} is no legal chess position: {board.status()!r}.")
        return ChessState(board)


class ChessState:
    """A position of chess; player 0 is White. The board given is copied.

    There is no ``key``: what repeats is part of a position's future, so two ways to one diagram
    are two positions.
    """

    def __init__(self, board: chess.Board) -> None:
        _python_chess()
        self._board = board.copy()
        self._moves: dict[int, chess.Move] | None = None

    @property
    def board(self) -> chess.Board:
        """A copy of python-chess's board."""
        return self._board.copy()

    def num_distinct_actions(self) -> int:
        """4168."""
        return NUM_ACTIONS

    def num_players(self) -> int:
        """2."""
        return 2

    def current_player(self) -> int:
        """0 for White, 1 for Black, −4 when the game is over."""
        if self.is_terminal():
            return TERMINAL_PLAYER
        return 0 if self._board.turn else 1

    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order; empty when the game is over."""
        return [] if self.is_terminal() else sorted(self._legal_moves())

    def apply_action(self, action: int) -> None:
        """Play an action. Raises ``HonteError`` if it is not legal or the game is over."""
        move = self._legal_moves().get(action)
        if move is None or self.is_terminal():
            raise HonteError(
                f"The action {action} is not legal in {self._board.fen()}: "
                "play one of legal_actions()."
            )
        self._board.push(move)
        self._moves = None

    def is_terminal(self) -> bool:
        """Whether the game is over, by mate or a draw of any kind."""
        return not self._legal_moves() or self._is_drawn_by_rule()

    def returns(self) -> list[float]:
        """White's and Black's result: 1 for a mate given, −1 for one suffered, else 0."""
        if self._legal_moves() or not self._board.is_check():
            return [0.0, 0.0]
        return [-1.0, 1.0] if self._board.turn else [1.0, -1.0]

    def clone(self) -> Self:
        """An independent copy, with the moves since the last capture or pawn's move."""
        copy = object.__new__(type(self))
        copy._board = self._board.copy(stack=self._board.halfmove_clock)
        copy._moves = self._moves
        return copy

    def action_to_string(self, action: int) -> str:
        """A legal action in standard algebraic notation, such as ``Nf3``."""
        move = self._legal_moves().get(action)
        if move is None:
            raise HonteError(f"The action {action} is not legal in {self._board.fen()}.")
        return self._board.san(move)

    def string_to_action(self, text: str) -> int:
        """The action of a move in standard algebraic (``Nf3``) or UCI (``g1f3``) notation.

        Raises ``HonteError`` for a move that cannot be read or is not legal.
        """
        for read in (self._board.parse_san, self._board.parse_uci):
            try:
                return self._action(read(text))
            except ValueError:
                continue
        raise HonteError(f"{text!r} is no legal move in {self._board.fen()}.")

    def observation_tensor(self) -> NDArray[np.float32]:
        """Planes [20, 8, 8], rank 8 first and the a-file left for both sides, as actions are.

        Six planes of the mover's pawns, knights, bishops, rooks, queens, king; six of the
        opponent's; whether the position occurred before; the mover's rights to castle on the
        king's and the queen's side, the opponent's two; the square a pawn may capture en
        passant; plies without progress / 100; and who moves (1: White).
        """
        board, mover = self._board, self._board.turn
        planes = np.zeros((NUM_PLANES, 8, 8), dtype=np.float32)
        for square, piece in board.piece_map().items():
            plane = piece.piece_type - 1 + (0 if piece.color == mover else 6)
            planes[plane, 7 - square // 8, square % 8] = 1
        planes[12] = board.is_repetition(2)
        for index, side in enumerate((mover, not mover)):
            planes[13 + 2 * index] = board.has_kingside_castling_rights(side)
            planes[14 + 2 * index] = board.has_queenside_castling_rights(side)
        if board.ep_square is not None:
            planes[17, 7 - board.ep_square // 8, board.ep_square % 8] = 1
        planes[18] = board.halfmove_clock / 100
        planes[19] = mover
        return planes

    def __str__(self) -> str:
        return f"{self._board}\n{self._board.fen()}"

    def __repr__(self) -> str:
        return f"<ChessState {self._board.fen()}>"

    def _legal_moves(self) -> dict[int, chess.Move]:
        if self._moves is None:
            self._moves = {self._action(move): move for move in self._board.legal_moves}
        return self._moves

    def _is_drawn_by_rule(self) -> bool:
        board = self._board
        return (
            board.halfmove_clock >= 100
            or board.is_insufficient_material()
            or (board.halfmove_clock >= 8 and board.is_repetition(3))
        )

    @staticmethod
    def _action(move: chess.Move) -> int:
        start, end, piece = move.from_square, move.to_square, move.promotion
        if piece is None or piece == 5:
            return 64 * start + end
        direction = end % 8 - start % 8 + 1
        return 4096 + 3 * (8 * (piece - 2) + start % 8) + direction
