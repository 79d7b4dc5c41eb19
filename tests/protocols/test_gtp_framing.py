"""One response a command, whatever comes in."""

from __future__ import annotations

import itertools
import os
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gtp_driver import converse, make_engine, split
from honte.protocols.gtp import ALL_COMMANDS, serve
from honte.protocols.gtp.framing import parse_line, without_blank_lines
from patience import PATIENCE, TRIES, until


def test_crlf_pipelining_and_rectangles():
    replies = converse(
        b"boardsize 9 13\r\nclear_board\r\nplay black J13\r\nplay white pass\r\nshowboard\r\n"
    )
    assert [reply.success for reply in replies] == [True] * 5
    top_row = next(line for line in replies[4].lines if line.startswith("13 "))
    assert top_row.rstrip(" *").endswith("X")


def test_comments_tabs_and_blank_lines():
    replies = converse(b"# nothing here\n\n   \n7\tname\t# and here\nprotocol_version#x\n")
    assert [(reply.identifier, reply.text) for reply in replies] == [("7", "honte"), ("", "2")]


def test_control_characters_and_invalid_utf8():
    replies = converse(b"na\x01me\x07\n\xff\xfe\xfa\nname\n")
    assert [reply.text for reply in replies] == ["honte", "unknown command", "honte"]


def test_a_line_without_its_end_is_a_command():
    assert converse(b"name")[0].text == "honte"


def test_half_a_line_at_the_end_changes_nothing():
    engine = make_engine()
    replies = converse(b"play b d4\nplay w", engine)
    assert [reply.success for reply in replies] == [True, False]
    assert len(engine.game.steps) == 1


def test_a_megabyte_on_one_line():
    replies = converse(b"play b " + b"q" * (1 << 20) + b"\nname\n")
    assert not replies[0].success
    assert len(replies[0].text) <= 400
    assert replies[1].text == "honte"


def test_a_line_past_every_bound():
    replies = converse(b"set_position " + b"b a1 " * (4 << 20) + b"\nname\n")
    assert not replies[0].success
    assert replies[1].text == "honte"


def test_ids_are_echoed():
    replies = converse("12 name\n13 nonsense\n14 genmove b\n0 name\n")
    assert [reply.identifier for reply in replies] == ["12", "13", "14", "0"]
    assert [reply.success for reply in replies] == [True, False, True, True]


def test_quit_answers_and_ends():
    replies = converse("1 quit\n2 name\n")
    assert [reply.identifier for reply in replies] == ["1"]


def test_a_response_never_holds_a_blank_line():
    assert without_blank_lines("a\n\n b\r\n\r\n\x00c\n   \n") == "a\n b\nc"


def test_parse_line_keeps_the_tail_for_json():
    line = parse_line(b'3 kata-set-rules  {"ko": "SIMPLE"}  # rules\n')
    assert line is not None
    assert (line.identifier, line.name, line.tail) == ("3", "kata-set-rules", '{"ko": "SIMPLE"}')


_ORDINARY_WORDS = (
    "b w black WHITE a1 J9 pass resign z99 i5 0 1 5 9 19 -3 7.5 nan 1e999 all true false "
    "interval allow avoid a1,b2 chinese { none absolute fischer alive dead foo maxVisits é "
    '{"ko":"SIMPLE"}'
)
_WORDS = st.sampled_from([*_ORDINARY_WORDS.split(), "\t", "#", "\x00", ""])
_NAMES = st.sampled_from(
    [name for name in ALL_COMMANDS.names() if name not in ("quit", "printsgf", "loadsgf")]
    + ["nonsense", "12 name", ""]
)
_LINES = st.builds(
    lambda name, words: " ".join([name, *words]), _NAMES, st.lists(_WORDS, max_size=5)
)


_SCRIPTS = st.lists(_LINES, max_size=12)
_LENIENT = settings(suppress_health_check=list(HealthCheck))


@settings(_LENIENT, max_examples=60)
@given(_SCRIPTS)
def test_random_scripts_get_one_response_a_command(lines):
    one_response_a_command(lines)


@pytest.mark.slow
@settings(_LENIENT, max_examples=5000)
@given(_SCRIPTS)
def test_thousands_of_scripts_get_one_response_a_command(lines):
    one_response_a_command(lines)


