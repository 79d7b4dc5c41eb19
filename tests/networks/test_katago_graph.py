"""The ONNX graphs against a plain numpy computation of the same layers, board by board."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from graph_runners import RUNNERS, Answers
from honte.networks import Boards, from_katago
from honte.networks.katago_graph import katago_graph
from honte.networks.layers import Activation, KataGoModel
from plain_networks import run_network
from random_networks import random_network

SIZES = [(9, 9), (13, 13), (19, 19), (7, 11), (11, 7), (2, 2), (1, 1)]
"""Width and height."""


def random_board(
    width: int, height: int, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Planes [22, height, width] with plane 0 full, globals [19], and players [192]."""
    random = np.random.default_rng(seed)
    planes = (random.random((22, height, width)) < 0.3).astype(np.float32)
    planes[0] = 1
    return (
        planes,
        random.standard_normal(19).astype(np.float32),
        random.standard_normal(192).astype(np.float32),
    )


def feeds_of(
    model: KataGoModel, boards: list[tuple[int, int]], width: int, height: int
) -> dict[str, NDArray[np.float32]]:
    """A batch with each board in the top left corner of width × height."""
    spatial = np.zeros((len(boards), 22, height, width), dtype=np.float32)
    globals_ = np.zeros((len(boards), 19), dtype=np.float32)
    meta = np.zeros((len(boards), 192), dtype=np.float32)
    for row, (w, h) in enumerate(boards):
        spatial[row, :, :h, :w], globals_[row], meta[row] = random_board(w, h, seed=row)
    feeds = {"spatial": spatial, "global": globals_}
    return feeds | {"meta": meta} if model.trunk.meta else feeds


def assert_rows_match(model: KataGoModel, boards: list[tuple[int, int]], answers: Answers) -> None:
    policy, value, misc, ownership = answers
    height, width = ownership.shape[1:]
    for row, (w, h) in enumerate(boards):
        planes, globals_, meta = random_board(w, h, seed=row)
        wanted = run_network(
            model, planes.astype(float), globals_.astype(float), meta.astype(float)
        )
        grid = policy[row, :, :-1].reshape(-1, height, width)
        found = np.concatenate(
            [grid[:, :h, :w].reshape(len(grid), -1), policy[row, :, -1:]], axis=1
        )
        np.testing.assert_allclose(found, wanted[0], atol=2e-4, rtol=1e-4)
        np.testing.assert_allclose(value[row], wanted[1], atol=2e-4, rtol=1e-4)
        np.testing.assert_allclose(misc[row], wanted[2], atol=2e-4, rtol=1e-4)
        np.testing.assert_allclose(ownership[row, :h, :w], wanted[3], atol=2e-4, rtol=1e-4)
        assert (grid[:, h:] < -1000).all()
        assert (grid[:, :, w:] < -1000).all()
        assert not ownership[row, h:].any()
        assert not ownership[row, :, w:].any()


VARIANTS: list[dict[str, Any]] = [
    *({"version": version} for version in range(8, 18)),
    *({"version": 11, "activation": kind} for kind in Activation),
    *({"version": 17, "transformer": True, "rope": rope} for rope in ("none", "fixed", "learned")),
    *({"version": 17, "transformer": True, "tip": tip} for tip in ("rms", "spatial rms")),
    {"version": 15, "meta": True},
]


@pytest.mark.parametrize("runner", list(RUNNERS))
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: "-".join(map(str, v.values())))
def test_one_batch_holds_every_board_size(variant: dict[str, Any], runner: str) -> None:
    model = random_network(seed=variant["version"], **variant)
    graph = katago_graph(model)
    onnx.checker.check_model(graph, full_check=True)
    feeds = feeds_of(model, SIZES, 19, 19)
    assert_rows_match(model, SIZES, RUNNERS[runner](graph, feeds))


@pytest.mark.parametrize("runner", list(RUNNERS))
@pytest.mark.parametrize("transformer", [False, True])
def test_full_boards_need_no_masks(transformer: bool, runner: str) -> None:
    model = random_network(17, seed=4, transformer=transformer, tip="spatial rms")
    graph = katago_graph(model, Boards.FULL)
    boards = [(7, 11)] * 3
    assert_rows_match(model, boards, RUNNERS[runner](graph, feeds_of(model, boards, 7, 11)))


def test_outputs_have_the_shapes_of_the_contract() -> None:
    for version, outputs, misc in ((8, 1, 4), (11, 1, 6), (12, 2, 6), (16, 4, 6), (17, 2, 6)):
        network = from_katago(random_network(version))
        feeds = feeds_of(network.katago, [(5, 5), (4, 3)], 6, 5)
        shapes = [a.shape for a in RUNNERS["ONNX Runtime"](network.model(), feeds)]
        assert shapes == [(2, outputs, 31), (2, 3), (2, misc), (2, 5, 6)]
