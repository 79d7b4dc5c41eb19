"""The fast rollout policy from shards of game records: a softmax over the moves of a position.

The weights θ make the professionals' moves as likely as they can be among the moves that a playout
could make there (the likelihood of a conditional logit), with a normal prior on each weight
[Silver 2016, "Rollout policy"; Coulom 2007 learns the same model by minorisation-maximisation].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from honte import _core
from honte.errors import HonteError
from honte.evaluation.patterns import STEP, TACTICS, PatternPolicy
from honte.training.checkpoint import load_checkpoint, previous_of, save_checkpoint
from honte.training.runs import RunFolder
from honte.training.schedule import Schedule
from honte.training.shards import Shard, held_out_paths, shard_paths

FREE_TO_CHANGE = frozenset({"steps", "checkpoint_every", "samples"})
"""What a resumed run may be asked for anew: it changes the schedule or the speed alone."""

OWN_STONES, OTHER_STONES, KO_BANNED, LAST_MOVE = 1, 2, 6, 9
"""Planes of a shard's positions."""

SELF_ATARI = slice(6, 9)
"""The tactics whose weights are never above 0: the core applies them by refusing some draws."""

DIAMOND_POINTS = 12
ORBITS = np.array([0, 1, 0, 1, 1, 0, 1, 0, 2, 2, 2, 2])
"""The points of a diamond that symmetries mix: diagonal, beside, two away."""

