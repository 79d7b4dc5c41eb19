"""Golden numbers of move sequences from the empty board, and Tromp's counts of legal positions."""

from __future__ import annotations

from itertools import product

import pytest

from honte.errors import HonteError
from honte.games.go import Go, Ko, Rules, go_perft

SIMPLE, POSITIONAL, SITUATIONAL = Ko.SIMPLE, Ko.POSITIONAL, Ko.SITUATIONAL

PERFT = [
    (2, 2, SIMPLE, False, [5, 21, 69, 161, 337, 673, 1329]),
    (2, 2, POSITIONAL, False, [5, 21, 69, 161, 337, 673, 1249]),
    (2, 2, POSITIONAL, True, [5, 21, 69, 161, 337, 673, 1249]),
    (2, 2, SITUATIONAL, False, [5, 21, 69, 161, 337, 673, 1273]),
    (2, 2, SITUATIONAL, True, [5, 21, 69, 161, 337, 673, 1345]),
    (2, 2, SIMPLE, True, [5, 21, 69, 161, 337, 673, 1401]),
    (3, 2, POSITIONAL, False, [7, 43, 223, 941, 3285, 8889]),
    (3, 2, POSITIONAL, True, [7, 43, 223, 949, 3421, 10057]),
    (3, 2, SITUATIONAL, True, [7, 43, 223, 949, 3421, 10089]),
    (3, 2, SIMPLE, True, [7, 43, 223, 949, 3421, 10089]),
    *[(3, 3, ko, suicide, [10, 91, 739, 5291, 33475]) for ko in Ko for suicide in (False, True)],
]


@pytest.mark.parametrize(("width", "height", "ko", "suicide", "expected"), PERFT)
def test_perft(width: int, height: int, ko: Ko, suicide: bool, expected: list[int]) -> None:
    state = Go(width, height, Rules(ko, suicide=suicide)).new_initial_state()
    assert [go_perft(state, depth + 1) for depth in range(len(expected))] == expected


@pytest.mark.parametrize(
    ("width", "height", "legal"),
    [
        (1, 1, 1),
        (2, 1, 5),
        (3, 1, 15),
        (4, 1, 41),
        (5, 1, 113),
        (2, 2, 57),
        (3, 2, 489),
        (3, 3, 12675),
    ],
)
def test_tromps_numbers_of_legal_positions(width: int, height: int, legal: int) -> None:
    """https://tromp.github.io/go/legal.html: a colouring is legal if every chain has a liberty."""
    game = Go(width, height)
    found = 0
    for colouring in product(range(3), repeat=width * height):
        black = [point for point, colour in enumerate(colouring) if colour == 1]
        white = [point for point, colour in enumerate(colouring) if colour == 2]
        try:
            state = game.new_initial_state(black, white)
        except HonteError:
            continue
        assert state.board().ravel().tolist() == list(colouring)
        found += 1
    assert found == legal
