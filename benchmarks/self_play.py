"""How much of the backend's own speed self-play reaches, everything from move to sample included.

    python benchmarks/self_play.py [--game go] [--blocks 6] [--channels 64] [--visits 100]

The backend alone: its streams kept busy with batches of the same size and nothing else. Self-play:
evaluations a second over whole games of a fresh network with itself, as many under way as keep
every batch full, by the same backend at the same precision. Runs in turn; each ratio compares
neighbours in time. The second ratio counts processor time in place of the clock, which other
programs on the machine do not change: it is what the first becomes where all cores are busy.

Last comes where an evaluation's processor time goes: the network is the backend alone, the search
and its moves are self-play by an evaluator that answers at once, features are what writing them for
that evaluator adds, and the rest is what joining them costs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
import typer
from _measure import Spread, console, in_turn, quotients, report

from honte.evaluation import Evaluation, Evaluator, LeafBatch
from honte.networks.backends import kept_busy
from honte.training.zero.config import GameTable, NetworkTable, SelfPlayTable
from honte.training.zero.game import ZeroGame, open_game
from honte.training.zero.learning import evaluator_of, model_of, new_network
from honte.training.zero.loop import batch_shapes
from honte.training.zero.self_play import play_games

CLAIM = 0.9
ALONE, PLAYING = "backend alone", "self-play"
SEARCH, FEATURES = "search and moves", "search, moves and features"


@dataclass
class Answered:
    """The answer of an evaluator that has it already."""

    answer: Evaluation

    def result(self) -> Evaluation:
        """The answer."""
        return self.answer


class Instant:
    """Answers every batch at once with the same random numbers, after writing features or not."""

    streams = 1

    def __init__(self, game: ZeroGame, batch_size: int, *, features: bool) -> None:
        self.preferred_batch_size = batch_size
        random = np.random.default_rng(1)
        self._answer = Evaluation(
            value=random.uniform(-0.2, 0.2, batch_size).astype(np.float32),
            policy_logits=random.standard_normal((batch_size, game.actions), dtype=np.float32),
        )
        self._features = features
        self._spatial = np.zeros((batch_size, *game.shape), np.float32)
        self._numbers = np.zeros((batch_size, 19), np.float32)
        self._is_go = game.is_go

    def submit(self, batch: LeafBatch) -> Answered:
        """Write what a network would see, if it is wanted."""
        if self._features and self._is_go:
            batch.write_katago_features(self._spatial, self._numbers)
        elif self._features:
            self._spatial.reshape(len(self._spatial), -1)[: batch.size] = batch.observations()
        return Answered(self._answer)

    def __call__(self, batch: LeafBatch) -> Evaluation:
        return self.submit(batch).result()


def main(
    game: Annotated[str, typer.Option(help="go, connect_four, tic_tac_toe, …")] = "go",
    size: Annotated[int | None, typer.Option(help="Of the board, where it has one.")] = None,
    blocks: Annotated[int, typer.Option(help="Of the network.")] = 6,
    channels: Annotated[int, typer.Option(help="Of the network.")] = 64,
    visits: Annotated[int, typer.Option(help="Of a full search.")] = 100,
    fast_visits: Annotated[int, typer.Option(help="Of those between.")] = 20,
    batch_size: Annotated[int, typer.Option(help="Leaves a batch.")] = 16,
    games: Annotated[int, typer.Option(help="A run.")] = 96,
    longest_game: Annotated[int, typer.Option(help="Moves; of Go a run is cut here.")] = 30,
    rounds: Annotated[int, typer.Option(help="Runs of each.")] = 5,
) -> None:
    """Time the backend and self-play in turn."""
    torch.set_num_threads(1)
    played = open_game(GameTable(name=game, size=size))
    network = new_network(
        NetworkTable(blocks=blocks, channels=channels, pooled_channels=channels // 4), played
    )
    evaluator = evaluator_of(network, game, played, batch_size)
    model = model_of(network, game)
    assert model is not None
    # Three batches in flight and as many leaves again to choose the next ones from.
    table = SelfPlayTable(
        games=games,
        at_once=6 * batch_size,
        visits=visits,
        fast_visits=fast_visits,
        batch_size=batch_size,
        longest_game=longest_game,
    )
    console.print(
        f"{game}, {blocks} × {channels}, {visits} and {fast_visits} visits, "
        f"{evaluator.backend_name}, {evaluator.precision.value}, {evaluator.streams} streams"
    )
    microseconds: dict[str, list[float]] = {}
    compiled = evaluator.backend.compile(model, batch_shapes(evaluator, played), game)

    def alone() -> float:
        began = time.process_time()
        batches, seconds = kept_busy(compiled, evaluator.streams, 2.0)
        cost = (time.process_time() - began) / (batches * batch_size) * 1e6
        microseconds.setdefault(ALONE, []).append(cost)
        return batches * batch_size / seconds

    def play(by: Evaluator, name: str, number: int) -> float:
        began = time.process_time()
        _, made = play_games(played, table, by, 0, number)
        cost = (time.process_time() - began) / made.evaluations * 1e6
        microseconds.setdefault(name, []).append(cost)
        return made.evaluations / made.seconds

    def playing() -> float:
        return play(evaluator, PLAYING, len(microseconds.get(PLAYING, ())))

    # Batches of every size are compiled before the clock runs.
    play_games(played, table.model_copy(update={"games": 4}), evaluator, 0, 0)
    found = in_turn({ALONE: alone, PLAYING: playing}, rounds)
    for number in range(rounds):
        for name, features in ((SEARCH, False), (FEATURES, True)):
            play(Instant(played, batch_size, features=features), name, number)
    holds = report(
        f"{game}, batches of {batch_size}",
        "evaluations per second",
        found,
        [
            ("of self-play to backend", quotients(found[PLAYING], found[ALONE]), CLAIM),
            ("by processor time", quotients(microseconds[ALONE], microseconds[PLAYING]), None),
        ],
    )
    median = {name: Spread.of(values).median for name, values in microseconds.items()}
    parts = {
        "network": median[ALONE],
        SEARCH: median[SEARCH],
        "features": median[FEATURES] - median[SEARCH],
        "the rest": median[PLAYING] - median[ALONE] - median[FEATURES],
    }
    console.print(
        f"processor time of an evaluation: {median[PLAYING]:.0f} µs: "
        + ", ".join(f"{name} {cost:.0f}" for name, cost in parts.items()),
        highlight=False,
    )
    if not holds:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
