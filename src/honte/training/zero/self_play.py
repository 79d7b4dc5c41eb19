"""Games of a network with itself: a stream of searches, one evaluator."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluator
from honte.search import Budget, Search, SearchConfig, SearchResult, run_stream
from honte.search.config import (
    Expansion,
    FirstPlayUrgency,
    Gumbel,
    GumbelDecision,
    Parallelism,
    Puct,
    RootNoise,
    Symmetry,
    UrgencyRule,
)
from honte.search.decision import visit_policy
from honte.training.zero.config import SelfPlayTable
from honte.training.zero.game import ZeroGame
from honte.training.zero.replay import Row, ZeroSamples
from honte.training.zero.targets import sample_counts, short_term_values, surprise

TELLS_EVERY = 0.5
"""Seconds between reports."""


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
    turn: int
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
    is_full: bool = False
    """Whether the search under way is a full one."""
    moves: int = 0
    positions: list[_Position] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    """What each search found, for player 0."""
    resigns: int | None = None
    """Who would have resigned, if anybody."""
    returns: tuple[float, float] | None = None
    """The result, once the game is over."""
    was_played_out: bool = False


def search_configs(table: SelfPlayTable, symmetric: bool) -> tuple[SearchConfig, SearchConfig]:
    """The full search, which explores and teaches, and the fast one."""
    urgency = FirstPlayUrgency(
        rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=table.first_play_reduction
    )
    symmetry = Symmetry.RANDOM if symmetric else Symmetry.IDENTITY
    parallelism = Parallelism(batch_size=table.batch_size)
    if table.gumbel_considered is not None:
        gumbel = SearchConfig(
            selection=Gumbel(considered=table.gumbel_considered),
            expansion=Expansion(symmetry=symmetry),
            decision=GumbelDecision(),
            parallelism=parallelism,
        )
        return gumbel, gumbel
    fast = SearchConfig(
        selection=Puct(c_puct=table.c_puct, first_play_urgency=urgency),
        expansion=Expansion(symmetry=symmetry),
        parallelism=parallelism,
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

    A game is a function of the seed, its number and the evaluator alone: every tree has one leaf
    in flight, whatever the others do. ``on_progress`` gets the games finished, the games in all,
    and the report so far.
    """
    return _Round(game, table, evaluator, first_number, seed, on_progress).play()