COUNTED_POSITIONS = 60_000
"""Positions that are looked at to choose the patterns and diamonds with weights of their own."""

Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RolloutOptions:
    """A run that learns a rollout policy."""

    samples: Path
    """Folder of shards."""
    steps: int = 1000
    batch_size: int = 512
    diamonds: int = 500
    """Surroundings of the last move that get weights of their own, the most frequent ones."""
    least_seen: int = 20
    """How often a pattern or diamond must be among the positions counted for weights of its own."""
    learning_rate: float = 0.03
    prior_deviation: float = 2.0
    """Standard deviation of the normal prior on a weight."""
    seed: int = 0
    checkpoint_every: int = 200
    measured_rows: int = 6000
    """Held-out positions that the measurement along the way looks at; the last takes all."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch_size", "diamonds", "least_seen", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise HonteError(f"{name} is at least 1, not {getattr(self, name)}.")
        for name in ("learning_rate", "prior_deviation"):
            if not getattr(self, name) > 0:
                raise HonteError(f"{name} is above 0, not {getattr(self, name)}.")

    def as_config(self) -> dict[str, Any]:
        """What the run folder keeps, to notice a changed configuration."""
        return {"kind": "rollout", **asdict(self), "samples": str(self.samples)}


@dataclass(frozen=True, slots=True)
class RolloutProgress:
    """What a live line shows."""

    step: int
    steps: int
    loss: float
    """Mean −ln P of the played move since the last report."""
    held_out: dict[str, float] | None
    """Of the last measurement: ``top1``, the share of played moves ranked first; ``loss``."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The patterns and diamonds that have weights of their own, ascending codes; and where each
    weight is in the vector of all: other pattern, patterns, tactics, other responses, responses."""

    patterns: NDArray[np.uint16]
    diamonds: NDArray[np.uint32]

    @property
    def tactics_from(self) -> int:
        return 1 + len(self.patterns)

    @property
    def responses_from(self) -> int:
        return self.tactics_from + len(TACTICS)

    def __len__(self) -> int:
        return self.responses_from + 3 + DIAMOND_POINTS * len(self.diamonds)

    def policy(self, weights: Weights) -> PatternPolicy:
        """The weights as a policy that plays, rounded to its steps."""
        steps = np.clip(np.round(weights / STEP), -127, 127).astype(np.int8)
        responses = steps[self.responses_from :]
        return PatternPolicy(
            patterns=self.patterns,
            pattern_weights=steps[1 : self.tactics_from],
            other_pattern=steps[:1],
            tactics=steps[self.tactics_from : self.responses_from],
            diamonds=self.diamonds,
            responses=responses[3:].reshape(-1, DIAMOND_POINTS),
            other_response=responses[ORBITS],
        )


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves that playouts could make at N positions, those of one after those of another."""

    start: NDArray[np.int64]
    """[N + 1]: where the moves of each position begin."""
    pattern: NDArray[np.int64]
    """[M]: where in the vector of weights the move's pattern is."""
    tactics: NDArray[np.uint16]
    """[M], bits."""
    answering: NDArray[np.int64]
    """[R]: the moves that answer the last one."""
    response: NDArray[np.int64]
    """[R]: where in the vector of weights theirs is."""
    played: NDArray[np.int64]
    """[N]: which of all the moves was played."""

    @classmethod
    def of(cls, shard: Shard, vocabulary: Vocabulary) -> Self:
        """The moves at a shard's positions, those left out in which none of them was played."""
        start, action, pattern, tactics, response, diamond = _features(shard)
        position = np.repeat(np.arange(len(shard)), np.diff(start))
        known = np.zeros(len(shard), bool)
        hits = np.flatnonzero(action == shard.action.astype(np.int64)[position])
        known[position[hits]] = True
        kept = known[position]
        count = np.diff(start)[known]
        # Drop the rows of positions without a played move: passes, and eyes that were filled.
        new_row = np.cumsum(kept) - 1
        place = np.zeros(1 << 16, np.int64)
        place[vocabulary.patterns] = 1 + np.arange(len(vocabulary.patterns))
        answering = np.flatnonzero((response >= 0) & kept)
        point = response[answering].astype(np.int64)
        code = diamond[answering]
        listed = np.searchsorted(vocabulary.diamonds, code)
        if len(vocabulary.diamonds):
            listed = np.minimum(listed, len(vocabulary.diamonds) - 1)
            found = vocabulary.diamonds[listed] == code
        else:
            found = np.zeros(len(code), bool)
        own = 3 + DIAMOND_POINTS * listed + point
        return cls(
            start=np.concatenate([[0], np.cumsum(count)]),
            pattern=place[pattern[kept]],
            tactics=tactics[kept],
            answering=new_row[answering],
            response=vocabulary.responses_from + np.where(found, own, ORBITS[point]),
            played=new_row[hits],
        )

    def __len__(self) -> int:
        return len(self.start) - 1

    def scores(self, weights: Weights, vocabulary: Vocabulary) -> Weights:
        """[M]: Σ θ of each move."""
        of_tactics = weights[vocabulary.tactics_from : vocabulary.responses_from]
        scores = weights[self.pattern] + (_BITS @ of_tactics)[self.tactics]
        scores[self.answering] += weights[self.response]
        return scores

    def probabilities(self, scores: Weights) -> Weights:
        """[M]: the softmax of the scores over each position's moves."""
        begin, count = self.start[:-1], np.diff(self.start)
        exponentials = np.exp(scores - np.repeat(np.maximum.reduceat(scores, begin), count))
        chances: Weights = exponentials / np.repeat(np.add.reduceat(exponentials, begin), count)
        return chances

    def gradient(self, weights: Weights, vocabulary: Vocabulary) -> tuple[float, Weights]:
        """The mean of −ln P(played move), and its gradient."""
        chances = self.probabilities(self.scores(weights, vocabulary))
        loss = float(-np.log(chances[self.played]).mean())
        error = chances / len(self)
        error[self.played] -= 1.0 / len(self)
        gradient: Weights = np.zeros(len(vocabulary))
        for place, errors in ((self.pattern, error), (self.response, error[self.answering])):
            gradient += np.bincount(place, errors, len(vocabulary)).astype(np.float64)
        by_bits = np.bincount(self.tactics, error, len(_BITS))
        gradient[vocabulary.tactics_from : vocabulary.responses_from] += by_bits @ _BITS
        return loss, gradient


_BITS = ((np.arange(1 << len(TACTICS))[:, None] >> np.arange(len(TACTICS))) & 1).astype(np.float64)
"""[2^11, 11]: which tactics each number stands for."""


