"""KataGo's JSON analysis engine as its clients use it."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gtp_driver import QUICK, Fixed
from honte.evaluation import NetworkEvaluator, Rollout
from honte.games.go import RULE_NAMES, Rules
from honte.presets import alphago_zero, uct
from honte.protocols.analysis_format import View
from honte.protocols.json_analysis import AnalysisServer
from honte.protocols.parameters import Parameters
from patience import PATIENCE, TRIES, processor_time_below, until

BASE = {"id": "q", "moves": [], "rules": "tromp-taylor", "boardXSize": 9, "boardYSize": 9}


def make_server(output, evaluator=None, view=View.BLACK):
    config = uct() if evaluator is None else alphago_zero()
    evaluator = evaluator or Rollout()
    return AnalysisServer(evaluator, Parameters(config, QUICK, view), output, seed=3)


def ask(*queries, evaluator=None, view=View.BLACK):
    """Send queries, as objects or raw lines, and end the input; the replies in order."""
    lines = [q if isinstance(q, bytes) else json.dumps(q).encode() for q in queries]
    output = io.StringIO()
    make_server(output, evaluator, view).serve(io.BytesIO(b"\n".join(lines) + b"\n"))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def ask_at_once(*queries):
    """As :func:`ask`, but no search begins before the last line is read."""
    output = io.StringIO()
    server = make_server(output)
    for line in queries:
        server.receive(json.dumps(line).encode())
    server.serve(io.BytesIO())
    return [json.loads(line) for line in output.getvalue().splitlines()]


def query(**changes):
    return {**BASE, **changes}


def test_each_turn_gets_one_final_reply():
    moves = [["B", "C3"], ["W", "G7"], ["B", "(6,6)"]]
    replies = ask(query(moves=moves, analyzeTurns=[0, 1, 2, 3], maxVisits=20))
    assert sorted(reply["turnNumber"] for reply in replies) == [0, 1, 2, 3]
    assert all(reply["isDuringSearch"] is False for reply in replies)
    players = {reply["turnNumber"]: reply["rootInfo"]["currentPlayer"] for reply in replies}
    assert players == {0: "B", 1: "W", 2: "B", 3: "W"}
    assert all(reply["rootInfo"]["visits"] == 20 for reply in replies)


def test_the_fields_of_a_reply():
    (reply,) = ask(
        query(
            includeOwnership=True,
            includeOwnershipStdev=True,
            includeMovesOwnership=True,
            includeMovesOwnershipStdev=True,
            includePolicy=True,
            includePVVisits=True,
            includeNoResultValue=True,
            analysisPVLen=1,
            moves=[["B", "E5"]],
        )
    )
    expected = (
        "move visits edgeVisits winrate scoreMean scoreStdev scoreLead scoreSelfplay prior utility "
        "lcb utilityLcb weight edgeWeight order playSelectionValue pv noResultValue pvVisits "
        "pvEdgeVisits ownership ownershipStdev"
    )
    for order, info in enumerate(reply["moveInfos"]):
        assert set(info) == set(expected.split())
        assert info["order"] == order
        assert info["pv"][0] == info["move"]
        assert 1 <= len(info["pv"]) <= 2
        assert len(info["pvVisits"]) == len(info["pv"])
        assert len(info["ownership"]) == 81
    assert len(reply["ownership"]) == len(reply["ownershipStdev"]) == 81
    assert len(reply["policy"]) == 82
    assert reply["policy"][40] == -1
    assert sum(p for p in reply["policy"] if p >= 0) == pytest.approx(1)
    for name in ("thisHash", "symHash", "currentPlayer", "winrate", "scoreLead", "utility"):
        assert name in reply["rootInfo"]


def test_mirror_images_share_a_hash():
    one, other = (ask(query(moves=[["B", vertex]]))[0]["rootInfo"] for vertex in ("C4", "D3"))
    assert one["symHash"] == other["symHash"]
    assert one["thisHash"] != other["thisHash"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"boardXSize": 29, "boardYSize": 29}, "boardXSize"),
        ({"boardYSize": 1}, "boardYSize"),
        ({"boardXSize": "9"}, "boardXSize"),
        ({"rules": "nonsense"}, "rules"),
        ({"rules": 3}, "rules"),
        ({"komi": 7.25}, "komi"),
        ({"komi": 401}, "komi"),
        ({"komi": "7.5"}, "komi"),
        ({"moves": [["B", "Z9"]]}, "moves"),
        ({"moves": [["X", "C3"]]}, "moves"),
        ({"moves": [["B", "C3", "D4"]]}, "moves"),
        ({"moves": "C3"}, "moves"),
        ({"initialStones": [["B", "pass"]]}, "initialStones"),
        ({"initialStones": [["B", "C3"], ["W", "C3"]]}, "initialStones"),
        ({"initialStones": [["B", "A1"], ["W", "A2"], ["W", "B1"]]}, "initialStones"),
        ({"initialPlayer": "green"}, "initialPlayer"),
        ({"analyzeTurns": [1]}, "analyzeTurns"),
        ({"analyzeTurns": [0.5]}, "analyzeTurns"),
        ({"maxVisits": 0}, "maxVisits"),
        ({"maxVisits": True}, "maxVisits"),
        ({"rootPolicyTemperature": -1}, "rootPolicyTemperature"),
        ({"analysisPVLen": 0}, "analysisPVLen"),
        ({"includeOwnership": "yes"}, "includeOwnership"),
        ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery"),
        ({"priorities": [1]}, "priorities"),
        ({"priorities": [1, 2], "analyzeTurns": [0]}, "priorities"),
        ({"priority": 1, "priorities": [1], "analyzeTurns": [0]}, "priority"),
        ({"whiteHandicapBonus": "2N"}, "whiteHandicapBonus"),
        ({"overrideSettings": []}, "overrideSettings"),
        ({"overrideSettings": {"maxVisits": -1}}, "overrideSettings"),
        ({"overrideSettings": {"ignorePreRootHistory": 1}}, "overrideSettings"),
        ({"avoidMoves": [{"player": "B"}]}, "avoidMoves"),
        ({"avoidMoves": [{"player": "B", "moves": ["C3"], "untilDepth": 0}]}, "avoidMoves"),
        ({"allowMoves": [{"player": "B", "moves": [], "untilDepth": 1}]}, "allowMoves"),
        ({"allowMoves": [], "avoidMoves": []}, "allowMoves"),
    ],
)
def test_a_bad_field_is_named(changes, field):
    replies = ask(query(**changes), query(id="after", maxVisits=2))
    assert replies[0]["field"] == field
    assert replies[0]["id"] == "q"
    assert isinstance(replies[0]["error"], str)
    assert replies[1]["id"] == "after"
    assert replies[1]["isDuringSearch"] is False


@pytest.mark.parametrize("missing", ["moves", "rules", "boardXSize", "boardYSize"])
def test_required_fields(missing):
    (reply,) = ask({name: value for name, value in BASE.items() if name != missing})
    assert reply["field"] == missing


@pytest.mark.parametrize(
    "line",
    [
        b"nonsense",
        b"[1, 2]",
        b'{"moves": []}',
        b'{"id": 3}',
        b'{"id": "a", "komi": NaN}',
        b"\xff\xfe",
        b'{"id": "a", "x": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b'{"id": "a"',
        b'{"id": "a", "komi": ' + b"9" * 5000 + b"}",
        b'"' + b"a" * (1 << 20) + b'"',
    ],
)
def test_what_is_no_query_is_an_error_and_nothing_more(line):
    replies = ask(line, query(maxVisits=2))
    assert "error" in replies[0]
    assert replies[1]["id"] == "q"


def test_illegal_moves_are_numbered():
    (reply,) = ask(query(moves=[["B", "C3"], ["W", "C3"]]))
    assert reply == {"id": "q", "field": "moves", "error": "Illegal move 1: C3"}


def test_komi_beyond_every_number():
    line = json.dumps(query()).encode()[:-1] + b', "komi": 1e999}'
    assert ask(line)[0]["field"] == "komi"


def test_warnings_let_a_query_go_on():
    replies = ask(query(nonsense=1, overrideSettings={"humour": 1}, maxVisits=2))
    assert [reply.get("field") for reply in replies[:2]] == ["nonsense", "overrideSettings"]
    assert all("warning" in reply for reply in replies[:2])
    assert replies[2]["isDuringSearch"] is False


def test_the_way_to_a_position_is_hidden_from_the_network_unless_it_is_asked_for():
    """The same stones in two orders: as KataGo's engine does, one judgement for both."""
    orders = (("C3", "G7", "G3", "C7"), ("G3", "C7", "C3", "G7"))
    said = {}
    for hidden in (True, False):
        for order, vertices in enumerate(orders):
            moves = [["BW"[turn % 2], vertex] for turn, vertex in enumerate(vertices)]
            settings = {} if hidden else {"overrideSettings": {"ignorePreRootHistory": False}}
            (reply,) = ask(
                query(moves=moves, maxVisits=1, **settings), evaluator=NetworkEvaluator("default")
            )
            said[hidden, order] = reply["rootInfo"]["rawWinrate"], reply["rootInfo"]["winrate"]
    assert said[True, 0] == said[True, 1]
    assert said[False, 0] != said[False, 1]
    assert said[True, 0] != said[False, 0]


