"""What a search thinks of one position of a real game, with and without a network.

python examples/analyse_position.py [NETWORK]
"""

from __future__ import annotations

import sys
from pathlib import Path

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.games.go import format_vertex
from honte.records import load
from honte.search import Search

GAME = Path(__file__).with_name("alphago-lee-sedol-game-4.sgf")
MOVE = 78


def main(network: str | None = None, visits: int = 1000) -> None:
    state = list(load(GAME).states())[MOVE - 1]
    if network is None:
        search = Search(state, presets.uct())
    else:
        search = Search(state, presets.katago(), NetworkEvaluator(network))
    result = search.run(visits=visits)
    print(f"Before move {MOVE}: White wins {result.winrate:.0%}")  # White is to move
    for child in result.children[:5]:
        line = [format_vertex(action, 19, 19) for action in child.principal_variation[:6]]
        print(f"{line[0]:>4} {child.n:5d} visits, {(child.q + 1) / 2:.1%}: {' '.join(line)}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
