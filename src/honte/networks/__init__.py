"""Policy and value networks: KataGo's files and ONNX graphs, and what their outputs mean.

>>> network = honte.networks.load("g170-b6c96.bin.gz")    # doctest: +SKIP
>>> network.model()                                       # doctest: +SKIP

:func:`load` opens a file, :meth:`Network.model` is its ONNX graph, :mod:`honte.networks.outputs`
reads the graph's raw answers. Running the graph is the business of :mod:`honte.networks.backends`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from honte.networks.layers import OutputScales
from honte.networks.network import Network, NetworkDescription, from_katago, load
from honte.networks.outputs import Outputs, RawOutputs, ValueOutputs, interpret
from honte.networks.shipped import DEFAULT_NETWORK, default, shipped_networks

if TYPE_CHECKING:
    from honte.networks.katago_graph import Boards

__all__ = [
    "DEFAULT_NETWORK",
    "Boards",
    "Network",
    "NetworkDescription",
    "OutputScales",
    "Outputs",
    "RawOutputs",
    "ValueOutputs",
    "default",
    "from_katago",
    "interpret",
    "load",
    "shipped_networks",
]


def __getattr__(name: str) -> Any:
    # Boards lives beside the graph, whose module imports onnx: no time is spent on that unasked.
    if name == "Boards":
        from honte.networks.katago_graph import Boards

        return Boards
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