def test_an_id_that_is_open_is_refused():
    replies = ask_at_once(query(maxVisits=50), query(maxVisits=50), query(id="other", maxVisits=2))
    refused = [reply for reply in replies if "error" in reply]
    assert [reply["field"] for reply in refused] == ["id"]
    assert len(replies) == 3


def test_actions_are_echoed():
    replies = ask(
        {"id": "1", "action": "query_version"},
        {"id": "2", "action": "query_models", "more": 5},
        {"id": "3", "action": "clear_cache"},
        {"id": "4", "action": "terminate", "terminateId": "none"},
        {"id": "5", "action": "terminate_all"},
        {"id": "6", "action": "terminate"},
        {"id": "7", "action": "dance"},
    )
    assert replies[0]["version"].count(".") == 2
    assert replies[1] == {"id": "2", "action": "query_models", "more": 5, "models": []}
    assert replies[2] == {"id": "3", "action": "clear_cache"}
    assert replies[3] == {"id": "4", "action": "terminate", "terminateId": "none"}
    assert replies[4] == {"id": "5", "action": "terminate_all"}
    assert replies[5]["field"] == "terminateId"
    assert replies[6]["field"] == "action"


def test_terminated_before_it_was_searched():
    replies = ask_at_once(
        query(maxVisits=10**6, moves=[["B", "C3"]], analyzeTurns=[0, 1]),
        {"id": "t", "action": "terminate", "terminateId": "q", "turnNumbers": [0]},
        {"id": "u", "action": "terminate_all"},
    )
    finals = [reply for reply in replies if "turnNumber" in reply]
    assert [(reply["turnNumber"], reply.get("noResults")) for reply in finals] == [
        (0, True),
        (1, True),
    ]


