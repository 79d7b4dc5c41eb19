"""What many machines would give: a simulation of games, a store and a learner.

Machines play games and hand them to one store over one link, first come, first served; each
fetches the newest network over the same link before its next game. The learner takes steps as
fast as it can, but never uses a position more often than it should; it publishes a network every
so many steps. :func:`simulate_rounds` is what honte's own loop does: a round of games, and then the
learner works while the machines wait. Whatever is not in :class:`Costs` is taken to cost nothing:
this finds the first limits, not the last.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from honte.search.config import Phase


class Costs(Phase):
    """What things cost. The defaults are AlphaGo Zero's numbers where the paper gives them, and
    otherwise what ``benchmarks/cluster_costs.py`` measured on two cores for a network of 6 blocks ×
    96 on 19 × 19; the link is assumed."""

    evaluations_per_second: float = Field(gt=0)
    """Of one machine."""
    visits: int = Field(default=1600, ge=1)
    """Evaluations a move."""
    moves: int = Field(default=210, ge=1)
    """Moves a game."""
    game_bytes: float = Field(default=56_000, gt=0)
    """A game with its training targets, packed."""
    network_bytes: float = Field(default=3_900_000, gt=0)
    write_seconds: float = Field(default=0.0072, ge=0)
    """The driver's time for a game, beside its bytes: it takes one after another."""
    link_bytes_per_second: float = Field(default=125e6, gt=0)
    """The store's link; 1 Gbit/s."""
    samples_per_second: float = Field(default=395.0, gt=0)
    """Positions that the learner trains on."""
    reuse: float = Field(default=1.0, gt=0)
    """How often a position is trained on."""
    batch: int = Field(default=2048, ge=1)
    steps_per_network: int = Field(default=1000, ge=1)

    @property
    def upload(self) -> float:
        """Seconds for which a game holds the link and the driver."""
        return self.write_seconds + self.game_bytes / self.link_bytes_per_second

    @property
    def download(self) -> float:
        """Seconds for which a network that a machine fetches holds the link."""
        return self.network_bytes / self.link_bytes_per_second

    @property
    def positions_per_network(self) -> int:
        """Positions that the learner trains on between two networks."""
        return self.batch * self.steps_per_network

    @property
    def game_seconds(self) -> float:
        """One game on one machine, however many it plays at once."""
        return self.visits * self.moves / self.evaluations_per_second


class Limit(Enum):
    """What more machines do not help against."""

    PLAY = "playing"
    """Nothing yet: twice the machines play about twice the games."""
    LINK = "link"
    LEARNER = "learner"
    ROUND = "round's end"
    """Machines wait for the last games of a round: it has too few for so many."""


@dataclass(frozen=True, slots=True)
class Throughput:
    """What came out."""

    machines: int
    games_per_day: float
    waiting: float
    """The share of the machines' time in which they do not play: on the link, in its queue, and in
    rounds until the last game has ended and the learner is done."""
    link: float
    """The share of time in which the link was busy."""
    learner: float
    """The share of time in which the learner learned."""
    unlearned: float
    """The share of positions made that the learner had no time for."""
    networks_per_day: float
    network_age: float
    """Seconds since publication, mean over the games that ended."""
    in_rounds: bool = False

    @property
    def limit(self) -> Limit:
        """What holds the whole back first."""
        if not self.in_rounds:
            if self.link > 0.95:
                return Limit.LINK
            return Limit.LEARNER if self.unlearned > 0.05 else Limit.PLAY
        if self.waiting < 0.5:
            return Limit.PLAY
        shares = {
            Limit.LINK: self.link,
            Limit.LEARNER: self.learner,
            Limit.ROUND: self.waiting - self.learner - self.link,
        }
        return max(shares, key=shares.__getitem__)


