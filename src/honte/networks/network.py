"""A network as the rest of honte sees it: a name, a description and an ONNX graph."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honte.errors import HonteError
from honte.networks.layers import (
    GLOBAL_FEATURES,
    META_FEATURES,
    SPATIAL_PLANES,
    AttentionBlock,
    Block,
    FeedForwardBlock,
    GlobalPoolingBlock,
    KataGoModel,
    NestedBottleneckBlock,
    OrdinaryBlock,
    OutputScales,
    parameter_count,
)
from honte.networks.shipped import shipped_networks

if TYPE_CHECKING:
    import onnx

    from honte.networks.katago_graph import Boards

METADATA_KEY = "honte.network"


@dataclass(frozen=True, slots=True)
class NetworkDescription:
    """What can be said of a network without running it."""

    format: str
    """"KataGo" or "ONNX"."""
    version: int
    """KataGo's format version, which also says what the outputs mean."""
    architecture: str
    """In words, such as "residual convolutions with global pooling"."""
    blocks: tuple[tuple[str, int], ...]
    """The kinds of the trunk's blocks, nested ones too, each with its number."""
    channels: int
    """Of the trunk; 0 where an ONNX file does not say."""
    parameters: int
    policy_outputs: int
    """1, 2 with the optimistic policy, 4 with predictions of each move's outcome as well."""
    has_short_term_errors: bool
    reads_players: bool
    """Whether it also takes a description of the players (``meta``), as human-style networks do."""
    pass_alive_as_if_suicide: bool
    """Whether its area planes have to be computed as if suicide were legal."""
    gigaflops_19x19: float
    """Arithmetic of one evaluation on a 19 × 19 board, in 10⁹ operations; 0 where unknown."""
    file_size: int
    """Bytes."""


class Network:
    """A policy and value network that is ready to be run. :func:`load` makes one."""

    def __init__(
        self,
        name: str,
        description: NetworkDescription,
        output_scales: OutputScales,
        source: KataGoModel | onnx.ModelProto,
    ) -> None:
        self.name = name
        self.description = description
        self.output_scales = output_scales
        """How the raw outputs are read: pass it to :func:`honte.networks.outputs.interpret`."""
        self._source = source

    @property
    def katago(self) -> KataGoModel | None:
        """The layers, for a network that came from KataGo's format."""
        return self._source if isinstance(self._source, KataGoModel) else None

    def model(self, boards: Boards | None = None) -> onnx.ModelProto:
        """The graph, all dimensions open.

        Inputs ``spatial`` [N, 22, H, W] and ``global`` [N, 19] float32 (and ``meta`` [N, 192] where
        :attr:`NetworkDescription.reads_players`); outputs, raw: ``policy`` [N, K, H·W + 1],
        ``value`` [N, 3], ``misc`` [N, 4 or 6], ``ownership`` [N, H, W], from the side to move.

        ``boards``: :attr:`Boards.ANY` (the default) or :attr:`Boards.FULL`, which leaves out the
        masks and is right only where every board is exactly H × W. An ONNX file is what it is.
        """
        from honte.networks.katago_graph import Boards, katago_graph

        if not isinstance(self._source, KataGoModel):
            return self._source
        model = katago_graph(self._source, boards or Boards.ANY)
        entry = model.metadata_props.add()
        entry.key, entry.value = METADATA_KEY, json.dumps(self._metadata())
        return model

    def _metadata(self) -> dict[str, Any]:
        """What an ONNX file cannot say in its graph."""
        return {
            "name": self.name,
            "scales": asdict(self.output_scales),
            "architecture": self.description.architecture,
            "blocks": self.description.blocks,
            "channels": self.description.channels,
            "parameters": self.description.parameters,
            "gigaflops_19x19": self.description.gigaflops_19x19,
            "pass_alive_as_if_suicide": self.description.pass_alive_as_if_suicide,
        }

    def __repr__(self) -> str:
        return f"Network({self.name!r}, {self.description.architecture})"


def load(path: str | Path) -> Network:
    """Open a network: KataGo's ``.bin.gz``, ``.txt.gz``, ``.bin`` or ``.txt``, or ``.onnx``.

    The name of a network that comes with honte, such as ``default``, opens that one.
    An ONNX file needs the inputs and outputs of :meth:`Network.model`. Raises
    :class:`honte.errors.HonteError` with one sentence where the file is not a network.
    """
    path = shipped_networks().get(str(path), Path(path))
    if path.suffix.lower() == ".onnx":
        return _load_onnx(path)
    from honte.networks.katago_reader import read_katago

    model = read_katago(path)
    return from_katago(model, file_size=path.stat().st_size)


def from_katago(model: KataGoModel, *, file_size: int = 0) -> Network:
    """A network from layers in memory."""
    kinds: dict[str, int] = {}
    _count_kinds(model.trunk.blocks, kinds)
    description = NetworkDescription(
        format="KataGo",
        version=model.version,
        architecture=_architecture(kinds),
        blocks=tuple(kinds.items()),
        channels=model.trunk.channels,
        parameters=parameter_count(model),
        policy_outputs=model.policy.outputs,
        has_short_term_errors=model.value.misc.outputs >= 6,
        reads_players=model.trunk.meta is not None,
        pass_alive_as_if_suicide=model.pass_alive_as_if_suicide,
        gigaflops_19x19=_gigaflops(model),
        file_size=file_size,
    )
    return Network(model.name, description, model.scales, model)


