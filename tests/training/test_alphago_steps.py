"""AlphaGo's steps of 2016 on a small board: policy gradient, then a value network."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from honte.cli.main import main  # noqa: E402
from honte.training.architecture import Architecture  # noqa: E402
from honte.training.checkpoint import load_checkpoint  # noqa: E402
from honte.training.distill import DistillOptions, run_distill  # noqa: E402
from honte.training.from_records import SampleOptions, make_samples  # noqa: E402
from honte.training.learner import OptimiserOptions  # noqa: E402
from honte.training.policy_games import Board, policies  # noqa: E402
from honte.training.reinforce import (  # noqa: E402
    ReinforceOptions,
    run_reinforce,
    trained_network,
)
from honte.training.runs import RunFolder  # noqa: E402
from honte.training.shards import Shard  # noqa: E402
from honte.training.value_games import errors_by_phase, make_value_games  # noqa: E402

BOARD = Board(5, komi=0.5)


@pytest.fixture(scope="module")
def supervised(tmp_path_factory):
    """A policy that has seen a few moves in the middle of 5 × 5, and knows little."""
    folder = tmp_path_factory.mktemp("supervised")
    game = "(;GM[1]SZ[5]KM[0.5]RE[B+R];B[cc];W[bc];B[bb];W[cd];B[dd];W[cb])"
    (folder / "games.sgf").write_text(game * 12)
    make_samples([folder / "games.sgf"], folder / "s", SampleOptions(), workers=1)
    options = DistillOptions(
        samples=folder / "s",
        architecture=Architecture(1, 16, pooling_every=0, head_channels=8, value_hidden=16),
        optimiser=OptimiserOptions(workers=1),
        steps=10,
        batch_size=32,
    )
    run_distill(folder / "run", options)
    return folder / "run"


def test_policies_hold_legal_moves_alone(supervised):
    state = BOARD.new_game()
    state.apply_action(12)
    (chances,) = policies(trained_network(supervised), [state])
    assert chances[12] == 0
    assert chances.sum() == pytest.approx(1)


def options(supervised, **changes):
    given = {
        "start": supervised, "board": BOARD, "iterations": 4, "games": 16, "pool_every": 2,
        "measured_games": 16, "workers": 1, "seed": 3,
    }  # fmt: skip
    return ReinforceOptions(**{**given, **changes})


def test_an_interrupted_run_ends_with_the_same_weights(supervised, tmp_path):
    class Enough(Exception):
        pass

    def stop(done, won, measured):
        if done == 3:
            raise Enough

    run_reinforce(tmp_path / "whole", options(supervised))
    with pytest.raises(Enough):
        run_reinforce(tmp_path / "broken", options(supervised), on_progress=stop)
    run_reinforce(tmp_path / "broken", options(supervised))
    whole, broken = (load_checkpoint(tmp_path / n / "checkpoint.pt") for n in ("whole", "broken"))
    assert len(whole["pool"]) == len(broken["pool"]) == 3
    for name, weights in whole["learner"]["mean"].items():
        assert torch.equal(weights, broken["learner"]["mean"][name])


@pytest.mark.slow
def test_the_reinforced_policy_beats_the_supervised_one(supervised, tmp_path):
    run = options(
        supervised, iterations=30, games=64, pool_every=10, measured_games=200, learning_rate=1e-3
    )
    run_reinforce(tmp_path / "run", run)
    last = list(RunFolder(tmp_path / "run").metrics())[-1]
    assert last["win_rate_against_supervised"] > 0.6


def test_a_game_gives_one_sample_and_held_out_ones_have_rollouts(supervised, tmp_path):
    network = trained_network(supervised)
    make_value_games(network, network, BOARD, 40, tmp_path / "s", held_out=20, seed=1)
    shard = Shard.load(tmp_path / "s" / "shard-00000.npz")
    assert len(np.unique(shard.game)) == len(shard) == 40
    assert set(np.unique(shard.value)) <= {-1.0, 1.0}
    phases = errors_by_phase(network, tmp_path / "s", phases=2)
    assert sum(phase.positions for phase in phases) == 20
    assert phases[0].last_move <= phases[1].first_move
    assert all(0 <= phase.rollouts <= 4 and 0 <= phase.network <= 4 for phase in phases)


def test_the_commands_run_one_after_another(supervised, tmp_path, capsys):
    """reinforce, value-games, value: as the how-to page has them."""
    rl, samples = str(tmp_path / "rl"), str(tmp_path / "samples")
    board = ["--size", "5", "--komi", "0.5"]
    assert main(["train", "reinforce", rl, "--start", str(supervised), *board, "--games", "8",
                 "--iterations", "1", "--workers", "1"]) == 0  # fmt: skip
    assert main(["train", "value-games", "--supervised", str(supervised), "--reinforced", rl,
                 "--out", samples, *board, "--games", "64", "--held-out", "24"]) == 0  # fmt: skip
    assert main(["train", "value", str(tmp_path / "value"), "--samples", samples, "--blocks", "1",
                 "--channels", "16", "--steps", "6", "--batch-size", "32"]) == 0  # fmt: skip
    out = capsys.readouterr().out
    assert "mean squared error on held-out games" in out
    assert out.count("playouts") == 5
