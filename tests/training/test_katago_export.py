"""A trained network of Go is the same network in PyTorch, in its KataGo file and in ONNX."""

import os
import shutil
import subprocess

import numpy as np
import pytest

from honte.evaluation import NetworkEvaluator
from honte.games.go import Go, Rules
from honte.networks import load
from honte.networks.backends import BackendOptions, Precision, open_backend
from honte.networks.katago_writer import write_katago
from patience import PATIENCE

torch = pytest.importorskip("torch")

from honte.training.architecture import Architecture  # noqa: E402
from honte.training.katago_export import to_katago  # noqa: E402
from honte.training.networks import GoNetwork  # noqa: E402

ARCHITECTURES = {
    "plain": Architecture(2, 16, pooling_every=0, head_channels=8, value_hidden=12),
    "pooling": Architecture(3, 16, pooling_every=2, pooled_channels=5, head_channels=8),
}


def random_network(architecture: Architecture) -> GoNetwork:
    """Every weight away from its start, so that no layer is the identity."""
    torch.manual_seed(3)
    network = GoNetwork(architecture)
    with torch.no_grad():
        for parameter in network.parameters():
            scale = 0.7 * parameter.shape[-1] ** -0.5 if parameter.ndim == 2 else 0.3
            parameter.copy_(torch.randn_like(parameter) * scale)
    return network


def positions(sizes):
    """Inputs of random boards in the top left corner of the largest."""
    height, width = max(h for h, _ in sizes), max(w for _, w in sizes)
    random = np.random.default_rng(5)
    spatial = np.zeros((len(sizes), 22, height, width), np.float32)
    for row, (h, w) in enumerate(sizes):
        spatial[row, :, :h, :w] = random.random((22, h, w)) < 0.3
        spatial[row, 0, :h, :w] = 1
    return spatial, random.standard_normal((len(sizes), 19)).astype(np.float32)


@pytest.mark.parametrize("kind", ARCHITECTURES)
@pytest.mark.parametrize("sizes", [[(19, 19)] * 2, [(9, 9), (19, 19), (7, 13)]])
def test_the_exported_file_answers_as_pytorch_does(tmp_path, kind, sizes):
    network = random_network(ARCHITECTURES[kind])
    write_katago(to_katago(network, kind), tmp_path / "network.bin.gz")
    exported = load(tmp_path / "network.bin.gz")
    spatial, numbers = positions(sizes)
    with torch.no_grad():
        said = network(torch.from_numpy(spatial), torch.from_numpy(numbers))
    backend = open_backend(BackendOptions(precision=Precision.FLOAT32, streams=1))
    shapes = {"spatial": spatial.shape, "global": numbers.shape}
    slot = backend.compile(exported.model(), shapes, kind).new_slot()
    slot.inputs["spatial"][:], slot.inputs["global"][:] = spatial, numbers
    slot.start()
    slot.wait()
    outputs = slot.outputs
    on_board = np.concatenate(
        (spatial[:, 0].reshape(len(sizes), -1) > 0, np.ones((len(sizes), 1), bool)), axis=1
    )
    close = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose(
        outputs["policy"][:, 0][on_board], said.policy.numpy()[on_board], **close
    )
    assert np.ptp(said.policy.numpy()[on_board]) > 0.1
    np.testing.assert_allclose(outputs["value"], said.value, **close)
    np.testing.assert_allclose(outputs["misc"], said.misc, **close)
    inside = spatial[:, 0] > 0
    np.testing.assert_allclose(
        outputs["ownership"][inside], said.ownership.numpy()[inside], **close
    )


def test_a_board_does_not_see_what_lies_beyond_its_edge():
    network = random_network(ARCHITECTURES["pooling"])
    spatial, numbers = positions([(9, 9), (19, 19)])
    small = torch.from_numpy(spatial[:1, :, :9, :9]), torch.from_numpy(numbers[:1])
    with torch.no_grad():
        alone = network(*small)
        among = network(torch.from_numpy(spatial), torch.from_numpy(numbers))
    np.testing.assert_allclose(among.value[0], alone.value[0], atol=1e-5)
    np.testing.assert_allclose(among.ownership[0, :9, :9], alone.ownership[0], atol=1e-5)


def test_a_search_runs_the_exported_file(tmp_path):
    write_katago(to_katago(random_network(ARCHITECTURES["pooling"]), "x"), tmp_path / "x.bin.gz")
    said = NetworkEvaluator(tmp_path / "x.bin.gz").evaluate([Go(9).new_initial_state()])
    assert said.policy.sum() == pytest.approx(1.0, abs=1e-5)


KATAGO_CONFIG = """
logFile = {folder}/katago.log
homeDataDir = {folder}
logAllGTPCommunication = false
logSearchInfo = false
rules = tromp-taylor
allowResignation = false
resignThreshold = -0.99
resignConsecTurns = 3
maxVisits = 2
numSearchThreads = 1
ponderingEnabled = false
lagBuffer = 0
"""


def test_katago_itself_loads_the_file_and_says_the_same(tmp_path):
    katago = os.environ.get("HONTE_KATAGO") or shutil.which("katago")
    if katago is None:
        pytest.skip("needs KataGo, on the path or named by HONTE_KATAGO")
    file, config = tmp_path / "network.bin.gz", tmp_path / "gtp.cfg"
    write_katago(to_katago(random_network(ARCHITECTURES["pooling"]), "mine"), file)
    config.write_text(KATAGO_CONFIG.format(folder=tmp_path))
    spoken = subprocess.run(
        [katago, "gtp", "-model", str(file), "-config", str(config)],
        input="boardsize 9\nkomi 7\nkata-raw-nn 0\nquit\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    ).stdout.splitlines()
    numbers = {line.split()[0]: line.split()[1] for line in spoken if len(line.split()) == 2}
    begin = spoken.index("policy") + 1
    points = [float(number) for line in spoken[begin : begin + 9] for number in line.split()]
    start = Go(9, rules=Rules.named("tromp-taylor"), komi=7).new_initial_state()
    said = NetworkEvaluator(file, precision=Precision.FLOAT32).evaluate([start])
    policy = [*points, float(numbers["policyPass"])]
    np.testing.assert_allclose(said.policy[0], policy, atol=1e-4)
    assert said.values.win[0] == pytest.approx(float(numbers["whiteLoss"]), abs=1e-4)
    assert np.ptp(policy) > 1e-3