# G14
@pytest.mark.parametrize("player", ["B", "W"])
def test_everything_flips_together(player):
    evaluator = Fixed(0.4)
    views = {}
    for view in ("BLACK", "WHITE", "SIDETOMOVE"):
        (reply,) = ask(
            query(
                initialPlayer=player,
                includeOwnership=True,
                overrideSettings={"reportAnalysisWinratesAs": view},
            ),
            evaluator=evaluator,
        )
        views[view] = reply
    own, other = ("BLACK", "WHITE") if player == "B" else ("WHITE", "BLACK")
    assert views["SIDETOMOVE"] == views[own]
    for name, mirrored in (("winrate", True), ("utility", False), ("scoreLead", False)):
        for one, two in zip(
            [views[own]["rootInfo"], *views[own]["moveInfos"]],
            [views[other]["rootInfo"], *views[other]["moveInfos"]],
            strict=True,
        ):
            assert one[name] == pytest.approx(1 - two[name] if mirrored else -two[name])
    for one, two in zip(views[own]["moveInfos"], views[other]["moveInfos"], strict=True):
        assert one["lcb"] == pytest.approx(1 - two["lcb"])
        assert one["utilityLcb"] == pytest.approx(-two["utilityLcb"])
    assert views[own]["ownership"] == pytest.approx([-x for x in views[other]["ownership"]])


# S9
def test_allow_and_avoid():
    only = [{"player": "B", "moves": ["D4"], "untilDepth": 1}]
    (reply,) = ask(query(allowMoves=only, maxVisits=100))
    assert [info["move"] for info in reply["moveInfos"]] == ["D4"]
    assert reply["rootInfo"]["visits"] == 100
    (reply,) = ask(query(avoidMoves=only, maxVisits=200))
    assert "D4" not in [info["move"] for info in reply["moveInfos"]]


