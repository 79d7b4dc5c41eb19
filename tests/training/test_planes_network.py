"""The network of any game: the same in PyTorch and in ONNX."""

import numpy as np
import pytest

from honte.networks.backends import BackendOptions, Precision, open_backend

torch = pytest.importorskip("torch")

from honte.training.architecture import Architecture  # noqa: E402
from honte.training.planes_network import PlanesNetwork, to_onnx  # noqa: E402


@pytest.mark.parametrize("shape", [(2, 6, 7), (3, 3, 3), (10, 1, 1)])
def test_the_graph_answers_as_pytorch_does(shape):
    torch.manual_seed(2)
    architecture = Architecture(3, 12, pooling_every=2, pooled_channels=5, head_channels=4)
    network = PlanesNetwork(architecture, shape, 9)
    with torch.no_grad():
        for parameter in network.parameters():
            scale = parameter.shape[-1] ** -0.5 if parameter.ndim == 2 else 0.3
            parameter.copy_(torch.randn_like(parameter) * scale)
        planes = torch.randn(4, *shape)
        policy, value = network(planes)
    backend = open_backend(BackendOptions(precision=Precision.FLOAT32, streams=1))
    slot = backend.compile(to_onnx(network, "x"), {"observation": (4, *shape)}, "x").new_slot()
    slot.inputs["observation"][:] = planes.numpy()
    slot.start()
    slot.wait()
    np.testing.assert_allclose(slot.outputs["policy"], policy, atol=1e-4, rtol=1e-4)
    np.testing.assert_allclose(slot.outputs["value"].reshape(-1), value, atol=1e-4, rtol=1e-4)
    assert np.ptp(policy.numpy()) > 0.1
    assert np.ptp(value.numpy()) > 0.01
