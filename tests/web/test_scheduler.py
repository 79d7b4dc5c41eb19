"""Fair shares: nobody waits for another one's long work, and a cancelled work ends."""

from __future__ import annotations

import threading
import time

import pytest

from honte.web.scheduler import Account, Scheduler


@pytest.fixture
def scheduler():
    opened = Scheduler(1)
    yield opened
    opened.close()


def busy(seconds, slices, log, name, spent=None):
    for _ in range(slices):
        began = time.perf_counter()
        time.sleep(seconds)
        log.append(name)
        if spent is not None:  # a crowded machine may make a slice ten times as long
            spent[name] += time.perf_counter() - began
        yield


def ended(event):
    return lambda error: event.set()


def test_a_newcomer_is_served_between_the_slices_of_a_long_work(scheduler):
    log, done = [], threading.Event()
    long = scheduler.submit(Account(), busy(0.01, 500, log, "long"), on_end=lambda _: None)
    time.sleep(0.05)
    scheduler.submit(Account(), busy(0.01, 1, log, "short"), on_end=ended(done))
    assert done.wait(2)
    assert log.count("long") < 100
    long.cancel()


def test_a_second_question_does_not_wait_for_the_first_ones_end(scheduler):
    log, done, account = [], threading.Event(), Account()
    long = scheduler.submit(account, busy(0.01, 500, log, "long"), on_end=lambda _: None)
    scheduler.submit(account, busy(0.01, 1, log, "short"), on_end=ended(done))
    assert done.wait(2)
    assert log.count("long") < 100
    long.cancel()


def test_two_long_works_get_like_shares_and_a_heavy_one_gets_more(scheduler):
    spent = {"a": 0.0, "b": 0.0, "move": 0.0}
    tasks = [
        scheduler.submit(
            Account(), busy(0.004, 10_000, [], name, spent), weight=weight, on_end=lambda _: None
        )
        for name, weight in (("a", 1.0), ("b", 1.0), ("move", 4.0))
    ]
    time.sleep(1.2)
    for task in tasks:
        task.cancel()
    shares = {name: seconds / sum(spent.values()) for name, seconds in spent.items()}
    assert shares["a"] == pytest.approx(shares["b"], abs=0.08)
    assert shares["move"] > 2 * shares["a"]


def test_a_failing_work_says_why_and_the_thread_goes_on(scheduler):
    def failing():
        raise ValueError("no such thing")
        yield

    errors, done = [], threading.Event()
    scheduler.submit(Account(), failing(), on_end=errors.append)
    scheduler.submit(Account(), busy(0.0, 1, [], "next"), on_end=ended(done))
    assert done.wait(2)
    assert str(errors[0]) == "no such thing"


def test_a_cancelled_work_ends_and_is_told(scheduler):
    log, done = [], threading.Event()
    task = scheduler.submit(Account(), busy(0.005, 10_000, log, "x"), on_end=ended(done))
    time.sleep(0.03)
    task.cancel()
    assert done.wait(2)
    count = len(log)
    time.sleep(0.05)
    assert len(log) == count