_KIND_NAMES: dict[type[Block], str] = {
    OrdinaryBlock: "residual",
    GlobalPoolingBlock: "residual with global pooling",
    NestedBottleneckBlock: "nested bottleneck",
    AttentionBlock: "attention",
    FeedForwardBlock: "feed-forward",
}


def _count_kinds(blocks: tuple[Block, ...], kinds: dict[str, int]) -> None:
    for block in blocks:
        kind = _KIND_NAMES[type(block)]
        kinds[kind] = kinds.get(kind, 0) + 1
        if isinstance(block, NestedBottleneckBlock):
            _count_kinds(block.blocks, kinds)


def _architecture(kinds: dict[str, int]) -> str:
    transformer = "attention" in kinds or "feed-forward" in kinds
    convolutions = any("residual" in kind for kind in kinds)
    words = "transformer" if transformer else "residual convolutions"
    if transformer and convolutions:
        words = "transformer with residual convolutions"
    if "nested bottleneck" in kinds:
        words += " in nested bottlenecks"
    if "residual with global pooling" in kinds:
        words += " with global pooling" if not transformer else " and global pooling"
    return words


def _gigaflops(model: KataGoModel, points: int = 361) -> float:
    """Two operations for each weight at each point it is applied to, and attention's products."""
    head = model.policy
    once = (
        model.trunk.globals, model.trunk.meta, head.pooled_to_bias, head.passing,
        head.passing_second, model.value.hidden, model.value.value, model.value.misc,
    )  # fmt: skip
    weights_once = parameter_count(once)
    products = 0

    def visit(blocks: tuple[Block, ...]) -> None:
        nonlocal weights_once, products
        for block in blocks:
            match block:
                case GlobalPoolingBlock():
                    weights_once += parameter_count(block.pooled_to_bias)
                case NestedBottleneckBlock():
                    visit(block.blocks)
                case AttentionBlock():
                    products += block.heads * (block.query_size + block.value_size) * points

    visit(model.trunk.blocks)
    everywhere = parameter_count(model) - weights_once
    return 2 * (weights_once + (everywhere + products) * points) / 1e9


def _load_onnx(path: Path) -> Network:
    import onnx
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    try:
        model = onnx.load_model_from_string(path.read_bytes())
    except FileNotFoundError:
        raise HonteError(f"There is no network file at {path}.") from None
    except (OSError, DecodeError) as error:
        raise HonteError(f"{path} cannot be read as an ONNX network: {error}.") from None
    inputs = {value.name: _sizes(value) for value in model.graph.input}
    outputs = {value.name: _sizes(value) for value in model.graph.output}
    wanted = {"spatial": (4, SPATIAL_PLANES), "global": (2, GLOBAL_FEATURES)}
    if "meta" in inputs:
        wanted["meta"] = (2, META_FEATURES)
    for name, (dimensions, channels) in wanted.items():
        sizes = inputs.get(name)
        if sizes is None or len(sizes) != dimensions or sizes[1] not in (channels, None):
            raise HonteError(
                f"{path} needs an input {name!r} of {dimensions} dimensions, the second "
                f"{channels}, and has {_listed(inputs)}."
            )
    for name, dimensions in (("policy", 3), ("value", 2), ("misc", 2), ("ownership", 3)):
        if len(outputs.get(name, ())) != dimensions:
            raise HonteError(
                f"{path} needs an output {name!r} of {dimensions} dimensions and has "
                f"{_listed(outputs)}."
            )
    return _describe_onnx(path, model, outputs)


def _sizes(value: onnx.ValueInfoProto) -> tuple[int | None, ...]:
    return tuple(
        dimension.dim_value if dimension.HasField("dim_value") else None
        for dimension in value.type.tensor_type.shape.dim
    )


def _listed(values: dict[str, tuple[int | None, ...]]) -> str:
    return ", ".join(f"{name} {list(sizes)}" for name, sizes in values.items()) or "none"


def _describe_onnx(
    path: Path, model: onnx.ModelProto, outputs: dict[str, tuple[int | None, ...]]
) -> Network:
    stored = {entry.key: entry.value for entry in model.metadata_props}
    misc = outputs["misc"][1] or 6
    said: dict[str, Any] = {}
    try:
        if METADATA_KEY in stored:
            said = json.loads(stored[METADATA_KEY])
        scales = OutputScales(**said.get("scales", {"version": 8 if misc < 6 else 10}))
    except (TypeError, ValueError, AttributeError):
        raise HonteError(
            f"{path} carries a description of its outputs that cannot be read; export it again."
        ) from None
    weights = sum(_elements(tensor) for tensor in model.graph.initializer)
    description = NetworkDescription(
        format="ONNX",
        version=scales.version,
        architecture=said.get("architecture", "graph of its own"),
        blocks=tuple((str(kind), int(count)) for kind, count in said.get("blocks", ())),
        channels=said.get("channels", 0),
        parameters=said.get("parameters", weights),
        policy_outputs=outputs["policy"][1] or 1,
        has_short_term_errors=misc >= 6,
        reads_players="meta" in {value.name for value in model.graph.input},
        pass_alive_as_if_suicide=bool(said.get("pass_alive_as_if_suicide", False)),
        gigaflops_19x19=said.get("gigaflops_19x19", 0.0),
        file_size=path.stat().st_size,
    )
    return Network(said.get("name", path.stem), description, scales, model)


def _elements(tensor: onnx.TensorProto) -> int:
    count = 1
    for size in tensor.dims:
        count *= size
    return count
