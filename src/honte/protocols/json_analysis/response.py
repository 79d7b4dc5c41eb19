"""The replies of KataGo's JSON analysis engine."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np

from honte.games.go import BLACK, GoState
from honte.players.ownership import OwnershipReport
from honte.protocols.analysis_format import MoveReport, RootReport, make_report
from honte.protocols.json_analysis.query import AnalysisQuery, Turn
from honte.protocols.raw_network import RawAnswer
from honte.search import SearchResult, TreeNode

DEFAULT_PV_LENGTH = 15
"""Moves of a principal variation, the first not counted."""


def final_or_partial(
    query: AnalysisQuery,
    turn: Turn,
    result: SearchResult,
    tree: TreeNode,
    *,
    during_search: bool,
    ownership: OwnershipReport | None,
    raw: RawAnswer | None,
) -> dict[str, Any]:
    """The reply about one turn; every value from the query's view."""
    view = query.parameters.view
    report = make_report(
        turn.state,
        result,
        tree,
        view,
        pv_length=1 + (query.pv_length or DEFAULT_PV_LENGTH),
        allowed_actions=query.restrictions.allowed_at_root(turn.state),
        ownership=ownership,
    )
    sign = view.sign(turn.state.to_play)
    reply: dict[str, Any] = {
        "id": query.identifier,
        "isDuringSearch": during_search,
        "turnNumber": turn.number,
        "moveInfos": [_move(query, move) for move in report.moves],
        "rootInfo": _root(turn.state, report.root, raw, sign),
    }
    if query.include_ownership and report.ownership is not None:
        reply["ownership"] = _numbers(report.ownership)
    if query.include_ownership_stdev and report.ownership_stdev is not None:
        reply["ownershipStdev"] = _numbers(report.ownership_stdev)
    if query.include_policy:
        reply["policy"] = _policy(turn.state, result, raw)
    return reply


def no_results(query: AnalysisQuery, turn: Turn) -> dict[str, Any]:
    """The final reply about a turn that was terminated before it was searched."""
    return {
        "id": query.identifier,
        "isDuringSearch": False,
        "turnNumber": turn.number,
        "noResults": True,
    }


def _move(query: AnalysisQuery, move: MoveReport) -> dict[str, Any]:
    info: dict[str, Any] = {
        "move": move.move,
        "visits": move.visits,
        "edgeVisits": move.edge_visits,
        "winrate": move.winrate,
        "scoreMean": move.score_lead,
        "scoreStdev": move.score_stdev,
        "scoreLead": move.score_lead,
        "scoreSelfplay": move.score_selfplay,
        "prior": move.prior,
        "utility": move.utility,
        "lcb": move.lcb,
        "utilityLcb": move.utility_lcb,
        "weight": move.weight,
        "edgeWeight": move.weight,
        "order": move.order,
        "playSelectionValue": move.play_selection_value,
        "pv": list(move.pv),
    }
    if query.include_no_result_value:
        info["noResultValue"] = move.no_result_value
    if query.include_pv_visits:
        info["pvVisits"] = list(move.pv_visits)
        info["pvEdgeVisits"] = list(move.pv_visits)
    if query.include_moves_ownership and move.ownership is not None:
        info["ownership"] = _numbers(move.ownership)
    if query.include_moves_ownership_stdev and move.ownership_stdev is not None:
        info["ownershipStdev"] = _numbers(move.ownership_stdev)
    return info


def _root(state: GoState, root: RootReport, raw: RawAnswer | None, sign: float) -> dict[str, Any]:
    this_hash, symmetric_hash = position_hashes(state)
    info: dict[str, Any] = {
        "currentPlayer": "B" if state.to_play == BLACK else "W",
        "thisHash": this_hash,
        "symHash": symmetric_hash,
        "visits": root.visits,
        "weight": root.weight,
        "winrate": root.winrate,
        "scoreLead": root.score_lead,
        "scoreSelfplay": root.score_selfplay,
        "scoreStdev": root.score_stdev,
        "utility": root.utility,
        "rawWinrate": root.raw_winrate,
    }
    if raw is not None:
        info |= {
            "rawWinrate": raw.winrate if sign > 0 else 1.0 - raw.winrate,
            "rawLead": sign * raw.lead,
            "rawScoreSelfplay": sign * raw.score_mean,
            "rawScoreSelfplayStdev": raw.score_stdev,
            "rawNoResultProb": raw.no_result,
            "rawStWrError": raw.value_error,
            "rawStScoreError": raw.score_error,
            "rawVarTimeLeft": raw.variance_time_left,
        }
    return info


def _policy(state: GoState, result: SearchResult, raw: RawAnswer | None) -> list[float]:
    if raw is not None:
        return [-1.0 if math.isnan(p) else p for p in raw.policy.tolist()]
    legal = set(state.legal_actions())
    priors = result.prior.astype(np.float64)
    total = float(priors.sum()) or 1.0
    return [p / total if action in legal else -1.0 for action, p in enumerate(priors.tolist())]


def _numbers(values: Any) -> list[float]:
    return [round(float(value), 6) for value in values.ravel()]


def position_hashes(state: GoState) -> tuple[str, str]:
    """A name of the position (stones, player to move, ko) and one that its mirror images share."""
    legal = np.zeros(state.width * state.height, np.int8)
    legal[state.ko_banned()] = 1
    cells = (state.board() + 4 * legal.reshape(state.height, state.width)).astype(np.int8)
    views = []
    for turned in (cells, cells.T) if state.width == state.height else (cells,):
        views += [turned, turned[::-1], turned[:, ::-1], turned[::-1, ::-1]]
    names = [_digest(view, state.to_play) for view in views]
    return names[0], min(names)


def _digest(cells: Any, player: int) -> str:
    data = bytes([*cells.shape, player]) + np.ascontiguousarray(cells).tobytes()
    return hashlib.blake2b(data, digest_size=16).hexdigest().upper()
