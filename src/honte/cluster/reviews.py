"""The analysis of many games on the machines of a cluster: a game is looked at on one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from honte.cluster.cargo import Parcel, parcel_of
from honte.cluster.connection import Cluster
from honte.cluster.desk import Deliver, Take
from honte.cluster.workforce import Workforce
from honte.games.go import Rules
from honte.players.analysis import GameAnalysis
from honte.players.reviewer import Reviewer
from honte.records import GameRecord, IllegalRecordMove


@dataclass(frozen=True, slots=True)
class ReviewOrder:
    """A game that is to be analysed."""

    number: int
    record: GameRecord
    rules: Rules | None
    """None: the record's."""
    komi: float | None
    turns: tuple[int, ...] | None
    """None: all."""
    visits: int
    seed: int


@dataclass(frozen=True, slots=True)
class Review:
    """What came of it."""

    number: int
    analysis: GameAnalysis
    engine: str
    """What evaluated the positions, in words."""
    seconds: float


class ReviewBench:
    """Games analysed one after another: the positions of one fill the batches."""

    at_once = 1

    def __init__(self, reviewer: Reviewer) -> None:
        self._reviewer = reviewer

    def check(self) -> None:
        """That the network could be opened is enough."""

    def work(self, take: Take, deliver: Deliver) -> None:
        """Analyse what there is to take."""
        while True:
            order: ReviewOrder = take(True)
            deliver(order.number, self._review(order))

    def _review(self, order: ReviewOrder) -> Review:
        states = []
        try:
            for state in order.record.states(rules=order.rules, komi=order.komi):
                states.append(state)
        except IllegalRecordMove:
            pass  # the positions before it are analysed; who reads the record says so
        began = time.perf_counter()
        analysis = self._reviewer.review(states, order.visits, turns=order.turns, seed=order.seed)
        seconds = time.perf_counter() - began
        return Review(order.number, analysis, self._reviewer.name, seconds)


@dataclass(frozen=True, slots=True)
class ReviewRecipe:
    """Everything a machine needs to analyse games."""

    network: str | Parcel
    threads: int | None
    ownership: bool

    def bench(self) -> ReviewBench:
        """Open the network."""
        network = self.network
        path = str(network.unpack()) if isinstance(network, Parcel) else network
        return ReviewBench(Reviewer.open(path, self.threads, ownership=self.ownership))


class ClusterReviews:
    """Analyses games wherever there is a machine."""

    def __init__(
        self,
        cluster: Cluster,
        network: str,
        *,
        threads: int | None = None,
        ownership: bool = False,
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """The arguments are those of :meth:`honte.players.reviewer.Reviewer.open`."""
        path = Path(network)
        cargo = parcel_of(cluster, path) if path.is_file() else network
        self._workforce: Workforce[ReviewOrder, Review] = Workforce(
            cluster, ReviewRecipe(cargo, threads, ownership), _number, on_notice=on_notice
        )

    @property
    def machines(self) -> int:
        """Machines that work now."""
        return self._workforce.machines

    def run(self, orders: Iterable[ReviewOrder], on_review: Callable[[Review], None]) -> None:
        """Have every game analysed; ``on_review`` gets each once, as it is done."""
        waiting = iter(orders)

        def deliver(review: Review) -> bool:
            on_review(review)
            return True

        try:
            self._workforce.open()
            self._workforce.work(lambda: next(waiting, None), deliver)
        finally:
            self._workforce.close()


def _number(order: ReviewOrder) -> int:
    return order.number
