"""The simulation of many machines agrees with what can be reckoned by hand."""

import pytest

from honte.lab.scaling import Costs, Limit, simulate, simulate_rounds


def costs(**changes):
    # A game takes 100 seconds.
    given = {"evaluations_per_second": 3200, "visits": 1600, "moves": 200, **changes}
    return Costs(**given)


def test_few_machines_play_as_fast_as_they_can():
    made = simulate(10, costs(), games=4000)
    assert made.games_per_day == pytest.approx(10 * 864, rel=0.02)
    assert made.waiting < 0.001
    assert made.limit is Limit.PLAY
    assert simulate(20, costs(), games=4000).games_per_day == pytest.approx(
        2 * made.games_per_day, rel=0.03
    )


def test_the_link_ends_the_growth():
    """A second a game on the link is 86,400 games a day, whoever plays."""
    slow = costs(write_seconds=1.0, game_bytes=1, samples_per_second=1e9)
    made = simulate(1000, slow)
    assert made.games_per_day == pytest.approx(86_400, rel=0.02)
    assert made.limit is Limit.LINK
    assert made.waiting > 0.8


def test_waiting_is_that_of_a_queue_with_fixed_service():
    """Pollaczek and Khinchine: a wait of ρs / (2(1 − ρ)) and the service s itself; many machines
    come nearly at random."""
    share, machines = 0.8, 2000
    service = share * 100 / machines
    made = simulate(
        machines,
        costs(write_seconds=service, game_bytes=1e-9, network_bytes=1e-9),
        games=60_000,
    )
    expected = service + share * service / (2 * (1 - share))
    assert made.link == pytest.approx(share, rel=0.03)
    assert made.waiting * 100 == pytest.approx(expected, rel=0.25)


def test_a_slow_learner_leaves_positions_behind():
    """100 machines make 200 positions a second each hundred seconds: 200 a second in all."""
    made = simulate(100, costs(samples_per_second=50.0))
    assert made.unlearned == pytest.approx(0.75, abs=0.02)
    assert made.learner == pytest.approx(1.0, abs=0.02)
    assert made.limit is Limit.LEARNER
    quick = simulate(100, costs(samples_per_second=800.0))
    assert quick.unlearned == pytest.approx(0.0, abs=0.02)
    assert quick.learner == pytest.approx(0.25, abs=0.02)


def test_a_learner_that_is_slow_still_makes_networks():
    """200 positions a second come, 50 are learned, a network takes 2 million: one each 11 hours,
    more time than the games of the simulation last."""
    made = simulate(100, costs(samples_per_second=50.0))
    assert made.networks_per_day == pytest.approx(86_400 * 50 / 2_048_000, rel=0.02)


def test_in_rounds_machines_wait_for_the_learner_and_the_last_game():
    """By hand: 10 machines play 1,000 games of 100 seconds in 10,000 seconds, the learner trains
    on 200,000 positions for 5,000."""
    given = costs(samples_per_second=40.0, game_bytes=1, network_bytes=1, write_seconds=0)
    made = simulate_rounds(10, given, 1000, spread=0.01)
    assert made.games_per_day == pytest.approx(86_400 * 1000 / 15_000, rel=0.02)
    assert made.learner == pytest.approx(1 / 3, abs=0.01)
    assert made.waiting == pytest.approx(1 / 3, abs=0.02)
    assert made.networks_per_day == pytest.approx(86_400 / 15_000, rel=0.02)
    assert made.limit is Limit.PLAY
    # Ten times the machines, and the learner takes five sixths of the time.
    many = simulate_rounds(100, given, 1000, spread=0.01)
    assert many.learner == pytest.approx(5 / 6, abs=0.01)
    assert many.limit is Limit.LEARNER


def test_a_round_of_few_games_leaves_machines_idle():
    """Fifteen games on ten machines last as long as twenty."""
    quick = costs(samples_per_second=1e9, game_bytes=1, network_bytes=1, write_seconds=0)
    made = simulate_rounds(10, quick, 15, spread=0.001)
    assert made.waiting == pytest.approx(0.25, abs=0.01)
    few = simulate_rounds(10, quick, 2, spread=0.001)
    assert (few.waiting, few.limit) == (pytest.approx(0.8, abs=0.01), Limit.ROUND)


def test_networks_come_as_often_as_steps_allow():
    """200 positions a second, 2000 a network: one each ten seconds."""
    made = simulate(100, costs(samples_per_second=1e6, batch=100, steps_per_network=20))
    assert made.networks_per_day == pytest.approx(8640, rel=0.03)
    # A game of 100 seconds ends with a network that was 0 to 10 seconds old at its start.
    assert 100 < made.network_age < 115
