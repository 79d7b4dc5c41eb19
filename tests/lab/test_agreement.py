"""A game ends before its end only where both players say the same of it, for long enough."""

import pytest

from honte.lab.board_games import GameSpec
from honte.lab.openings import Opening
from honte.lab.seats import Answer
from honte.lab.specs import AgreedEnd, MatchSpec
from honte.lab.store import Ending, Fixture
from honte.lab.table import Table

CONNECT_FOUR = GameSpec(name="connect-four")


def always(winrate):
    return lambda turn: winrate


def played(first, second, *, turns=3, checked=0.0):
    """A game in which both always take the leftmost column that is free, each saying in turn what
    the functions of the turn say: its own winning rate."""
    agreed = AgreedEnd(winrate=0.03, turns=turns, checked=checked)
    match = MatchSpec(agreed_end=agreed)
    table = Table(CONNECT_FOUR, match, Fixture("a", "b", 0), Opening(0, (), 0.0), (None, None))
    said = [0, 0]
    while table.row is None:
        player = table.player
        winrate = (first, second)[player](said[player])
        said[player] += 1
        table.answer(Answer(table.state.legal_actions()[0], 0.0, winrate))
    return table.row


def test_one_players_belief_never_ends_a_game():
    """However sure of a win or a loss: else a player that is wrong would be judged by itself."""
    to_the_end = played(always(0.5), always(0.5))
    assert to_the_end.ending is Ending.RULES
    for sure in (0.999, 0.001):
        assert played(always(sure), always(0.5)) == to_the_end
        assert played(always(0.5), always(sure)) == to_the_end
    # Both are sure of their own win, or both of their own loss: they do not agree.
    assert played(always(0.999), always(0.999)) == to_the_end
    assert played(always(0.001), always(0.001)) == to_the_end


@pytest.mark.parametrize(("winner", "result"), [(0, 1.0), (1, 0.0)])
def test_what_both_say_three_times_in_a_row_is_the_result(winner, result):
    says = [always(0.001), always(0.001)]
    says[winner] = always(0.999)
    row = played(*says)
    assert (row.ending, row.result) == (Ending.AGREED, result)
    # The sixth opinion ends it, before its move is played.
    assert len(row.actions) == 5


def test_who_doubts_in_between_begins_to_count_anew():
    row = played(always(0.999), lambda turn: 0.5 if turn == 1 else 0.001)
    assert row.ending is Ending.AGREED
    assert len(row.actions) == 9


def test_a_share_is_played_on_to_see_whether_the_agreement_was_right():
    row = played(always(0.001), always(0.999), checked=1.0)
    assert row.ending is Ending.RULES
    assert row.agreed == (0.0, 5)
