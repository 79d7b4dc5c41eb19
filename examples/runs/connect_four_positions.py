"""Makes the 500 positions of Connect Four, with exact values, by which runs are measured.

    python examples/runs/connect_four_positions.py examples/runs/connect-four-positions.csv

A position is drawn by random play that takes a win and stops one, so that what decides it is not
the next move alone, and kept where some moves keep its value and others throw it away. Values are
of perfect play: the moves that keep a win, or failing that a draw, are found by trying every line,
with a table of what was seen before. It needs numba, and takes a few minutes.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

import numpy as np
from numba import int64, njit, uint64

COLUMNS, ROWS = 7, 6
HEIGHT = ROWS + 1  # a bit between columns, so that lines do not run over
FLOOR = sum(1 << HEIGHT * column for column in range(COLUMNS))
COLUMN = tuple(((1 << ROWS) - 1) << HEIGHT * column for column in range(COLUMNS))
BOARD = sum(COLUMN)
CENTRE_FIRST = np.array([COLUMN[column] for column in (3, 2, 4, 1, 5, 0, 6)], np.uint64)
TABLE_SIZE = 4_194_301


@njit(uint64(uint64, uint64))
def winning_cells(stones, taken):
    """The empty cells that would make a line of four."""
    cells = (stones << uint64(1)) & (stones << uint64(2)) & (stones << uint64(3))
    for step in (HEIGHT - 1, HEIGHT, HEIGHT + 1):
        one, two, three = uint64(step), uint64(2 * step), uint64(3 * step)
        pairs = (stones << one) & (stones << two)
        cells |= pairs & (stones << three)
        cells |= pairs & (stones >> one)
        pairs = (stones >> one) & (stones >> two)
        cells |= pairs & (stones << one)
        cells |= pairs & (stones >> three)
    return cells & uint64(BOARD) & ~taken


@njit(uint64(uint64))
def playable(taken):
    """The cells on which a stone would come to lie."""
    return (taken + uint64(FLOOR)) & uint64(BOARD)


@njit(int64(uint64))
def count(cells):
    """How many cells these are."""
    number = 0
    while cells:
        cells &= cells - uint64(1)
        number += 1
    return number


@njit(int64(uint64, uint64, int64, int64, uint64[:], int64[:], uint64[:]))
def value(own, taken, low, high, keys, bounds, order):
    """The value for the side to move, 1 a win and −1 a loss, where it lies within the window, else
    a bound on it. ``keys`` and ``bounds`` are the table of what was seen."""
    open_cells = playable(taken)
    if winning_cells(own, taken) & open_cells:
        return 1
    if taken == uint64(BOARD):
        return 0
    other = own ^ taken
    threats = winning_cells(other, taken)
    forced = threats & open_cells
    if forced:
        if forced & (forced - uint64(1)):
            return -1
        open_cells = forced
    open_cells &= ~(threats >> uint64(1))  # below such a cell the other side would win
    if not open_cells:
        return -1
    key = taken + own + uint64(FLOOR)  # names the position: no two have the same sum
    place = int64(key % uint64(TABLE_SIZE))
    least, most = -1, 1
    if keys[place] == key:
        least, most = bounds[place] % 3 - 1, bounds[place] // 3 - 1
    if least >= high:
        return least
    if most <= low:
        return most
    cells = np.zeros(COLUMNS, np.uint64)
    threatens = np.zeros(COLUMNS, np.int64)
    found = 0
    for column in range(COLUMNS):
        cell = open_cells & order[column]
        if cell:
            weight = count(winning_cells(own | cell, taken))
            at = found
            while at > 0 and threatens[at - 1] < weight:  # what threatens most comes first
                cells[at], threatens[at] = cells[at - 1], threatens[at - 1]
                at -= 1
            cells[at], threatens[at] = cell, weight
            found += 1
    best, bound = -1, low
    for at in range(found):
        below = value(other, taken | cells[at], -high, -bound, keys, bounds, order)
        best = max(best, -below)
        bound = max(bound, best)
        if bound >= high:
            break
    if best >= high:
        least = max(least, best)
    elif best <= low:
        most = min(most, best)
    else:
        least = most = best
    keys[place], bounds[place] = key, (least + 1) + 3 * (most + 1)
    return best


class Solver:
    """Exact values of moves."""

    def __init__(self) -> None:
        self._keys = np.zeros(TABLE_SIZE, np.uint64)
        self._bounds = np.zeros(TABLE_SIZE, np.int64)

    def moves(self, own: int, taken: int) -> dict[int, int]:
        """The value of every legal column, from 0, for who plays it."""
        found = {}
        wins = int(winning_cells(own, taken))
        for column in range(COLUMNS):
            cell = int(playable(taken)) & COLUMN[column]
            if cell & wins:
                found[column] = 1
            elif cell:
                other, after = own ^ taken, taken | cell
                found[column] = -int(
                    value(other, after, -1, 1, self._keys, self._bounds, CENTRE_FIRST)
                )
        return found


def drawn_game(length: int, draw: random.Random) -> tuple[list[int], int, int] | None:
    """The columns of a game so long that nobody has won, its mover's stones, and all stones."""
    own = taken = 0
    columns: list[int] = []
    for _ in range(length):
        cells, wins = int(playable(taken)), int(winning_cells(own, taken))
        cells = wins & cells or int(winning_cells(own ^ taken, taken)) & cells or cells
        column = draw.choice([c for c in range(COLUMNS) if cells & COLUMN[c]])
        cell = cells & COLUMN[column]
        if cell & wins:
            return None
        columns.append(column)
        own, taken = own ^ taken, taken | cell
    return columns, own, taken


def main(path: Path, wanted: int = 500, shortest: int = 10, longest: int = 30) -> None:
    """Write so many positions after between ``shortest`` and ``longest`` moves."""
    draw = random.Random(4)
    solver = Solver()
    rows: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    while len(rows) < wanted:
        drawn = drawn_game(draw.randint(shortest, longest), draw)
        if drawn is None:
            continue
        columns, own, taken = drawn
        values = solver.moves(own, taken)
        best = max(values.values())
        if min(values.values()) < best:
            right = [column for column, found in values.items() if found == best]
            rows[tuple(columns)] = best, right
            print(f"\r{len(rows)} positions", end="", file=sys.stderr, flush=True)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["moves", "value", "right"])
        for moves, (best, right) in sorted(rows.items(), key=lambda row: (len(row[0]), row[0])):
            writer.writerow([" ".join(map(str, moves)), best, " ".join(map(str, right))])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
