"""A match over several machines is the match on one, whatever becomes of the machines."""

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")

from honte.cluster import connect
from honte.cluster.matches import ClusterPlayrooms
from honte.lab.board_games import GameSpec
from honte.lab.runner import Match
from honte.lab.schedule import RoundRobin
from honte.lab.store import Store
from lab_players import plain_match, uct
from ray_cluster import nodes

GAME = GameSpec(name="connect-four")


def play(path, players, pairs, on_progress=None, playrooms=None):
    plan = RoundRobin(tuple(player.name for player in players), pairs)
    with Store(path) as store:
        match = Match(
            store,
            players,
            plan,
            game=GAME,
            match=plain_match(plies=3, seed=5),
            at_once=4,
            open_playroom=playrooms,
        )
        return match.run(on_progress)


def told(rows):
    """What a game was, without how long it took."""
    return {row.fixture: (row.actions, row.ending, row.result, row.margin) for row in rows}


def test_a_machine_that_dies_in_the_middle_costs_no_game(tmp_path):
    players = [uct("a", 900), uct("b", 500), uct("c", 200)]
    alone = play(tmp_path / "alone.sqlite", players, 8)
    with nodes(3) as (ray_cluster, machines), connect(ray_cluster.address) as cluster:
        said = []
        playrooms = ClusterPlayrooms(cluster, said.append)
        seen = []

        def kill(progress):
            seen.append((progress.done, playrooms.machines))
            if progress.done == 10:
                ray_cluster.remove_node(machines[2])

        spread = play(tmp_path / "spread.sqlite", players, 8, kill, playrooms)
    assert len(spread) == 48
    with Store(tmp_path / "spread.sqlite") as store:
        stored = store.games()
    assert len(stored) == len({row.fixture for row in stored}) == 48
    assert told(stored) == told(alone)
    assert any("is gone; others take over its games" in sentence for sentence in said)
    assert {machines for done, machines in seen if 1 <= done <= 10} == {3}
    assert seen[-1] == (48, 2)
