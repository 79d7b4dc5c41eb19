"""The programs of examples/ run as written and say what they promise."""

import re
import runpy

import numpy as np
import pytest

from honte.cli.main import main
from shared_data import REPOSITORY


def load(name):
    return runpy.run_path(str(REPOSITORY / "examples" / name))


def test_a_numpy_network_guides_a_search(capsys):
    load("numpy_evaluator.py")["main"]()
    lines = capsys.readouterr().out.splitlines()
    visits = [int(re.search(r"(\d+) visits", line)[1]) for line in lines]
    assert len(visits) == 3
    assert visits == sorted(visits, reverse=True)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_network_of_a_framework_guides_a_search(framework, capsys):
    pytest.importorskip(framework)
    load(f"{framework}_evaluator.py")["main"]()
    assert re.fullmatch(
        r"(action|column) \d+, value [+-]0\.\d{3} for the side to move\n", capsys.readouterr().out
    )


@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
def test_an_evaluator_takes_less_than_forty_lines(name):
    text = (REPOSITORY / "examples" / f"{name}_evaluator.py").read_text("utf-8")
    assert len(text.splitlines()) < 40


def test_a_position_of_a_real_game_is_analysed(capsys):
    load("analyse_position.py")["main"](visits=100)
    first, *candidates = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"Before move 78: White wins \d+%", first)
    assert len(candidates) == 5


def test_self_play_makes_examples_whose_outcomes_sum_to_nothing(capsys):
    examples = load("self_play.py")["play"](seed=3, visits=50)
    printed = capsys.readouterr().out
    score = float(re.search(r"([+-][\d.]+) points", printed)[1])
    assert len(examples) == len(printed.splitlines()[0].split())
    black, white = examples[0].outcome, examples[1].outcome
    assert black == -white == (-1.0 if score > 0 else 1.0)
    for example in examples:
        assert example.policy.sum() == pytest.approx(1.0)
        assert np.isfinite(example.observation).all()


def test_a_network_of_one_s_own_learns_connect_four(tmp_path, capsys, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(REPOSITORY / "examples"))
    load("own_network.py")["main"](tmp_path / "run", iterations=3)
    out = capsys.readouterr().out
    assert (tmp_path / "run" / "network.pt").exists()
    policy = [float(found) for found in re.findall(r"'loss/policy': ([0-9.]+)", out)]
    assert len(policy) == 3
    assert policy[-1] < policy[0]


def test_a_game_and_a_network_of_one_s_own_are_learned_by_the_same_command(tmp_path, capsys):
    pytest.importorskip("torch")
    file = str(REPOSITORY / "examples" / "own_run.toml")
    assert main(["train", "zero", file, "--run", str(tmp_path / "run")]) == 0
    assert (tmp_path / "run" / "network.pt").exists()
    assert main(["runs", str(tmp_path / "run")]) == 0
    table = capsys.readouterr().out
    first, last = re.search(r"loss/policy\s*│\s*([\d.]+)\s*│\s*([\d.]+)", table).groups()
    assert float(last) < float(first)


def test_regret_on_slot_machines_grows_as_the_papers_say():
    """UCB1's grows by as much each time that the pulls double [Auer 2002]; PUCT with a good prior
    loses less, and with a bad one ends on the best machine all the same."""
    program = load("bandit_regret.py")
    pulls, chances = program["PULLS"], program["CHANCES"]
    curves = {}
    for name, system in program["SYSTEMS"].items():
        curves[name] = program["regret"](*system, runs=50, seed=1).mean(0)
    ucb1, good, bad = curves["UCB1"], curves["PUCT, good prior"], curves["PUCT, bad prior"]

    gaps = chances.max() - chances
    bound = 8 * sum(1 / gaps[gaps > 0]) * np.log(pulls) + (1 + np.pi**2 / 3) * gaps.sum()
    assert (ucb1 < bound).all()
    late = np.diff(ucb1)[-3:]  # for each doubling: equal for ln N, doubling for N
    assert late.max() < 1.4 * late.min()

    assert (good < ucb1 / 2).all()

    assert bad[0] > 2 * good[0]
    rate = np.diff(bad) / np.diff(pulls)
    assert rate[-1] < rate[0] / 4
    assert rate[-1] < 0.02
