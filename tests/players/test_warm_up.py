"""A network is made ready in the background, and nobody is kept from stopping meanwhile."""

from __future__ import annotations

import threading
import time

import pytest

from honte.evaluation import NetworkEvaluator, Rollout
from honte.games.go import BLACK, Rules
from honte.networks import DEFAULT_NETWORK
from honte.players.game import Game
from honte.players.player import Interruption, PlayerSettings, SearchPlayer
from honte.players.warm_up import WarmUp
from honte.presets import katago, uct
from honte.search import Budget


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
    assert 0.05 <= time.perf_counter() - began < 1.0
    for _ in range(3):
        slow.go_on.release()
    assert warm_up.wait((9, 9), 10.0)
    assert warm_up.wait((9, 9), 0.0)
    assert not warm_up.wait((13, 13), 0.0)


def test_the_board_asked_for_last_goes_first(slow):
    warm_up = WarmUp(slow)
    warm_up.begin((19, 19))
    warm_up.begin((9, 9))
    for _ in range(6):
        slow.go_on.release()
    assert warm_up.wait((9, 9), 10.0)
    assert warm_up.wait((19, 19), 10.0)
    shapes = [shape for shape, _ in slow.steps]
    # One step of the first may have been under way already.
    assert shapes[1:4] == [(9, 9)] * 3 or shapes[:3] == [(9, 9)] * 3


def test_analysis_that_is_interrupted_before_the_network_is_ready_ends_at_once(slow):
    player = SearchPlayer(katago(), slow, PlayerSettings())
    game = Game(9, 9, Rules.named("chinese"), 7.5)
    interruption = Interruption()
    threading.Timer(0.1, interruption.ask).start()
    began = time.perf_counter()
    result = player.think(game, BLACK, Budget(visits=10**9), interruption=interruption)
    assert time.perf_counter() - began < 0.5
    assert result.visits == 0
    player.close()


def test_what_getting_ready_takes_comes_off_the_clock(slow):
    from honte.players.clock import Absolute, Clock

    player = SearchPlayer(katago(), slow, PlayerSettings(lag=0.0, resignation=None))
    game = Game(9, 9, Rules.named("chinese"), 7.5)
    wait = 0.6

    def let_go():
        for _ in range(3):
            slow.go_on.release()

    threading.Timer(wait, let_go).start()
    choice = player.choose(game, BLACK, Clock(Absolute(12.0)).read())
    allotted = 12.0 * 0.3
    assert choice.action is not None
    assert wait <= choice.seconds < allotted


def test_playouts_have_nothing_to_wait_for():
    player = SearchPlayer(uct(), Rollout(), PlayerSettings(visits=50, resignation=None))
    player.prepare(9, 9)
    assert player.choose(Game(9, 9, Rules.named("chinese"), 7.5), BLACK).action is not None
