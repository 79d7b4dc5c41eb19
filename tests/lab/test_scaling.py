"""The simulation of many machines agrees with what can be reckoned by hand."""

import pytest

from honte.lab.scaling import Costs, simulate


def costs(**changes):
    # A game takes 100 seconds.
    given = {"evaluations_per_second": 3200, "visits": 1600, "moves": 200, **changes}
    return Costs(**given)


def test_few_machines_play_as_fast_as_they_can():
    made = simulate(10, costs(), games=4000)
    assert made.games_per_day == pytest.approx(10 * 864, rel=0.02)
    assert made.waiting < 0.001
    assert made.limit == "the machines that play"
    assert simulate(20, costs(), games=4000).games_per_day == pytest.approx(
        2 * made.games_per_day, rel=0.03
    )


def test_the_link_ends_the_growth():
    """A second a game on the link is 86,400 games a day, whoever plays."""
    slow = costs(write_seconds=1.0, game_bytes=1, samples_per_second=1e9)
    made = simulate(1000, slow)
    assert made.games_per_day == pytest.approx(86_400, rel=0.02)
    assert made.limit == "the store's link"
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
    assert made.limit == "the learner"
    quick = simulate(100, costs(samples_per_second=800.0))
    assert quick.unlearned == pytest.approx(0.0, abs=0.02)
    assert quick.learner == pytest.approx(0.25, abs=0.02)


def test_networks_come_as_often_as_steps_allow():
    """200 positions a second, 2000 a network: one each ten seconds."""
    made = simulate(100, costs(samples_per_second=1e6, batch=100, steps_per_network=20))
    assert made.networks_per_day == pytest.approx(8640, rel=0.03)
    # A game of 100 seconds ends with a network that was 0 to 10 seconds old at its start.
    assert 100 < made.network_age < 115
