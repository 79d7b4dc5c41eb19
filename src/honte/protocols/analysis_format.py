"""A search result in the vocabulary of analysis clients, shared by GTP and the JSON engine.

The names and meanings are KataGo's and Leela Zero's. honte's values come from the side to move;
here they are turned to the side that is asked for, all of them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from honte.games.go import BLACK, WHITE, GoState, format_vertex
from honte.players.ownership import OwnershipReport
from honte.search import TreeMeans, TreeNode
from honte.search.result import ChildStatistics, SearchResult


class View(Enum):
    """From whose side values are reported."""

    BLACK = "BLACK"
    WHITE = "WHITE"
    SIDE_TO_MOVE = "SIDETOMOVE"

    def sign(self, player: int) -> float:
        """What a value of ``player`` is multiplied by to be seen from this side."""
        match self:
            case View.BLACK:
                return 1.0 if player == BLACK else -1.0
            case View.WHITE:
                return 1.0 if player == WHITE else -1.0
            case View.SIDE_TO_MOVE:
                return 1.0


@dataclass(frozen=True, slots=True)
class MoveReport:
    """One move at the root; ``winrate``, ``utility`` and scores from the view asked for."""

    move: str
    visits: int
    edge_visits: int
    utility: float
    winrate: float
    score_stdev: float
    score_lead: float
    score_selfplay: float
    no_result_value: float
    prior: float
    lcb: float
    utility_lcb: float
    weight: float
    order: int
    play_selection_value: float
    pv: tuple[str, ...]
    pv_visits: tuple[int, ...]
    ownership: NDArray[np.float32] | None = None
    ownership_stdev: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class RootReport:
    """The position itself, from the view asked for."""

    player: int
    """Whose turn it is."""
    visits: int
    utility: float
    winrate: float
    score_stdev: float
    score_lead: float
    score_selfplay: float
    weight: float
    raw_winrate: float


@dataclass(frozen=True, slots=True)
class AnalysisReport:
    """Everything a client may ask about one search."""

    moves: tuple[MoveReport, ...]
    root: RootReport
    ownership: NDArray[np.float32] | None = None
    ownership_stdev: NDArray[np.float32] | None = None


def finite(value: float | None, otherwise: float = 0.0) -> float:
    """The value, or something else where there is none: clients cannot read nan and inf."""
    return value if value is not None and math.isfinite(value) else otherwise


def make_report(
    state: GoState,
    result: SearchResult,
    tree: TreeNode,
    view: View,
    *,
    minimum_moves: int = 0,
    maximum_moves: int | None = None,
    pv_length: int | None = None,
    allowed_actions: Sequence[int] | None = None,
    ownership: OwnershipReport | None = None,
) -> AnalysisReport:
    """Turn a result into a report; ``tree`` is the root of the search it came from.

    ``minimum_moves``: fill up with unvisited moves by their prior; ``pv_length``: longest
    principal variation, the move itself included; ``allowed_actions``: report these alone.
    """
    sign = view.sign(result.player)
    children = [
        child
        for child in result.children
        if child.n > 0 and (allowed_actions is None or child.action in allowed_actions)
    ]
    below = {edge.action: edge.child for edge in tree.edges()}
    in_points = result.score_lead is not None

    def means(node: TreeNode | None) -> TreeMeans:
        """From the view; without points where the evaluator gives none."""
        if node is None:
            return TreeMeans(0.0, 0.0, 0.0)
        found = node.means()
        turned = sign if node.side == tree.side else -sign
        if not in_points:
            return TreeMeans(0.0, 0.0, found.no_result)
        return replace(found, score_mean=turned * found.score_mean)

    whole = means(tree)
    root = RootReport(
        player=result.player,
        visits=result.visits,
        utility=finite(result.value) * sign,
        winrate=_winrate(finite(result.value) * sign),
        score_stdev=whole.score_stdev,
        score_lead=finite(result.score_lead) * sign,
        score_selfplay=whole.score_mean,
        weight=float(result.visits),
        raw_winrate=_winrate(finite(result.raw_value) * sign),
    )

    def vertices(actions: Sequence[int]) -> tuple[str, ...]:
        shown = actions if pv_length is None else actions[:pv_length]
        return tuple(format_vertex(action, state.width, state.height) for action in shown)

    def report(order: int, child: ChildStatistics) -> MoveReport:
        value = finite(child.q)
        bound = finite(child.lower_confidence_bound, -1.0)
        own = ownership.of_move(child.action) if ownership is not None else None
        node = below.get(child.action)
        found = means(node) if child.n > 0 and node is not None else whole
        variation = vertices(child.principal_variation or (child.action,))
        return MoveReport(
            move=format_vertex(child.action, state.width, state.height),
            visits=child.n,
            edge_visits=child.n,
            utility=value * sign,
            winrate=_winrate(value * sign),
            score_stdev=found.score_stdev,
            score_lead=finite(child.score_lead, root.score_lead * sign) * sign,
            score_selfplay=found.score_mean,
            no_result_value=found.no_result,
            prior=finite(child.p),
            lcb=_winrate(bound * sign),
            utility_lcb=bound * sign,
            weight=float(child.n),
            order=order,
            play_selection_value=float(child.n),
            pv=variation,
            pv_visits=child.principal_variation_visits[: len(variation)],
            ownership=own.mean * sign if own is not None else None,
            ownership_stdev=own.stdev if own is not None else None,
        )

    moves = [report(order, child) for order, child in enumerate(children)]
    if len(moves) < minimum_moves:
        reported = {child.action for child in children}
        for action in np.argsort(-result.prior, kind="stable"):
            if len(moves) >= minimum_moves:
                break
            allowed = allowed_actions is None or int(action) in allowed_actions
            if int(action) not in reported and allowed and _is_legal(state, int(action)):
                unvisited = ChildStatistics(
                    action=int(action),
                    n=0,
                    w=0.0,
                    q=finite(result.value),
                    p=float(result.prior[action]),
                    u=0.0,
                    score_lead=result.score_lead,
                    lower_confidence_bound=finite(result.value),
                    principal_variation=(int(action),),
                    principal_variation_visits=(0,),
                )
                moves.append(report(len(moves), unvisited))
    owned = ownership.root if ownership is not None else None
    return AnalysisReport(
        moves=tuple(moves[:maximum_moves]),
        root=root,
        ownership=owned.mean * sign if owned is not None else None,
        ownership_stdev=owned.stdev if owned is not None else None,
    )


def _winrate(value: float) -> float:
    return (value + 1.0) / 2.0


def _is_legal(state: GoState, action: int) -> bool:
    return action in state.legal_actions()


def format_number(value: float) -> str:
    """A float as Sabaki reads it: always with a decimal point, never with an exponent."""
    # Adding zero turns −0 into 0.
    text = f"{round(value, 6) + 0.0:.6f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


def _per_ten_thousand(value: float) -> int:
    return min(max(round(10_000 * value), 0), 10_000)


_PARTS = 10_000
"""Ownership is written in ten-thousandths: the tree keeps it in 127ths."""


@cache
def _share_texts() -> list[str]:
    return [format_number(part / _PARTS) for part in range(-_PARTS, _PARTS + 1)]


def _shares(values: NDArray[np.float32]) -> str:
    """Numbers in [−1, 1]. A report holds them by the hundred thousand, so their texts are looked
    up."""
    parts = np.rint(_PARTS * np.clip(values.ravel(), -1.0, 1.0)).astype(np.int64) + _PARTS
    texts = _share_texts()
    return " ".join([texts[part] for part in parts.tolist()])


def leela_zero_line(report: AnalysisReport) -> str:
    """One line of ``lz-analyze``: integers of ten-thousandths, ``pv`` last in each block."""
    return " ".join(
        f"info move {move.move} visits {move.visits} winrate {_per_ten_thousand(move.winrate)} "
        f"prior {_per_ten_thousand(move.prior)} lcb {_per_ten_thousand(move.lcb)} "
        f"order {move.order} pv {' '.join(move.pv)}"
        for move in report.moves
    )


@dataclass(frozen=True, slots=True)
class KataGoFields:
    """The optional fields of ``kata-analyze``."""

    root_info: bool = False
    ownership: bool = False
    ownership_stdev: bool = False
    moves_ownership: bool = False
    moves_ownership_stdev: bool = False
    pv_visits: bool = False
    pv_edge_visits: bool = False
    no_result_value: bool = False


def katago_line(report: AnalysisReport, fields: KataGoFields) -> str:
    """One line of ``kata-analyze``."""
    parts = [_katago_move(move, fields) for move in report.moves]
    if fields.root_info:
        root = report.root
        parts.append(
            f"rootInfo visits {root.visits} utility {format_number(root.utility)} "
            f"winrate {format_number(root.winrate)} scoreMean {format_number(root.score_lead)} "
            f"scoreStdev {format_number(root.score_stdev)} "
            f"scoreLead {format_number(root.score_lead)} "
            f"scoreSelfplay {format_number(root.score_selfplay)} "
            f"weight {format_number(root.weight)}"
        )
    if fields.ownership and report.ownership is not None:
        parts.append("ownership " + _shares(report.ownership))
    if fields.ownership_stdev and report.ownership_stdev is not None:
        parts.append("ownershipStdev " + _shares(report.ownership_stdev))
    return " ".join(parts)


def _katago_move(move: MoveReport, fields: KataGoFields) -> str:
    lead = format_number(move.score_lead)
    parts = [
        f"info move {move.move} visits {move.visits} edgeVisits {move.edge_visits}",
        f"utility {format_number(move.utility)} winrate {format_number(move.winrate)}",
        f"scoreMean {lead} scoreStdev {format_number(move.score_stdev)}",
        f"scoreLead {lead} scoreSelfplay {format_number(move.score_selfplay)}",
    ]
    if fields.no_result_value:
        parts.append(f"noResultValue {format_number(move.no_result_value)}")
    parts += [
        f"prior {format_number(move.prior)} lcb {format_number(move.lcb)}",
        f"utilityLcb {format_number(move.utility_lcb)} weight {format_number(move.weight)}",
        f"order {move.order} pv {' '.join(move.pv)}",
    ]
    visits = " ".join(str(n) for n in move.pv_visits)
    if fields.pv_visits:
        parts.append(f"pvVisits {visits}")
    if fields.pv_edge_visits:
        parts.append(f"pvEdgeVisits {visits}")
    if fields.moves_ownership and move.ownership is not None:
        parts.append("movesOwnership " + _shares(move.ownership))
    if fields.moves_ownership_stdev and move.ownership_stdev is not None:
        parts.append("movesOwnershipStdev " + _shares(move.ownership_stdev))
    return " ".join(parts)
