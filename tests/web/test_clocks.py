"""Clocks of the page under each time system, and what of them is kept with a game."""

from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the web page needs the extra web")

from honte.web import clocks
from honte.web.clocks import GameClock
from honte.web.events import ClockFace
from honte.web.requests import ByoYomiSettings, CanadianSettings, FischerSettings

BYO_YOMI = ByoYomiSettings(kind="byo_yomi", main=60, period=30, periods=3)
CANADIAN = CanadianSettings(kind="canadian", main=60, period=300, stones=20)


@pytest.fixture
def now(monkeypatch):
    """A time that goes on when it is told."""

    class Now:
        at = 1000.0

        def after(self, seconds):
            self.at += seconds

    time = Now()
    monkeypatch.setattr(clocks.time, "monotonic", lambda: time.at)
    return time


def face(seconds, moves=0):
    return ClockFace(seconds=seconds, overtime=moves > 0, moves=moves)


def test_fischers_increment_comes_after_each_move(now):
    clock = GameClock(FischerSettings(kind="fischer", main=60, increment=5))
    clock.start(0)
    now.after(12)
    assert clock.face(0) == face(48)
    clock.moved()
    assert clock.face(0) == face(53)
    assert clock.face(1) == face(60)
    clock.start(1)
    now.after(61)
    assert clock.is_lost(1)


def test_a_period_of_byo_yomi_that_runs_out_is_gone_and_a_move_within_one_costs_nothing(now):
    clock = GameClock(BYO_YOMI)
    clock.start(0)
    now.after(70)
    assert clock.face(0) == face(20, 3)
    assert not clock.is_lost(0)
    clock.moved()
    clock.start(0)
    now.after(29)
    assert clock.face(0) == face(1, 3)
    clock.moved()
    assert clock.face(0) == face(30, 3)
    clock.start(0)
    now.after(35)
    assert clock.face(0) == face(25, 2)
    clock.moved()
    clock.start(0)
    assert clock.until_change(0) == 30
    now.after(59)
    assert clock.face(0) == face(1, 1)
    now.after(1)
    assert clock.is_lost(0)


def test_canadian_stones_are_played_within_their_period(now):
    clock = GameClock(CANADIAN)
    clock.start(1)
    now.after(80)
    assert clock.face(1) == face(280, 20)
    clock.moved()
    for left in range(19, 1, -1):
        assert clock.face(1).moves == left
        clock.start(1)
        now.after(1)
        clock.moved()
    clock.start(1)
    now.after(10)
    clock.moved()
    assert clock.face(1) == face(300, 20)
    clock.start(1)
    now.after(301)
    assert clock.is_lost(1)


@pytest.mark.parametrize("settings", [BYO_YOMI, CANADIAN])
@pytest.mark.parametrize("thought", [10, 75])
def test_a_clock_goes_on_from_where_it_was_kept(now, settings, thought):
    clock = GameClock(settings)
    clock.start(0)
    now.after(thought)
    kept = clock.saved()
    assert kept.runs
    now.after(1000)
    again = GameClock.restored(kept.model_validate_json(kept.model_dump_json()))
    assert again.running is None
    assert again.saved() == kept.model_copy(update={"runs": False})
    again.start(0)
    now.after(5)
    assert again.face(0).seconds == kept.left[0].seconds - 5
