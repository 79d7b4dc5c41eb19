"""Games of a network with itself: a stream of searches, one evaluator."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honte import presets
from honte.evaluation import Evaluator, Rollout
from honte.search import Budget, Search, SearchConfig, SearchResult, StopReason, run_stream
from honte.search.config import (
    Backup,
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

    def add(self, other: SelfPlayReport) -> None:
        """Count another report's games too. Time is not added: games are played side by side."""
        self.games += other.games
        self.moves += other.moves
        self.evaluations += other.evaluations
        self.first_wins += other.first_wins
        self.draws += other.draws
        self.resigned += other.resigned
        self.wrongly_resigned += other.wrongly_resigned


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that is over."""

    number: int
    samples: ZeroSamples
    report: SelfPlayReport
    """Of this game alone."""


OnProgress = Callable[[int, int, SelfPlayReport], None]
"""Gets the games finished, the games in all, and the report so far."""


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
    report: SelfPlayReport = field(default_factory=SelfPlayReport)


def playing_config(table: SelfPlayTable, symmetric: bool) -> SearchConfig:
    """The search that plays to win, and the fast one of self-play: no noise, the most visits."""
    urgency = FirstPlayUrgency(
        rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=table.first_play_reduction
    )
    return SearchConfig(
        selection=Puct(c_puct=table.c_puct, first_play_urgency=urgency),
        expansion=Expansion(symmetry=Symmetry.RANDOM if symmetric else Symmetry.IDENTITY),
        backup=Backup(solver=table.solver),
    )


def search_configs(table: SelfPlayTable, symmetric: bool) -> tuple[SearchConfig, SearchConfig]:
    """The full search, which explores and teaches, and the fast one; Gumbel's are one and the
    same."""
    fast = playing_config(table, symmetric)
    if table.gumbel_considered is not None:
        gumbel = fast.replace(
            selection=Gumbel(considered=table.gumbel_considered), decision=GumbelDecision()
        )
        return gumbel, gumbel
    assert isinstance(fast.selection, Puct)
    noise = None
    if table.noise_weight > 0:
        noise = RootNoise(weight=table.noise_weight, concentration=table.noise_concentration)
    full = fast.replace(
        selection=Puct(
            c_puct=table.c_puct,
            first_play_urgency=fast.selection.first_play_urgency,
            # Under noise an unvisited root move is as good as the root: all get their chance.
            root_first_play_urgency=FirstPlayUrgency(rule=UrgencyRule.PARENT),
            forced_playouts=table.forced_playouts,
        ),
        expansion=Expansion(symmetry=fast.expansion.symmetry, root_noise=noise),
    )
    return full, fast


def playout_config(table: SelfPlayTable) -> SearchConfig:
    """The search of the rounds that are played by random playouts: UCT."""
    return presets.uct().replace(backup=Backup(solver=table.solver))


def playout_table(table: SelfPlayTable) -> SelfPlayTable:
    """What holds in the rounds played by playouts: every search is a full one, its visits are the
    target, and there is no policy that it could surprise."""
    return table.model_copy(
        update={
            "visits": table.playout_visits,
            "full_share": 1.0,
            "gumbel_considered": None,
            "surprise_share": 0.0,
        }
    )


def play_games(
    game: ZeroGame,
    table: SelfPlayTable,
    evaluator: Evaluator,
    first_number: int,
    seed: int,
    *,
    on_progress: OnProgress | None = None,
) -> tuple[ZeroSamples, SelfPlayReport]:
    """Play ``table.games`` games to their ends; returns their samples in the games' order.

    A game is a function of the seed, its number and the evaluator alone: every tree has one leaf
    in flight, whatever the others do. ``on_progress`` gets the games finished, the games in all,
    and the report so far.
    """
    numbers = range(first_number, first_number + table.games)
    to_begin = iter(numbers)
    pool = GamePool(game, table, evaluator, seed)
    games: dict[int, PlayedGame] = {}
    report = pool.report
    began = told = time.perf_counter()

    def tell() -> None:
        nonlocal told
        now = time.perf_counter()
        if on_progress is not None and now - told >= TELLS_EVERY:
            told = now
            report.seconds = now - began
            on_progress(report.games, len(numbers), report)

    pool.play(
        lambda: next(to_begin, None),
        lambda played: games.__setitem__(played.number, played),
        on_round=tell,
    )
    report.seconds = time.perf_counter() - began
    if on_progress is not None:
        on_progress(report.games, len(numbers), report)
    return ZeroSamples.join(games[number].samples for number in numbers), report


class GamePool:
    """Games under way together, whose searches fill one evaluator's batches; by ``Rollout()`` the
    games of the rounds that are played by playouts."""

    def __init__(
        self, game: ZeroGame, table: SelfPlayTable, evaluator: Evaluator, seed: int
    ) -> None:
        by_playouts = isinstance(evaluator, Rollout)
        self.game = game
        self.table = playout_table(table) if by_playouts else table
        self.evaluator = evaluator
        self.seed = seed
        self.report = SelfPlayReport()
        """Of everything so far; moves and evaluations of games under way too."""
        self._full, self._fast = (
            (playout_config(table),) * 2
            if by_playouts
            else search_configs(table, game.symmetries > 1 or game.is_go)
        )
        self._longest = table.longest_game or game.longest
        self._game_of: dict[int, _Game] = {}
        self._next_number: Callable[[], int | None] = lambda: None
        self._on_game: Callable[[PlayedGame], None] = lambda played: None

    def play(
        self,
        next_number: Callable[[], int | None],
        on_game: Callable[[PlayedGame], None],
        *,
        on_round: Callable[[], None] | None = None,
    ) -> None:
        """Play games until there is no next number and the last one has ended.

        ``next_number`` gives the number of a game to begin, or None where there is none now;
        ``on_game`` gets each game as it ends, in no order; ``on_round`` is called about once a
        batch.
        """
        self._next_number, self._on_game = next_number, on_game
        entries: list[tuple[Search, Budget]] = []
        while len(entries) < self.table.at_once and (number := next_number()) is not None:
            entries.append(self._begin(number))
        run_stream(entries, self._finished, on_round=on_round)

    def _random(self, number: int, purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, (number << 32) + purpose]))

    def _draw(self, number: int, purpose: int) -> int:
        """One number of 64 bits, a hash of what it is for: a generator of its own for each move
        would cost as much as the rest of the move."""
        name = struct.pack("<QQQ", self.seed & (2**64 - 1), number, purpose)
        return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")

    def _begin(self, number: int) -> tuple[Search, Budget]:
        random = self._random(number, 0)
        may_resign = bool(random.random() >= self.table.played_out_share)
        state = self.game.state_of_game(random, self.table.random_moves)
        one = _Game(number, state, may_resign)
        return self._think(one, None)

    def _think(self, one: _Game, before: Search | None) -> tuple[Search, Budget]:
        """The search of a game's next move; ``before`` is the last one, advanced to it."""
        table = self.table
        one.is_full = table.full_share == 1.0
        search = before
        if search is None or not one.is_full:
            drawn = self._draw(one.number, 3 * one.moves) / 2**64
            one.is_full = one.is_full or drawn < table.full_share
            config = self._full if one.is_full else self._fast
            if search is None or search.config is not config:
                seed = self._draw(one.number, 3 * one.moves + 1)
                search = Search(one.state, config, self.evaluator, seed=seed)
        self._game_of[id(search)] = one
        visits = table.visits if one.is_full else table.fast_visits
        # Half of the visits are new ones even where the tree that was kept has them all.
        return search, Budget(visits=visits, minimum_simulations=(visits + 1) // 2)

    def _finished(self, search: Search, result: SearchResult) -> tuple[Search, Budget] | None:
        """Make the move that a search chose; what is to be searched next in its place."""
        one = self._game_of.pop(id(search))
        for report in (self.report, one.report):
            report.evaluations += result.evaluations
            report.moves += 1
        action = self._move(one, result)
        if one.returns is None:
            return self._think(one, self._kept(search, action))
        self._end(one)
        number = self._next_number()
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
        if table.ends_when_proven and result.stop_reason is StopReason.PROVEN:
            one.returns = (one.values[-1], -one.values[-1])
            return action
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
        policy = result.policy
        if table.temperature != 1.0:
            policy = visit_policy(policy, table.temperature)
        draw = self._draw(one.number, 3 * one.moves + 2) / 2**64
        chosen = int(policy.cumsum().searchsorted(draw, side="right"))
        return chosen if chosen < len(policy) and policy[chosen] > 0 else result.action

    def _end(self, one: _Game) -> None:
        """Count a game that is over, and take its samples."""
        assert one.returns is not None
        for report in (self.report, one.report):
            report.games += 1
            report.first_wins += one.returns[0] > 0
            report.draws += one.returns[0] == 0
            if one.resigns is not None and one.may_resign:
                report.resigned += 1
            elif one.resigns is not None:
                report.wrongly_resigned += one.returns[one.resigns] >= 0
        samples = ZeroSamples.of_rows(self._samples(one), self.game)
        self._on_game(PlayedGame(one.number, samples, one.report))

    def _samples(self, one: _Game) -> list[Row]:
        assert one.returns is not None
        if not one.positions:
            return []
        game = self.game
        random = self._random(one.number, 1)
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
