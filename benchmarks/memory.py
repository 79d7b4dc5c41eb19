"""Memory a visit: the growth of the resident set over one long search of 19×19 in mid-game.

    python benchmarks/memory.py --network FILE [--katago PATH]

The priors are a real network's. What the network itself and its library take is there before
the first look. With --katago, KataGo's search of the same position beside it: its resident set
after the same number of visits less that after few, in a process of its own.
"""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path
from typing import Annotated

import typer
from _katago import KataGo
from _measure import console, report
from _positions import game_positions

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.search import Search

CLAIM = 1400.0  # what KataGo 1.17.2 takes, measured as here
WARM_UP = 1_000


def give_back_free_memory() -> None:
    """Let the C library return what it keeps, so that the search cannot hide in old holes."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def resident_bytes(process: str = "self") -> int:
    """The resident set of a process now (Linux)."""
    pages = Path(f"/proc/{process}/smaps_rollup").read_text()
    line = next(line for line in pages.splitlines() if line.startswith("Rss:"))
    return int(line.split()[1]) * 1024


def main(
    network: Annotated[Path, typer.Option(help="A KataGo network.")],
    size: Annotated[int, typer.Option(help="Width and height of the board.")] = 19,
    visits: Annotated[int, typer.Option(help="Visits over which the growth is taken.")] = 20_000,
    katago: Annotated[Path | None, typer.Option(help="The KataGo program, to compare.")] = None,
) -> None:
    """Search one position and look at the process."""
    evaluator = NetworkEvaluator(network)
    console.print(evaluator.describe())
    state = game_positions(evaluator, size, 2)[-1]
    # A first search fills every buffer that is made once.
    Search(state, presets.katago(), evaluator).run(visits=WARM_UP)
    give_back_free_memory()
    search = Search(state, presets.katago(), evaluator)
    search.run(visits=WARM_UP)
    before = resident_bytes()
    result = search.run(visits=WARM_UP + visits)
    grown = (resident_bytes() - before) / result.simulations
    tree = search.memory_bytes / result.visits
    found = {"honte, growth of the resident set": [grown], "honte, the tree alone": [tree]}
    ratios: list[tuple[str, list[float], float | None]] = [
        ("of 1,400 bytes to honte's", [CLAIM / grown], 1.0)
    ]
    if katago is not None:
        with KataGo(katago, network, size=size, threads=2, cache_size_power=2) as engine:
            engine.search(state, WARM_UP)
            first = resident_bytes(str(engine.process_id))
            # A search frees the tree before it, so the growth is that over the small one.
            engine.search(state, WARM_UP + visits)
            peer = (resident_bytes(str(engine.process_id)) - first) / visits
        found["KataGo, growth of the resident set"] = [peer]
        ratios.append(("of KataGo's to honte's", [peer / grown], 1.0))
    if not report(f"{size}×{size}, {visits:,} visits", "bytes per visit", found, ratios):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
