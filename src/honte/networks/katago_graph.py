"""From the layers of a KataGo network to an ONNX graph.

Batch normalisations are folded: into the convolution before them where nothing stands between, else
to one scale and bias. Boards smaller than the batch's H × W lie in the top left corner, and plane 0
says where the board is; whatever a layer computes off the board never reaches a point on it,
because every layer that looks at other points (a wider convolution, pooling, attention) masks its
input first. Layers that look at one point alone need no mask and get none.
"""

from __future__ import annotations

import math
from enum import Enum

import numpy as np
import onnx

from honte.networks.graph_builder import GraphBuilder
from honte.networks.layers import (
    GLOBAL_FEATURES,
    META_FEATURES,
    SPATIAL_PLANES,
    Activation,
    ActivationLayer,
    AttentionBlock,
    BatchNorm,
    Block,
    Convolution,
    FeedForwardBlock,
    Float,
    GlobalPoolingBlock,
    KataGoModel,
    LearnedRope,
    Linear,
    NestedBottleneckBlock,
    OrdinaryBlock,
    PolicyHead,
    RmsNorm,
    TipRmsNorm,
    Trunk,
    ValueHead,
)

OFF_BOARD = -1e4
"""Added to what must not win a maximum or a softmax; it fits every floating-point format in use."""


class Boards(Enum):
    """Which boards a batch may hold."""

    ANY = "any"
    """Of every size up to the batch's H × W, mixed as they come."""
    FULL = "full"
    """All of exactly H × W: the graph needs no masks. A smaller board gets a wrong answer."""


def katago_graph(model: KataGoModel, boards: Boards = Boards.ANY) -> onnx.ModelProto:
    """The network as ONNX, with batch, height and width left open.

    Inputs ``spatial`` [N, 22, H, W] and ``global`` [N, 19] (and ``meta`` [N, 192] for a network
    that reads a description of the players), float32. Outputs, raw and from the side to move:
    ``policy`` [N, K, H·W + 1] logits with the pass last, ``value`` [N, 3] logits of win, loss and
    no result, ``misc`` [N, 4 or 6], ``ownership`` [N, H, W] before tanh.
    """
    return _KataGoGraph(model, boards).build()


