"""Clocks count as controllers expect, and nobody loses on time."""

from __future__ import annotations

import random

import pytest

from honte.errors import HonteError
from honte.players.clock import Absolute, ByoYomi, Canadian, Clock, Fischer, NoLimit
from honte.players.time_manager import Allotment, Pace, allot
from honte.search.result import ChildStatistics, SearchResult, StopReason

LAG = 0.3


def play_on_one_clock(system, moves, points=361, share_of_maximum=1.0, reported=False):
    """The least that was ever left when each move takes its whole allotment and the lag."""
    referee, own = Clock(system), Clock(system)
    slack = float("inf")
    for number in range(moves):
        allotment = allot(own.read(), points=points, move_number=2 * number, lag=LAG)
        assert allotment is not None
        assert 0 <= allotment.planned <= allotment.maximum
        used = allotment.planned + share_of_maximum * (allotment.maximum - allotment.planned)
        before = referee.read()
        limit = before.main + (before.period if isinstance(system, Canadian | ByoYomi) else 0.0)
        if isinstance(system, ByoYomi):
            limit += before.period * (before.moves - 1 if not before.in_overtime else 0)
        slack = min(slack, limit - used - LAG)
        referee.spend(used + LAG)
        own.spend(used + LAG)
        if reported:
            after = referee.read()
            if after.in_overtime:
                own.report(after.period, after.moves)
            else:
                own.report(after.main, 0)
    return slack


# G8
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_lag_does_not_add_up_to_a_loss(share):
    assert play_on_one_clock(Absolute(60.0), 60, points=81, share_of_maximum=share) > 0
    assert play_on_one_clock(Absolute(60.0), 150, points=361, share_of_maximum=share) > 0


@pytest.mark.parametrize("reported", [False, True])
@pytest.mark.parametrize(
    "system",
    [
        Absolute(120.0),
        Absolute(1800.0),
        Canadian(60.0, 120.0, 25),
        Canadian(0.0, 30.0, 10),
        Canadian(0.0, 120.0, 1),
        ByoYomi(60.0, 10.0, 3),
        ByoYomi(0.0, 5.0, 1),
        Fischer(60.0, 5.0),
        Fischer(10.0, 2.0),
        Fischer(60.0, 5.0, 90.0, 8.0),
    ],
)
def test_no_system_is_ever_lost_on_time(system, reported):
    for share in (0.0, 1.0):
        assert play_on_one_clock(system, 160, share_of_maximum=share, reported=reported) > 0


def test_time_is_used_not_hoarded():
    for system in (Absolute(1800.0), Fischer(300.0, 5.0), ByoYomi(600.0, 30.0, 5)):
        clock = Clock(system)
        first = allot(clock.read(), points=361, move_number=0, lag=LAG)
        assert first is not None
        assert first.planned > 5.0


def test_no_move_takes_more_than_three_tenths_of_what_is_left():
    for main in (30.0, 300.0, 3000.0):
        allotment = allot(Clock(Absolute(main)).read(), points=361, move_number=200, lag=LAG)
        assert allotment is not None
        assert allotment.maximum <= 0.3 * main


# G9
def test_a_negative_clock_counts_as_zero():
    clock = Clock(Absolute(60.0))
    clock.report(-3.0, 0)
    allotment = allot(clock.read(), points=361, move_number=0, lag=LAG)
    assert allotment == Allotment(0.0, 0.0)
    clock = Clock(Canadian(0.0, 60.0, 5))
    clock.report(-1.0, 2)
    assert clock.read().period == 0.0
    with pytest.raises(HonteError):
        clock.report(-11.0, 0)


def test_canadian_periods_renew():
    clock = Clock(Canadian(0.0, 30.0, 2))
    clock.spend(10.0)
    assert (clock.read().period, clock.read().moves) == (20.0, 1)
    clock.spend(10.0)
    assert (clock.read().period, clock.read().moves) == (30.0, 2)


def test_main_time_runs_over_into_byo_yomi():
    clock = Clock(ByoYomi(10.0, 5.0, 3))
    clock.spend(17.0)
    reading = clock.read()
    assert reading.in_overtime
    assert (reading.main, reading.period, reading.moves) == (0.0, 5.0, 2)


