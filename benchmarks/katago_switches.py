"""What each of KataGo's switches does: visits to solve known positions, with it and without it.

    python benchmarks/katago_switches.py [--make] [--visits 256] [--network default]

Connect Four with random rollouts, where a search that proves results has proved every move; and
9 × 9 Go with a network, where the right move is the one that stands out after 1,000 visits of plain
PUCT and of KataGo's preset alike, and is not the policy's first. `--make` finds new positions.

A search is solved at the least number of visits from which on its move stays right, twice the limit
if never. Printed is the ratio of geometric means, switched on against off, below 1 where the switch
helps, with the middle 95 % of bootstrapped positions: for KataGo's preset less each switch, and for
plain PUCT with each switch alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from _measure import console
from rich.table import Table

from honte import networks, presets
from honte.evaluation import Evaluator, NetworkEvaluator, Rollout
from honte.games import ConnectFour, Go
from honte.games.go import Rules
from honte.search import Search, SearchConfig
from honte.search.config import (
    Backup,
    MostVisits,
    Parallelism,
    Puct,
    ScoreUtility,
    Spread,
    SubtreeValueBias,
    Symmetry,
    Ucb1,
    UncertaintyWeighting,
    VirtualLossKind,
)
from honte.search.search import EvaluationCache

POSITIONS = Path(__file__).with_name("known_positions.json")
PROOF = SearchConfig(selection=Ucb1(c=0.7), backup=Backup(solver=True))
PROOF_SIMULATIONS = 20_000
DEEP = 1000
"""Visits of the search that judges a position of Go."""
MARGIN = 0.15
"""By so much, in value, the right move of a position of Go is better than any other."""
ONE_AT_A_TIME = Parallelism(batch_size=1, batches_in_flight=1)
EIGHT_IN_FLIGHT = Parallelism(batch_size=8, batches_in_flight=1)


@dataclass(frozen=True)
class Known:
    """A position by its moves, and the moves that win it."""

    game: str
    size: int
    komi: float
    moves: tuple[int, ...]
    answers: tuple[int, ...]

    def state(self) -> Any:
        if self.game == "go":
            state = Go(self.size, rules=Rules.named("tromp-taylor"), komi=self.komi)
            position: Any = state.new_initial_state()
        else:
            position = ConnectFour().new_initial_state()
        for move in self.moves:
            position.apply_action(move)
        return position


def backup(config: SearchConfig, **changes: Any) -> SearchConfig:
    return config.replace(backup=config.backup.model_copy(update=changes))


def selection(config: SearchConfig, **changes: Any) -> SearchConfig:
    return config.replace(selection=config.selection.model_copy(update=changes))


Change = Callable[[SearchConfig], SearchConfig]
SWITCHES: dict[str, tuple[Change, Change]] = {
    "score utility": (
        lambda c: backup(c, score_utility=ScoreUtility()),
        lambda c: backup(c, score_utility=None),
    ),
    "uncertainty weighting": (
        lambda c: backup(c, uncertainty=UncertaintyWeighting()),
        lambda c: backup(c, uncertainty=None),
    ),
    "value-weighted children": (
        lambda c: backup(c, value_weight_exponent=0.25),
        lambda c: backup(c, value_weight_exponent=0.0),
    ),
    "noise pruning": (
        lambda c: backup(c, noise_prune_scale=0.15),
        lambda c: backup(c, noise_prune_scale=0.0),
    ),
    "subtree value bias": (
        lambda c: backup(c, subtree_value_bias=SubtreeValueBias()),
        lambda c: backup(c, subtree_value_bias=None),
    ),
    "variance-scaled c_puct": (
        lambda c: selection(c, spread=Spread()),
        lambda c: selection(c, spread=None),
    ),
    "transpositions": (
        lambda c: backup(c, transpositions=True),
        lambda c: backup(c, transpositions=False),
    ),
    "solver": (
        lambda c: backup(c, solver=True, transpositions=False),
        lambda c: backup(c, solver=False, transpositions=False),
    ),
    "unobserved counts": (
        lambda c: backup(c, virtual_loss=VirtualLossKind.UNOBSERVED).replace(
            parallelism=EIGHT_IN_FLIGHT
        ),
        lambda c: backup(c, virtual_loss=VirtualLossKind.LOST_VISITS).replace(
            parallelism=EIGHT_IN_FLIGHT
        ),
    ),
}
"""Each switch on, and off; the last with eight leaves in flight."""


def katago() -> SearchConfig:
    """The preset, as it sees a position one way up and decides by visits, so that what differs is
    the search."""
    preset = presets.katago()
    return preset.replace(
        expansion=preset.expansion.model_copy(update={"symmetry": Symmetry.IDENTITY}),
        decision=MostVisits(),
        parallelism=ONE_AT_A_TIME,
    )


def plain() -> SearchConfig:
    return SearchConfig(selection=Puct(c_puct=1.0), parallelism=ONE_AT_A_TIME)


def limits(most: int) -> list[int]:
    """Visits to look at: four a doubling."""
    steps = {round(2 ** (k / 4)) for k in range(4 * 20)}
    return sorted(step for step in steps if 1 <= step <= most)


def solved_at(
    config: SearchConfig, position: Known, evaluator: Evaluator, most: int, cache: Any, seed: int
) -> int:
    """The visits from which on the move stays right; twice the limit if never."""
    search = Search(position.state(), config, evaluator, seed=seed, cache=cache)
    found = 2 * most
    for visits in limits(most):
        action = search.run(visits=visits).action
        if action not in position.answers:
            found = 2 * most
        elif found > most:
            found = visits
    return found


def proven(state: Any) -> float | None:
    """The exact value for the side to move; None where the proof would take too long."""
    search = Search(state, PROOF, Rollout())
    search.run(simulations=PROOF_SIMULATIONS)
    return search.root.proven


def winners(state: Any, first: int | None) -> tuple[int, ...] | None:
    """The winning moves, where they are few, every move is proved, and ``first`` loses."""
    actions = state.legal_actions()
    order = actions if first is None else [first, *(a for a in actions if a != first)]
    found = []
    for action in order:
        following = state.clone()
        following.apply_action(action)
        if following.is_terminal():
            value = following.returns()[state.current_player()]
        else:
            proof = proven(following)
            if proof is None:
                return None
            value = proof if following.current_player() == state.current_player() else -proof
        if value > 0:
            if action == first:
                return None
            found.append(action)
            if len(found) > 2:
                return None
    return tuple(sorted(found)) if found and len(actions) - len(found) >= 3 else None


def make_go(network: NetworkEvaluator, wanted: int) -> Iterator[Known]:
    """Positions from games of the network's policy, in which one move stands out after a deep
    search: by plain PUCT and by KataGo's preset alike, and not the policy's first."""
    random = np.random.default_rng(5)
    found = 0
    while found < wanted:
        state: Any = Go(9, rules=Rules.named("tromp-taylor"), komi=7.0).new_initial_state()
        moves: list[int] = []
        plies = int(random.integers(8, 45))
        while len(moves) < plies and not state.is_terminal():
            policy = network.evaluate([state]).policy[0].astype(np.float64)
            policy[-1] = 0.0
            moves.append(int(random.choice(len(policy), p=policy / policy.sum())))
            state.apply_action(moves[-1])
        if state.is_terminal():
            continue
        first = int(np.argmax(network.evaluate([state]).policy[0]))
        if outstanding(state, plain(), network, 60) == first:
            continue  # nothing to find
        answers = {outstanding(state, plain(), network, DEEP)}
        if answers & {None, first}:
            continue
        answers.add(outstanding(state, presets.katago(), network, DEEP))
        if len(answers) == 1:
            found += 1
            (answer,) = answers
            assert answer is not None
            yield Known("go", 9, 7.0, tuple(moves), (answer,))


def outstanding(
    state: Any, config: SearchConfig, network: NetworkEvaluator, visits: int
) -> int | None:
    """The most visited move, if it has half of the visits and every other is clearly worse."""
    search = Search(state, config.replace(parallelism=Parallelism()), network)
    children = search.run(visits=visits).children
    best = max(children, key=lambda child: child.n)
    others = [child for child in children if child is not best and child.n >= visits / 50]
    clear = all(best.q - child.q > MARGIN for child in others)
    return best.action if best.n > visits / 2 and clear else None


def make_connect_four(wanted: int) -> Iterator[Known]:
    random = np.random.default_rng(6)
    found = 0
    while found < wanted:
        state = ConnectFour().new_initial_state()
        moves: list[int] = []
        for _ in range(int(random.integers(16, 25))):
            if state.is_terminal():
                break
            moves.append(int(random.choice(state.legal_actions())))
            state.apply_action(moves[-1])
        if state.is_terminal() or any(
            (after := state.clone(), after.apply_action(a), after.is_terminal())[2]
            for a in state.legal_actions()
        ):
            continue
        answers = winners(state, None)
        if answers is not None:
            found += 1
            yield Known("connect four", 7, 0.0, tuple(moves), answers)


def read() -> list[Known]:
    return [
        Known(d["game"], d["size"], d["komi"], tuple(d["moves"]), tuple(d["answers"]))
        for d in json.loads(POSITIONS.read_text("utf-8"))
    ]


def write(positions: Sequence[Known]) -> None:
    rows = ",\n".join(json.dumps(vars(position)) for position in positions)
    POSITIONS.write_text(f"[\n{rows}\n]\n", "utf-8")


@dataclass(frozen=True)
class Effect:
    """A switch on against off."""

    ratio: float
    low: float
    high: float
    solved_on: int
    solved_off: int

    def shown(self) -> str:
        return f"{self.ratio:.2f} ({self.low:.2f} … {self.high:.2f})"


def effect(on: Sequence[int], off: Sequence[int], most: int, seeds: int) -> Effect:
    by_seed = np.log(np.array(on, float)) - np.log(np.array(off, float))
    differences = by_seed.reshape(-1, seeds).mean(1)
    random = np.random.default_rng(1)
    means = [
        differences[random.integers(0, len(differences), len(differences))].mean()
        for _ in range(2000)
    ]
    low, high = np.exp(np.percentile(means, [2.5, 97.5]))
    return Effect(
        float(np.exp(differences.mean())),
        float(low),
        float(high),
        sum(visits <= most for visits in on),
        sum(visits <= most for visits in off),
    )


def measure(
    game: str, positions: Sequence[Known], evaluator: Evaluator, most: int, seeds: int, switch: str
) -> None:
    caches = [EvaluationCache(50_000) if game == "go" else None for _ in positions]
    known: dict[str, list[int]] = {}

    def run(config: SearchConfig) -> list[int]:
        name = config.model_dump_json()
        if name not in known:
            known[name] = [
                solved_at(config, position, evaluator, most, cache, seed)
                for position, cache in zip(positions, caches, strict=True)
                for seed in range(seeds)
            ]
        return known[name]

    table = Table(title=f"{game}: {len(positions)} positions, up to {most} visits")
    for heading in ("switch", "katago, on : off", "solved", "alone, on : off", "solved"):
        table.add_column(heading)
    for name, (on, off) in SWITCHES.items():
        if switch not in ("", name):
            continue
        if game != "go" and name in ("score utility", "uncertainty weighting", "unobserved counts"):
            continue  # a rollout in the core gives neither points nor doubts, one at a time
        cells = []
        for base in (katago(), plain()):
            found = effect(run(on(base)), run(off(base)), most, seeds)
            cells += [found.shown(), f"{found.solved_on} : {found.solved_off}"]
        table.add_row(name, *cells)
        console.print(name, *cells)
    console.print(table)


def main(
    visits: Annotated[
        int, typer.Option(help="The most visits; four times as many in Connect Four.")
    ] = 256,
    network: Annotated[str, typer.Option(help="A network's file, or default.")] = "default",
    make: Annotated[bool, typer.Option(help="Find the positions anew.")] = False,
    only: Annotated[str, typer.Option(help="go or connect four; both if empty.")] = "",
    switch: Annotated[str, typer.Option(help="One switch; all if empty.")] = "",
) -> None:
    loaded = networks.default() if network == "default" else networks.load(network)
    evaluator = NetworkEvaluator(loaded)
    if make:
        kept = read() if only and POSITIONS.exists() else []
        found = [position for position in kept if position.game != only]
        makers = {"connect four": make_connect_four(48), "go": make_go(evaluator, 48)}
        for position in chain(*(maker for game, maker in makers.items() if only in ("", game))):
            found.append(position)
            console.print(f"[dim]{len(found)}: {position}[/dim]")
            write(found)
        return
    rounds = (("go", evaluator, visits, 1), ("connect four", Rollout(), 4 * visits, 5))
    for game, answering, most, seeds in rounds:
        if only in ("", game):
            chosen = [position for position in read() if position.game == game]
            measure(game, chosen, answering, most, seeds, switch)


if __name__ == "__main__":
    typer.run(main)
