"""A record with what an analysis found written into it, for any SGF viewer."""

from __future__ import annotations

from honte.cli.reviewed import ReviewedGame
from honte.players.analysis import Grade, PositionAnalysis
from honte.records import GameRecord, Node, loads

# The properties of FF[4] for how good a move is: Sabaki and KaTrain show them as marks.
_MARK = {Grade.DOUBTFUL: ("DO", ""), Grade.MISTAKE: ("BM", "1"), Grade.BLUNDER: ("BM", "2")}
_VARIATION_LENGTH = 8
_VARIATIONS = 2


def annotated(game: ReviewedGame) -> GameRecord:
    """A copy of the game's record with comments, marks, values and better variations.

    Every analysed move gets a comment and V (Black's lead in points, where there is one); a move
    that is not good gets its mark and the search's choice as a variation beside it.
    """
    record = loads(game.record.dumps())
    by_turn = {position.turn: position for position in game.analysis.positions}
    turn = 0
    before: Node = record.root
    for node in record.mainline():
        if node.move is not None:
            if turn >= len(game.states) - 1:
                break
            position = by_turn.get(turn)
            turn += 1
            after = by_turn.get(turn)
            if after is not None:
                _describe(node, after)
            if position is not None:
                _judge(game, node, before, position)
        before = node
    if 0 in by_turn:
        _describe(record.root, by_turn[0])
    return record


def _describe(node: Node, position: PositionAnalysis) -> None:
    """The value of the position at a node, in words and as V."""
    winrate = position.black_winrate
    said = f"Black {winrate:.1%}, White {1 - winrate:.1%}"
    if position.black_lead is not None:
        lead = position.black_lead
        said += f", {'Black' if lead >= 0 else 'White'} leads by {abs(lead):.1f}"
        node.set("V", f"{lead:.2f}")
    _add_comment(node, f"{said} ({position.visits} visits)")


def _judge(game: ReviewedGame, node: Node, before: Node, position: PositionAnalysis) -> None:
    grade = position.grade
    best = position.best
    if grade is Grade.GOOD or best is None:
        return
    name, value = _MARK[grade]
    node.set(name, value)
    loss = f"{position.winrate_loss or 0:.1%}"
    if position.points_loss is not None:
        loss += f", {position.points_loss:.1f} points"
    line = " ".join(game.vertices(best.line[:_VARIATION_LENGTH]))
    _add_comment(node, f"{grade.value.capitalize()}: lost {loss}; better was {line}")
    for candidate in position.candidates[:_VARIATIONS]:
        if candidate.action == position.played:
            continue
        player, parent = position.player, before
        for action in candidate.line[:_VARIATION_LENGTH]:
            parent = parent.add_variation((player, action))
            if parent.parent is before:
                _add_comment(parent, f"{candidate.visits} visits, {candidate.winrate:.1%}")
            player = 1 - player


def _add_comment(node: Node, text: str) -> None:
    node.comment = f"{node.comment}\n{text}" if node.comment else text
