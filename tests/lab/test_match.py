"""Matches: every game once, sides exchanged, an engine's failure its own loss."""

import json
import sqlite3
import sys
import time
from collections import Counter
from types import SimpleNamespace

import pytest

from honte.errors import HonteError
from honte.lab import engine as engine_module
from honte.lab import playroom
from honte.lab.board_games import GameSpec
from honte.lab.engine import GtpEngine
from honte.lab.playroom import LocalPlayroom
from honte.lab.reading import parse_player
from honte.lab.replay import positions, record_of
from honte.lab.runner import Match
from honte.lab.schedule import Gauntlet, RoundRobin, Sequential
from honte.lab.sprt import Sprt, Verdict
from honte.lab.store import Ending, Store
from lab_players import engine, plain_match, uct
from patience import PATIENCE

GO_5 = GameSpec(size=5, komi=0.5)
TIC_TAC_TOE = GameSpec(name="tic-tac-toe")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "match.sqlite") as made:
        yield made


def play(store, players, pairs=1, *, game=GO_5, match=None, schedule=RoundRobin, **options):
    plan = schedule(tuple(player.name for player in players), pairs)
    return Match(store, players, plan, game=game, match=match or plain_match(), **options).run()


def as_black(rows, name):
    return next(row for row in rows if row.fixture.first == name)


def test_a_wall_across_the_board_wins_for_black(store):
    rows = play(store, [engine("a", "a3", "b3", "c3", "d3", "e3"), engine("b", "a1", "a2", "b2")])
    row = as_black(rows, "a")
    # White's three stones stay on the board: by Tromp and Taylor's rules they count.
    assert (row.result, row.margin, row.ending) == (1.0, 11.5, Ending.RULES)
    record = record_of(store, row)
    assert (record.black.name, record.white.name, str(record.result)) == (
        "a", "b", "Black wins by 11.5 points",
    )  # fmt: skip
    assert len(record.moves()) == len(row.actions)


def test_by_chinese_rules_dead_stones_are_taken_off_where_the_players_agree(store):
    wall, three = ("a3", "b3", "c3", "d3", "e3"), ("a1", "a2", "b2")
    players = [engine("a", "dead=a1,a2,b2", *wall), engine("b", "dead=a1,a2,b2", *three)]
    rows = play(store, players, game=GameSpec(size=5, komi=0.5, rules="chinese"))
    assert (as_black(rows, "a").result, as_black(rows, "a").margin) == (1.0, 24.5)


def test_who_differs_on_the_winner_has_drawn(store):
    players = [engine("a", "a1"), engine("b", "dead=a1", "e5")]
    rows = play(store, players, game=GameSpec(size=5, komi=0.5, rules="chinese"))
    row = as_black(rows, "b")
    assert row.ending is Ending.RULES
    # b is Black on e5, and b alone calls White's a1 dead: +24.5 for b against −0.5.
    assert (row.result, row.note) == (0.5, "The players differ on who won.")


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        (("c3", "c3"), "illegal: occupied"),
        (("c3", "z9"), "'z9', which is no move"),
        (("crash",), "ended before it answered 'genmove black'"),
        (("hang",), "gave no answer to 'genmove black' within 10 seconds"),
        (("refuse",), "refuses 'genmove black': I do not want to"),
        (("nonsense",), "which is no GTP"),
        (("flood",), "without end"),
    ],
)
def test_an_engine_that_fails_loses_and_the_match_goes_on(store, moves, said):
    # Long enough for what it does answer, on a busy machine too.
    timeout = 10.0 if moves == ("hang",) else PATIENCE
    rows = play(store, [engine("bad", *moves, timeout=timeout), engine("good")])
    assert len(rows) == 2
    first = as_black(rows, "bad")
    assert (first.result, first.ending) == (0.0, Ending.FORFEIT)
    assert said in first.note
    assert "genmove black" in first.note, "the log is kept"


def test_what_a_crashing_engine_said_last_is_kept(store, monkeypatch):
    monkeypatch.setattr(engine_module, "LAST_WORDS", PATIENCE)
    rows = play(store, [engine("bad", "crash"), engine("good")])
    assert "! something is wrong" in as_black(rows, "bad").note