# S7
def test_nan_from_the_network_fails_its_query_alone():
    class Poisoned(Fixed):
        def __call__(self, batch):
            evaluation = super().__call__(batch)
            poisoned = [float("nan") if state.komi == 100 else 0.0 for state in batch.states()]
            return replace(evaluation, value=evaluation.value + poisoned)

    replies = ask(
        query(id="bad", komi=100, maxVisits=20),
        query(id="good", maxVisits=20),
        evaluator=Poisoned(),
    )
    by_id = {reply["id"]: reply for reply in replies}
    assert "error" in by_id["bad"]
    assert by_id["good"]["rootInfo"]["visits"] == 20


@pytest.fixture
def live_server():
    """A server on a real pipe: a function that sends a query, and the list of replies, each with
    the processor time that this process had used by then."""
    read_end, write_end = os.pipe()
    replies: list[tuple[float, dict]] = []

    class Output:
        def write(self, text):
            for line in text.splitlines():
                replies.append((time.process_time(), json.loads(line)))

        def flush(self):
            pass

    server = make_server(Output())
    thread = threading.Thread(
        target=server.serve, args=(os.fdopen(read_end, "rb", buffering=0),), daemon=True
    )
    thread.start()
    yield lambda data: os.write(write_end, json.dumps(data).encode() + b"\n"), replies
    os.write(write_end, b'{"id": "end", "action": "terminate_all"}\n')
    os.close(write_end)
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_million_visits_do_not_starve_short_queries(live_server):
    send, replies = live_server
    send(query(id="long", maxVisits=10**9, reportDuringSearchEvery=0.2))
    until(lambda: replies)
    with processor_time_below(5):
        for number in range(20):
            send(query(id=f"short{number}", maxVisits=100))
        until(lambda: sum(r["id"].startswith("short") for _, r in replies) == 20)
    assert all(reply["isDuringSearch"] for _, reply in replies if reply["id"] == "long")


def test_twenty_long_queries_do_not_starve_a_short_one(live_server):
    send, replies = live_server
    for number in range(20):
        send(query(id=f"long{number}", maxVisits=10**9, reportDuringSearchEvery=0.2))
    until(lambda: len({reply["id"] for _, reply in replies}) == 20)
    with processor_time_below(10):
        send(query(id="short", maxVisits=100))
        until(lambda: any(reply["id"] == "short" for _, reply in replies))
    assert all(reply["isDuringSearch"] for _, reply in replies if reply["id"] != "short")


def test_reports_during_search_and_termination_with_what_there_is(live_server):
    send, replies = live_server
    numbers = itertools.count()

    def longest_waits():
        """For a report, and for the answer to being terminated."""
        before, name = len(replies), f"q{next(numbers)}"
        send(query(id=name, maxVisits=10**9, reportDuringSearchEvery=0.2))
        until(lambda: len(replies) >= before + 4)
        asked = time.process_time()
        send({"id": "t", "action": "terminate", "terminateId": name})
        until(lambda: replies[-1][1]["id"] == name and not replies[-1][1]["isDuringSearch"])
        reports = [(when, reply) for when, reply in replies[before:] if reply["id"] == name]
        times = [when for when, _ in reports]
        visits = [reply["rootInfo"]["visits"] for _, reply in reports]
        assert visits == sorted(visits)
        assert all(reply["isDuringSearch"] for _, reply in reports[:-1])
        waits = [later - earlier for earlier, later in itertools.pairwise(times[:-1])]
        return max(waits), times[-1] - asked

    for _ in range(TRIES):
        report, end = longest_waits()
        if report < 0.4 and end < 0.5:
            return
    raise AssertionError(f"reports come after {report} s, the end after {end} s")


def test_higher_priority_goes_first():
    """A query that comes while others are worked on is before those that wait."""

    class Conversation:
        """Input and output of one client: it sends the urgent query once the first is answered."""

        def __init__(self):
            waiting = [query(id=f"low{number}", maxVisits=1000) for number in range(12)]
            self.chunks = [waiting, [query(id="high", maxVisits=300, priority=5)], []]
            self.answered, self.sent = threading.Event(), threading.Event()
            self.answers = []

        def read(self, size):
            chunk = self.chunks.pop(0)
            if len(self.chunks) == 1:
                assert self.answered.wait(PATIENCE)
            elif not self.chunks:
                self.sent.set()  # for the one before has been taken
            return b"".join(json.dumps(line).encode() + b"\n" for line in chunk)

        def write(self, text):
            self.answers.append(json.loads(text)["id"])
            self.answered.set()
            assert self.sent.wait(PATIENCE)

        def flush(self):
            pass

    conversation = Conversation()
    parameters = Parameters(uct(), QUICK)
    AnalysisServer(Rollout(), parameters, conversation, at_once=4).serve(conversation)
    assert len(conversation.answers) == 13
    # Of the twelve, the four that were in hand may be over before it is begun.
    assert conversation.answers.index("high") <= 4


