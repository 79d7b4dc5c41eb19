"""Counting a game: which stones are dead, and what the score is.

One and the same setting serves ``final_score``, ``final_status_list`` and the result written
into a record, before and after the passes: under rules without friendly passes (Tromp-Taylor,
CGOS) the board counts as it stands; under all others dead stones are taken off first.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from honte.games.go import BLACK, WHITE, Go, GoState, Scoring
from honte.players.ownership import OwnershipReport, OwnershipSource, Plane, TreeOwnership
from honte.search.result import SearchResult

DEAD_BELOW = -0.2
"""A string is dead if its owner's mean ownership of its points is less than this, on the mean of
either side moving first: what is open is 0, and a stone that only its own move could save is
dead once that move was not made."""


QUICK_SECONDS = 0.01
"""How long a report of live analysis may wait for ownership."""


class Counter:
    """Judges life and death with two :class:`OwnershipSource`: ``quick`` for the many lines of a
    tree, ``thorough`` for the end of a game."""

    def __init__(self, quick: OwnershipSource, thorough: OwnershipSource) -> None:
        self._source = thorough
        self._tree = TreeOwnership(quick)

    def ownership(
        self, state: GoState, result: SearchResult, *, of_moves: bool = False
    ) -> OwnershipReport:
        """Ownership over the tree of a search of ``state`` that is under way: a report of it must
        not be late, so it says what can be found out quickly."""
        return self._tree.report(state, result, of_moves=of_moves, seconds=QUICK_SECONDS)

    def settled_ownership(self, state: GoState) -> Plane:
        """[H, W], +1 where Black owns the point: the same whoever moves and whoever has passed."""
        board = state.board().ravel()
        go = Go(state.width, state.height, state.rules, state.komi)
        black = [int(point) for point in np.flatnonzero(board == 1)]
        white = [int(point) for point in np.flatnonzero(board == 2)]
        views = [
            go.new_initial_state(black=black, white=white, to_play=player)
            for player in (BLACK, WHITE)
        ]
        first, second = self._source(views)
        return np.float32(0.5) * (first + second)

    def dead_stones(self, state: GoState) -> list[int]:
        """The points of stones that will not live, under rules by which players agree on them."""
        if state.rules.scoring is Scoring.AREA and not state.rules.friendly_pass:
            return []
        return self._hopeless_stones(state)

    def _hopeless_stones(self, state: GoState) -> list[int]:
        board = state.board()
        if not board.any():
            return []
        ownership = self.settled_ownership(state).ravel()
        pass_alive = state.pass_alive().ravel()
        dead: list[int] = []
        for mark, string in _strings(board):
            certain = pass_alive[string[0]]
            if certain == mark:
                continue
            side = 1.0 if mark == 1 else -1.0
            if certain == 3 - mark or side * float(ownership[string].mean()) < DEAD_BELOW:
                dead += string
        return sorted(dead)

    def final_score(self, state: GoState) -> float:
        """White's points minus Black's, komi and bonuses included."""
        if state.is_no_result():
            return 0.0
        if state.rules.scoring is Scoring.AREA and not state.rules.friendly_pass:
            return float(state.score())
        return float(state.score_with_dead(self.dead_stones(state)))

    def strings_by_status(self, state: GoState) -> dict[str, list[list[int]]]:
        """The strings on the board under ``alive``, ``seki`` and ``dead``, each a list of points.

        A living string is in seki if it shares a liberty with an opponent's and neither side has
        two points of territory beside it.
        """
        board = state.board()
        dead = set(self.dead_stones(state))
        cleared = board.copy()
        cleared.ravel()[sorted(dead)] = 0
        in_seki = _points_in_seki(cleared)
        by_status: dict[str, list[list[int]]] = {"alive": [], "seki": [], "dead": []}
        for _, string in _strings(board):
            if string[0] in dead:
                by_status["dead"].append(string)
            elif string[0] in in_seki:
                by_status["seki"].append(string)
            else:
                by_status["alive"].append(string)
        return by_status


def _neighbours(point: int, width: int, height: int) -> Iterator[int]:
    y, x = divmod(point, width)
    if x > 0:
        yield point - 1
    if x + 1 < width:
        yield point + 1
    if y > 0:
        yield point - width
    if y + 1 < height:
        yield point + width


def _regions(board: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> list[tuple[int, list[int]]]:
    """The connected regions of equal marks: (0 empty, 1 black, 2 white) and their points."""
    height, width = board.shape
    marks = board.ravel().tolist()
    seen = [False] * len(marks)
    regions = []
    for start in range(len(marks)):
        if seen[start]:
            continue
        seen[start] = True
        region, frontier = [], [start]
        while frontier:
            point = frontier.pop()
            region.append(point)
            for neighbour in _neighbours(point, width, height):
                if not seen[neighbour] and marks[neighbour] == marks[start]:
                    seen[neighbour] = True
                    frontier.append(neighbour)
        regions.append((marks[start], sorted(region)))
    return regions


def _strings(board: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> list[tuple[int, list[int]]]:
    """The strings of stones: (1 black, 2 white) and their points."""
    return [(mark, region) for mark, region in _regions(board) if mark != 0]


def _points_in_seki(board: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> set[int]:
    height, width = board.shape
    strings = _strings(board)
    string_of = {point: index for index, (_, string) in enumerate(strings) for point in string}
    territory = [0] * len(strings)
    shared: list[set[int]] = []
    for mark, region in _regions(board):
        if mark != 0:
            continue
        touching = {
            string_of[neighbour]
            for point in region
            for neighbour in _neighbours(point, width, height)
            if neighbour in string_of
        }
        if len({strings[index][0] for index in touching}) == 1:
            for index in touching:
                territory[index] += len(region)
        elif touching:
            shared.append(touching)
    in_seki: set[int] = set()
    for touching in shared:
        poor = {index for index in touching if territory[index] < 2}
        if {strings[index][0] for index in poor} == {1, 2}:
            in_seki |= {point for index in poor for point in strings[index][1]}
    return in_seki
