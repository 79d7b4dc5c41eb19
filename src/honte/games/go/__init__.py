"""Go: rules, boards, positions and moves.

Players are 0 (:data:`BLACK`) and 1 (:data:`WHITE`). An action is ``y * width + x`` with row 0 on
top; ``width * height`` passes.
"""

from honte._core import GoState, Legality, go_perft
from honte.games.go.game import BLACK, WHITE, Go, IllegalMove
from honte.games.go.picture import board_svg
from honte.games.go.rules import RULE_NAMES, HandicapBonus, Ko, Rules, Scoring, Tax
from honte.games.go.vertex import format_vertex, parse_vertex

__all__ = [
    "BLACK",
    "RULE_NAMES",
    "WHITE",
    "Go",
    "GoState",
    "HandicapBonus",
    "IllegalMove",
    "Ko",
    "Legality",
    "Rules",
    "Scoring",
    "Tax",
    "format_vertex",
    "go_perft",
    "parse_vertex",
]

# A position draws itself in a notebook.
setattr(GoState, "_repr_svg_", board_svg)  # noqa: B010
