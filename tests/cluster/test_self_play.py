"""A run from nothing makes the same games and the same network on several machines."""

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")
pytest.importorskip("torch", reason="needs PyTorch: pip install 'honte[train]'")

from honte.cluster.learning import ClusterLearning
from honte.cluster.self_play import ClusterSelfPlay
from honte.training.zero.loop import run_zero
from tiny_runs import tiny_run

TINY = tiny_run({"games": 12, "at_once": 3, "temperature_moves": 4}, {"uses": 6}, iterations=2)


@pytest.mark.parametrize("dies", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_run_is_the_same_on_several_machines_even_if_one_dies(nodes, cluster, tmp_path, dies):
    run_zero(tmp_path / "alone" / "run", TINY)
    nodes.have(3 if dies else 2)
    playing = []
    rounds, learning = ClusterSelfPlay(cluster, TINY), ClusterLearning(cluster, TINY)

    def kill(progress):
        if progress.doing.startswith("playing"):
            if dies and not playing:
                nodes.kill_one()
            playing.append(progress.doing)

    try:
        run_zero(
            tmp_path / "spread" / "run",
            TINY,
            on_progress=kill,
            play_round=rounds,
            take_steps=learning,
        )
        assert learning.machine in cluster.machines()
    finally:
        learning.close()
        rounds.close()
    assert playing == 2 * [f"playing {number}/12" for number in range(1, 13)]
    for name in ("games/games-00000.npz", "games/games-00001.npz", "network.onnx"):
        alone, spread = (tmp_path / where / "run" / name for where in ("alone", "spread"))
        assert alone.read_bytes() == spread.read_bytes(), name
