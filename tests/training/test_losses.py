"""The policy is not trained on moves that cannot be played."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs torch (pip install 'honte[train]')")

from honte._core import katago_features  # noqa: E402
from honte.games.go import Go, Legality, Rules, parse_vertex  # noqa: E402
from honte.training.losses import lone_suicides, masked_logits  # noqa: E402


class Logits:
    """As much of a network's outputs as the mask reads."""

    def __init__(self, policy):
        self.policy = policy


def features(*states):
    height, width = states[0].height, states[0].width
    planes = [katago_features(state, width, height, 0, False)[0] for state in states]
    return torch.from_numpy(np.stack(planes))


def positions(count):
    """Positions of random games, full of atari, ko and suicide."""
    draw = np.random.default_rng(3)
    found = []
    while len(found) < count:
        state = Go(5, rules=Rules.named("chinese")).new_initial_state()
        for _ in range(60):
            legal = state.legal_actions()
            if state.is_terminal() or len(legal) < 2:
                break
            state.play(int(draw.choice(legal[:-1])))
            found.append(state.clone())
    return found[:count]


# S6
def test_the_logit_of_an_illegal_point_gets_no_gradient():
    # B1 is Black's snapback to come: to play A1 now would be suicide.
    state = Go(5, rules=Rules.named("chinese")).new_initial_state(
        black=[parse_vertex(v, 5, 5) for v in ("C3", "D4")],
        white=[parse_vertex(v, 5, 5) for v in ("A2", "B1", "B2", "C1")],
    )
    corner = parse_vertex("A1", 5, 5)
    assert state.legality(corner) is Legality.SUICIDE
    logits = torch.zeros(1, 26, requires_grad=True)
    target = parse_vertex("E5", 5, 5)
    loss = -masked_logits(Logits(logits), features(state)).log_softmax(dim=1)[0, target]
    loss.backward()
    gradient = logits.grad[0]
    closed = {corner, *np.flatnonzero(state.board()).tolist()}
    for action in range(26):
        assert (float(gradient[action]) == 0.0) is (action in closed)


def test_only_illegal_points_are_closed_and_every_lone_suicide_is():
    states = positions(400)
    closed = lone_suicides(features(*states)).reshape(len(states), -1).numpy()
    seen = 0
    for state, row in zip(states, closed, strict=True):
        board = np.pad(state.board(), 1, constant_values=-1)
        mine = state.to_play + 1
        for point in range(25):
            legality = state.legality(point)
            y, x = divmod(point, 5)
            beside = [board[y, x + 1], board[y + 2, x + 1], board[y + 1, x], board[y + 1, x + 2]]
            alone = mine not in beside
            assert bool(row[point]) is (legality is Legality.SUICIDE and alone)
            seen += bool(row[point])
    assert seen > 20


def test_a_capture_and_the_throw_in_of_a_snapback_stay_open():
    state = Go(5, rules=Rules.named("chinese")).new_initial_state(
        black=[parse_vertex(v, 5, 5) for v in ("A3", "B2", "C1")],
        white=[parse_vertex(v, 5, 5) for v in ("A2", "B1")],
    )
    # A1 has White's stones on both sides, and takes them.
    assert parse_vertex("A1", 5, 5) in state.legal_actions()
    assert not lone_suicides(features(state)).any()
