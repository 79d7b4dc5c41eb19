"""The rollout policy from records: it learns what is played, resumes exactly, refuses in words."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from honte.cli.main import main  # noqa: E402
from honte.errors import HonteError  # noqa: E402
from honte.evaluation import PatternPolicy  # noqa: E402
from honte.games.go import Go, parse_vertex  # noqa: E402
from honte.training.checkpoint import load_checkpoint  # noqa: E402
from honte.training.from_records import SampleOptions, make_samples  # noqa: E402
from honte.training.rollout_policy import (  # noqa: E402
    Moves,
    RolloutOptions,
    Vocabulary,
    run_rollout,
)
from honte.training.runs import RunFolder  # noqa: E402
from honte.training.shards import Shard, shard_paths  # noqa: E402

CAPTURES = "".join(
    # White puts a stone beside Black's in a corner; Black takes it wherever it can.
    f"(;GM[1]SZ[9]KM[7]RE[B+R];B[{a}];W[aa];B[{b}];W[{c}])"
    for a, b, c in [("ba", "ab", "ee"), ("ab", "ba", "ff"), ("ba", "ab", "gg"), ("ab", "ba", "ef")]
)


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    (folder / "games.sgf").write_text(CAPTURES * 10)
    make_samples([folder / "games.sgf"], folder / "s", SampleOptions(held_out=4), workers=1)
    return RolloutOptions(
        samples=folder / "s", steps=60, batch_size=16, least_seen=5, learning_rate=0.1,
        checkpoint_every=20,
    )  # fmt: skip


def test_a_run_learns_to_take_the_stone(options, tmp_path) -> None:
    run_rollout(tmp_path / "run", options)
    policy = PatternPolicy.load(tmp_path / "run" / "rollout.npz")
    state = Go(9).new_initial_state()
    for vertex in ("H9", "J9"):  # in another corner, by symmetry
        state.apply_action(parse_vertex(vertex, 9, 9))
    assert policy.probabilities(state)[parse_vertex("J8", 9, 9)] > 0.5
    last = list(RunFolder(tmp_path / "run").metrics())[-1]
    assert last["held_out/top1"] > 0.25, "one move of four can be known, and is"


def test_the_gradient_is_that_of_the_loss(options) -> None:
    shard = Shard.load(shard_paths(options.samples)[0])
    vocabulary = Vocabulary(np.array([0], np.uint16), np.zeros(0, np.uint32))
    moves = Moves.of(shard, vocabulary)
    random = np.random.default_rng(1)
    weights = random.normal(size=len(vocabulary))
    _, gradient = moves.gradient(weights, vocabulary)
    for place in range(len(vocabulary)):
        step = np.zeros(len(vocabulary))
        step[place] = 1e-5
        above, below = (moves.gradient(weights + s, vocabulary)[0] for s in (step, -step))
        assert (above - below) / 2e-5 == pytest.approx(gradient[place], abs=1e-6)


def test_an_interrupted_run_ends_with_the_same_weights(options, tmp_path) -> None:
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.step >= 30:
            raise Enough

    run_rollout(tmp_path / "whole", options)
    with pytest.raises(Enough):
        run_rollout(tmp_path / "broken", options, on_progress=stop)
    run_rollout(tmp_path / "broken", options)
    whole, broken = (load_checkpoint(tmp_path / n / "checkpoint.pt") for n in ("whole", "broken"))
    assert torch.equal(whole["adam"]["vectors"], broken["adam"]["vectors"])


def test_the_command_trains_and_says_what_is_missing(options, tmp_path, capsys) -> None:
    run = str(tmp_path / "run")
    given = ["train", "rollout", run, "--samples", str(options.samples), "--steps", "20"]
    assert main(given) == 0
    assert "rollout.npz" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert (
        main(["train", "rollout", str(tmp_path / "r"), "--samples", str(tmp_path / "empty")]) == 2
    )
    assert "holds no samples" in capsys.readouterr().err
    assert main([*given, "--diamonds", "3"]) == 2
    assert "began with diamonds" in capsys.readouterr().err


def test_a_run_without_steps_is_refused(options) -> None:
    with pytest.raises(HonteError, match="steps is at least 1"):
        RolloutOptions(samples=options.samples, steps=0)
