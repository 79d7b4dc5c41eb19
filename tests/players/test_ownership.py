"""Ownership over a tree that kept none: asked of the ends of its lines."""

from __future__ import annotations

import time

import numpy as np
import pytest

from honte.evaluation import Rollout
from honte.games.go import BLACK, Go, parse_vertex
from honte.players.ownership import PlayoutOwnership, TreeOwnership
from honte.presets import uct
from honte.search import Search


@pytest.fixture(scope="module")
def searched():
    """Black owns the left of a 7 × 7 board, White the right."""
    left = [f"{column}{row}" for column in "C" for row in range(1, 8)]
    right = [f"{column}{row}" for column in "E" for row in range(1, 8)]
    state = Go(7).new_initial_state(
        black=[parse_vertex(v, 7, 7) for v in left], white=[parse_vertex(v, 7, 7) for v in right]
    )
    return state, Search(state, uct(), Rollout(), seed=1).run(visits=400)


class Counting:
    """Playouts, and how many positions were asked about."""

    def __init__(self, pause=0.0):
        self.asked = 0
        self.pause = pause
        self.playouts = PlayoutOwnership(48)

    def __call__(self, states):
        self.asked += len(states)
        time.sleep(self.pause * len(states))
        return self.playouts(states)


def test_the_stones_of_both_stay_theirs(searched):
    state, result = searched
    report = TreeOwnership(Counting()).report(state, result, of_moves=True)
    assert result.player == BLACK
    for own in (report.root, *report.moves.values()):
        assert (own.mean[:, 2] > 0.2).all()
        assert (own.mean[:, 4] < -0.2).all()
    assert set(report.moves) == {child.action for child in result.children}


def test_the_same_lines_are_not_asked_about_again(searched):
    state, result = searched
    source = Counting()
    tree = TreeOwnership(source)
    first = tree.report(state, result, of_moves=True)
    asked = source.asked
    again = tree.report(state, result, of_moves=True)
    assert source.asked == asked
    assert np.array_equal(first.root.mean, again.root.mean)


def test_a_report_that_must_not_be_late_says_what_it_knows_and_learns_the_rest(searched):
    state, result = searched
    source = Counting(pause=0.01)
    tree = TreeOwnership(source)
    early = tree.report(state, result, of_moves=True, seconds=0.02)
    assert 1 <= source.asked <= 3 < len(result.children), "of which each takes half of the time"
    assert set(early.moves) == {child.action for child in result.children}
    whole = TreeOwnership(Counting()).report(state, result, of_moves=True)
    for _ in range(500):
        late = tree.report(state, result, of_moves=True, seconds=0.02)
    for action, own in whole.moves.items():
        assert late.moves[action].mean == pytest.approx(own.mean, abs=1e-6)
        assert late.moves[action].stdev == pytest.approx(own.stdev, abs=1e-6)


def test_a_moves_own_position_has_one_visit_and_its_line_the_others(searched):
    state, result = searched
    child = max(result.children, key=lambda c: c.n)
    source = PlayoutOwnership(48)
    own = TreeOwnership(source).report(state, result, of_moves=True).moves[child.action]
    planes = []
    for line in (child.principal_variation[:1], child.principal_variation):
        end = state.clone()
        for action in line:
            end.play(action)
        planes.append(source([end])[0])
    weights = np.array([1.0, child.n - 1.0])[:, None, None] / child.n
    mean = (weights * np.stack(planes)).sum(axis=0)
    spread = np.sqrt((weights * (np.stack(planes) - mean) ** 2).sum(axis=0))
    assert own.mean == pytest.approx(mean, abs=1e-5)
    assert own.stdev == pytest.approx(spread, abs=1e-5)