_FIELDS = [
    *BASE,
    "komi",
    "initialStones",
    "analyzeTurns",
    "avoidMoves",
    "allowMoves",
    "overrideSettings",
    "priority",
    "whiteHandicapBonus",
    "action",
]
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats()
_JSON = st.recursive(
    _SCALARS | st.sampled_from(["B", "C3", "pass"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


_LENIENT = settings(suppress_health_check=list(HealthCheck))


@settings(_LENIENT, max_examples=60)
@given(st.sampled_from(_FIELDS), _JSON)
def test_no_value_of_a_field_stops_the_engine(name, value):
    the_engine_goes_on(name, value)


@pytest.mark.slow
@settings(_LENIENT, max_examples=5000)
@given(st.sampled_from(_FIELDS), _JSON)
def test_no_value_of_thousands_stops_the_engine(name, value):
    the_engine_goes_on(name, value)


def the_engine_goes_on(name, value):
    replies = ask({**BASE, "maxVisits": 2, name: value}, {"id": "v", "action": "query_version"})
    assert any(reply.get("action") == "query_version" for reply in replies)
    assert len(replies) >= 2


@pytest.mark.parametrize("name", RULE_NAMES)
def test_rules_by_name_and_as_an_object_are_the_same(name):
    moves = [["B", "E5"], ["W", "C3"], ["B", "pass"]]
    rules = Rules.named(name)
    replies = [
        ask(query(rules=given, moves=moves, komi=6.5, maxVisits=10))
        for given in (name, rules.to_json(), json.loads(json.dumps(rules.to_json())))
    ]
    assert replies[0][0]["rootInfo"]["visits"] == 10
    assert replies[0] == replies[1] == replies[2]


def test_the_button_makes_half_a_point_of_the_first_pass():
    """Ten points each and no komi: whoever passes first wins."""
    stones = [["B", f"{column}{row}"] for row in (1, 2) for column in "ABCDE"]
    stones += [["W", f"{column}{row}"] for row in (4, 5) for column in "ABCDE"]
    base = {"boardXSize": 5, "boardYSize": 5, "initialStones": stones, "maxVisits": 200}
    for first, second, black_wins in (("B", "W", True), ("W", "B", False)):
        moves = [[first, "pass"], [second, "pass"]]
        (reply,) = ask(query(**base, rules="aga-button", komi=0, moves=moves, initialPlayer=first))
        assert (reply["rootInfo"]["winrate"] > 0.5) is black_wins


def test_katagos_own_options_are_understood():
    """Clients start the engine with these, whatever it is called."""
    options = ["-model", "none", "-analysis-threads", "2", "-quit-without-waiting"]
    options += ["-override-config", "homeDataDir=x,logToStderr=false,maxVisits=7"]
    start = "from honte.cli.main import run; run()"
    engine = subprocess.Popen(
        [sys.executable, "-c", start, "analysis", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    engine.stdin.write(json.dumps(query()).encode() + b"\n")
    engine.stdin.flush()
    assert json.loads(engine.stdout.readline())["rootInfo"]["visits"] == 7
    # What is open at the end of input is left.
    left = json.dumps(query(maxVisits=10**9)).encode() + b"\n"
    out, _ = engine.communicate(left, timeout=PATIENCE)
    assert (engine.returncode, out) == (0, b"")


@pytest.mark.parametrize("at_once", [1, 3])
def test_any_number_of_positions_at_once_answers_every_query(at_once):
    output = io.StringIO()
    server = AnalysisServer(Rollout(), Parameters(uct(), QUICK), output, at_once=at_once)
    lines = [json.dumps(query(id=str(number), maxVisits=50)) for number in range(7)]
    server.serve(io.BytesIO("\n".join(lines).encode()))
    replies = [json.loads(line) for line in output.getvalue().splitlines()]
    assert sorted(reply["id"] for reply in replies) == [str(number) for number in range(7)]
