"""A network is made ready in the background, and nobody is kept from stopping meanwhile."""

from __future__ import annotations

import threading
import time

import pytest

from honte.evaluation import NetworkEvaluator, Rollout
from honte.games.go import BLACK, Rules
from honte.networks import DEFAULT_NETWORK
from honte.players.clock import Absolute, Clock
from honte.players.game import Game
from honte.players.player import Interruption, PlayerSettings, SearchPlayer
from honte.players.time_manager import allot
from honte.players.warm_up import WarmUp
from honte.presets import katago, uct
from honte.search import Budget
from patience import PATIENCE


class Slow(NetworkEvaluator):
    """A network whose every step of compiling takes until it is let go."""

    def __init__(self):
        super().__init__(DEFAULT_NETWORK)
        self.go_on = threading.Semaphore(0)
        self.steps = []

    def warm_up_steps(self, board_shape):
        for number in range(3):
            self.go_on.acquire()
            self.steps.append((board_shape, number))
            yield


@pytest.fixture
def slow():
    evaluator = Slow()
    yield evaluator
    for _ in range(20):
        evaluator.go_on.release()


def test_an_evaluator_without_a_network_is_ready():
    assert WarmUp(Rollout()).wait((19, 19), 0.0)
    assert WarmUp(None).wait((19, 19), 0.0)


def test_waiting_ends_when_the_network_is_ready_or_the_time_is_over(slow):
    warm_up = WarmUp(slow)
    began = time.perf_counter()
    assert not warm_up.wait((9, 9), 0.05)
    assert 0.05 <= time.perf_counter() - began < PATIENCE
    for _ in range(3):
        slow.go_on.release()
    assert warm_up.wait((9, 9), PATIENCE)
    assert warm_up.wait((9, 9), 0.0)
    assert not warm_up.wait((13, 13), 0.0)


def test_the_board_asked_for_last_goes_first(slow):
    warm_up = WarmUp(slow)
    warm_up.begin((19, 19))
    warm_up.begin((9, 9))
    for _ in range(6):
        slow.go_on.release()
    assert warm_up.wait((9, 9), PATIENCE)
    assert warm_up.wait((19, 19), PATIENCE)
    shapes = [shape for shape, _ in slow.steps]
    # One step of the first may have been under way already.
    assert shapes[1:4] == [(9, 9)] * 3 or shapes[:3] == [(9, 9)] * 3


def test_analysis_that_is_interrupted_before_the_network_is_ready_ends_at_once(slow):
    player = SearchPlayer(katago(), slow, PlayerSettings())
    game = Game(9, 9, Rules.named("chinese"), 7.5)
    interruption = Interruption()
    threading.Timer(0.1, interruption.ask).start()
    result = player.think(game, BLACK, Budget(visits=10**9), interruption=interruption)
    assert slow.steps == [], "the network is not ready yet"
    assert result.visits == 0
    player.close()


def test_what_getting_ready_takes_comes_off_the_clock(monkeypatch):
    """In a time that goes on a little with each look at it, and for as long as a move may take
    while the network is made ready."""
    now = 1.0
    reading = Clock(Absolute(12.0)).read()
    allotment = allot(reading, points=81, move_number=0, lag=0.0)

    def look():
        nonlocal now
        now += 1e-5
        return now

    class Compiling(NetworkEvaluator):
        def warm_up_steps(self, board_shape):
            nonlocal now
            now += allotment.maximum
            yield

    monkeypatch.setattr(time, "perf_counter", look)
    settings = PlayerSettings(lag=0.0, resignation=None)
    player = SearchPlayer(katago(), Compiling(DEFAULT_NETWORK), settings)
    choice = player.choose(Game(9, 9, Rules.named("chinese"), 7.5), BLACK, reading)
    player.close()
    assert choice.action is not None
    assert allotment.maximum <= choice.seconds < allotment.maximum + allotment.planned / 2


def test_playouts_have_nothing_to_wait_for():
    player = SearchPlayer(uct(), Rollout(), PlayerSettings(visits=50, resignation=None))
    player.prepare(9, 9)
    assert player.choose(Game(9, 9, Rules.named("chinese"), 7.5), BLACK).action is not None
