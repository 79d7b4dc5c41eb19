"""Draws analysis.svg, the picture of the README: AlphaGo–Lee Sedol, game 4, before move 78.

python docs/images/analysis.py NETWORK    # g170-b6c96-s175395328-d26788732.bin.gz was used
"""

from __future__ import annotations

import sys
from pathlib import Path

from honte import presets
from honte.evaluation import NetworkEvaluator
from honte.files import write_text
from honte.games.go import GoState, format_vertex
from honte.players.analysis import GameAnalysis, PositionAnalysis, analyze_game
from honte.records import load
from honte.records.picture import Bubble, board_svg
from honte.search import Budget

FOLDER = Path(__file__).resolve().parent
GAME = FOLDER.parent.parent / "examples" / "alphago-lee-sedol-game-4.sgf"
TURN = 77
BOARD = 460
GRAPH = 420
MARGIN = 24


def board(state: GoState, position: PositionAnalysis) -> str:
    best = position.candidates[0]
    bubbles = [
        Bubble(
            candidate.action,
            f"{100 * candidate.winrate:.0f}",
            quality=1 - 8 * (best.winrate - candidate.winrate),
            detail=str(candidate.visits),
        )
        for candidate in position.candidates[:5]
    ]
    return str(board_svg(state, bubbles=bubbles, size=BOARD))


def graph(analysis: GameAnalysis) -> str:
    """Black's winrate over the game, 100 % on top, the turn of the board marked."""
    turns = len(analysis.positions) - 1
    width, height = GRAPH, BOARD // 2
    points = [
        (width * position.turn / turns, height * (1 - position.black_winrate))
        for position in analysis.positions
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    x, y = points[TURN]
    return (
        f'<g transform="translate({BOARD + 2 * MARGIN} {MARGIN + 34})">'
        f'<rect width="{width}" height="{height}" fill="#f4f1ea"/>'
        f'<polygon points="0,{height} {line} {width},{height}" fill="#3a3a3a"/>'
        f'<path d="M0 {height / 2}H{width}" stroke="#999" stroke-dasharray="4 4"/>'
        f'<path d="M{x:.1f} 0V{height}" stroke="#c8452d" stroke-width="1.5"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#c8452d"/></g>'
    )


def words(state: GoState, analysis: GameAnalysis, vertex: list[str]) -> str:
    position = analysis.positions[TURN]
    said = (
        (MARGIN + 18, "18", "600", "Black’s winrate, move by move"),
        (BOARD // 2 + MARGIN + 70, "15", "400", f"Before move {TURN + 1}, White to play:"),
        (BOARD // 2 + MARGIN + 94, "15", "400", f"Black wins {position.black_winrate:.0%}."),
        (BOARD // 2 + MARGIN + 118, "15", "400", f"Best found: {' '.join(vertex)} …"),
        (BOARD // 2 + MARGIN + 142, "15", "400", "On the board: winrate of the player to"),
        (BOARD // 2 + MARGIN + 162, "15", "400", f"move, visits of {position.visits} below it."),
    )
    return "".join(
        f'<text x="{BOARD + 2 * MARGIN}" y="{y}" font-size="{size}" font-weight="{weight}">'
        f"{text}</text>"
        for y, size, weight, text in said
    )


def main(network: str) -> None:
    record = load(GAME)
    states = list(record.states())
    evaluator = NetworkEvaluator(network)
    config = presets.katago()
    game = analyze_game(states, evaluator, config, Budget(visits=100))
    deeper = analyze_game(states, evaluator, config, Budget(visits=1600), turns=[TURN])
    positions = list(game.positions)
    positions[TURN] = next(position for position in deeper.positions if position.turn == TURN)
    analysis = GameAnalysis(tuple(positions))
    state, position = states[TURN], positions[TURN]
    line = [format_vertex(action, 19, 19) for action in position.candidates[0].line[:5]]
    width, height = BOARD + GRAPH + 3 * MARGIN, BOARD + 2 * MARGIN
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="system-ui,sans-serif" fill="#222">'
        f'<rect width="{width}" height="{height}" rx="10" fill="#fff"/>'
        f'<g transform="translate({MARGIN} {MARGIN})">{board(state, position)}</g>'
        f"{graph(analysis)}{words(state, analysis, line)}</svg>\n"
    )
    write_text(FOLDER / "analysis.svg", picture)


if __name__ == "__main__":
    main(sys.argv[1])