@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
def test_what_a_hanging_script_has_started_ends_with_it():
    """Otherwise the child would hold the pipes open, and a processor."""
    script = "read line; echo '= a script'; echo; sleep 600"
    running = GtpEngine(engine("bad").model_copy(update={"command": f'sh -c "{script}"'}))
    assert running.name == "a script"
    running.close()
    for reader in running._readers:
        reader.join(PATIENCE)
        assert not reader.is_alive()


def test_an_engine_can_resign(store):
    row = as_black(play(store, [engine("a", "c3", "resign"), engine("b", "a1")]), "a")
    assert (row.result, row.ending) == (0.0, Ending.RESIGNED)


def test_a_player_that_cannot_start_is_named_before_the_first_game(store, tmp_path):
    missing = engine("gone").model_copy(update={"command": "no-such-engine"})
    with pytest.raises(HonteError, match=r"'gone' cannot play.*no-such-engine"):
        play(store, [missing, uct("u", 10)])
    bad = tmp_path / "bad.bin.gz"
    bad.write_bytes(b"no network")
    with pytest.raises(HonteError, match="'n' cannot play"):
        play(store, [uct("n", 10, network=bad), uct("u", 10)])
    assert store.games() == []


def test_engines_play_go_alone(store):
    with pytest.raises(HonteError, match="GTP engines play Go, not tic-tac-toe"):
        play(store, [engine("a"), uct("u", 10)], game=TIC_TAC_TOE)


def test_a_search_meets_an_engine(store):
    rows = play(store, [uct("u", 60), engine("passes")], pairs=2)
    assert len(rows) == 4
    assert sum(row.result if row.fixture.first == "u" else 1 - row.result for row in rows) == 4


def test_pairs_share_an_opening_with_the_sides_exchanged(store):
    rows = play(
        store, [uct("a", 30), uct("b", 60), uct("c", 30)], pairs=3,
        game=TIC_TAC_TOE, match=plain_match(2),
    )  # fmt: skip
    assert len(rows) == 18
    openings = store.openings()
    assert len({opening.actions for opening in openings.values()}) == 3
    for row in rows:
        assert row.actions[:2] == openings[row.fixture.opening].actions
    sides = Counter((row.fixture.first, row.fixture.second) for row in rows)
    assert set(sides.values()) == {3}
    assert len(sides) == 6


def test_every_game_can_be_replayed_from_its_row(store):
    for row in play(store, [uct("a", 20), uct("b", 40)], pairs=4, game=TIC_TAC_TOE):
        *_, last = positions(TIC_TAC_TOE, store.one_game(row.number))
        assert last.is_terminal()
        assert (last.returns()[0] + 1) / 2 == row.result


def test_a_match_goes_on_where_it_stopped(store):
    players = [uct("a", 20), uct("b", 20)]
    first = play(store, players, pairs=2, game=TIC_TAC_TOE)
    more = play(store, players, pairs=5, game=TIC_TAC_TOE)
    assert more[:4] == store.games()[:4]
    assert [row.fixture for row in more[:4]] == [row.fixture for row in first]
    assert len(store.games()) == len(store.played()) == 10


def test_a_store_refuses_other_players_under_old_names(store):
    play(store, [uct("a", 20), uct("b", 20)], game=TIC_TAC_TOE)
    with pytest.raises(HonteError, match=r"another player 'a': limits.visits was 20 and is now 30"):
        play(store, [uct("a", 30), uct("b", 20)], game=TIC_TAC_TOE)
    with pytest.raises(HonteError, match="another game: "):
        play(store, [uct("a", 20), uct("b", 20)], game=GO_5)


def test_a_store_refuses_another_network_of_the_same_name(store, tmp_path):
    network = tmp_path / "net.bin.gz"
    network.write_bytes(b"one")
    players = [uct("a", 20, network=network), uct("b", 20)]
    store.begin(GO_5, plain_match(), players)
    store.begin(GO_5, plain_match(), players)
    assert store.network(str(network)).size == 3
    network.write_bytes(b"two")
    with pytest.raises(HonteError, match=r"another network .*net\.bin\.gz: sha256 was '7692c3ad"):
        store.begin(GO_5, plain_match(), players)