class _Round:
    def __init__(
        self,
        game: ZeroGame,
        table: SelfPlayTable,
        evaluator: Evaluator,
        first_number: int,
        seed: int,
        on_progress: Callable[[int, int, SelfPlayReport], None] | None,
    ) -> None:
        self.game = game
        self.table = table
        self.evaluator = evaluator
        self.seed = seed
        self.report = SelfPlayReport()
        self.numbers = range(first_number, first_number + table.games)
        self._full, self._fast = search_configs(table, game.symmetries > 1 or game.is_go)
        self._longest = table.longest_game or 3 * game.actions
        self._on_progress = on_progress
        self._to_begin = iter(self.numbers)
        self._rows: dict[int, list[Row]] = {}
        self._game_of: dict[int, _Game] = {}
        self._began = self._told = time.perf_counter()

    def play(self) -> tuple[ZeroSamples, SelfPlayReport]:
        first = itertools.islice(self._to_begin, self.table.at_once)
        entries = [self._begin(number) for number in first]
        run_stream(entries, self._finished, on_round=self._tell)
        self.report.seconds = time.perf_counter() - self._began
        if self._on_progress is not None:
            self._on_progress(self.report.games, len(self.numbers), self.report)
        rows = [row for number in self.numbers for row in self._rows[number]]
        return ZeroSamples.of_rows(rows, self.game), self.report

    def _random(self, number: int, purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, (number << 32) + purpose]))

    def _tell(self) -> None:
        now = time.perf_counter()
        if self._on_progress is not None and now - self._told >= TELLS_EVERY:
            self._told = now
            self.report.seconds = now - self._began
            self._on_progress(self.report.games, len(self.numbers), self.report)

    def _begin(self, number: int) -> tuple[Search, Budget]:
        random = self._random(number, 0)
        may_resign = bool(random.random() >= self.table.played_out_share)
        one = _Game(number, self.game.state_of_game(random), may_resign)
        return self._think(one, None)

    def _think(self, one: _Game, before: Search | None) -> tuple[Search, Budget]:
        """The search of a game's next move; ``before`` is the last one, advanced to it."""
        table = self.table
        one.is_full = table.full_share == 1.0
        search = before
        if search is None or not one.is_full:
            random = self._random(one.number, 1 + one.moves)
            one.is_full = one.is_full or bool(random.random() < table.full_share)
            config = self._full if one.is_full else self._fast
            if search is None or search.config is not config:
                name = int(random.integers(2**63))
                search = Search(one.state, config, self.evaluator, seed=name)
        self._game_of[id(search)] = one
        visits = table.visits if one.is_full else table.fast_visits
        # Half of the visits are new ones even where the tree that was kept has them all.
        return search, Budget(visits=visits, minimum_simulations=(visits + 1) // 2)

    def _finished(self, search: Search, result: SearchResult) -> tuple[Search, Budget] | None:
        """Make the move that a search chose; what is to be searched next in its place."""
        one = self._game_of.pop(id(search))
        self.report.evaluations += result.evaluations
        self.report.moves += 1
        action = self._move(one, result)
        if one.returns is None:
            return self._think(one, self._kept(search, action))
        self._end(one)
        number = next(self._to_begin, None)
        return None if number is None else self._begin(number)

    def _kept(self, search: Search, action: int) -> Search | None:
        if not self.table.keeps_tree or (
            search.config is self._full and self._full is not self._fast
        ):
            return None
        search.advance(action)
        return search

    def _move(self, one: _Game, result: SearchResult) -> int:
        game, table = self.game, self.table
        one.values.append(result.value if result.player == 0 else -result.value)
        if one.is_full:
            target = result.policy  # without forced playouts that were not earned
            planes, numbers = game.observe(one.state)
            one.positions.append(
                _Position(
                    one.moves,
                    result.player,
                    planes,
                    numbers,
                    game.turn_policy(one.state, target),
                    surprise(target, result.prior),
                )
            )
        action = self._choose(one, result)
        limit = table.resign_below
        if limit is not None and one.resigns is None and result.value < limit:
            one.resigns = result.player
            if one.may_resign:
                one.returns = (-1.0, 1.0) if result.player == 0 else (1.0, -1.0)
                return action
        one.state.apply_action(action)
        one.moves += 1
        if one.state.is_terminal():
            first, second = one.state.returns()
            one.returns, one.was_played_out = (float(first), float(second)), True
        elif one.moves >= self._longest:
            # Of Go the board is counted as it stands; a game that knows no such thing is a draw.
            first, second = one.state.returns() if game.is_go else (0.0, 0.0)
            one.returns, one.was_played_out = (float(first), float(second)), True
        return action

    def _choose(self, one: _Game, result: SearchResult) -> int:
        assert result.action is not None
        table = self.table
        if one.moves >= table.temperature_moves or table.gumbel_considered is not None:
            # Gumbel's decision is itself a draw from the improved policy.
            return result.action
        policy = visit_policy(result.policy, table.temperature)
        draw = self._random(one.number, 2**30 + one.moves).random()
        chosen = int(np.searchsorted(np.cumsum(policy), draw, side="right"))
        return chosen if chosen < len(policy) and policy[chosen] > 0 else result.action

    def _end(self, one: _Game) -> None:
        """Count a game that is over, and take its samples."""
        assert one.returns is not None
        report = self.report
        report.games += 1
        report.first_wins += one.returns[0] > 0
        report.draws += one.returns[0] == 0
        if one.resigns is not None and one.may_resign:
            report.resigned += 1
        elif one.resigns is not None:
            report.wrongly_resigned += one.returns[one.resigns] >= 0
        self._rows[one.number] = self._samples(one)

    def _samples(self, one: _Game) -> list[Row]:
        assert one.returns is not None
        if not one.positions:
            return []
        game = self.game
        random = self._random(one.number, 2**31)
        surprises = [position.surprise for position in one.positions]
        counts = sample_counts(surprises, self.table.surprise_share, random)
        score, owners = game.final_board(one.state) if one.was_played_out else (None, None)
        averages = short_term_values(one.values, one.returns[0], game.shape[1] * game.shape[2])
        rows: list[Row] = []
        for position, count in zip(one.positions, counts, strict=True):
            sign = 1 if position.player == 0 else -1
            row = Row(
                position.planes,
                position.numbers,
                position.policy,
                one.returns[position.player],
                np.nan if score is None else sign * score,
                None if owners is None else sign * owners,
                sign * averages[position.turn],
            )
            rows += [row] * int(count)
        return rows