class _KataGoGraph:
    def __init__(self, model: KataGoModel, boards: Boards) -> None:
        self.source = model
        self.masked = boards is Boards.ANY
        self.graph = GraphBuilder()

    def build(self) -> onnx.ModelProto:
        graph, source = self.graph, self.source
        self.spatial = graph.input("spatial", ["N", SPATIAL_PLANES, "H", "W"])
        globals_ = graph.input("global", ["N", GLOBAL_FEATURES])
        meta = graph.input("meta", ["N", META_FEATURES]) if source.trunk.meta else None
        self._board_facts()
        trunk = self._trunk(source.trunk, globals_, meta)
        self._policy_head(source.policy, trunk)
        self._value_head(source.value, trunk)
        return graph.model(source.name, f"KataGo network {source.name}, version {source.version}")

    def _board_facts(self) -> None:
        """What pooling and masks need to know of each row's board."""
        graph = self.graph
        shape = graph.node("Shape", self.spatial)
        self.height = graph.node("Gather", shape, graph.integer(2))
        self.width = graph.node("Gather", shape, graph.integer(3))
        if self.masked:
            self.mask = graph.node(
                "Slice", self.spatial, graph.integers(0), graph.integers(1), graph.integers(1),
                name="mask",
            )  # fmt: skip
            self.off_board = graph.node(
                "Mul",
                graph.node("Sub", graph.floats(1), self.mask),
                graph.floats(OFF_BOARD),
                name="off_board",
            )
            area = graph.node("ReduceSum", self.mask, graph.integers(2, 3), keepdims=0)
        else:
            points = graph.node("Mul", self.height, self.width)
            area = graph.node("Reshape", graph.node("Cast", points, to=1), graph.integers(1, 1))
        self.area = area
        """[N, 1], or [1, 1] where every board is full."""
        side = graph.node("Sub", graph.node("Sqrt", area), graph.floats(14))
        self.side_scale = graph.node("Mul", side, graph.floats(0.1))
        square = graph.node("Mul", self.side_scale, self.side_scale)
        self.square_scale = graph.node("Sub", square, graph.floats(0.1))

    # Single layers.

    def _apply_mask(self, x: str) -> str:
        return self.graph.node("Mul", x, self.mask, name=f"{x}/on_board") if self.masked else x

    def _convolution(
        self, layer: Convolution, x: str, scale: Float | None = None, bias: Float | None = None
    ) -> str:
        """A convolution, with a batch normalisation after it folded in. ``x`` must be masked."""
        weights = layer.weights
        if scale is not None:
            weights = weights * scale[:, None, None, None]
        kernel = weights.shape[2:]
        pads = [d * (k - 1) // 2 for d, k in zip(layer.dilation, kernel, strict=True)]
        inputs = [x, self.graph.constant(weights, f"{layer.name}/weights")]
        if bias is not None:
            inputs.append(self.graph.constant(bias, f"{layer.name}/bias"))
        return self.graph.node(
            "Conv",
            *inputs,
            name=layer.name,
            kernel_shape=list(kernel),
            dilations=list(layer.dilation),
            pads=[*pads, *pads],
        )

    def _activation(self, layer: ActivationLayer, x: str) -> str:
        graph = self.graph
        match layer.kind:
            case Activation.IDENTITY:
                return x
            case Activation.RELU:
                return graph.node("Relu", x, name=layer.name)
            case Activation.SILU:
                return graph.node("Mul", x, graph.node("Sigmoid", x), name=layer.name)
            case Activation.MISH:
                tanh = graph.node("Tanh", graph.node("Softplus", x))
                return graph.node("Mul", x, tanh, name=layer.name)

    def _batch_norm(self, layer: BatchNorm, x: str) -> str:
        scale, bias = layer.as_scale_and_bias()
        graph = self.graph
        scaled = graph.node(
            "Mul", x, graph.constant(scale[:, None, None], f"{layer.name}/scale"), name=layer.name
        )
        return graph.node("Add", scaled, graph.constant(bias[:, None, None], f"{layer.name}/bias"))

    def _norm_and_activation(
        self, norm: BatchNorm, activation: ActivationLayer, x: str, readers: list[Convolution]
    ) -> str:
        """What a block's convolutions read: masked if any of them looks beyond a point."""
        x = self._activation(activation, self._batch_norm(norm, x))
        return x if all(reader.is_pointwise for reader in readers) else self._apply_mask(x)

    def _linear(self, layer: Linear, x: str, bias: Float | None = None) -> str:
        return self._matrix(layer.name, layer.weights, x, bias)

    def _matrix(self, name: str, weights: Float, x: str, bias: Float | None = None) -> str:
        graph = self.graph
        product = graph.node("MatMul", x, graph.constant(weights, f"{name}/weights"), name=name)
        if bias is None:
            return product
        return graph.node("Add", product, graph.constant(bias, f"{name}/bias"))

    def _per_channel(self, x: str) -> str:
        """[N, C] as [N, C, 1, 1], to be added to planes."""
        return self.graph.node("Unsqueeze", x, self.graph.integers(2, 3))

    def _mean(self, masked: str) -> str:
        """[N, C]: the mean over each row's board."""
        graph = self.graph
        total = graph.node("ReduceSum", masked, graph.integers(2, 3), keepdims=0)
        return graph.node("Div", total, self.area)

    def _pool(self, x: str, activation: ActivationLayer) -> str:
        """[N, 3C]: mean, mean scaled by the size of the board, maximum."""
        graph = self.graph
        masked = self._apply_mask(x)
        mean = self._mean(masked)
        highest = masked
        if self.masked and activation.kind is not Activation.RELU:
            highest = graph.node("Add", x, self.off_board)
        maximum = graph.node("ReduceMax", highest, axes=[2, 3], keepdims=0)
        scaled = graph.node("Mul", mean, self.side_scale)
        return graph.node("Concat", mean, scaled, maximum, axis=1)

    def _pool_for_value(self, masked: str) -> str:
        """[N, 3C]: mean, and mean scaled twice by the size of the board."""
        graph = self.graph
        mean = self._mean(masked)
        scaled = graph.node("Mul", mean, self.side_scale)
        squared = graph.node("Mul", mean, self.square_scale)
        return graph.node("Concat", mean, scaled, squared, axis=1)

    # The trunk.

    def _trunk(self, trunk: Trunk, globals_: str, meta: str | None) -> str:
        graph = self.graph
        x = self._convolution(trunk.spatial, self.spatial)
        bias = self._linear(trunk.globals, globals_)
        if trunk.meta is not None and meta is not None:
            encoder = trunk.meta
            hidden = self._linear(encoder.first, meta, encoder.first_bias.values)
            hidden = self._activation(encoder.first_activation, hidden)
            hidden = self._linear(encoder.second, hidden, encoder.second_bias.values)
            hidden = self._activation(encoder.second_activation, hidden)
            bias = graph.node("Add", bias, self._linear(encoder.third, hidden))
        x = graph.node("Add", x, self._per_channel(bias))
        x = self._blocks(trunk.blocks, x)
        if isinstance(trunk.tip_norm, TipRmsNorm):
            x = self._tip_rms_norm(trunk.tip_norm, x)
        else:
            x = self._batch_norm(trunk.tip_norm, x)
        x = self._activation(trunk.tip_activation, x)
        heads = self.source.policy, self.source.value
        readers = [heads[0].points, heads[0].pooled, heads[1].points]
        return x if all(reader.is_pointwise for reader in readers) else self._apply_mask(x)

    def _blocks(self, blocks: tuple[Block, ...], x: str) -> str:
        """A stack of blocks; a run of transformer blocks works on points as rows [N, H·W, C]."""
        as_rows = False
        for block in blocks:
            wants_rows = isinstance(block, AttentionBlock | FeedForwardBlock)
            if wants_rows and not as_rows:
                x = self._planes_to_rows(x)
            elif as_rows and not wants_rows:
                x = self._rows_to_planes(x)
            as_rows = wants_rows
            x = self._block(block, x)
        return self._rows_to_planes(x) if as_rows else x

    def _block(self, block: Block, x: str) -> str:
        match block:
            case OrdinaryBlock():
                change = self._ordinary_block(block, x)
            case GlobalPoolingBlock():
                change = self._global_pooling_block(block, x)
            case NestedBottleneckBlock():
                change = self._nested_bottleneck_block(block, x)
            case AttentionBlock():
                change = self._attention_block(block, x)
            case FeedForwardBlock():
                change = self._feed_forward_block(block, x)
        return self.graph.node("Add", x, change, name=block.name)

    def _ordinary_block(self, block: OrdinaryBlock, x: str) -> str:
        x = self._norm_and_activation(block.pre_norm, block.pre_activation, x, [block.first])
        x = self._convolution(block.first, x, *block.mid_norm.as_scale_and_bias())
        x = self._activation(block.mid_activation, x)
        if not block.last.is_pointwise:
            x = self._apply_mask(x)
        return self._convolution(block.last, x)

    def _global_pooling_block(self, block: GlobalPoolingBlock, x: str) -> str:
        x = self._norm_and_activation(
            block.pre_norm, block.pre_activation, x, [block.first, block.pooled]
        )
        pooled = self._convolution(block.pooled, x, *block.pooled_norm.as_scale_and_bias())
        pooled = self._activation(block.pooled_activation, pooled)
        summary = self._pool(pooled, block.pooled_activation)
        scale, bias = block.mid_norm.as_scale_and_bias()
        board_bias = self._matrix(
            block.pooled_to_bias.name, block.pooled_to_bias.weights * scale, summary
        )
        x = self._convolution(block.first, x, scale, bias)
        x = self.graph.node("Add", x, self._per_channel(board_bias))
        x = self._activation(block.mid_activation, x)
        if not block.last.is_pointwise:
            x = self._apply_mask(x)
        return self._convolution(block.last, x)

    def _nested_bottleneck_block(self, block: NestedBottleneckBlock, x: str) -> str:
        x = self._norm_and_activation(block.pre_norm, block.pre_activation, x, [block.narrow])
        x = self._convolution(block.narrow, x)
        x = self._blocks(block.blocks, x)
        x = self._norm_and_activation(block.post_norm, block.post_activation, x, [block.widen])
        return self._convolution(block.widen, x)

    # Transformer layers.

    def _planes_to_rows(self, x: str) -> str:
        graph = self.graph
        flat = graph.node("Reshape", x, graph.integers(0, 0, -1))
        return graph.node("Transpose", flat, perm=[0, 2, 1])

    def _rows_to_planes(self, x: str) -> str:
        graph = self.graph
        flat = graph.node("Transpose", x, perm=[0, 2, 1])
        shape = graph.node(
            "Concat",
            graph.integers(0, 0),
            graph.node("Reshape", self.height, graph.integers(1)),
            graph.node("Reshape", self.width, graph.integers(1)),
            axis=0,
        )
        return graph.node("Reshape", flat, shape)

    def _reciprocal_root(self, mean_square: str, epsilon: float) -> str:
        graph = self.graph
        root = graph.node("Sqrt", graph.node("Add", mean_square, graph.floats(epsilon)))
        return graph.node("Div", graph.floats(1), root)

    def _rms_norm(self, norm: RmsNorm, x: str) -> str:
        """[N, H·W, C] normalised over C."""
        graph = self.graph
        square = graph.node("Mul", x, x)
        mean_square = graph.node("ReduceMean", square, axes=[-1], keepdims=1)
        normalised = graph.node("Mul", x, self._reciprocal_root(mean_square, norm.epsilon))
        return graph.node(
            "Mul", normalised, graph.constant(norm.weight, f"{norm.name}/weight"), name=norm.name
        )

    def _tip_rms_norm(self, norm: TipRmsNorm, x: str) -> str:
        """[N, C, H, W] normalised over C, or over the board too."""
        graph = self.graph
        if norm.spatial:
            on_board = self._apply_mask(x)
            square = graph.node("Mul", on_board, on_board)
            mean = graph.node("ReduceMean", square, axes=[1], keepdims=1)
            mean = graph.node("ReduceSum", mean, graph.integers(2, 3), keepdims=1)
            mean_square = graph.node("Div", mean, self._per_channel(self.area))
        else:
            square = graph.node("Mul", x, x)
            mean_square = graph.node("ReduceMean", square, axes=[1], keepdims=1)
        normalised = graph.node("Mul", x, self._reciprocal_root(mean_square, norm.epsilon))
        scaled = graph.node(
            "Mul", normalised, graph.constant(norm.gamma[:, None, None], f"{norm.name}/gamma")
        )
        return graph.node(
            "Add", scaled, graph.constant(norm.beta[:, None, None], f"{norm.name}/beta")
        )

    def _attention_block(self, block: AttentionBlock, x: str) -> str:
        graph = self.graph
        x = self._rms_norm(block.norm, x)
        group = block.heads // block.key_value_heads
        query = block.query.weights / np.float32(math.sqrt(block.query_size))
        # Shared keys and values are repeated, so that every head is like every other.
        key = _repeat_heads(block.key.weights, block.key_value_heads, group)
        value = _repeat_heads(block.value.weights, block.key_value_heads, group)
        if block.rope is not None:
            # A rotation turns the pair (2i, 2i + 1). With all first members before all second
            # ones, in queries and keys alike, it becomes whole-half arithmetic.
            query = _first_members_first(query, block.heads)
            key = _first_members_first(key, block.heads)
        queries = self._heads(block.query.name, query, x, block.heads)
        keys = self._heads(block.key.name, key, x, block.heads)
        values = self._heads(block.value.name, value, x, block.heads)
        if block.rope is not None:
            cosine, sine = self._rotations(block, group)
            queries = self._rotate(queries, cosine, sine, block.query_size)
            keys = self._rotate(keys, cosine, sine, block.query_size)
        scores = graph.node("MatMul", queries, graph.node("Transpose", keys, perm=[0, 1, 3, 2]))
        if self.masked:
            scores = graph.node("Add", scores, self._off_board_keys())
        attended = graph.node("MatMul", graph.node("Softmax", scores, axis=-1), values)
        rows = graph.node("Transpose", attended, perm=[0, 2, 1, 3])
        rows = graph.node("Reshape", rows, graph.integers(0, 0, block.heads * block.value_size))
        return self._linear(block.output, rows)

    def _off_board_keys(self) -> str:
        """[N, 1, 1, H·W]: what keeps attention on the board."""
        return self.graph.node("Reshape", self.off_board, self.graph.integers(0, 1, 1, -1))

    def _heads(self, name: str, weights: Float, x: str, heads: int) -> str:
        """[N, heads, H·W, size]."""
        graph = self.graph
        rows = self._matrix(name, weights, x)
        split = graph.node("Reshape", rows, graph.integers(0, 0, heads, weights.shape[1] // heads))
        return graph.node("Transpose", split, perm=[0, 2, 1, 3])

    def _rotations(self, block: AttentionBlock, group: int) -> tuple[str, str]:
        """Cosines and sines of every point's angles, [heads or 1, H·W, query size]."""
        graph = self.graph
        if isinstance(block.rope, LearnedRope):
            along_x, along_y = np.repeat(block.rope.frequencies, group, axis=0).transpose(2, 0, 1)
        else:
            assert block.rope is not None
            pairs = block.query_size // 2
            first = np.arange(pairs) < pairs // 2
            step = np.where(first, np.arange(pairs), np.arange(pairs) - pairs // 2)
            turn = (1.0 / block.rope.theta ** (2.0 * step / pairs)).astype(np.float32)
            along_x, along_y = np.where(first, 0, turn)[None], np.where(first, turn, 0)[None]
        points = graph.node(
            "Range", graph.integer(0), graph.node("Mul", self.height, self.width), graph.integer(1)
        )
        angle = graph.node(
            "Add",
            self._angle(graph.node("Mod", points, self.width), along_x),
            self._angle(graph.node("Div", points, self.width), along_y),
        )
        angle = graph.node("Concat", angle, angle, axis=-1)
        return graph.node("Cos", angle), graph.node("Sin", angle)

    def _angle(self, coordinate: str, frequency: Float) -> str:
        """Integer coordinates [H·W] by frequencies [heads, pairs]: [heads, H·W, pairs]."""
        graph = self.graph
        column = graph.node(
            "Reshape", graph.node("Cast", coordinate, to=1), graph.integers(1, -1, 1)
        )
        return graph.node("Mul", column, graph.constant(frequency[:, None].astype(np.float32)))

    def _rotate(self, x: str, cosine: str, sine: str, size: int) -> str:
        graph = self.graph
        half, last = graph.integers(size // 2), graph.integers(-1)
        first = graph.node("Slice", x, graph.integers(0), half, last)
        second = graph.node("Slice", x, half, graph.integers(size), last)
        turned = graph.node("Concat", graph.node("Neg", second), first, axis=-1)
        return graph.node("Add", graph.node("Mul", x, cosine), graph.node("Mul", turned, sine))

    def _feed_forward_block(self, block: FeedForwardBlock, x: str) -> str:
        graph = self.graph
        x = self._rms_norm(block.norm, x)
        first = self._linear(block.first, x)
        first = graph.node("Mul", first, graph.node("Sigmoid", first))
        return self._linear(block.last, graph.node("Mul", first, self._linear(block.gate, x)))

    # The heads.

    def _policy_head(self, head: PolicyHead, trunk: str) -> None:
        graph = self.graph
        pooled = self._convolution(head.pooled, trunk, *head.pooled_norm.as_scale_and_bias())
        pooled = self._activation(head.pooled_activation, pooled)
        summary = self._pool(pooled, head.pooled_activation)
        scale, bias = head.points_norm.as_scale_and_bias()
        board_bias = self._matrix(
            head.pooled_to_bias.name, head.pooled_to_bias.weights * scale, summary
        )
        points = self._convolution(head.points, trunk, scale, bias)
        points = graph.node("Add", points, self._per_channel(board_bias))
        points = self._activation(head.points_activation, points)
        if not head.logits.is_pointwise:
            points = self._apply_mask(points)
        logits = self._convolution(head.logits, points)
        if self.masked:
            logits = graph.node("Add", logits, self.off_board)
        if head.passing_bias and head.passing_activation and head.passing_second:
            passing = self._linear(head.passing, summary, head.passing_bias.values)
            passing = self._activation(head.passing_activation, passing)
            passing = self._linear(head.passing_second, passing)
        else:
            passing = self._linear(head.passing, summary)
        policy = graph.node(
            "Concat",
            graph.node("Reshape", logits, graph.integers(0, 0, -1)),
            graph.node("Unsqueeze", passing, graph.integers(2)),
            axis=2,
        )
        graph.output(policy, "policy", ["N", head.outputs, "A"])

    def _value_head(self, head: ValueHead, trunk: str) -> None:
        graph = self.graph
        points = self._convolution(head.points, trunk, *head.points_norm.as_scale_and_bias())
        points = self._apply_mask(self._activation(head.points_activation, points))
        hidden = self._linear(head.hidden, self._pool_for_value(points), head.hidden_bias.values)
        hidden = self._activation(head.hidden_activation, hidden)
        value = self._linear(head.value, hidden, head.value_bias.values)
        misc = self._linear(head.misc, hidden, head.misc_bias.values)
        ownership = self._convolution(head.ownership, points)
        graph.output(value, "value", ["N", 3])
        graph.output(misc, "misc", ["N", head.misc.outputs])
        graph.output(
            graph.node("Squeeze", ownership, graph.integers(1)), "ownership", ["N", "H", "W"]
        )


def _repeat_heads(weights: Float, heads: int, group: int) -> Float:
    """[C, heads · size] with each head ``group`` times in a row."""
    split = weights.reshape(weights.shape[0], heads, -1)
    return np.repeat(split, group, axis=1).reshape(weights.shape[0], -1)


def _first_members_first(weights: Float, heads: int) -> Float:
    """[C, heads · size] with each head's even columns before its odd ones."""
    split = weights.reshape(weights.shape[0], heads, -1, 2)
    return split.transpose(0, 1, 3, 2).reshape(weights.shape[0], -1)
