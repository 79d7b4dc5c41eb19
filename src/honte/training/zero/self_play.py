"""Games of a network with itself: many trees, one evaluator."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluator
from honte.search import Budget, Search, SearchConfig, SearchResult, run_many
from honte.search.config import (
    Expansion,
    FirstPlayUrgency,
    Gumbel,
    GumbelDecision,
    Puct,
    RootNoise,
    Symmetry,
    UrgencyRule,
)
from honte.search.decision import visit_policy
from honte.training.zero.config import SelfPlayTable
from honte.training.zero.game import ZeroGame
from honte.training.zero.replay import ZeroSamples
from honte.training.zero.targets import sample_counts, surprise


@dataclass(slots=True)
class SelfPlayReport:
    """What a round of self-play was."""

    games: int = 0
    moves: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    first_wins: int = 0
    draws: int = 0
    resigned: int = 0
    wrongly_resigned: int = 0
    """Of the games played out in spite of a resignation: how many the loser-to-be did not lose."""


@dataclass(slots=True)
class _Position:
    player: int
    planes: NDArray[np.float32]
    numbers: NDArray[np.float32]
    policy: NDArray[np.float32]
    surprise: float


@dataclass(slots=True)
class _Game:
    number: int
    state: Any
    may_resign: bool
    moves: int = 0
    positions: list[_Position] = field(default_factory=list)
    resigns: int | None = None
    """Who would have resigned, if anybody."""
    returns: tuple[float, float] | None = None
    finished: bool = False


def search_configs(table: SelfPlayTable, symmetric: bool) -> tuple[SearchConfig, SearchConfig]:
    """The full search, which explores and teaches, and the fast one."""
    urgency = FirstPlayUrgency(
        rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=table.first_play_reduction
    )
    symmetry = Symmetry.RANDOM if symmetric else Symmetry.IDENTITY
    if table.gumbel_considered is not None:
        gumbel = SearchConfig(
            selection=Gumbel(considered=table.gumbel_considered),
            expansion=Expansion(symmetry=symmetry),
            decision=GumbelDecision(),
        )
        return gumbel, gumbel
    fast = SearchConfig(
        selection=Puct(c_puct=table.c_puct, first_play_urgency=urgency),
        expansion=Expansion(symmetry=symmetry),
    )
    noise = None
    if table.noise_weight > 0:
        noise = RootNoise(weight=table.noise_weight, concentration=table.noise_concentration)
    full = fast.replace(
        selection=Puct(
            c_puct=table.c_puct,
            first_play_urgency=urgency,
            # Under noise an unvisited root move is as good as the root: all get their chance.
            root_first_play_urgency=FirstPlayUrgency(rule=UrgencyRule.PARENT),
            forced_playouts=table.forced_playouts,
        ),
        expansion=Expansion(symmetry=symmetry, root_noise=noise),
    )
    return full, fast


def play_games(
    game: ZeroGame,
    table: SelfPlayTable,
    evaluator: Evaluator,
    first_number: int,
    seed: int,
    *,
    on_progress: Callable[[int, int, SelfPlayReport], None] | None = None,
) -> tuple[ZeroSamples, SelfPlayReport]:
    """Play ``table.games`` games to their ends; returns their samples.

    A game is a function of the seed, its number and the evaluator alone. ``on_progress`` gets the
    games finished, the games in all, and the report so far.
    """
    began = time.perf_counter()
    full, fast = search_configs(table, game.symmetries > 1 or game.is_go)
    report = SelfPlayReport()
    longest = table.longest_game or 3 * game.actions
    games = [
        _Game(number, game.new_state(), _random(seed, number, 0).random() >= table.played_out_share)
        for number in range(first_number, first_number + table.games)
    ]
    while waiting := [one for one in games if not one.finished]:
        searches, budgets, full_searches = [], [], []
        for one in waiting:
            random = _random(seed, one.number, 1 + one.moves)
            is_full = bool(random.random() < table.full_share)
            name = int(random.integers(2**63))
            searches.append(Search(one.state, full if is_full else fast, evaluator, seed=name))
            budgets.append(Budget(visits=table.visits if is_full else table.fast_visits))
            full_searches.append(is_full)
        results = run_many(searches, budgets)
        for one, result, is_full in zip(waiting, results, full_searches, strict=True):
            assert result is not None
            report.evaluations += result.evaluations
            _move(game, table, one, result, is_full, longest, seed)
        report.moves += len(waiting)
        report.seconds = time.perf_counter() - began
        if on_progress is not None:
            done = sum(one.finished for one in games)
            on_progress(done, len(games), report)
    parts = []
    for one in games:
        assert one.returns is not None
        report.games += 1
        report.first_wins += one.returns[0] > 0
        report.draws += one.returns[0] == 0
        if one.resigns is not None and one.may_resign:
            report.resigned += 1
        elif one.resigns is not None:
            report.wrongly_resigned += one.returns[one.resigns] >= 0
        parts += _samples(one, table.surprise_share, _random(seed, one.number, 2**31))
    return ZeroSamples.of_rows(parts, game), report


def _random(seed: int, number: int, purpose: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[seed, (number << 32) + purpose]))


def _move(
    game: ZeroGame,
    table: SelfPlayTable,
    one: _Game,
    result: SearchResult,
    is_full: bool,
    longest: int,
    seed: int,
) -> None:
    if is_full:
        target = result.policy  # without forced playouts that were not earned
        planes, numbers = game.observe(one.state)
        one.positions.append(
            _Position(
                result.player,
                planes,
                numbers,
                game.turn_policy(one.state, target),
                surprise(target, result.prior),
            )
        )
    if table.resign_below is not None and one.resigns is None and result.value < table.resign_below:
        one.resigns = result.player
        if one.may_resign:
            lost = (-1.0, 1.0) if result.player == 0 else (1.0, -1.0)
            one.returns, one.finished = lost, True
            return
    one.state.apply_action(_choose(table, result, one, seed))
    one.moves += 1
    if one.state.is_terminal():
        first, second = one.state.returns()
        one.returns, one.finished = (float(first), float(second)), True
    elif one.moves >= longest:
        # Of Go the board is counted as it stands; a game that knows no such thing is a draw.
        first, second = one.state.returns() if game.is_go else (0.0, 0.0)
        one.returns, one.finished = (float(first), float(second)), True


def _choose(table: SelfPlayTable, result: SearchResult, one: _Game, seed: int) -> int:
    assert result.action is not None
    if one.moves >= table.temperature_moves or table.gumbel_considered is not None:
        # Gumbel's decision is itself a draw from the improved policy.
        return result.action
    policy = visit_policy(result.policy, table.temperature)
    draw = _random(seed, one.number, 2**30 + one.moves).random()
    chosen = int(np.searchsorted(np.cumsum(policy), draw, side="right"))
    return chosen if chosen < len(policy) and policy[chosen] > 0 else result.action


Row = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], float]
"""Planes [S, C, H, W], numbers [G], policy [S, A], value for the side to move."""


def _samples(one: _Game, share: float, random: np.random.Generator) -> list[Row]:
    assert one.returns is not None
    rows: list[Row] = []
    if not one.positions:
        return rows
    counts = sample_counts([position.surprise for position in one.positions], share, random)
    for position, count in zip(one.positions, counts, strict=True):
        row = (
            position.planes, position.numbers, position.policy, one.returns[position.player]
        )  # fmt: skip
        rows += [row] * int(count)
    return rows
