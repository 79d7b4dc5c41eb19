"""Fair shares: nobody waits for another one's long work, and a cancelled work ends."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from honte.web import scheduler as module
from honte.web.scheduler import Account, Scheduler
from patience import PATIENCE


@pytest.fixture
def now(monkeypatch):
    """A time that goes on by work alone."""
    at = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: at.seconds))
    return at


@pytest.fixture
def scheduler(now):
    opened = Scheduler(1)
    yield opened
    opened.close()


def busy(now, slices, log, name, during=lambda number: None):
    """Slices of 10 ms each; ``during`` hears which of them it is."""
    for number in range(slices):
        now.seconds += 0.01
        log.append(name)
        during(number)
        yield


def ended(event):
    return lambda error: event.set()


@pytest.mark.parametrize("same_person", [False, True])
def test_who_asks_during_a_long_work_is_served_after_its_slice(scheduler, now, same_person):
    """Whether another person does, or the same one asks a second question."""
    log, done, account = [], threading.Event(), Account()

    def ask(number):
        if number == 4:
            other = account if same_person else Account()
            scheduler.submit(other, busy(now, 1, log, "short"), on_end=ended(done))

    long = scheduler.submit(account, busy(now, 10**9, log, "long", ask), on_end=lambda _: None)
    assert done.wait(PATIENCE)
    long.cancel()
    assert log[:6] == ["long"] * 5 + ["short"]


def test_two_long_works_get_like_shares_and_a_heavy_one_gets_more(scheduler, now):
    log, ends, enough = [], [threading.Event() for _ in range(3)], 600

    def shared(name):
        while len(log) < enough:
            yield from busy(now, 1, log, name)

    def begin(_):
        """During one slice, so that all three are there before the first of them has another."""
        for name, weight, end in zip("abm", (1.0, 1.0, 4.0), ends, strict=True):
            scheduler.submit(Account(), shared(name), weight=weight, on_end=ended(end))

    scheduler.submit(Account(), busy(now, 1, [], "first", begin), on_end=lambda _: None)
    assert all(end.wait(PATIENCE) for end in ends)
    assert [log.count(name) for name in "abm"] == pytest.approx([100, 100, 400], abs=4)


def test_a_failing_work_says_why_and_the_thread_goes_on(scheduler, now):
    def failing():
        raise ValueError("no such thing")
        yield

    errors, done = [], threading.Event()
    scheduler.submit(Account(), failing(), on_end=errors.append)
    scheduler.submit(Account(), busy(now, 1, [], "next"), on_end=ended(done))
    assert done.wait(PATIENCE)
    assert str(errors[0]) == "no such thing"


def test_a_cancelled_work_ends_and_is_told(scheduler, now):
    log, begun, done, after = [], threading.Event(), threading.Event(), threading.Event()
    account = Account()
    work = busy(now, 10**9, log, "x", lambda number: number == 3 and begun.set())
    task = scheduler.submit(account, work, on_end=ended(done))
    assert begun.wait(PATIENCE)
    task.cancel()
    assert done.wait(PATIENCE)
    count = len(log)
    scheduler.submit(account, busy(now, 1, [], "next"), on_end=ended(after))
    assert after.wait(PATIENCE)
    assert len(log) == count
