"""Batches of Go samples for training: shuffled, turned, in an order that a counter names.

The stream of batches is a function of the seed, the shards and the position in it alone, so that a
run goes on after an interruption with the very batch that came next.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.networks.layers import Float
from honte.training.shards import UNKNOWN_ACTION, Shard, TeacherLabels
from honte.training.symmetries import point_permutations

SHARDS_AT_ONCE = 4
"""Samples of so many shards are shuffled together."""


@dataclass(frozen=True, slots=True)
class Batch:
    """N samples of one board size, everything from the side to move; NaN where unknown."""

    spatial: Float
    """[N, 22, H, W]."""
    numbers: Float
    """[N, 19]."""
    action: NDArray[np.int64]
    """[N]: the move played, −1 where there is none to learn from."""
    outcome: Float
    """[N]: result of the game, 1, 0 or −1."""
    policy: Float | None
    """[N, H · W + 1]: the teacher's policy; None without a teacher, as all that follows."""
    value: Float | None
    """[N, 3]: the teacher's P(win), P(loss), P(no result)."""
    score: Float | None
    """[N, 3]: the teacher's score mean, deviation and lead, points."""
    ownership: Float | None
    """[N, H, W]: the teacher's, in [−1, 1]."""


def make_batch(
    shard: Shard,
    labels: TeacherLabels | None,
    symmetries: NDArray[np.int64],
) -> Batch:
    """All rows of a shard as a batch, row n under symmetry ``symmetries[n]``."""
    height, width = shard.board_shape
    points = height * width
    came_from = point_permutations(height, width)[symmetries]
    rows = np.arange(len(shard))[:, None]
    planes = shard.spatial().reshape(len(shard), -1, points)
    spatial = np.empty(planes.shape, np.float32)
    for symmetry in np.unique(symmetries):
        chosen = symmetries == symmetry
        spatial[chosen] = planes[chosen][:, :, point_permutations(height, width)[symmetry]]
    goes_to = np.argsort(came_from, axis=1)
    action = shard.action.astype(np.int64)
    action[action == UNKNOWN_ACTION] = -1
    on_board = (action >= 0) & (action < points)
    action[on_board] = goes_to[on_board, action[on_board]]
    policy = value = score = ownership = None
    if labels is not None:
        policy = labels.policy.astype(np.float32)
        policy[:, :points] = policy[rows, came_from]
        policy /= policy.sum(axis=1, keepdims=True)
        value = labels.value.astype(np.float32)
        score = labels.score
        owned = labels.ownership.reshape(len(shard), points)[rows, came_from]
        ownership = owned.reshape(-1, height, width).astype(np.float32) / np.float32(127)
    return Batch(
        spatial.reshape(len(shard), -1, height, width),
        shard.numbers,
        action,
        shard.value,
        policy,
        value,
        score,
        ownership,
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the stream of batches a run stands."""

    epoch: int = 0
    window: int = 0
    batch: int = 0


class BatchStream:
    """Endless batches from shards, made by a thread ahead of the training step.

    ``labels_of`` names the file of a shard's labels, which is waited for if it is not there yet
    as long as ``alive()`` says that somebody is at work on it.
    """

    def __init__(
        self,
        shards: list[Path],
        batch_size: int,
        seed: int,
        *,
        labels_of: Callable[[Path], Path] | None = None,
        alive: Callable[[], bool] = lambda: False,
        start: Place | None = None,
        ahead: int = 4,
    ) -> None:
        self.shards = shards
        self.batch_size = batch_size
        self.seed = seed
        self._labels_of = labels_of
        self._alive = alive
        self._start = start or Place()
        self._queue: queue.Queue[tuple[Batch, Place] | BaseException] = queue.Queue(ahead)
        self._closed = threading.Event()
        self.waited = 0.0
        """Seconds that training has waited for data."""
        self._thread = threading.Thread(target=self._produce, daemon=True)
        self._thread.start()

    def next(self) -> tuple[Batch, Place]:
        """The next batch, and the place after it. Raises what reading it raised."""
        began = time.perf_counter()
        item = self._queue.get()
        self.waited += time.perf_counter() - began
        if isinstance(item, BaseException):
            raise item
        return item

    def close(self) -> None:
        """Stop making batches."""
        self._closed.set()

    def _produce(self) -> None:
        try:
            for item in self._batches():
                while not self._closed.is_set():
                    try:
                        self._queue.put(item, timeout=0.2)
                        break
                    except queue.Full:
                        continue
                if self._closed.is_set():
                    return
        except BaseException as error:
            self._queue.put(error)

    def _batches(self) -> Iterator[tuple[Batch, Place]]:
        place = self._start
        filled = place.batch > 0 or place.window > 0
        windows = -(-len(self.shards) // SHARDS_AT_ONCE)
        while True:
            order = self._random(place.epoch, 0).permutation(len(self.shards))
            first = place.window * SHARDS_AT_ONCE
            chosen = [self.shards[number] for number in order[first : first + SHARDS_AT_ONCE]]
            random = self._random(place.epoch, 1 + place.window)
            last = place.window + 1 == windows
            after = Place(place.epoch + 1) if last else Place(place.epoch, place.window + 1)
            plan = self._plan(self._by_size(chosen), random)
            for number, (shard, labels, rows, symmetries) in enumerate(plan):
                if number < place.batch:
                    continue
                batch = make_batch(
                    shard.take(rows), None if labels is None else labels.take(rows), symmetries
                )
                going_on = Place(place.epoch, place.window, number + 1)
                filled = True
                yield batch, after if number + 1 == len(plan) else going_on
            if last and not filled:
                raise HonteError(
                    f"The samples do not fill one batch of {self.batch_size}: make more, or train "
                    "with a smaller batch."
                )
            place = after

    def _random(self, epoch: int, purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.seed, (epoch << 32) + purpose]))

    def _by_size(self, chosen: list[Path]) -> list[tuple[Shard, TeacherLabels | None]]:
        groups: dict[tuple[int, int], list[tuple[Shard, TeacherLabels | None]]] = {}
        for path in chosen:
            shard, labels = Shard.load(path), self._labels(path)
            groups.setdefault(shard.board_shape, []).append((shard, labels))
        joined: list[tuple[Shard, TeacherLabels | None]] = []
        for _, group in sorted(groups.items()):
            together = [labels for _, labels in group if labels is not None]
            joined.append(
                (
                    Shard.join(shard for shard, _ in group),
                    TeacherLabels.join(together) if together else None,
                )
            )
        return joined

    def _labels(self, path: Path) -> TeacherLabels | None:
        if self._labels_of is None:
            return None
        target = self._labels_of(path)
        while not target.exists() and self._alive() and not self._closed.is_set():
            time.sleep(0.2)
        if not target.exists():
            raise HonteError(
                f"The teacher's answers to {path} are missing, and nothing is making them: start "
                "the run again."
            )
        return TeacherLabels.load(target)

    def _plan(
        self,
        groups: list[tuple[Shard, TeacherLabels | None]],
        random: np.random.Generator,
    ) -> list[tuple[Shard, TeacherLabels | None, NDArray[np.int64], NDArray[np.int64]]]:
        plan = []
        for shard, labels in groups:
            rows = random.permutation(len(shard))
            kinds = len(point_permutations(*shard.board_shape))
            symmetries = random.integers(0, kinds, len(shard))
            for start in range(0, len(shard) - self.batch_size + 1, self.batch_size):
                part = rows[start : start + self.batch_size]
                plan.append((shard, labels, part, symmetries[part]))
        random.shuffle(plan)
        return plan
