"""A game of your own in thirty lines, played by honte against itself.

Cram: two players in turn lay dominoes on a board; who cannot lay one loses.
"""

from __future__ import annotations

from honte.search import Search


class Cram:
    """An action is 2 · cell + direction: a domino from the cell to the right (0) or down (1)."""

    def __init__(self, rows: int = 4, columns: int = 4) -> None:
        self.rows, self.columns = rows, columns
        self.covered: frozenset[int] = frozenset()
        self.player = 0

    def domino(self, action: int) -> tuple[int, int]:
        cell, down = divmod(action, 2)
        return cell, cell + (self.columns if down else 1)

    def fits(self, action: int) -> bool:
        first, second = self.domino(action)
        on_board = second < self.rows * self.columns if action % 2 else second % self.columns
        return bool(on_board) and not self.covered & {first, second}

    def num_distinct_actions(self) -> int:
        return 2 * self.rows * self.columns

    def current_player(self) -> int:
        return -4 if self.is_terminal() else self.player

    def legal_actions(self) -> list[int]:
        return [action for action in range(self.num_distinct_actions()) if self.fits(action)]

    def apply_action(self, action: int) -> None:
        self.covered |= set(self.domino(action))
        self.player = 1 - self.player

    def is_terminal(self) -> bool:
        return not self.legal_actions()

    def returns(self) -> list[float]:
        return [-1.0, 1.0] if self.player == 0 else [1.0, -1.0]

    def observation_tensor(self) -> list[float]:
        """What a network would see; a search by playouts does without."""
        return [float(cell in self.covered) for cell in range(self.rows * self.columns)]

    def clone(self) -> Cram:
        copy = Cram(self.rows, self.columns)
        copy.covered, copy.player = self.covered, self.player
        return copy


def main() -> None:
    game = Cram()
    search = Search(game, seed=1)
    while not game.is_terminal():
        result = search.run(visits=400)
        cells = game.domino(result.action)
        print(f"player {result.player} covers {cells}, expects {result.value:+.2f}")
        game.apply_action(result.action)
        search.advance(result.action)
    print(f"player {0 if game.returns()[0] > 0 else 1} has laid the last domino")


if __name__ == "__main__":
    main()
