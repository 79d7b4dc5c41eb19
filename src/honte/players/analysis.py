"""Analysing a game: every position searched, all of them sharing one evaluator.

What a player lost with a move is the search's value of the position before it minus that of the
position after it, both from that player's side, as KaTrain and other reviewing programs count it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum

from honte.errors import HonteError
from honte.evaluation import Evaluator, Rollout, Uniform
from honte.games.go import BLACK, WHITE, GoState
from honte.search import Budget, Search, SearchConfig, SearchResult, run_many

CANDIDATES = 10
"""Moves of a position that an analysis keeps, best first."""


class Grade(Enum):
    """How bad a move is, by what it cost."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


_NO_LOSS = 0.005
_BY_WINRATE = ((0.20, Grade.BLUNDER), (0.10, Grade.MISTAKE), (0.05, Grade.DOUBTFUL))
_BY_POINTS = ((12.0, Grade.BLUNDER), (6.0, Grade.MISTAKE), (3.0, Grade.DOUBTFUL))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One move the search looked at; values are from the side of the player to move."""

    action: int
    visits: int
    winrate: float
    """In [0, 1]."""
    score_lead: float | None
    """Points, where the evaluator counts them."""
    prior: float
    line: tuple[int, ...]
    """The moves that follow, this one first."""


@dataclass(frozen=True, slots=True)
class PositionAnalysis:
    """One position of a game, and the move that was played there."""

    turn: int
    """Moves played before it."""
    player: int
    """To move: 0 Black, 1 White."""
    visits: int
    black_winrate: float
    """In [0, 1], Black's."""
    black_lead: float | None
    """Points Black is ahead, komi included; None where the evaluator counts none."""
    candidates: tuple[Candidate, ...]
    """Best first."""
    played: int | None = None
    """The action played here; None after the last move."""
    winrate_loss: float | None = None
    """What it cost its player, in [0, 1]; None where the next position was not analysed."""
    points_loss: float | None = None
    ownership: tuple[float, ...] | None = None
    """[H · W], in [−1, 1], +1 where **Black** will own the point; None where the search kept
    none."""

    @property
    def best(self) -> Candidate | None:
        """The move the search would play; None at a finished game."""
        return self.candidates[0] if self.candidates else None

    @property
    def grade(self) -> Grade:
        """How bad the move played was: by points where they are counted and by winrate.

        Both must agree that it was bad, since neither tells alone: points cost nothing in a game
        that is won, and a winrate near one half swings on little.
        """
        if self.winrate_loss is None or self.best is None or self.played == self.best.action:
            return Grade.GOOD
        by_winrate = _grade(self.winrate_loss, _BY_WINRATE)
        if self.points_loss is None:
            return by_winrate
        by_points = _grade(self.points_loss, _BY_POINTS)
        return min(by_winrate, by_points, key=list(Grade).index)


def _grade(loss: float, limits: Sequence[tuple[float, Grade]]) -> Grade:
    return next((grade for limit, grade in limits if loss >= limit), Grade.GOOD)


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """A game's positions in their order, some perhaps left out."""

    positions: tuple[PositionAnalysis, ...]

    def worst(self, player: int, most: int = 5) -> list[PositionAnalysis]:
        """The positions where a player lost most, worst first, be it little.

        Left out are the search's own choices and what cost less than half a percent.
        """
        own = [
            p
            for p in self.positions
            if p.player == player
            and (p.winrate_loss or 0.0) >= _NO_LOSS
            and p.best is not None
            and p.played != p.best.action
        ]
        # By grade first: it weighs points and winrate.
        return sorted(own, key=_badness, reverse=True)[:most]

    def mean_loss(self, player: int) -> tuple[float, float | None] | None:
        """A player's mean loss a move, in winrate and in points; None without a move judged."""
        own = [p for p in self.positions if p.player == player and p.winrate_loss is not None]
        if not own:
            return None
        winrate = sum(p.winrate_loss or 0.0 for p in own) / len(own)
        points = [p.points_loss for p in own if p.points_loss is not None]
        return winrate, sum(points) / len(points) if points else None

    def agreement(self, player: int) -> float | None:
        """The share of a player's moves that the search would have played."""
        own = [p for p in self.positions if p.player == player and p.played is not None and p.best]
        if not own:
            return None
        return sum(p.best is not None and p.played == p.best.action for p in own) / len(own)


def _badness(position: PositionAnalysis) -> tuple[int, float]:
    return list(Grade).index(position.grade), position.winrate_loss or 0.0


