"""The fast rollout policy: its running tables against a plain evaluation of every feature."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from honte import _core
from honte.errors import HonteError
from honte.evaluation import Mixture, PatternPolicy, Rollout, Uniform
from honte.games import ConnectFour
from honte.games.go import Go, parse_vertex
from honte.presets import uct
from honte.search import Search

RING = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]
DIAMOND = [*RING, (0, -2), (-2, 0), (2, 0), (0, 2)]
SYMMETRIES = list(product((1, -1), (1, -1), (False, True)))


def turned(point, symmetry):
    flip_x, flip_y, transpose = symmetry
    x, y = point[0] * flip_x, point[1] * flip_y
    return (y, x) if transpose else (x, y)


def number(cells):
    return sum(value << 2 * place for place, value in enumerate(cells))


def smallest(cells, points, k=None):
    """The smallest code of the symmetries, and with it where the k-th point goes."""
    found = []
    for symmetry in SYMMETRIES:
        moved = {turned(point, symmetry): value for point, value in zip(points, cells, strict=True)}
        code = number([moved[point] for point in points])
        found.append((code, None if k is None else points.index(turned(points[k], symmetry))))
    return min(found)


class Twin:
    """A position, and θ of each of its moves as the definition has it."""

    def __init__(self, policy, board, player, last, ko):
        self.policy, self.board, self.player, self.ko = policy, board, player, ko
        self.height, self.width = board.shape
        self.last = None if last is None else (last % self.width, last // self.width)

    def at(self, x, y):
        """0 empty, 1 the mover's, 2 the opponent's, 3 off the board."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            return 3
        stone = int(self.board[y, x])
        return 0 if stone == 0 else 1 if stone == self.player + 1 else 2

    def beside(self, point):
        return [(point[0] + dx, point[1] + dy) for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1))]

    def chain(self, point):
        stones, colour = {point}, self.at(*point)
        while True:
            more = {q for p in stones for q in self.beside(p) if self.at(*q) == colour} - stones
            if not more:
                return frozenset(stones)
            stones |= more

    def liberties(self, stones):
        return {q for p in stones for q in self.beside(p) if self.at(*q) == 0}

    def chains(self, point, colour):
        return {self.chain(q) for q in self.beside(point) if self.at(*q) == colour}

    def theta(self, point):
        """None where the point is no move of a playout."""
        own, other = self.chains(point, 1), self.chains(point, 2)
        taken = [chain for chain in other if len(self.liberties(chain)) == 1]
        saved = [chain for chain in own if len(self.liberties(chain)) == 1]
        joined = {point}.union(*own)
        left = self.liberties(joined) - {point}
        if self.at(*point) != 0 or (not taken and not left):
            return None
        if self.ko == point[1] * self.width + point[0]:
            return None
        cells = [self.at(point[0] + dx, point[1] + dy) for dx, dy in RING]
        sides, corners = [cells[k] for k in (1, 3, 4, 6)], [cells[k] for k in (0, 2, 5, 7)]
        edge = 3 in sides
        if all(side in (1, 3) for side in sides) and corners.count(2) < (1 if edge else 2):
            return None
        policy = self.policy
        code, _ = smallest(cells, RING)
        listed = np.flatnonzero(policy.patterns == code)
        theta = policy.pattern_weights[listed[0]] if len(listed) else policy.other_pattern[0]
        theta = int(theta)
        size = lambda stones: min(stones, 3) - 1  # noqa: E731
        if taken:
            theta += int(policy.tactics[size(sum(map(len, taken)))])
        if saved:
            theta += int(policy.tactics[3 + size(sum(map(len, saved)))])
        if not taken and len(left) == 1:
            theta += min(0, int(policy.tactics[6 + size(len(joined))]))
        return theta + self.answer(point, into_atari=not taken and len(left) == 1)

    def answer(self, point, into_atari):
        if self.last is None or self.at(*self.last) != 2:
            return 0
        policy, theta = self.policy, 0
        threatened = [c for c in self.chains(self.last, 1) if len(self.liberties(c)) == 1]
        if any(self.liberties(c) == {point} for c in threatened) and not into_atari:
            theta += int(policy.tactics[9])
        attackers = {q for c in threatened for p in c for q in self.chains(p, 2)}
        if any(self.liberties(chain) == {point} for chain in attackers):
            theta += int(policy.tactics[10])
        offset = (point[0] - self.last[0], point[1] - self.last[1])
        if offset not in DIAMOND:
            return theta
        cells = [self.at(self.last[0] + dx, self.last[1] + dy) for dx, dy in DIAMOND]
        code, k = smallest(cells, DIAMOND, DIAMOND.index(offset))
        if len(self.liberties(self.chain(self.last))) == 1:
            code += 1 << 24
        listed = np.flatnonzero(policy.diamonds == code)
        row = policy.responses[listed[0]] if len(listed) else policy.other_response
        return theta + int(row[k])

    def probabilities(self):
        area = self.width * self.height
        shares = np.zeros(area + 1)
        for action in range(area):
            theta = self.theta((action % self.width, action // self.width))
            if theta is not None:
                shares[action] = math.exp(theta / 16)
        if not shares.any():
            shares[area] = 1
        return shares / shares.sum()


@pytest.fixture(scope="module")
def policy():
    """Weights drawn at random, on shapes that occur; others are left to the weights of the rest."""
    random = np.random.default_rng(5)
    patterns, diamonds = {0}, set()
    state = Go(7).new_initial_state()
    for seed in range(12):
        plain = PatternPolicy(
            np.zeros(0, np.uint16), np.zeros(0, np.int8), np.zeros(1, np.int8),
            np.zeros(11, np.int8), np.zeros(0, np.uint32), np.zeros((0, 12), np.int8),
            np.zeros(12, np.int8),
        )  # fmt: skip
        for moves in range(1, 60, 4):
            board, player, last, ko, _ = plain.core.play_some(state, moves, seed)
            own, other = (board == player + 1), (board == 2 - player)
            found = _core.playout_features(
                own[None].astype(np.uint8), other[None].astype(np.uint8),
                np.array([-1 if last is None else last], np.int32),
                np.array([-1 if ko is None else ko], np.int32),
            )  # fmt: skip
            patterns |= set(found[2][::2].tolist())
            diamonds |= set(found[5][found[4] >= 0][::2].tolist())
    rows = len(diamonds)
    return PatternPolicy(
        patterns=np.array(sorted(patterns), np.uint16),
        pattern_weights=random.integers(-40, 40, len(patterns)).astype(np.int8),
        other_pattern=np.array([5], np.int8),
        tactics=np.array([20, 25, 30, 8, 16, 24, -16, -32, -40, 24, 30], np.int8),
        diamonds=np.array(sorted(diamonds), np.uint32),
        responses=random.integers(-20, 60, (rows, 12)).astype(np.int8),
        other_response=np.array([20, 30, 20, 30, 30, 20, 30, 20, 8, 8, 8, 8], np.int8),
    )


@pytest.mark.parametrize(("size", "longest"), [((5, 5), 70), ((7, 6), 90), ((9, 9), 130)])
def test_every_probability_is_that_of_a_plain_evaluation(policy, size, longest) -> None:
    state = Go(*size).new_initial_state()
    worst, captures = 0.0, 0
    for seed in range(12):
        moves = seed * longest // 12 + seed % 5
        board, player, last, ko, found = policy.core.play_some(state, moves, seed)
        plain = Twin(policy, board, player, last, ko).probabilities()
        assert ((found > 0) == (plain > 1e-12)).all()
        worst = max(worst, float(np.abs(found - plain).max()))
        captures += int((board > 0).sum()) < moves
    assert worst < 2e-3
    assert captures > 3, "positions after captures are among those compared"


def test_moves_are_drawn_with_their_probabilities(policy) -> None:
    """χ² over 4,000 draws of the same move, moves into atari and all."""
    state = Go(5).new_initial_state()
    for vertex in ("C3", "C4", "B4", "D3", "B2", "D4", "C2", "D2"):
        state.apply_action(parse_vertex(vertex, 5, 5))
    chances = policy.probabilities(state)
    draws = 4000
    counts = np.zeros(len(chances))
    for seed in range(draws):
        counts[policy.core.play_some(state, 1, seed)[2]] += 1
    assert not counts[chances == 0].any()
    likely = chances * draws > 5
    square = ((counts - draws * chances)[likely] ** 2 / (draws * chances[likely])).sum()
    freedom = likely.sum() - 1
    assert square < freedom + 4 * math.sqrt(2 * freedom)


def test_nobody_fills_an_eye_or_passes_while_there_is_a_move(policy) -> None:
    black = [parse_vertex(v, 5, 5) for v in ("A4", "B4", "B5", "D5", "D4", "E4", "C4", "C3")]
    state = Go(5).new_initial_state(black=black)
    chances = policy.probabilities(state)
    for eye in ("A5", "E5"):
        assert chances[parse_vertex(eye, 5, 5)] == 0
    assert chances[-1] == 0


def test_the_same_seed_gives_the_same_search(policy) -> None:
    def visits(evaluator):
        search = Search(Go(7).new_initial_state(), uct(), evaluator, seed=3)
        return [child.n for child in search.run(simulations=200).children]

    assert visits(Rollout(policy=policy)) == visits(Rollout(policy=policy))
    assert visits(Rollout(policy=policy)) != visits(Rollout())


def test_a_mixture_rolls_out_by_the_policy(policy) -> None:
    search = Search(
        Go(5).new_initial_state(), uct(), Mixture(Uniform(), Rollout(policy=policy), 1.0)
    )
    assert search.run(simulations=40).visits == 40


@pytest.mark.parametrize("wrap", [lambda r: r, lambda r: Mixture(Uniform(), r, 0.5)])
def test_another_game_is_refused_in_a_sentence(policy, wrap) -> None:
    search = Search(ConnectFour().new_initial_state(), uct(), wrap(Rollout(policy=policy)))
    with pytest.raises(HonteError, match=r"honte's own Go: this game has uniform ones only\.$"):
        search.run(simulations=10)


def test_a_file_gives_the_policy_back_and_others_are_refused(policy, tmp_path) -> None:
    policy.save(tmp_path / "p.npz")
    again = PatternPolicy.load(tmp_path / "p.npz")
    state = Go(9).new_initial_state()
    assert (again.probabilities(state) == policy.probabilities(state)).all()
    (tmp_path / "p.npz").write_bytes(b"no policy")
    with pytest.raises(HonteError, match="is no rollout policy"):
        PatternPolicy.load(tmp_path / "p.npz")
    with pytest.raises(HonteError, match="There is no rollout policy at"):
        PatternPolicy.load(tmp_path / "none.npz")


def test_the_shipped_policy_saves_what_the_last_move_put_in_atari() -> None:
    state = Go(9).new_initial_state()
    for vertex in ("E5", "D5", "J9", "F5", "J1", "E4"):
        state.apply_action(parse_vertex(vertex, 9, 9))
    chances = PatternPolicy.shipped().probabilities(state)
    assert chances[parse_vertex("E6", 9, 9)] > 0.5
