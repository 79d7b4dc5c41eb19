"""Runs from nothing that are over in seconds: tic-tac-toe by a network of one block."""

import pytest

pytest.importorskip("torch", reason="needs PyTorch: pip install 'honte[train]'")

from honte.training.zero.config import (
    GameTable,
    MeasuringTable,
    NetworkTable,
    SelfPlayTable,
    TrainingTable,
    ZeroConfig,
)


def tiny_run(self_play, training, **changes):
    """A run's configuration with these settings of its games and its learning; measured by
    nothing unless ``changes`` says so."""
    return ZeroConfig(
        game=GameTable(name="tic_tac_toe"),
        network=NetworkTable(
            blocks=1, channels=16, pooling_every=0, head_channels=4, value_hidden=8
        ),
        self_play=SelfPlayTable(visits=16, fast_visits=6, **self_play),
        training=TrainingTable(batch_size=16, **training),
        **{"measuring": MeasuringTable(every=0), **changes},
    )