def analyze_game(
    states: Sequence[GoState],
    evaluator: Evaluator,
    config: SearchConfig,
    budget: Budget,
    *,
    turns: Iterable[int] | None = None,
    seed: int = 0,
    threads: int = 1,
    on_position: Callable[[int], None] | None = None,
) -> GameAnalysis:
    """Search the positions of a game and say what each move cost.

    ``states`` are the positions from the first on, each one move after the last; ``turns`` picks
    some of them (the position after a picked one is searched too, to judge the move between).
    ``on_position`` hears the number of positions finished so far. ``threads`` is for rollouts; a
    network's evaluator has its own. All searches run together, so
    that the evaluator's batches are full. Raises HonteError for a turn outside the game.
    """
    picked = _picked(turns, len(states))
    wanted = sorted(
        {turn + step for turn in picked for step in (0, 1) if turn + step < len(states)}
    )
    searches = [
        Search(before_the_move(states, turn), config, evaluator, seed=seed + turn)
        for turn in wanted
    ]
    finished = 0
    lock = threading.Lock()

    def note(_index: int, _result: SearchResult) -> None:
        nonlocal finished
        with lock:
            finished += 1
            if on_position is not None:
                on_position(finished)

    if threads > 1 and isinstance(evaluator, Rollout):
        # Playouts run inside the core, one thread a group of searches; a search depends on its
        # own seed alone, so the grouping changes nothing.
        with ThreadPoolExecutor(threads) as pool:
            groups = pool.map(
                lambda first: run_many(searches[first::threads], budget, on_finished=note),
                range(min(threads, len(searches))),
            )
            results: list[SearchResult | None] = [None] * len(searches)
            for first, group in enumerate(groups):
                results[first::threads] = group
    else:
        results = run_many(searches, budget, on_finished=note)
    # Such an evaluator says who won, not by how much; the points of the finished games in its tree
    # are no mean of the positions searched.
    in_points = not isinstance(evaluator, Rollout | Uniform)
    found = {
        turn: position_analysis(turn, result, in_points)
        for turn, result in zip(wanted, results, strict=True)
        if result is not None
    }
    return GameAnalysis(
        tuple(judged(found[turn], found.get(turn + 1), states) for turn in picked if turn in found)
    )


def before_the_move(states: Sequence[GoState], turn: int) -> GoState:
    """The position of a turn with whoever moved next in the game to move."""
    state = states[turn]
    if turn + 1 < len(states):
        mover = states[turn + 1].moves()[-1][0]
        if mover != state.to_play:
            return state.with_to_play(mover)
    return state


def _picked(turns: Iterable[int] | None, positions: int) -> list[int]:
    if turns is None:
        return list(range(positions))
    picked = sorted(set(turns))
    for turn in picked:
        if not 0 <= turn < positions:
            raise HonteError(f"There is no turn {turn}: the game has turns 0 to {positions - 1}.")
    return picked


def position_analysis(turn: int, result: SearchResult, in_points: bool) -> PositionAnalysis:
    """What a search found at a turn; ``in_points`` where its evaluator counts points."""
    player = result.player
    # At a finished game values are Black's.
    sign = -1.0 if player == WHITE else 1.0
    lead = result.score_lead if in_points else None
    owned = result.ownership
    return PositionAnalysis(
        turn=turn,
        player=player,
        visits=result.visits,
        black_winrate=(sign * result.value + 1.0) / 2.0,
        black_lead=None if lead is None else sign * lead,
        candidates=tuple(
            Candidate(
                action=child.action,
                visits=child.n,
                winrate=(child.q + 1.0) / 2.0,
                score_lead=child.score_lead if in_points else None,
                prior=child.p,
                line=child.principal_variation,
            )
            for child in result.children[:CANDIDATES]
        ),
        ownership=None if owned is None else tuple((sign * owned).tolist()),
    )


def judged(
    position: PositionAnalysis, after: PositionAnalysis | None, states: Sequence[GoState]
) -> PositionAnalysis:
    """The position with the move played there and what it cost."""
    if position.turn + 1 >= len(states):
        return position
    mover, played = states[position.turn + 1].moves()[-1]
    winrate_loss = points_loss = None
    if after is not None and mover == position.player:
        sign = 1.0 if mover == BLACK else -1.0
        winrate_loss = max(0.0, sign * (position.black_winrate - after.black_winrate))
        if position.black_lead is not None and after.black_lead is not None:
            points_loss = max(0.0, sign * (position.black_lead - after.black_lead))
    return replace(position, played=played, winrate_loss=winrate_loss, points_loss=points_loss)
