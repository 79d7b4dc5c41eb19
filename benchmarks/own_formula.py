"""A formula of one's own beside the same formula built in: PUCT, with numba and without.

    python benchmarks/own_formula.py

Simulations per second of processor time, value 0 and equal priors inside the core. The three
searches make the same visits, which is checked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from _measure import in_turn, quotients, report

from honte.evaluation import Uniform
from honte.games import ConnectFour, Go
from honte.search import Search, SearchConfig
from honte.search.config import Custom, Puct
from honte.search.formula import formula

GAMES = {"connect_four": ConnectFour(), "go_9": Go(9), "go_19": Go(19)}
NATIVE, COMPILED, PLAIN = "PUCT, built in", "PUCT of one's own, numba", "PUCT of one's own, Python"


def puct(q: Any, n: Any, p: Any, parent: Any) -> Any:
    return q + 1.5 * np.sqrt(max(1.0, parent.n)) * (p / (1.0 + n))


def rate(state: Any, config: SearchConfig, simulations: int) -> float:
    begin = time.process_time()
    Search(state, config, Uniform(), seed=1).run(simulations=simulations)
    return simulations / (time.process_time() - begin)


def visits(state: Any, config: SearchConfig) -> dict[int, int]:
    result = Search(state, config, Uniform(), seed=1).run(simulations=2000)
    return {child.action: child.n for child in result.children}


def main(
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
    simulations: Annotated[int, typer.Option(help="Simulations of a search.")] = 100_000,
) -> None:
    """Time each in turn, game by game."""
    configs = {
        NATIVE: SearchConfig(selection=Puct(c_puct=1.5)),
        COMPILED: SearchConfig(selection=Custom(formula=formula(puct, compile=True))),
        PLAIN: SearchConfig(selection=Custom(formula=formula(puct, compile=False))),
    }
    holds = True
    for name, game in GAMES.items():
        state = game.new_initial_state()
        found_visits = [visits(state, config) for config in configs.values()]
        if found_visits.count(found_visits[0]) != len(found_visits):
            raise SystemExit(f"On {name} the formulas made other visits: {found_visits}")
        runs: dict[str, Callable[[], float]] = {
            kind: partial(rate, state, config, simulations // (20 if kind == PLAIN else 1))
            for kind, config in configs.items()
        }
        found = in_turn(runs, rounds)
        ratios: list[tuple[str, list[float], float | None]] = [
            (f"of {COMPILED} to {NATIVE}", quotients(found[COMPILED], found[NATIVE]), 0.5),
            (f"of {PLAIN} to {NATIVE}", quotients(found[PLAIN], found[NATIVE]), None),
        ]
        holds = report(name, "simulations per CPU second", found, ratios) and holds
    if not holds:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
