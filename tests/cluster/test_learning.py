"""A learner on another machine learns what one in this process does, whatever becomes of it."""

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")
pytest.importorskip("torch", reason="needs PyTorch: pip install 'honte[train]'")

import torch

from honte.cluster.connection import Machine
from honte.cluster.learning import ClusterLearning
from honte.cluster.workforce import MOST_LOSSES
from honte.errors import HonteError
from honte.evaluation import Uniform
from honte.training.zero.game import open_game
from honte.training.zero.lessons import Lesson, new_learner, steps_here
from honte.training.zero.replay import Replay
from honte.training.zero.self_play import play_games
from tiny_runs import tiny_run

CONFIG = tiny_run({"games": 12, "at_once": 4, "temperature_moves": 4}, {"window_first": 60})


@pytest.fixture(scope="module")
def rounds(tmp_path_factory):
    """Three rounds of games without a network, and how many samples each has."""
    replay = Replay(tmp_path_factory.mktemp("run") / "games")
    game, counts = open_game(CONFIG.game), []
    for number in range(3):
        samples, _ = play_games(game, CONFIG.self_play, Uniform(), 12 * number, seed=1)
        replay.add(number, samples)
        counts.append(len(samples))
    return replay, tuple(counts)


def learned(take_steps, rounds, after=lambda step: None):
    """What 250 steps over the rounds come to: the losses of each, and all weights."""
    replay, counts = rounds
    learner = new_learner(CONFIG)
    losses = []
    for number, end in enumerate((20, 130, 250), 1):
        for step in take_steps(learner, replay, Lesson(counts[:number], end, 2e-3)):
            losses.append(step.losses)
            after(len(losses))
        assert learner.steps == end
    return losses, learner.state()


def same(one, other):
    return all(
        torch.equal(one[1][part][name], other[1][part][name])
        for part in ("network", "mean")
        for name in one[1][part]
    ) and str(one) == str(other)


class Learning(ClusterLearning):
    """What learns on the cluster, and what it said."""

    def __init__(self, cluster, config=CONFIG):
        self.said = []
        super().__init__(cluster, config, self.said.append)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def kill_process(self):
        """End the process that learns, as if its memory had run out."""
        self._ray.kill(self._elsewhere.actor, no_restart=True)


@pytest.fixture(scope="module")
def alone(rounds):
    """What learning in this process comes to."""
    return learned(steps_here(CONFIG), rounds)


def test_a_learner_elsewhere_learns_the_same(cluster, nodes, rounds, alone):
    nodes.have(3)
    with Learning(cluster) as there:
        assert same(learned(there, rounds), alone)
        assert there.machine.identity != cluster.here()
        assert there.said == [f"The machine {there.machine} learns, on its processor."]


def test_a_learner_whose_machine_dies_goes_on_elsewhere(cluster, nodes, rounds, alone):
    """In the middle between two checkpoints, so that steps are taken twice, and told once."""
    nodes.have(3)
    with Learning(cluster) as there:
        machines = []

        def kill(step):
            machines.append(there.machine)
            if step == 60:
                nodes.kill(there.machine)

        assert same(learned(there, rounds, kill), alone)
    assert len(set(machines[:60])) == len(set(machines[-100:])) == 1
    assert machines[0] != machines[-1]
    assert any("which learned, is gone" in sentence for sentence in there.said)


@pytest.mark.slow
def test_a_learner_whose_process_ends_goes_on_on_its_machine(cluster, nodes, rounds, alone):
    nodes.have(2)
    with Learning(cluster) as there:
        assert same(learned(there, rounds, lambda step: step == 21 and there.kill_process()), alone)
        assert any("has ended; one more goes on" in sentence for sentence in there.said)


@pytest.mark.slow
def test_processes_that_end_again_and_again_are_a_sentence(cluster, nodes, rounds, monkeypatch):
    nodes.have(2)
    with Learning(cluster) as there:
        ask = there._ask

        def end(elsewhere, task):
            there.kill_process()
            return ask(elsewhere, task)

        monkeypatch.setattr(there, "_ask", end)
        with pytest.raises(HonteError, match=f"{MOST_LOSSES} processes that learned have ended"):
            learned(there, rounds)


def test_what_cannot_be_learned_is_a_sentence_with_the_machine(cluster, nodes, rounds):
    nodes.have(2)
    wild = CONFIG.model_copy(
        update={"training": CONFIG.training.model_copy(update={"learning_rate": 1e30})}
    )
    replay, counts = rounds
    with (
        Learning(cluster, wild) as there,
        pytest.raises(HonteError, match=r"On the machine 127\.0\.0\.1 .*no longer finite"),
    ):
        for _ in there(new_learner(wild), replay, Lesson(counts, 200, 1e30)):
            pass


def test_a_machine_with_a_gpu_learns_before_one_with_many_cores(cluster):
    there = ClusterLearning(cluster, CONFIG)
    here = Machine(cluster.here(), "", 8, 0)
    small, large, with_gpu = (
        Machine(name, "", cpus, gpus)
        for name, cpus, gpus in (("s", 4, 0), ("l", 8, 0), ("g", 1, 1))
    )
    machines = [here, small, large, with_gpu]
    assert sorted(machines, key=there._preference) == [with_gpu, large, here, small]
