"""How often a run's network finds a best move on its known positions, by visits of the search.

    python benchmarks/known_positions_of_a_run.py examples/runs/connect-four.toml \
        runs/connect-four/network.onnx --visits 80 --visits 3200

The policy alone, the run's own search with the network, and UCT with the solver by random playouts.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from _measure import console
from rich.table import Table

from honte import presets
from honte.evaluation import Evaluator, OnnxEvaluator, Rollout
from honte.search import SearchConfig
from honte.search.config import Backup
from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import open_game
from honte.training.zero.problems import read_known_positions, share_right
from honte.training.zero.self_play import playing_config


def main(
    run: Annotated[Path, typer.Argument(help="The TOML file of the run, which names positions.")],
    network: Annotated[Path, typer.Argument(help="The run's network.onnx.")],
    visits: Annotated[list[int], typer.Option(help="Visits of a search; may be repeated.")],
    seed: Annotated[int, typer.Option(help="Of the searches.")] = 0,
) -> None:
    """Search every position with each number of visits."""
    config = ZeroConfig.from_toml(run)
    if config.measuring.positions is None:
        raise SystemExit(f'{run} names no positions: [measuring] positions = "FILE.csv".')
    game = open_game(config.game)
    positions = read_known_positions(config.measuring.positions, game)
    evaluator = OnnxEvaluator(network, batch_size=config.self_play.batch_size)
    by_network = playing_config(config.self_play, game.symmetries > 1 or game.is_go)
    by_playouts = presets.uct().replace(backup=Backup(solver=True))
    table = Table("search", "visits", "policy right", "search right", "CPU ms a move")

    def row(name: str, search: SearchConfig, leaves: Evaluator, count: int) -> None:
        begin = time.process_time()
        policy, right = share_right(positions, search, leaves, count, seed)
        spent = (time.process_time() - begin) / len(positions) * 1e3
        said = f"{policy:.1%}" if leaves is evaluator else "-"
        table.add_row(name, f"{count:,}", said, f"{right:.1%}", f"{spent:.1f}")

    for count in visits:
        row("the run's", by_network, evaluator, count)
    row("UCT with the solver, playouts", by_playouts, Rollout(), max(visits))
    console.print(f"{len(positions)} positions of {config.measuring.positions}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