def test_byo_yomi_reports_count_periods():
    clock = Clock(ByoYomi(10.0, 5.0, 3))
    clock.report(4.0, 2)
    assert (clock.read().period, clock.read().moves) == (4.0, 2)


def test_fischer_adds_and_caps():
    clock = Clock(Fischer(10.0, 5.0, 12.0, None))
    clock.spend(1.0)
    assert clock.read().main == 12.0


def test_time_left_without_settings_is_a_clock_and_after_no_limit_is_none():
    clock = Clock()
    clock.report(30.0, 0)
    assert clock.read().main == 30.0
    free = Clock(NoLimit())
    free.report(30.0, 0)
    assert allot(free.read(), points=361, move_number=0, lag=LAG) is None


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_impossible_times_are_refused(value):
    for make in (Absolute, lambda v: Canadian(v, 1.0, 1), lambda v: ByoYomi(1.0, v, 1)):
        with pytest.raises(HonteError):
            make(value)


def result(seconds, simulations, *visits, q=0.0):
    import numpy as np

    children = tuple(
        ChildStatistics(
            action=action,
            n=n,
            w=n * q,
            q=q,
            p=0.5,
            u=0.0,
            score_lead=None,
            lower_confidence_bound=q,
            principal_variation=(action,),
        )
        for action, n in visits
    )
    return SearchResult(
        action=children[0].action,
        player=0,
        visits=simulations + 1,
        simulations=simulations,
        value=q,
        raw_value=q,
        utility=q,
        score_lead=None,
        score_stdev=None,
        policy=np.zeros(3),
        prior=np.zeros(3, np.float32),
        children=children,
        principal_variation=(),
        stop_reason=StopReason.TIME,
        seconds=seconds,
        nodes=simulations,
        evaluations=simulations,
        cache_hits=0,
    )


def test_a_decided_search_stops_early_and_an_undecided_one_goes_on():
    pace = Pace(Allotment(10.0, 30.0))
    assert pace.should_stop(result(6.0, 600, (0, 550), (1, 50)))
    pace = Pace(Allotment(10.0, 30.0))
    assert not pace.should_stop(result(6.0, 600, (0, 310), (1, 290)))


def test_a_change_of_mind_buys_time():
    calm, torn = Pace(Allotment(10.0, 30.0)), Pace(Allotment(10.0, 30.0))
    assert not calm.should_stop(result(1.0, 100, (0, 60), (1, 40)))
    assert calm.should_stop(result(10.0, 1000, (0, 510), (1, 490)))
    assert not torn.should_stop(result(1.0, 100, (0, 60), (1, 40)))
    assert not torn.should_stop(result(9.0, 900, (1, 455), (0, 445)))
    assert not torn.should_stop(result(10.0, 1000, (1, 510), (0, 490)))


def test_a_falling_value_buys_time():
    pace = Pace(Allotment(10.0, 30.0))
    assert not pace.should_stop(result(1.0, 100, (0, 60), (1, 40), q=0.4))
    assert not pace.should_stop(result(10.0, 1000, (0, 510), (1, 490), q=0.1))


def test_the_maximum_is_a_maximum():
    assert Pace(Allotment(10.0, 12.0)).should_stop(result(12.0, 10, (0, 5), (1, 5)))


def test_random_games_on_random_clocks():
    dice = random.Random(7)
    for _ in range(60):
        system = dice.choice(
            [
                Absolute(dice.uniform(60, 3600)),
                Canadian(dice.uniform(0, 600), dice.uniform(20, 300), dice.randint(1, 25)),
                ByoYomi(dice.uniform(0, 600), dice.uniform(2, 60), dice.randint(1, 5)),
                Fischer(dice.uniform(30, 600), dice.uniform(1, 20)),
            ]
        )
        if isinstance(system, Canadian) and system.period / system.stones < 0.5:
            continue  # no engine can move that fast with this lag
        assert play_on_one_clock(system, 150, share_of_maximum=dice.random()) > 0, system
