"""``--cluster`` on the command line: stopped or killed, it leaves its games and no processes."""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")

import ray

from honte.lab.store import Store
from patience import PATIENCE, until

ARGUMENTS = [
    "match", "name=a;preset=uct;visits=2000", "name=b;preset=uct;visits=1000", "--games", "60",
    "--game", "connect-four", "--openings", "3", "--to-the-end", "--at-once", "2",
]  # fmt: skip


def start(address, store):
    return subprocess.Popen(
        [sys.executable, "-c", "from honte.cli.main import run; run()", *ARGUMENTS,
         "--store", str(store), "--cluster", address],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


def games(store):
    if not store.exists():
        return []
    with Store(store) as file:
        return file.games()


def nobody_works():
    """Every desk holds a core."""
    return ray.available_resources().get("CPU") == ray.cluster_resources()["CPU"]


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_match_that_is_stopped_leaves_no_process_and_goes_on(end, nodes, cluster, tmp_path):
    nodes.have(2)
    until(nobody_works)
    store = tmp_path / "match.sqlite"
    process = start(nodes.address, store)
    until(lambda: len(games(store)) >= 4)
    process.send_signal(end)
    printed = process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if end == signal.SIGINT else -signal.SIGKILL)
    if end == signal.SIGINT:
        assert f"Stopped; the same command goes on with {store}." in " ".join(printed[1].split())
    held = games(store)
    assert 4 <= len(held) < 60
    until(nobody_works)
    again = start(nodes.address, store)
    printed, said = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, said
    assert "60 games" in printed
    found = games(store)
    assert found[: len(held)] == held
    assert len(found) == len({game.fixture for game in found}) == 60