def test_what_an_earlier_version_wrote_has_todays_defaults(tmp_path):
    with Store(tmp_path / "m.sqlite") as store:
        store.begin(TIC_TAC_TOE, plain_match(), [uct("a", 20)])
    with sqlite3.connect(tmp_path / "m.sqlite") as file:
        written = json.loads(file.execute("SELECT spec FROM players").fetchone()[0])
        assert written["leaf"].pop("rollout_policy") == "uniform"
        file.execute("UPDATE players SET spec = ?", (json.dumps(written),))
    with Store(tmp_path / "m.sqlite") as store:
        store.begin(TIC_TAC_TOE, plain_match(), [uct("a", 20)])
        with pytest.raises(HonteError, match=r"rollout_policy was 'uniform' and is now 'patterns'"):
            store.begin(TIC_TAC_TOE, plain_match(), [uct("a", 20, rollout_policy="patterns")])


def test_a_gauntlet_is_the_first_against_each(store):
    rows = play(
        store, [uct("hero", 20), uct("x", 20), uct("y", 20)],
        game=TIC_TAC_TOE, schedule=Gauntlet,
    )  # fmt: skip
    pairs = {frozenset((row.fixture.first, row.fixture.second)) for row in rows}
    assert pairs == {frozenset(("hero", "x")), frozenset(("hero", "y"))}


def test_a_sequential_match_stops_once_it_knows(store):
    plan = Sequential(("strong", "weak"), 200, Sprt(0.0, 100.0))
    players = [uct("strong", 300), uct("weak", 1)]
    rows = Match(
        store, players, plan, game=GameSpec(name="connect-four"), match=plain_match(2), at_once=4
    ).run()
    assert plan.state(rows).verdict is Verdict.ACCEPT_H1
    assert len(rows) < 100
    assert plan.state(store.games()).verdict is Verdict.ACCEPT_H1


def test_agreement_ends_games_and_its_errors_are_counted(store):
    agreed = {"winrate": 0.2, "turns": 1, "checked": 0.5}
    rows = play(
        store, [uct("a", 200), uct("b", 200)], pairs=10,
        game=GameSpec(name="connect-four"), match=plain_match(4, agreed=agreed),
    )  # fmt: skip
    ended = [row for row in rows if row.ending is Ending.AGREED]
    checked = [row for row in rows if row.agreed is not None]
    assert ended
    assert checked
    assert all(row.ending is Ending.RULES for row in checked)


def test_a_move_without_search_costs_next_to_nothing_beside_a_search(store, monkeypatch):
    """Both think in the same batches; the time is shared by what each searched."""
    processor_time = SimpleNamespace(perf_counter=time.process_time)
    monkeypatch.setattr(playroom, "time", processor_time)
    rows = play(store, [uct("much", 400), uct("little", 4)], pairs=4, at_once=8)
    spent = Counter()
    for row in rows:
        spent[row.fixture.first] += row.seconds[0]
        spent[row.fixture.second] += row.seconds[1]
    assert spent["much"] > 20 * spent["little"] > 0


def test_players_by_time_play_one_game_at_a_time(store):
    players = [uct("a", 20), uct("b", 20, seconds=0.01)]
    assert LocalPlayroom(TIC_TAC_TOE, plain_match(), players).at_once == 1
    match = Match(store, players, RoundRobin(("a", "b"), 1), game=TIC_TAC_TOE, match=plain_match())
    assert len(match.run()) == 2


def test_something_else_than_a_store_is_refused(tmp_path):
    (tmp_path / "text").write_text("this is no database, however long it is " * 50)
    with pytest.raises(HonteError, match="cannot be used"):
        Store(tmp_path / "text")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE dogs (name TEXT)")
    with pytest.raises(HonteError, match="is a database of something else"):
        Store(tmp_path / "other")


def test_alpha_beta_sits_at_the_table_and_sees_tic_tac_toe_to_its_end(store):
    minimax = parse_player("preset=alphabeta;depth=9;network=none")
    rows = play(store, [minimax, uct("a", visits=30)], pairs=3, game=TIC_TAC_TOE)
    assert len(rows) == 6
    for row in rows:
        points = row.result if row.fixture.first == "alphabeta" else 1 - row.result
        assert points >= 0.5, row


def test_alpha_beta_takes_no_field_of_a_search():
    with pytest.raises(HonteError, match="means nothing for a player"):
        parse_player("preset=alphabeta;keep_tree=true")
    with pytest.raises(HonteError, match="depth"):
        parse_player("preset=alphabeta;depth=0")
