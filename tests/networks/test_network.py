"""Opening networks, describing them, and carrying them as ONNX files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from typer.testing import CliRunner

from graph_runners import RUNNERS
from honte.cli.networks import networks_app
from honte.errors import HonteError
from honte.networks import Boards, from_katago, load
from honte.networks.info import describe
from random_networks import random_network
from shared_data import shared_file


def test_the_description_of_a_public_network() -> None:
    network = load(shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz"))
    about = network.description
    assert network.name == "g170-b6c96-s175395328-d26788732"
    assert (about.format, about.version, about.channels) == ("KataGo", 8, 96)
    assert dict(about.blocks) == {"residual": 4, "residual with global pooling": 2}
    assert about.policy_outputs == 1
    assert not about.has_short_term_errors
    assert about.gigaflops_19x19 == pytest.approx(0.72, abs=0.005)
    assert 1.0e6 < about.parameters < 1.1e6


def test_info_says_what_a_file_holds() -> None:
    path = shared_file("networks", "b7c96h3tfrs-test5-cnorm.bin.gz")
    result = CliRunner().invoke(networks_app, ["info", str(path)])
    assert result.exit_code == 0
    for said in ("b7c96h3tfrs-test5-cnorm", "version 17", "7 attention", "818,953", "3.0 MB",
                 "good for"):  # fmt: skip
        assert said in result.output


def test_a_network_that_reads_players_says_so() -> None:
    network = from_katago(random_network(15, meta=True))
    assert network.description.reads_players
    assert [value.name for value in network.model().graph.input] == ["spatial", "global", "meta"]
    assert "people" in describe(network)


def test_an_onnx_file_keeps_what_the_network_knows(tmp_path: Path) -> None:
    network = from_katago(random_network(16, seed=1))
    path = tmp_path / "saved.onnx"
    onnx.save(network.model(), str(path))
    again = load(path)
    assert again.name == "random-v16"
    assert again.output_scales == network.output_scales
    assert again.description.format == "ONNX"
    for said in ("version", "blocks", "channels", "parameters", "policy_outputs"):
        assert getattr(again.description, said) == getattr(network.description, said)
    assert again.model() is again.model(Boards.FULL)
    feeds = {
        "spatial": np.ones((1, 22, 5, 5), np.float32),
        "global": np.zeros((1, 19), np.float32),
    }
    for left, right in zip(
        *(RUNNERS["ONNX Runtime"](model, feeds) for model in (network.model(), again.model())),
        strict=True,
    ):
        np.testing.assert_array_equal(left, right)


def graph_with(inputs: dict[str, list[int | str]], outputs: dict[str, int]) -> onnx.ModelProto:
    def value(name: str, shape: list[int | str]) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    shapes: dict[str, list[int | str]] = {
        name: [f"{name}{i}" for i in range(dimensions)] for name, dimensions in outputs.items()
    }
    graph = helper.make_graph(
        [helper.make_node("Identity", ["spatial"], [name]) for name in outputs],
        "other",
        [value(name, shape) for name, shape in inputs.items()],
        [value(name, shape) for name, shape in shapes.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


GOOD_INPUTS: dict[str, list[int | str]] = {"spatial": ["N", 22, "H", "W"], "global": ["N", 19]}
GOOD_OUTPUTS = {"policy": 3, "value": 2, "misc": 2, "ownership": 3}


@pytest.mark.parametrize(
    ("inputs", "outputs", "missing"),
    [
        ({"spatial": ["N", 22, "H", "W"]}, GOOD_OUTPUTS, "global"),
        ({**GOOD_INPUTS, "spatial": ["N", 17, "H", "W"]}, GOOD_OUTPUTS, "spatial"),
        ({**GOOD_INPUTS, "global": ["N", 19, 1]}, GOOD_OUTPUTS, "global"),
        (GOOD_INPUTS, {**GOOD_OUTPUTS, "policy": 2}, "policy"),
        (GOOD_INPUTS, {"policy": 3, "value": 2, "misc": 2}, "ownership"),
    ],
)
def test_an_onnx_file_of_another_shape_is_refused_by_name(
    inputs: dict[str, list[int | str]], outputs: dict[str, int], missing: str, tmp_path: Path
) -> None:
    path = tmp_path / "other.onnx"
    onnx.save(graph_with(inputs, outputs), str(path))
    with pytest.raises(HonteError, match=f"'{missing}'") as caught:
        load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + b"x" * 50, b"(;GM[1])", b"\xff" * 99])
def test_what_is_no_onnx_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "foreign.onnx"
    path.write_bytes(content)
    with pytest.raises(HonteError, match=r"foreign\.onnx"):
        load(path)
    with pytest.raises(HonteError, match="There is no network file"):
        load(tmp_path / "none.onnx")
