"""One field of a player over many values, and several fields tuned."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.evaluators import Evaluators
from honte.lab.reading import read_value, with_field
from honte.lab.runner import Match, OpenPlayroom
from honte.lab.schedule import Gauntlet
from honte.lab.specs import MatchSpec, SearchPlayerSpec
from honte.lab.store import Store

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution

MOST_VALUES = 100


def values_of(text: str) -> list[Any]:
    """``0.5,1,2`` as a list, ``0.5:2:0.5`` as a range with both ends. Raises HonteError."""
    if ":" not in text:
        return [read_value(part.strip()) for part in text.split(",") if part.strip()]
    try:
        low, high, step = (float(part) for part in text.split(":"))
    except ValueError:
        raise HonteError(
            f"{text!r} is no range: write LOW:HIGH:STEP, or values between commas."
        ) from None
    if step <= 0 or high < low or (high - low) / step > MOST_VALUES:
        raise HonteError(f"The range {text} is empty or has more than {MOST_VALUES} values.")
    count = int((high - low) / step + 1e-9) + 1
    values = [round(low + step * number, 12) for number in range(count)]
    whole = all(value == int(value) for value in values)
    return [int(value) for value in values] if whole else list(values)


def swept(base: SearchPlayerSpec, field: str, values: Sequence[Any]) -> list[SearchPlayerSpec]:
    """A player for each value, named by it. Raises HonteError for a field or value that cannot
    be."""
    if len(values) < 2:
        raise HonteError(f"A sweep of {field} needs two values at least.")
    short = field.rpartition(".")[2]
    return [with_field(base, field, value, f"{short} {value}") for value in values]


@dataclass(frozen=True, slots=True)
class Range:
    """Where a field's value is looked for."""

    low: float
    high: float
    step: float | None = None
    """Between values that are tried; None: any value between the ends."""

    def value(self, found: float) -> float:
        """A value as the field takes it: whole where all are."""
        whole = self.step is not None and self.step == int(self.step) and self.low == int(self.low)
        return int(found) if whole else found


def range_of(text: str) -> tuple[str, Range]:
    """``selection.c_puct=0.5:4`` as a field and its ends, ``parallelism.batch_size=1:16:1`` with a
    step too. Raises HonteError."""
    field, _, ends = text.partition("=")
    try:
        low, high, *step = (float(part) for part in ends.split(":"))
        (step_wide,) = step or (None,)
    except ValueError:
        raise HonteError(f"{text!r} is no range: write FIELD=LOW:HIGH or LOW:HIGH:STEP.") from None
    if not low < high or (step_wide is not None and step_wide <= 0):
        raise HonteError(f"The range of {text} is empty.")
    return field, Range(low, high, step_wide)


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting that was tried."""

    number: int
    values: dict[str, float]
    score: float
    """In [0, 1], against the untuned player."""


class Tuning:
    """Looks for settings that beat the player it starts from, with Optuna's tree-structured
    Parzen estimator. Trials and games are in the store: it goes on where it stopped.

    Every trial meets the same player from the same openings. Raises HonteError without optuna.
    """

    def __init__(
        self,
        store: Store,
        base: SearchPlayerSpec,
        ranges: Mapping[str, Range],
        *,
        pairs: int,
        game: GameSpec,
        match: MatchSpec,
        open_playroom: OpenPlayroom | None = None,
    ) -> None:
        self._open_playroom = open_playroom
        self._store = store
        self._base = base
        self._ranges = dict(ranges)
        self._pairs = pairs
        self._game = game
        self._match = match
        self._evaluators = Evaluators()
        self._trials: list[Trial] = []
        self._study = self._make_study()

    def _make_study(self) -> Study:
        try:
            import optuna
        except ImportError:
            raise HonteError("Tuning needs optuna: pip install 'honte[lab]'.") from None
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        return optuna.create_study(
            direction="maximize", sampler=optuna.samplers.TPESampler(seed=self._match.seed)
        )

    def run(self, trials: int) -> Iterator[Trial]:
        """Try settings until there are so many, those of the store first."""
        import optuna

        distributions: dict[str, BaseDistribution] = {
            field: optuna.distributions.FloatDistribution(near.low, near.high, step=near.step)
            for field, near in self._ranges.items()
        }
        chosen: list[dict[str, float]] = json.loads(self._store.noted("trials") or "[]")
        if any(set(values) != set(self._ranges) for values in chosen):
            raise HonteError(f"{self._store.path} holds trials of other fields.")
        for number in range(trials):
            if number < len(chosen):
                self._study.enqueue_trial(chosen[number])
            asked = self._study.ask(distributions)
            if number >= len(chosen):
                chosen.append(
                    {field: near.value(asked.params[field]) for field, near in self._ranges.items()}
                )
                self._store.note("trials", json.dumps(chosen))
            score = self._play(number, chosen[number])
            self._study.tell(asked, score)
            self._trials.append(Trial(number, chosen[number], score))
            yield self._trials[-1]

    def _play(self, number: int, values: Mapping[str, float]) -> float:
        player = self._base
        name = f"trial {number}"
        for field, value in values.items():
            player = with_field(player, field, value, name)
        plan = Gauntlet((name, self._base.name), self._pairs)
        rows = Match(
            self._store,
            [player, self._base],
            plan,
            game=self._game,
            match=self._match,
            evaluators=self._evaluators,
            open_playroom=self._open_playroom,
        ).run()
        points = sum(r.result if r.fixture.first == name else 1 - r.result for r in rows)
        return points / len(rows)

    def best(self) -> Trial:
        """The trial with the best score. Raises HonteError before the first."""
        if not self._trials:
            raise HonteError("Nothing was tried yet.")
        return max(self._trials, key=lambda trial: trial.score)
