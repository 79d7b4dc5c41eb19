"""A match over several machines is the match on one, whatever becomes of the machines."""

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")

from honte.cluster.matches import ClusterPlayrooms
from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.runner import Match
from honte.lab.schedule import RoundRobin
from honte.lab.store import Store
from lab_players import engine, plain_match, uct
from patience import until

GAME = GameSpec(name="connect-four")


def play(path, players, pairs, on_progress=None, playrooms=None, game=GAME):
    plan = RoundRobin(tuple(player.name for player in players), pairs)
    with Store(path) as store:
        return Match(
            store,
            players,
            plan,
            game=game,
            match=plain_match(plies=3, seed=5),
            at_once=4,
            open_playroom=playrooms,
        ).run(on_progress)


def told(rows):
    """What a game was, without how long it took."""
    return {row.fixture: (row.actions, row.ending, row.result, row.margin) for row in rows}


def test_a_machine_that_dies_in_the_middle_costs_no_game(tmp_path, nodes, cluster):
    players = [uct("a", 400), uct("b", 250), uct("c", 100)]
    alone = play(tmp_path / "alone.sqlite", players, 8)
    nodes.have(3)
    seen = []
    playrooms = ClusterPlayrooms(cluster)

    def kill(progress):
        seen.append((progress.done, playrooms.machines))
        if progress.done == 10:
            nodes.kill_one()
            until(lambda: len(cluster.machines()) == 2)  # else the rest may be played before

    play(tmp_path / "spread.sqlite", players, 8, kill, playrooms)
    with Store(tmp_path / "spread.sqlite") as store:
        stored = store.games()
    assert len(stored) == len({row.fixture for row in stored}) == 48
    assert told(stored) == told(alone)
    assert {machines for done, machines in seen if 1 <= done <= 10} == {3}
    assert seen[-1] == (48, 2)


def test_a_player_that_cannot_play_is_named_with_its_machine(tmp_path, cluster):
    broken = engine("broken").model_copy(update={"command": "no-such-engine"})
    go = GameSpec(size=5)
    with pytest.raises(HonteError, match=r"On the machine 127\.0\.0\.1 .*'broken' cannot play"):
        play(tmp_path / "m.sqlite", [broken, uct("a", 9)], 1, None, ClusterPlayrooms(cluster), go)
    with Store(tmp_path / "m.sqlite") as store:
        assert store.games() == []