def one_response_a_command(lines):
    engine = make_engine(size=(5, 5))
    data = "\n".join([*lines, "boardsize 5"]).encode("utf-8", "surrogatepass")
    commands = [line for line in data.split(b"\n") if parse_line(line) is not None]
    replies = converse(data, engine)
    assert len(replies) == len(commands)


@settings(_LENIENT, max_examples=60)
@given(_LINES)
def test_an_error_leaves_the_state_as_it_was(line):
    state_after_an_error(line)


@pytest.mark.slow
@settings(_LENIENT, max_examples=5000)
@given(_LINES)
def test_thousands_of_errors_leave_the_state_as_it_was(line):
    state_after_an_error(line)


def state_after_an_error(line):
    engine = make_engine(size=(5, 5))
    converse("play b c3\nplay w b2\nkomi 3.5\n", engine)

    def state():
        game = engine.game
        return (game.state, list(game.steps), game.state.komi, game.state.rules, engine.parameters)

    before = state()
    replies = converse(line.encode("utf-8", "surrogatepass") + b"\n", engine)
    if replies and not replies[0].success:
        assert state() == before


@pytest.fixture
def pipe_session():
    """An engine on real pipes: a function that writes, and the list of what it says, each with the
    processor time that this process had used by then."""
    read_end, write_end = os.pipe()
    said: list[tuple[float, str]] = []

    class Output:
        def write(self, text: str) -> None:
            said.append((time.process_time(), text))

        def flush(self) -> None:
            pass

    engine = make_engine()
    thread = threading.Thread(
        target=serve, args=(engine, os.fdopen(read_end, "rb", buffering=0), Output())
    )
    thread.start()
    yield lambda data: os.write(write_end, data), said
    os.close(write_end)
    thread.join(PATIENCE)
    assert not thread.is_alive()


def _wait_for(said, count):
    until(lambda: len(said) >= count)


@pytest.mark.parametrize("interruption", [b"name\n", b"\n", b"known_command known_command\n"])
def test_any_input_ends_an_analysis_within_50_ms(pipe_session, interruption):
    send, said = pipe_session

    def seconds_to_close():
        before = len(said)
        send(b"lz-analyze b 5\n")
        _wait_for(said, before + 4)
        sent = time.process_time()
        send(interruption)
        until(lambda: any(text == "\n" for _, text in said[before:]))
        closed = next(when for when, text in said[before:] if text == "\n")
        if interruption.strip():
            until(lambda: said[-1][1].startswith("= "))  # the answer to the interruption itself
        return closed - sent

    assert any(seconds_to_close() < 0.05 for _ in range(TRIES))


def test_reports_are_never_later_than_twice_the_interval(pipe_session):
    send, said = pipe_session

    def longest_gap():
        before = len(said)
        send(b"kata-analyze b 10\n")
        _wait_for(said, before + 8)
        send(b"\n")
        until(lambda: said[-1][1] == "\n")
        times = [when for when, text in said[before:] if text.startswith(("=", "info"))]
        return max(later - earlier for earlier, later in itertools.pairwise(times))

    assert any(longest_gap() < 0.2 for _ in range(TRIES))


def test_analyse_interrupt_use(pipe_session):
    send, said = pipe_session
    send(b"lz-analyze b 10\n")
    _wait_for(said, 2)
    send(b"name\n")
    _wait_for(said, 4)
    send(b"genmove b\nlz-analyze w 10\n1 name\nlz-analyze w 10\n\nquit\n")
    until(lambda: "".join(text for _, text in said).count("\n\n") >= 7)
    replies = split("".join(text for _, text in said))
    assert [reply.success for reply in replies] == [True] * 7
    assert replies[1].text == "honte"
    assert replies[4].identifier == "1"


def test_goguis_interrupt_makes_genmove_answer_at_once(pipe_session):
    send, said = pipe_session
    send(b"kata-set-param maxVisits 1000000000\n")
    _wait_for(said, 1)

    def seconds_to_move():
        before = len(said)
        send(b"genmove b\n")
        time.sleep(0.3)
        assert len(said) == before
        sent = time.process_time()
        send(b"# interrupt\n")
        _wait_for(said, before + 1)
        when, answer = said[-1]
        assert answer.startswith("= ")
        return when - sent

    assert any(seconds_to_move() < 0.2 for _ in range(TRIES))