def simulate(
    machines: int, costs: Costs, *, games: int = 20_000, spread: float = 0.25, seed: int = 0
) -> Throughput:
    """Play so many games on so many machines.

    Games take ``costs.game_seconds`` with a relative standard deviation of ``spread``, and start
    spread out over the first. The first fifth of the time is not counted.
    """
    random = np.random.default_rng(seed)
    durations = _durations(random, costs, spread, games)
    starts = random.random(machines) * costs.game_seconds
    ends = [(float(starts[m]), m) for m in range(machines)]
    heapq.heapify(ends)
    learner = _Learner(costs)
    version = np.zeros(machines, int)
    free, busy, waited, ages = 0.0, 0.0, 0.0, 0.0
    warm_up = games // 5
    counted_from, counted = 0.0, _Mark()
    for number in range(games):
        end, machine = heapq.heappop(ends)
        learner.advance(end)
        if number == warm_up:
            # From the end of the work that is queued, which the games counted do not bring.
            counted_from, busy, waited, ages = max(free, end), 0.0, 0.0, 0.0
            counted = learner.mark()
        ages += end - learner.published[version[machine]]
        service = costs.upload
        if version[machine] < len(learner.published) - 1:
            version[machine] = len(learner.published) - 1
            service += costs.download
        free = max(free, end) + service
        busy += service
        waited += free - end
        learner.receive(costs.moves)
        heapq.heappush(ends, (free + float(durations[number]), machine))
    span = free - counted_from
    done = games - warm_up
    now = learner.mark()
    return Throughput(
        machines=machines,
        games_per_day=86_400 * done / span,
        waiting=min(1.0, waited / (span * machines)),
        link=min(1.0, busy / span),
        learner=min(1.0, (now.busy - counted.busy) / span),
        unlearned=max(
            0.0, 1 - (now.learned - counted.learned) / (done * costs.moves * costs.reuse)
        ),
        networks_per_day=86_400
        * (now.learned - counted.learned)
        / (span * costs.positions_per_network),
        network_age=ages / done,
    )


def simulate_rounds(
    machines: int,
    costs: Costs,
    round_games: int,
    *,
    rounds: int = 3,
    spread: float = 0.25,
    seed: int = 0,
) -> Throughput:
    """Play rounds of so many games; after each the learner trains on all its positions, and every
    machine fetches the network that comes of it."""
    random = np.random.default_rng(seed)
    now, playing, ages = 0.0, 0.0, 0.0
    learning = costs.moves * round_games * costs.reuse / costs.samples_per_second
    for _ in range(rounds):
        published = now
        free = now + costs.download * machines
        ready = [(now + costs.download * (m + 1), m) for m in range(machines)]
        ends: list[tuple[float, int]] = []
        for duration in _durations(random, costs, spread, round_games):
            # A game is played by the machine that is free first, and goes to the driver as it ends.
            if not ready:
                end, machine = heapq.heappop(ends)
                free = max(free, end) + costs.upload
                ages += end - published
                heapq.heappush(ready, (free, machine))
            start, machine = heapq.heappop(ready)
            heapq.heappush(ends, (start + float(duration), machine))
            playing += float(duration)
        while ends:
            end, _ = heapq.heappop(ends)
            free = max(free, end) + costs.upload
            ages += end - published
        now = free + learning
    done = rounds * round_games
    link = rounds * (costs.download * machines + costs.upload * round_games)
    return Throughput(
        machines=machines,
        games_per_day=86_400 * done / now,
        waiting=max(0.0, 1 - playing / (now * machines)),
        link=link / now,
        learner=rounds * learning / now,
        unlearned=0.0,
        networks_per_day=86_400 * rounds / now,
        network_age=ages / done,
        in_rounds=True,
    )


def _durations(
    random: np.random.Generator, costs: Costs, spread: float, games: int
) -> NDArray[np.float64]:
    """[games]: seconds."""
    shape = 1.0 / spread**2
    return random.gamma(shape, costs.game_seconds / shape, games)


@dataclass(frozen=True, slots=True)
class _Mark:
    """The learner's counters at a moment."""

    busy: float = 0.0
    learned: float = 0.0


class _Learner:
    """Takes steps whenever there is a batch of positions it may still use."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._now = 0.0
        self._allowed = 0.0
        self._learned = 0.0
        self._busy = 0.0
        self.published = [0.0]
        """When each network came out; the first one is there at the start."""

    def receive(self, positions: int) -> None:
        """Positions have come."""
        self._allowed += positions * self._costs.reuse

    def advance(self, time: float) -> None:
        """Learn until this moment."""
        costs = self._costs
        span = max(0.0, time - self._now)
        learnt = min(self._allowed, span * costs.samples_per_second)
        needed = costs.positions_per_network
        while self._learned + learnt >= needed * len(self.published):
            missing = needed * len(self.published) - self._learned
            self.published.append(self._now + missing / costs.samples_per_second)
        self._learned += learnt
        self._allowed -= learnt
        self._busy += learnt / costs.samples_per_second
        self._now = max(self._now, time)

    def mark(self) -> _Mark:
        """The counters now."""
        return _Mark(self._busy, self._learned)
