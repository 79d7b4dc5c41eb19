"""The bandit: the same arms pulled by several selection formulas, and what each regrets.

Each run is a real search of a node that is never expanded below, so that every visit of an arm
draws its reward anew: 1 with the arm's probability, else −1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluation, LeafBatch
from honte.search import Search, SearchConfig
from honte.search.config import Expansion, Parallelism, Puct, Selection, Ucb1
from honte.web import events
from honte.web.made_up import Arms
from honte.web.requests import RunBandit
from honte.web.scheduler import Work

NEVER = 10**9
"""Visits before an arm would be expanded."""
POINTS = 100
"""Points of a curve."""
GOOD, BAD = 0.6, 0.02
"""The prior of the best arm where priors are good, and where they are bad."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A formula, and the priors it is given."""

    name: str
    selection: Selection | None
    """None: arms in turn by chance."""
    priors: tuple[float, ...]


class Rewards:
    """Answers a leaf with a reward of its arm and remembers which arms were asked for."""

    def __init__(
        self, means: Sequence[float], priors: Sequence[float], random: np.random.Generator
    ) -> None:
        self._means = means
        self._logits = np.log(np.maximum(np.array(priors, np.float32), np.float32(1e-20)))
        self._random = random
        self.pulled: list[int] = []

    def __call__(self, batch: LeafBatch) -> Evaluation:
        values = []
        for state in batch.states():
            if state.chosen is None:
                values.append(0.0)
                continue
            self.pulled.append(state.chosen)
            values.append(1.0 if self._random.random() < self._means[state.chosen] else -1.0)
        return Evaluation(
            value=np.array(values, np.float32),
            policy_logits=np.tile(self._logits, (batch.size, 1)),
        )


def strategies(wish: RunBandit) -> list[Strategy]:
    """UCB1, PUCT with equal, good and bad priors, and chance for comparison."""
    arms = len(wish.means)
    best = int(np.argmax(wish.means))
    worst = int(np.argmin(wish.means))
    puct = Puct(c_puct=wish.c_puct)
    return [
        Strategy("ucb1", Ucb1(c=wish.c_ucb), _leaning(arms, best, 1 / arms)),
        Strategy("puct_good", puct, _leaning(arms, best, max(GOOD, 1 / arms))),
        Strategy("puct_equal", puct, _leaning(arms, best, 1 / arms)),
        Strategy("puct_bad", puct, _misled(arms, best, worst)),
        Strategy("chance", None, _leaning(arms, best, 1 / arms)),
    ]


def _leaning(arms: int, best: int, share: float) -> tuple[float, ...]:
    return tuple(share if arm == best else (1 - share) / (arms - 1) for arm in range(arms))


def _misled(arms: int, best: int, worst: int) -> tuple[float, ...]:
    """The worst arm looks best, the best one like nothing."""
    if arms == 2:
        return tuple(BAD if arm == best else 1 - BAD for arm in range(arms))
    rest = (1 - GOOD - BAD) / (arms - 2)
    return tuple(BAD if arm == best else GOOD if arm == worst else rest for arm in range(arms))


def run_bandit(wish: RunBandit, send: Callable[[events.BanditRun], None]) -> Work:
    """Repeat every strategy's run and send the mean regret so far after each repeat."""
    chosen = strategies(wish)
    means = np.array(wish.means)
    loss = means.max() - means
    at = np.unique(np.linspace(1, wish.pulls, min(POINTS, wish.pulls)).astype(int))
    regret = {strategy.name: np.zeros(len(at)) for strategy in chosen}
    pulls = {strategy.name: np.zeros(len(means)) for strategy in chosen}
    for repeat in range(wish.repeats):
        for place, strategy in enumerate(chosen):
            random = np.random.default_rng((wish.seed, repeat, place))
            arms = _run(strategy, wish, random, seed=wish.seed + repeat)
            regret[strategy.name] += np.cumsum(loss[arms])[at - 1]
            pulls[strategy.name] += np.bincount(arms, minlength=len(means))
            yield
        done = repeat + 1
        send(
            events.BanditRun(
                number=wish.number,
                at=[int(x) for x in at],
                repeats=done,
                strategies=[
                    events.Regret(
                        name=strategy.name,
                        regret=[round(float(x), 4) for x in regret[strategy.name] / done],
                        pulls=[round(float(x), 2) for x in pulls[strategy.name] / done],
                    )
                    for strategy in chosen
                ],
                finished=done == wish.repeats,
            )
        )


def _run(
    strategy: Strategy, wish: RunBandit, random: np.random.Generator, *, seed: int
) -> NDArray[np.intp]:
    if strategy.selection is None:
        return random.integers(0, len(wish.means), wish.pulls)
    config = SearchConfig(
        selection=strategy.selection,
        expansion=Expansion(threshold=NEVER),
        parallelism=Parallelism(batch_size=1, batches_in_flight=1),
    )
    rewards = Rewards(wish.means, strategy.priors, random)
    Search(Arms(wish.means), config, rewards, seed=seed).run(simulations=wish.pulls + 1)
    return np.array(rewards.pulled[: wish.pulls], np.intp)