def _features(shard: Shard) -> tuple[NDArray[Any], ...]:
    planes = shard.spatial()
    points = planes.shape[2] * planes.shape[3]

    def only_point(plane: int) -> NDArray[np.int32]:
        marked = planes[:, plane].reshape(-1, points)
        return np.where(marked.any(axis=1), marked.argmax(axis=1), -1).astype(np.int32)

    found: tuple[NDArray[Any], ...] = _core.playout_features(
        np.ascontiguousarray(planes[:, OWN_STONES]),
        np.ascontiguousarray(planes[:, OTHER_STONES]),
        only_point(LAST_MOVE),
        only_point(KO_BANNED),
    )
    return found


def _count(paths: list[Path], options: RolloutOptions) -> Vocabulary:
    """Choose the patterns and diamonds that are seen often enough."""
    patterns = np.zeros(1 << 16, np.int64)
    codes: list[NDArray[np.uint32]] = []
    share = max(1, sum(len(Shard.load(path)) for path in paths) // COUNTED_POSITIONS)
    for path in paths:
        shard = Shard.load(path)
        _, _, pattern, _, response, diamond = _features(shard.take(np.arange(0, len(shard), share)))
        patterns += np.bincount(pattern, minlength=1 << 16)
        # The point that is always there: one row a position, unless it is taken.
        codes.append(diamond[response >= 0])
    found, seen = np.unique(np.concatenate(codes), return_counts=True)
    often = seen >= options.least_seen
    found, seen = found[often], seen[often]
    chosen = np.sort(found[np.argsort(-seen, kind="stable")[: options.diamonds]])
    return Vocabulary(
        np.flatnonzero(patterns >= options.least_seen).astype(np.uint16), chosen.astype(np.uint32)
    )


class _Adam:
    """Adam [Kingma & Ba 2015] on one vector, with the weights that it moves."""

    def __init__(self, size: int) -> None:
        self.step = 0
        self.weights = np.zeros(size)
        self._first = np.zeros(size)
        self._second = np.zeros(size)

    def move(self, gradient: Weights, rate: float) -> None:
        self.step += 1
        self._first += 0.1 * (gradient - self._first)
        self._second += 0.001 * (gradient * gradient - self._second)
        first = self._first / (1 - 0.9**self.step)
        second = self._second / (1 - 0.999**self.step)
        self.weights -= rate * first / (np.sqrt(second) + 1e-8)

    def state(self) -> dict[str, Any]:
        vectors = (self.weights, self._first, self._second)
        return {"step": self.step, "vectors": torch.from_numpy(np.stack(vectors))}

    def restore(self, state: dict[str, Any]) -> None:
        self.step = state["step"]
        self.weights, self._first, self._second = (row.copy() for row in state["vectors"].numpy())


def _batches(
    paths: list[Path], vocabulary: Vocabulary, options: RolloutOptions, start: int
) -> Iterator[Moves]:
    """Endless batches, from the start-th on; each holds positions of one shard."""
    number = 0
    epoch = 0
    sizes = [len(Shard.load(path)) for path in paths]
    while True:
        random = np.random.Generator(np.random.Philox(key=[options.seed, epoch]))
        for place in random.permutation(len(paths)):
            rows = random.permutation(sizes[place])
            # The last batch of a shard may be small: it is left to the next epoch's order.
            whole = max(1, len(rows) // options.batch_size)
            if number + whole <= start:
                number += whole
                continue
            shard = Shard.load(paths[place]).take(rows)
            for batch in range(whole):
                number += 1
                if number <= start:
                    continue
                few_rows = np.arange(len(rows))[batch * options.batch_size :][: options.batch_size]
                moves = Moves.of(shard.take(few_rows), vocabulary)
                if len(moves):
                    yield moves
        epoch += 1


def run_rollout(
    folder: Path,
    options: RolloutOptions,
    *,
    use_previous: bool = False,
    on_progress: Callable[[RolloutProgress], None] | None = None,
) -> PatternPolicy:
    """Learn to the end, or go on with a run that was interrupted; returns the policy.

    The folder holds the run: its checkpoint, metrics and ``rollout.npz``, the latest weights.
    ``use_previous`` goes on from the checkpoint before the last. Raises HonteError where the run in
    the folder has another configuration, or a file is missing or damaged.
    """
    run = RunFolder(folder)
    run.open(options.as_config(), FREE_TO_CHANGE)
    paths = shard_paths(options.samples)
    if run.checkpoint.exists():
        saved = load_checkpoint(previous_of(run.checkpoint) if use_previous else run.checkpoint)
        vocabulary = Vocabulary(
            saved["patterns"].numpy().astype(np.uint16), saved["diamonds"].numpy().astype(np.uint32)
        )
        adam = _Adam(len(vocabulary))
        adam.restore(saved["adam"])
        run.forget_after(adam.step)
    else:
        vocabulary = _count(paths, options)
        adam = _Adam(len(vocabulary))
    held_out = [Shard.load(path) for path in held_out_paths(options.samples)]
    schedule = Schedule(options.learning_rate, options.steps)
    # The prior is on the weights once, not once a position.
    positions = sum(len(Shard.load(path)) for path in paths)
    decay = 1.0 / (options.prior_deviation**2 * positions)
    batches = _batches(paths, vocabulary, options, adam.step)
    total, counted = 0.0, 0
    measured: dict[str, float] | None = None
    while adam.step < options.steps:
        rate = schedule.rate(adam.step)
        loss, gradient = next(batches).gradient(adam.weights, vocabulary)
        adam.move(gradient + decay * adam.weights, rate)
        shy = adam.weights[vocabulary.tactics_from : vocabulary.responses_from][SELF_ATARI]
        np.minimum(shy, 0.0, out=shy)
        total, counted = total + loss, counted + 1
        last = adam.step == options.steps
        ends = last or adam.step % options.checkpoint_every == 0
        if ends:
            measured = _measure(
                held_out, adam.weights, vocabulary, None if last else options.measured_rows
            )
            save_checkpoint(
                run.checkpoint,
                {
                    "adam": adam.state(),
                    "patterns": torch.from_numpy(vocabulary.patterns.astype(np.int64)),
                    "diamonds": torch.from_numpy(vocabulary.diamonds.astype(np.int64)),
                },
            )
            vocabulary.policy(adam.weights).save(folder / "rollout.npz")
            run.log(
                adam.step,
                {
                    "loss": total / counted,
                    **{f"held_out/{name}": value for name, value in measured.items()},
                    "learning_rate": rate,
                },
            )
        if on_progress is not None and (ends or adam.step % 10 == 0):
            on_progress(RolloutProgress(adam.step, options.steps, total / counted, measured))
        if ends:
            total, counted = 0.0, 0
    return vocabulary.policy(adam.weights)


def _measure(
    shards: list[Shard], weights: Weights, vocabulary: Vocabulary, most: int | None
) -> dict[str, float]:
    """Top-1 accuracy and mean −ln P of the played moves that a playout could make."""
    right, loss, rows = 0.0, 0.0, 0
    step = 1 if most is None else max(1, sum(map(len, shards)) // most)
    for shard in shards:
        chosen = np.arange(0, len(shard), step)
        for first in range(0, len(chosen), 2048):
            moves = Moves.of(shard.take(chosen[first : first + 2048]), vocabulary)
            if not len(moves):
                continue
            scores = moves.scores(weights, vocabulary)
            best = np.repeat(np.maximum.reduceat(scores, moves.start[:-1]), np.diff(moves.start))
            # Equal moves share the credit, as a policy that draws among them would earn it.
            tied = np.add.reduceat(scores == best, moves.start[:-1])
            right += float(((scores == best)[moves.played] / tied).sum())
            loss -= float(np.log(moves.probabilities(scores)[moves.played]).sum())
            rows += len(moves)
    return {"top1": right / rows, "loss": loss / rows} if rows else {}
