"""Supervised learning and distillation: a run learns, resumes exactly, and notices changes."""

from dataclasses import replace

import numpy as np
import pytest

from honte.errors import HonteError
from honte.evaluation import NetworkEvaluator
from honte.games.go import Go
from honte.networks.katago_writer import write_katago

torch = pytest.importorskip("torch")

from honte.training.architecture import Architecture  # noqa: E402
from honte.training.checkpoint import load_checkpoint  # noqa: E402
from honte.training.distill import DistillOptions, run_distill  # noqa: E402
from honte.training.from_records import SampleOptions, make_samples  # noqa: E402
from honte.training.katago_export import to_katago  # noqa: E402
from honte.training.learner import OptimiserOptions  # noqa: E402
from honte.training.networks import GoNetwork  # noqa: E402
from honte.training.runs import RunFolder  # noqa: E402
from honte.training.teacher_games import make_teacher_games  # noqa: E402

SMALL = Architecture(2, 16, pooling_every=2, pooled_channels=4, head_channels=8, value_hidden=16)


def spiral_games(count):
    """Records of one opening: Black and White take turns along the third line, by rule."""
    line = [f"{a}{b}" for a, b in ("cc", "gc", "gg", "cg", "ec", "ge", "eg", "ce", "dd", "fd")]
    moves = "".join(f";{'BW'[i % 2]}[{point}]" for i, point in enumerate(line))
    return "".join(f"(;GM[1]SZ[9]KM[7]RU[Chinese]RE[B+R]{moves})" for _ in range(count))


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    (folder / "games.sgf").write_text(spiral_games(40))
    make_samples(
        [folder / "games.sgf"],
        folder / "s",
        SampleOptions(held_out=5, games_per_shard=20),
        workers=1,
    )
    return DistillOptions(
        samples=folder / "s",
        architecture=SMALL,
        optimiser=OptimiserOptions(learning_rate=1e-2, mean_decay=0.9),
        steps=60,
        batch_size=32,
        checkpoint_every=20,
    )


def test_a_run_learns_moves_and_winners_and_its_file_plays_them(options, tmp_path):
    run_distill(tmp_path / "run", options)
    last = list(RunFolder(tmp_path / "run").metrics())[-1]
    assert last["held_out/top1"] > 0.8
    assert last["held_out/value"] > 0.9
    said = NetworkEvaluator(tmp_path / "run" / "network.bin.gz").evaluate(
        [Go(9, komi=7).new_initial_state()]
    )
    best = int(said.policy[0].argmax())
    assert best in {2 * 9 + 2, 2 * 9 + 6, 6 * 9 + 2, 6 * 9 + 6}, "a 3-3 point, as in the games"
    assert said.values.win[0] > 0.5


def test_an_interrupted_run_ends_with_the_same_weights(options, tmp_path):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.step >= 30:
            raise Enough

    run_distill(tmp_path / "whole", options)
    with pytest.raises(Enough):
        run_distill(tmp_path / "broken", options, on_progress=stop)
    run_distill(tmp_path / "broken", options)
    states = [load_checkpoint(tmp_path / n / "checkpoint.pt") for n in ("whole", "broken")]
    for name, weights in states[0]["learner"]["mean"].items():
        assert torch.equal(weights, states[1]["learner"]["mean"][name]), name
    steps = [line["step"] for line in RunFolder(tmp_path / "broken").metrics()]
    assert steps == [20, 40, 60]


def test_a_changed_configuration_is_noticed(options, tmp_path):
    short = replace(options, steps=20)
    run_distill(tmp_path / "run", short)
    with pytest.raises(HonteError, match="began with batch_size = 32 and is now asked for 16"):
        run_distill(tmp_path / "run", replace(short, batch_size=16))
    run_distill(tmp_path / "run", replace(short, steps=24))


def test_distillation_takes_over_what_the_teacher_says(tmp_path):
    """A student that only sees the teacher's games ends nearer to it than it began."""
    torch.manual_seed(1)
    teacher_network = GoNetwork(SMALL)
    with torch.no_grad():
        for parameter in teacher_network.parameters():
            if parameter.ndim == 2:
                parameter.copy_(torch.randn_like(parameter) * parameter.shape[1] ** -0.5)
        teacher_network.policy_head.logits.weight.mul_(4.0)  # clear preferences
    path = tmp_path / "teacher.bin.gz"
    write_katago(to_katago(teacher_network, "teacher"), path)
    teacher = NetworkEvaluator(path)
    make_teacher_games(teacher, 5, 5, 400, tmp_path / "s", share=1.0)
    options = DistillOptions(
        samples=tmp_path / "s",
        teacher=path,
        architecture=SMALL,
        optimiser=OptimiserOptions(learning_rate=1e-2, mean_decay=0.9),
        steps=80,
        batch_size=32,
        checkpoint_every=20,
    )
    run_distill(tmp_path / "run", options)
    lines = list(RunFolder(tmp_path / "run").metrics())
    for part in ("policy", "value", "score", "ownership"):
        assert lines[-1][f"loss/{part}"] < lines[0][f"loss/{part}"], part
    student = NetworkEvaluator(tmp_path / "run" / "network.bin.gz")
    fresh = tmp_path / "fresh.bin.gz"
    write_katago(to_katago(GoNetwork(SMALL), "fresh"), fresh)
    states = [Go(5).new_initial_state()]
    for action in (12, 7, 11, 13, 17, 6, 16, 8):
        states.append(states[-1].clone())
        states[-1].apply_action(action)
    wanted = teacher.evaluate(states).policy

    def distance(evaluator):
        said = np.maximum(evaluator.evaluate(states).policy, 1e-9)
        return float((wanted * (np.log(np.maximum(wanted, 1e-9)) - np.log(said))).sum())

    assert distance(student) < 0.9 * distance(NetworkEvaluator(fresh))


def test_a_teacher_that_is_no_network_and_too_few_samples_are_sentences(options, tmp_path):
    (tmp_path / "teacher.bin.gz").write_bytes(b"nothing")
    with pytest.raises(HonteError, match=r"teacher\.bin\.gz"):
        run_distill(tmp_path / "a", replace(options, teacher=tmp_path / "teacher.bin.gz"))
    with pytest.raises(HonteError, match="do not fill one batch of 4096"):
        run_distill(tmp_path / "b", replace(options, batch_size=4096))
