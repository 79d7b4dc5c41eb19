"""What the server does with whatever comes over its socket, for one person and for twenty."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import pytest

from honte.search.config import Puct
from honte.search.reference.phases import explored
from patience import PATIENCE
from web_server import Socket, running

httpx = pytest.importorskip("httpx")
pytest.importorskip("websockets")

NINE = {"width": 9, "height": 9}


def started(socket, **wish):
    socket.wait("position")
    socket.ask("new_game", "done", **{**NINE, **wish})
    return socket


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("garbage", "JSON"),
        ("[]", "cannot be used"),
        ('{"type": "dance"}', "type"),
        ('{"type": "play"}', "action"),
        ('{"type": "play", "action": "E5"}', "action"),
        ('{"type": "play", "action": 40, "colour": 1}', "colour"),
        ('{"type": "play", "action": 1e999}', "action"),
        ('{"type": "new_game", "width": 1000}', "width"),
        ('{"type": "new_game", "rules": "mornington"}', "mornington"),
        ('{"type": "new_game", "width": 5, "height": 5, "handicap": 9}', "handicap"),
        ('{"type": "new_game", "moves": [40, 40]}', "there is a stone already"),
        ('{"type": "configure", "system": "deepblue"}', "deepblue"),
        ('{"type": "configure", "network": "/etc/passwd"}', "/etc/passwd"),
        ('{"type": "configure", "visits": 1000000000}', "visits"),
        ('{"type": "go_to", "node": 77}', "position"),
        ('{"type": "table", "path": [1, 2, 3]}', "search"),
        ('{"type": "play", "action": 82}', "cannot play"),
        ('{"type": "play", "action": -1}', "cannot play"),
        (b"\x00\xff\xfe", "JSON"),
    ],
)
def test_nonsense_is_answered_in_a_sentence_and_the_session_goes_on(connect, text, word):
    socket = connect()
    socket.wait("position")
    socket.send_raw(text)
    message = socket.wait("refused")["message"]
    assert word in message
    assert "Traceback" not in message
    socket.ask("play", "done", action=40)


def test_a_record_that_lies_is_played_as_far_as_it_goes(connect):
    socket = connect()
    socket.wait("position")
    socket.send("load_sgf", text="(;SZ[9];B[ee];W[gc];B[ee];W[cc])")
    game = socket.wait("game", lambda event: len(event["nodes"]) == 3)
    assert any("left out" in warning for warning in game["warnings"])
    for text in ("", "no record at all", "(;SZ[52];B[aa])"):
        socket.ask("load_sgf", "refused", text=text)
    socket.ask("play", "done", action=80)


def test_a_huge_upload_is_refused_and_the_server_lives(connect):
    socket = connect()
    socket.wait("position")
    socket.send_raw(json.dumps({"type": "load_sgf", "text": "(;" + "C[x]" * 300_000 + ")"}))
    assert "text" in socket.wait("refused")["message"]
    moves = "".join(f";B[{'abcdefghi'[i % 9]}a]" for i in range(6_000))
    assert "5000" in socket.ask("load_sgf", "refused", text=f"(;SZ[9]{moves})")["message"]
    socket.ask("play", "done", action=0)


def test_a_flood_is_slowed_down_and_nobody_is_thrown_out(connect):
    socket = connect()
    socket.wait("position")
    last = 0

    def ends(event):
        return event["type"] == "refused" or event["number"] == last

    while True:
        for _ in range(150):
            last = socket.send("count")
        answer = socket.wait_for(ends)
        if answer["type"] == "refused":
            break
        # So busy is the machine that they came slowly: there was no flood yet.
    assert "wait a moment" in answer["message"]
    other = connect()
    other.wait("position")
    other.ask("play", "done", action=40)


def status(address, **headers):
    return httpx.get(address, headers=headers, timeout=PATIENCE).status_code


def test_no_page_of_another_origin_may_drive_the_server(server, connect):
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus):
        connect(origin="http://evil.example")
    with pytest.raises(InvalidStatus):
        connect(origin="null")
    assert status(server.address) == 200
    assert status(server.address, Host="evil.example") == 403
    assert status(server.address, Origin="http://evil.example") == 403
    port = server.host.rpartition(":")[2]
    assert status(server.address, Host=f"localhost:{port}") == 200


def test_nothing_outside_the_page_is_served(server):
    for path in ("/../server.py", "/%2e%2e/server.py", "/assets/../../server.py", "/etc/passwd"):
        assert status(server.address + path) in (404, 400)


@pytest.fixture(scope="module")
def restarted(tmp_path_factory):
    """A server that was ended and begun anew, and what three people left behind."""
    folder = tmp_path_factory.mktemp("kept")
    clock = {"kind": "byo_yomi", "main": 1, "period": 600, "periods": 5}
    with running(folder) as server:
        player = Socket(server.host)
        game = player.wait("welcome")["session"]
        for action in (40, 24, 56):
            player.ask("play", "done", action=action)
        player.ask("go_to", "done", node=1)
        player.ask("play", "done", action=0)
        timed = started(Socket(server.host), clock=clock)
        timed.ask("play", "done", action=40)
        waiting = started(Socket(server.host))
        waiting.ask("configure", "done", visits=100_000, seconds=600, white="engine")
        waiting.ask("play", "done", action=40)
        waiting.wait("report")
        overtime = timed.wait("clock", lambda event: event["white"]["overtime"])
        names = [socket.seen[0]["session"] for socket in (timed, waiting)]
        for socket in (player, timed, waiting):
            socket.close()
    with running(folder) as server:
        yield SimpleNamespace(
            host=server.host, game=game, clock=names[0], overtime=overtime, thinking=names[1]
        )


@pytest.fixture
def back(restarted):
    """Opens one of their sessions again."""
    opened = []

    def open_one(name):
        opened.append(Socket(restarted.host, getattr(restarted, name)))
        return opened[-1]

    yield open_one
    for socket in opened:
        socket.close()


def test_a_game_outlives_the_server(restarted, back):
    socket = back("game")
    assert socket.wait("welcome")["session"] == restarted.game
    assert len(socket.wait("game")["nodes"]) == 5
    assert socket.wait("position")["moves"] == [40, 0]


def test_a_clock_outlives_the_server(restarted, back):
    assert restarted.overtime["white"]["moves"] == 5
    after = back("clock").wait("clock")
    assert after["running"] == 1
    assert after["white"]["overtime"]
    assert after["white"]["seconds"] < restarted.overtime["white"]["seconds"]
    assert after["black"]["seconds"] > 0


def test_an_engine_that_was_thinking_moves_after_a_restart(back):
    socket = back("thinking")
    assert socket.wait("working", lambda event: event["work"] == "think")
    socket.ask("configure", "done", visits=20, seconds=0)
    assert socket.wait("position", lambda event: event["move_number"] == 2)


def test_a_file_that_is_no_network_is_named_before_the_server_starts(tmp_path, capsys):
    from honte.cli.main import main

    dead = tmp_path / "dead.bin.gz"
    dead.write_bytes(b"not a network")
    assert main(["web", "--network", str(dead), "--port", "0"]) == 2
    assert "dead.bin.gz" in capsys.readouterr().err


def test_a_network_that_is_gone_is_named_and_the_game_goes_on(connect):
    socket = started(connect())
    socket.ask("play", "done", action=40)
    socket.ask("configure", "done", system="alphazero", network="gone")
    socket.send("think")
    assert "gone.bin.gz" in socket.wait("refused")["message"]
    socket.ask("configure", "done", system="uct", network="playouts", visits=50)
    socket.send("think")
    assert socket.wait("position", lambda event: event["move_number"] == 2)


def test_the_loser_on_time_is_told(connect):
    socket = connect()
    socket.wait("position")
    socket.send("new_game", **NINE, clock={"kind": "fischer", "main": 0.3})
    over = socket.wait("position", lambda event: event["over"])
    assert over["outcome"] == "W+T"


def test_a_resignation_ends_the_game_and_stands_in_the_record(connect):
    socket = started(connect())
    socket.ask("play", "done", action=40)
    socket.send("resign")
    assert socket.wait("position", lambda event: event["over"])["outcome"] == "B+R"
    assert "RE[B+R]" in socket.ask("get_sgf", "sgf")["text"]


def test_long_work_can_be_cancelled(server, connect):
    socket = started(connect(), width=19, height=19)
    socket.send("analyse", on=True)
    socket.wait("report")
    before = server.processor_seconds()
    socket.send("cancel")
    socket.wait("working", lambda event: event["work"] is None)
    assert server.processor_seconds() - before < 5


def test_the_explorer_gives_the_papers_check_values(connect):
    socket = connect()
    socket.wait("position")
    number = socket.send(
        "explore",
        selection={"kind": "puct", "c_puct": 1.5},
        actions=[{"prior": p, "value": 0} for p in (0.3, 0.1, 0.03, 0.01, 0.001)],
        visits=1600,
        curve_visits=[0, 1, 5, 10, 50, 100, 400],
    )
    found = socket.wait("explored", lambda e: e["number"] == number and e["finished"])
    at_rest = [row["values"][0] for row in found["curves"]]
    assert at_rest == pytest.approx([18, 6, 1.8, 0.6, 0.06])
    one_in_ten = found["curves"][1]["values"]
    assert one_in_ten == pytest.approx([6.00, 3.00, 1.00, 0.55, 0.12, 0.06, 0.015], abs=5e-3)
    assert sum(found["milestones"][-1]["visits"]) == 1600


def test_the_table_of_a_node_adds_up(connect):
    socket = started(connect())
    socket.ask("configure", "done", system="alphago_zero", network="tiny")
    socket.send("analyse", on=True)
    socket.wait("report", lambda event: event["visits"] > 60)
    table = socket.ask("table", "node_table", path=[])
    assert table["total"] == sum(row["n"] for row in table["rows"]) == table["n"] - 1
    for row in table["rows"]:
        wanted = explored(Puct(c_puct=1.5), row["p"], row["n"], table["total"])
        assert row["u"] == pytest.approx(wanted, rel=1e-6)
        if row["n"]:
            assert row["q"] == pytest.approx(row["w"] / row["n"])


def test_stones_agreed_on_as_dead_count_for_the_other_side(connect):
    socket = started(connect(), moves=[4, 5, 13, 14, 22, 23, 31, 32, 40, 41, 49, 50, 58, 59, 67,
                                       68, 76, 77, 8, 0, 81, 81])  # fmt: skip
    alive = socket.ask("count", "counted", dead=[])
    dead = socket.ask("count", "counted", dead=[0, 8])
    # Chinese rules, komi 7.5: columns A to E are Black's, F to J White's.
    assert dead["score"] == pytest.approx(7.5 + 36 - 45)
    assert alive["score"] != dead["score"]
    assert "dead stone" in socket.ask("count", "refused", dead=[3])["message"]


def test_twenty_people_are_served_at_once(server, connect):
    people = [started(connect()) for _ in range(20)]
    for person in people[:-1]:
        person.send("analyse", on=True)
    for person in people[:-1]:
        person.wait("report")
    player = people[-1]
    player.ask("configure", "done", system="uct", visits=200)
    waits = []
    for action in (40, 30):
        before = server.processor_seconds()
        player.ask("play", "done", action=action)
        player.send("think")
        number = len(waits) * 2 + 2
        player.wait("position", lambda event, n=number: event["move_number"] == n)
        waits.append(server.processor_seconds() - before)
    assert min(waits) < 10, "five seconds of both threads"
    # Nobody's analysis has starved meanwhile.
    for person in people[:-1]:
        seen = max(e["visits"] for e in person.seen if e["type"] == "report")
        person.wait("report", lambda event, n=seen: event["visits"] > n)


@pytest.mark.parametrize("network", ["tiny", "playouts"])
def test_the_explorer_explores_the_position_on_the_board(connect, network):
    socket = started(connect(), moves=[40, 24])
    socket.ask("configure", "done", network=network, system="uct")
    number = socket.send(
        "explore", selection={"kind": "puct", "c_puct": 2.0}, visits=50, milestones=[10, 50]
    )
    found = socket.wait("explored", lambda e: e["number"] == number and e["finished"])
    assert found["total"] == 50
    assert [sum(m["visits"]) for m in found["milestones"]] == [10, 50]
    for action in found["actions"]:
        wanted = explored(Puct(c_puct=2.0), action["prior"], action["n"], 50)
        assert action["u"] == pytest.approx(wanted, rel=1e-6)


def explore(socket, **wish):
    socket.wait("position")
    number = socket.send("explore", **wish)
    return socket.wait("explored", lambda e: e["number"] == number and e["finished"])


def test_rave_weighs_amaf_and_mean_alike_at_k_visits(connect):
    """Gelly & Silver 2011: the equivalence parameter is the number of simulations at which both
    have equal weight."""
    actions = [
        {"prior": 0.5, "value": 0.2, "amaf": 0.6},
        {"prior": 0.5, "value": 0.4, "amaf": 0.3},
    ]
    found = explore(
        connect(),
        selection={"kind": "rave", "c": 0.1, "schedule": {"kind": "equivalence", "k": 100}},
        actions=actions,
        visits=100,
        curve_visits=[0, 100],
    )
    assert found["terms"] == "amaf"
    for given, shown in zip(actions, found["actions"], strict=True):
        score = shown["score"]
        assert score["beta"] == pytest.approx(0.5)
        assert shown["q"] == pytest.approx(given["value"])
        assert score["amaf_q"] == pytest.approx(given["amaf"])
        assert score["terms"][:2] == pytest.approx([given["value"] / 2, given["amaf"] / 2])
        assert score["total"] == pytest.approx(sum(score["terms"]))
    chosen = next(row for row in found["curves"] if row["parameter"] == 100)
    assert chosen["values"][1] == pytest.approx(0.5)
    assert [sum(m["visits"]) for m in found["milestones"]] == [10, 100, 1600]
    # Few visits follow the AMAF values, many the truth.
    assert found["milestones"][0]["visits"][0] > 5
    assert found["milestones"][2]["visits"][1] > 800


def test_grave_has_an_ancestors_amaf_values_from_the_first_visit_on(connect):
    wish = {
        "actions": [{"prior": 0.5, "value": 0, "amaf": 0.5}, {"prior": 0.5, "value": 0}],
        "visits": 10,
        "milestones": [10],
    }
    schedule = {"kind": "minimum_mse", "bias": 0.01}
    grave = {"kind": "grave", "reference": 50, "schedule": schedule}
    of_ancestor = explore(connect(), selection=grave, **wish)
    assert [a["score"]["amaf_n"] for a in of_ancestor["actions"]] == [25, 25]
    rave = {"kind": "rave", "schedule": schedule}
    of_itself = explore(connect(), selection=rave, **wish)
    assert [a["score"]["amaf_n"] for a in of_itself["actions"]] == [5, 5]


def test_gumbel_halves_the_visits_of_each_budget_anew(connect):
    actions = [{"prior": 0.25, "value": v} for v in (0.1, 0.5, -0.2, 0.3)]
    found = explore(
        connect(),
        selection={"kind": "gumbel", "considered": 4, "c_visit": 50, "c_scale": 1},
        actions=actions,
        visits=16,
        milestones=[16, 100],
    )
    assert found["terms"] == "gumbel"
    assert found["halving"] == [{"actions": 4, "visits": 2}, {"actions": 2, "visits": 4}]
    assert sorted(found["milestones"][0]["visits"], reverse=True) == [6, 6, 2, 2]
    assert sum(found["milestones"][1]["visits"]) == 100
    most = max(a["n"] for a in found["actions"])
    for action in found["actions"]:
        gumbel, log_prior, sigma = action["score"]["terms"]
        assert log_prior == pytest.approx(math.log(0.25), abs=1e-3)
        assert sigma == pytest.approx((50 + most) * (action["q"] + 1) / 2, rel=1e-6)
        assert -5 < gumbel < 15
    finalists = [a for a in found["actions"] if a["n"] == most]
    best = max(finalists, key=lambda a: a["score"]["total"])
    assert found["chosen"] == best["action"]
    other = explore(
        connect(), selection={"kind": "gumbel"}, actions=actions, visits=16, milestones=[], seed=7
    )
    assert [a["score"]["terms"][0] for a in other["actions"]] != [
        a["score"]["terms"][0] for a in found["actions"]
    ]


@pytest.mark.parametrize("kind", ["rave", "grave", "gumbel", "ucb1"])
def test_every_formula_explores_the_position_on_the_board(connect, kind):
    socket = started(connect(), moves=[40, 24])
    number = socket.send("explore", selection={"kind": kind}, visits=100, milestones=[100])
    found = socket.wait("explored", lambda e: e["number"] == number and e["finished"])
    assert found["total"] == 100
    assert sum(found["milestones"][0]["visits"]) == 100
    assert found["chosen"] is not None
    if kind in ("rave", "grave"):
        assert all(0 < a["score"]["beta"] <= 1 for a in found["actions"])


def test_alphabeta_stands_beside_the_others_with_its_depth(connect):
    socket = started(connect(), width=3, height=3)
    socket.ask("configure", "done", network="playouts", system="uct")
    number = socket.send("compare", systems=["alphabeta", "uct"], visits=100)
    ahead = socket.wait(
        "compared",
        lambda e: e["number"] == number and e["system"] == "alphabeta" and e["finished"],
    )
    assert ahead["depth"] == 2
    assert ahead["rows"] == []
    line = ahead["report"]["candidates"][0]["line"]
    assert len(line) == 2
    assert line[0] == ahead["report"]["best"]


def test_alphabeta_plays_and_is_no_search_to_look_into(connect):
    socket = started(connect(), width=3, height=3)
    socket.ask("configure", "done", system="alphabeta", network="playouts", visits=50)
    socket.send("think")
    socket.wait("position", lambda event: event["move_number"] == 1)
    assert "keeps no visits" in socket.ask("begin_steps", "refused")["message"]
    assert "keeps no visits" in socket.ask("scan", "refused", visits=5)["message"]


@pytest.mark.parametrize(("system", "terms"), [("rave", "amaf"), ("gumbel_alphazero", "gumbel")])
def test_a_step_shows_the_terms_that_its_formula_compares(connect, system, terms):
    socket = started(connect())
    socket.ask("configure", "done", system=system, network="playouts", visits=60)
    socket.ask("begin_steps", "simulations")
    found = socket.ask("more_steps", "simulations", count=40)
    for simulation in found["simulations"]:
        root = simulation["way"][0]
        assert root["terms"] == terms
        if terms == "amaf" and root["edges"]:
            totals = {e["action"]: e["score"]["total"] for e in root["edges"]}
            first = [action for action, total in totals.items() if total is None]
            best = None if first else max(totals.values()) - 1e-9  # equal but for rounding
            wanted = first or [action for action, total in totals.items() if total >= best]
            assert root["chosen"] in wanted
