"""The regret of UCB1 and PUCT on a row of slot machines, as it grows with the pulls.

    python examples/bandit_regret.py [picture.png]

UCB1's grows like log N [Auer 2002]. PUCT with a prior that knows the best machine loses less; with
one that is wrong it loses more at first, and recovers.
"""

from __future__ import annotations

import sys
from typing import Self

import numpy as np
from numpy.typing import NDArray

from honte.evaluation import Evaluation, LeafBatch
from honte.search import Budget, Search, SearchConfig, run_many
from honte.search.config import Expansion, Parallelism, Puct, Selection, Ucb1

CHANCES = np.array([0.2, 0.3, 0.4, 0.4, 0.8])  # of a win, one a machine
PULLS = [50, 100, 200, 400, 800, 1600, 3200]
GOOD = [0.05, 0.05, 0.1, 0.1, 0.7]
BAD = [0.6, 0.2, 0.1, 0.05, 0.05]


class Machines:
    """A game for one: choose a machine. What it pays is the evaluator's to draw."""

    def __init__(self, chosen: int | None = None) -> None:
        self.chosen = chosen

    def num_players(self) -> int:
        return 1

    def num_distinct_actions(self) -> int:
        return len(CHANCES)

    def current_player(self) -> int:
        return 0

    def legal_actions(self) -> list[int]:
        return list(range(len(CHANCES)))

    def apply_action(self, action: int) -> None:
        self.chosen = action

    def is_terminal(self) -> bool:
        return False

    def returns(self) -> list[float]:
        return [0.0]

    def clone(self) -> Self:
        return type(self)(self.chosen)

    def observation_tensor(self) -> list[float]:
        return [-1.0 if self.chosen is None else float(self.chosen)]


class Payout:
    """+1 with the machine's chance, else −1; priors of the given probabilities."""

    def __init__(self, priors: list[float], seed: int) -> None:
        self.logits = np.log(np.array(priors, np.float32))
        self.random = np.random.default_rng(seed)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        machines = batch.observations()[:, 0].astype(int)
        won = self.random.random(batch.size) < CHANCES[machines]
        value = np.where(machines < 0, 0.0, np.where(won, 1.0, -1.0))
        return Evaluation(value.astype(np.float32), np.tile(self.logits, (batch.size, 1)))


def regret(
    selection: Selection, priors: list[float], runs: int = 100, seed: int = 0
) -> NDArray[np.float64]:
    """[runs, len(PULLS)]: what the pulls would have paid more at the best machine, in wins."""
    config = SearchConfig(
        selection=selection,
        expansion=Expansion(threshold=2**31 - 1),  # each pull draws anew
        parallelism=Parallelism(batch_size=runs, batches_in_flight=1),
    )
    evaluator = Payout(priors, seed)
    searches = [Search(Machines(), config, evaluator, seed=seed + run) for run in range(runs)]
    found = np.zeros((runs, len(PULLS)))
    for column, pulls in enumerate(PULLS):
        for row, result in enumerate(run_many(searches, Budget(visits=pulls + 1))):
            assert result is not None
            for child in result.children:
                found[row, column] += child.n * (CHANCES.max() - CHANCES[child.action])
    return found


# UCB1 for results in [0, 1] has c = √2; in [−1, 1] all is twice as large.
SYSTEMS: dict[str, tuple[Selection, list[float]]] = {
    "UCB1": (Ucb1(c=8**0.5), GOOD),
    "PUCT, good prior": (Puct(c_puct=1.5), GOOD),
    "PUCT, bad prior": (Puct(c_puct=1.5), BAD),
}


def main() -> None:
    curves = {name: regret(*system).mean(0) for name, system in SYSTEMS.items()}
    print("pulls".ljust(20) + "".join(f"{pulls:8d}" for pulls in PULLS))
    for name, curve in curves.items():
        print(name.ljust(20) + "".join(f"{value:8.1f}" for value in curve))
    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        for name, curve in curves.items():
            plt.semilogx(PULLS, curve, "o-", label=name)
        plt.xlabel("pulls")
        plt.ylabel("regret, in wins")
        plt.legend()
        plt.savefig(sys.argv[1], bbox_inches="tight")


if __name__ == "__main__":
    main()
