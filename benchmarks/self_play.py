"""How much of the backend's own speed self-play reaches, everything from move to sample included.

    python benchmarks/self_play.py [--game go] [--blocks 6] [--channels 64] [--visits 100]

The backend alone: its streams kept busy with batches of the same size and nothing else. Self-play:
evaluations a second over whole games of a fresh network with itself. Runs in turn; each ratio
compares neighbours in time. The second ratio counts processor time in place of the clock, which
other programs on the machine do not change: it is what the first becomes where all cores are busy.
"""

from __future__ import annotations

from typing import Annotated

import torch
import typer
from _measure import console, in_turn, kept_by_processor, quotients, report

from honte.training.zero.config import GameTable, NetworkTable, SelfPlayTable
from honte.training.zero.game import open_game
from honte.training.zero.learning import evaluator_of, model_of, new_network
from honte.training.zero.loop import backend_speed
from honte.training.zero.self_play import play_games

CLAIM = 0.9
ALONE, PLAYING = "backend alone", "self-play"


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
    table = SelfPlayTable(
        games=games,
        at_once=games,
        visits=visits,
        fast_visits=fast_visits,
        batch_size=batch_size,
        longest_game=longest_game,
    )
    console.print(f"{game}, {blocks} × {channels}, {visits} and {fast_visits} visits")
    clocks: dict[str, list[float]] = {ALONE: [], PLAYING: []}

    def alone() -> float:
        return backend_speed(evaluator, model, played, 2.0)

    def playing() -> float:
        _, made = play_games(played, table, evaluator, 0, len(clocks[PLAYING]))
        return made.evaluations / made.seconds

    found = in_turn(
        {
            ALONE: kept_by_processor(alone, clocks[ALONE]),
            PLAYING: kept_by_processor(playing, clocks[PLAYING]),
        },
        rounds,
    )
    ratios = [
        ("of self-play to backend", quotients(found[PLAYING], found[ALONE]), CLAIM),
        ("by processor time", quotients(clocks[PLAYING], clocks[ALONE]), None),
    ]
    if not report(f"{game}, batches of {batch_size}", "evaluations per second", found, ratios):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
