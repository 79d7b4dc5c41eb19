"""How many visits a search needs to find the right move, and to stay with it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from honte.evaluation import Rollout
from honte.lab.evaluators import Evaluators
from honte.lab.openings import derived_seed
from honte.lab.problems import Problem
from honte.lab.specs import SearchPlayerSpec
from honte.search import Budget, Search

OnSolved = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One player at one problem."""

    player: str
    problem: str
    right: tuple[bool, ...]
    """Whether the move after each number of visits was right."""

    def solved_at(self, visits: Sequence[int]) -> int | None:
        """The least of these visits from which on every move was right; None: never."""
        found = None
        for number, right in zip(visits, self.right, strict=True):
            if not right:
                found = None
            elif found is None:
                found = number
        return found


@dataclass(frozen=True)
class Solved:
    """All attempts."""

    visits: tuple[int, ...]
    players: tuple[str, ...]
    problems: tuple[Problem, ...]
    attempts: dict[tuple[str, int], Attempt]
    """By player and the problem's number."""

    def share(self, player: str) -> list[float]:
        """The share of problems that are solved from each number of visits on, [visits]."""
        at = [self._at(player, number) for number in range(len(self.problems))]
        return [
            sum(one is not None and one <= limit for one in at) / len(at) for limit in self.visits
        ]

    def _at(self, player: str, number: int) -> int | None:
        return self.attempts[player, number].solved_at(self.visits)

    def rows(self) -> list[tuple[str, ...]]:
        """A row a problem: name, answer, and for each player the visits it needs."""
        rows = []
        for number, problem in enumerate(self.problems):
            cells = [self._at(player, number) for player in self.players]
            texts = ("never" if cell is None else str(cell) for cell in cells)
            rows.append((problem.name, problem.shown, *texts))
        totals = (f"{self.share(player)[-1]:.0%}" for player in self.players)
        rows.append((f"solved of {len(self.problems)}", "", *totals))
        return rows

    def headings(self) -> tuple[str, ...]:
        """Of :meth:`rows`."""
        return ("Problem", "Answer", *self.players)

    def csv(self) -> str:
        """The same as CSV, empty where never."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["problem", "answer", *self.players])
        for number, problem in enumerate(self.problems):
            cells = [self._at(player, number) for player in self.players]
            writer.writerow([problem.name, problem.shown, *("" if c is None else c for c in cells)])
        return out.getvalue()


def doubling(most: int) -> tuple[int, ...]:
    """1, 2, 4 … up to ``most``, which is the last."""
    steps = [1]
    while steps[-1] * 2 < most:
        steps.append(steps[-1] * 2)
    return tuple(steps) if most == 1 else (*steps, most)


def solve(
    players: Sequence[SearchPlayerSpec],
    problems: Sequence[Problem],
    visits: Sequence[int],
    *,
    seed: int = 0,
    evaluators: Evaluators | None = None,
    on_solved: OnSolved | None = None,
) -> Solved:
    """Give every problem to every player with each number of visits, a new search every time.

    Players' own limits play no part. Networks know Go alone: in other games a player's search
    is guided by random rollouts.
    """
    evaluators = evaluators or Evaluators()
    attempts: dict[tuple[str, int], Attempt] = {}
    for player in players:
        evaluator = evaluators.of(player)
        for number, problem in enumerate(problems):
            right = []
            go = hasattr(problem.state, "rules")
            for limit in visits:
                search = Search(
                    problem.state,
                    player.search,
                    evaluator if go else Rollout(player.leaf.rollouts),
                    seed=derived_seed(seed, problem.name, limit),
                )
                result = search.run(Budget(visits=limit))
                right.append(result.action in problem.answers)
            attempts[player.name, number] = Attempt(player.name, problem.name, tuple(right))
            if on_solved is not None:
                on_solved(len(attempts), len(players) * len(problems))
    return Solved(
        tuple(visits), tuple(player.name for player in players), tuple(problems), attempts
    )
