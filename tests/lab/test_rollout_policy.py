"""Rollouts by the shipped policy against uniformly random ones, in matches."""

from __future__ import annotations

import pytest

from honte.cli.main import main
from honte.evaluation import PatternPolicy
from honte.lab.evaluators import Evaluators
from honte.lab.reading import parse_player
from honte.lab.store import Store


def test_a_player_names_its_rollouts() -> None:
    player = parse_player("name=a;preset=uct;rollouts=3;rollout_policy=patterns;visits=9")
    evaluator = Evaluators().of(player)
    assert evaluator.count == 3
    assert evaluator.policy is PatternPolicy.shipped()


def test_a_policy_that_is_not_there_is_refused(capsys, tmp_path) -> None:
    players = [f"name={name};preset=uct;rollout_policy=none.npz;visits=9" for name in "ab"]
    store = ["--store", str(tmp_path / "m.sqlite"), "--size", "5", "--games", "2"]
    assert main(["match", *players, *store]) == 2
    assert "There is no rollout policy at none.npz." in capsys.readouterr().err


@pytest.mark.slow
def test_patterns_beat_uniform_rollouts_at_equal_time(tmp_path) -> None:
    """60 games of 9 × 9, 80 ms a move each: about 3 minutes on two cores."""
    common = "preset=uct;seconds=0.08;keep_tree=false"
    players = [f"name=patterns;rollout_policy=patterns;{common}", f"name=uniform;{common}"]
    store = str(tmp_path / "match.sqlite")
    assert main(["match", *players, "--size", "9", "--games", "60", "--store", store]) == 0
    with Store(store) as played:
        games = played.games()
    won = sum(
        game.result if game.fixture.first == "patterns" else 1 - game.result for game in games
    )
    assert won > 30
