"""KataGo's ways to a better mean, in plain Python: a node's value is computed anew from its own
evaluation and its children, each with a weight [KataGo methods]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from honte.search.config import Backup, ScoreUtility
from honte.search.reference.phases import Edge, Node, prove, side

NODES = (0.0, 1.154405394739968, 2.366759410734541, 3.750439717725742)
WEIGHTS = (16.0 / 35.0, 0.2401231786050127, 0.0307571239675865, 0.000548268855972218)
"""Seven-point Gauss–Hermite for a standard normal variable."""


def weighs(backup: Backup) -> bool:
    return bool(
        backup.uncertainty
        or backup.subtree_value_bias
        or backup.value_weight_exponent
        or backup.noise_prune_scale
    )


def points_worth(mean: float, stdev: float, center: float, scale: float, area: int) -> float:
    """E[(2/π) atan((x − centre) / (scale · √area))] for x ~ Normal(mean, stdev)."""
    unit = scale * math.sqrt(float(area))

    def value(x: float) -> float:
        return math.atan((x - center) / unit) * 0.6366197723675814

    expected = WEIGHTS[0] * value(mean)
    for node, weight in zip(NODES[1:], WEIGHTS[1:], strict=True):
        expected += weight * (value(mean + stdev * node) + value(mean - stdev * node))
    return expected


def utility(
    points: ScoreUtility | None, v: float, mean: float, stdev: float, center: float, area: int
) -> float:
    """What is backed up, for player 0: v, and points where they count."""
    if points is None:
        return v
    if points.static > 0.0:
        v += points.static * points_worth(mean, stdev, 0.0, points.static_scale, area)
    if points.dynamic > 0.0:
        v += points.dynamic * points_worth(mean, stdev, center, points.dynamic_scale, area)
    return v


def evaluation_weight(backup: Backup, error: float) -> float:
    weighting = backup.uncertainty
    if weighting is None:
        return 1.0
    coefficient = weighting.coefficient
    powered = math.pow(max(0.0, error), weighting.exponent)
    return coefficient / (powered + coefficient / weighting.maximum)


@dataclass(slots=True)
class Share:
    child: Node
    weight: float
    value: float
    """For the side to move at the node."""
    p: float


@dataclass(slots=True)
class BiasTable:
    """How far the search found positions after the same two moves to be off their evaluation."""

    sums: dict[tuple[tuple[int, int], ...], tuple[float, float]] = field(default_factory=dict)

    def correction(self, node: Node) -> float:
        delta, weight = self.sums.get(node.bucket, (0.0, 0.0))
        return 0.0 if weight <= 0.001 else delta / weight

    def update(self, node: Node, delta: float, weight: float) -> None:
        old_delta, old_weight = self.sums.get(node.bucket, (0.0, 0.0))
        self.sums[node.bucket] = (
            old_delta + (delta - node.bias[0]),
            old_weight + (weight - node.bias[1]),
        )
        node.bias = (delta, weight)


def prune_noise(shares: Sequence[Share], scale: float) -> None:
    """Take from worse children what they have beyond twice their prior's share."""
    priors = weights = values = 0.0
    for share in shares:
        if weights > 0.0 and priors > 0.0:
            gap = values / weights - share.value
            excess = share.weight - 2.0 * weights * share.p / priors
            if gap > 0.0 and excess > 0.0:
                share.weight -= excess * (1.0 - math.exp(-gap / scale))
        values += share.value * share.weight
        weights += share.weight
        priors += share.p


def favour_good_children(shares: Sequence[Share], exponent: float) -> None:
    """Weights times a power of Student's t (3 degrees) of how much better a child is."""
    total = values = 0.0
    for share in shares:
        total += share.weight
        values += share.value * share.weight
    if total <= 0.0:
        return
    mean = values / total
    after = 0.0
    for share in shares:
        stdev = math.sqrt(1e-8 + 1.0 / (1.5 * math.sqrt(share.weight)))
        z = (share.value - mean) / stdev / 1.7320508075688772
        cdf = 0.5 + 0.3183098861837907 * (z / (1.0 + z * z) + math.atan(z))
        share.weight *= math.pow(cdf + 1e-4, exponent)
        after += share.weight
    for share in shares:
        share.weight *= total / after


def recompute(backup: Backup, node: Node, bias: BiasTable) -> None:
    """The node's means from its own evaluation and its children; sums are mean · N."""
    mover = side(node.player)
    shares = [
        Share(
            edge.child,
            edge.child.weight_sum * edge.n / edge.child.n,
            mover * edge.child.value_sum / edge.child.n,
            edge.p,
        )
        for edge in node.edges
        if edge.n > 0 and edge.child is not None
    ]
    if backup.noise_prune_scale > 0.0:
        prune_noise(shares, backup.noise_prune_scale)
    if backup.value_weight_exponent > 0.0:
        favour_good_children(shares, backup.value_weight_exponent)
    weight = value = square = 0.0
    for share in shares:
        weight += share.weight
        value += share.weight * (share.child.value_sum / share.child.n)
        square += share.weight * (share.child.value_square_sum / share.child.n)
    own = node.own_utility
    subtree = backup.subtree_value_bias
    if subtree is not None and not node.terminal:
        if weight > 0.0:
            counted = math.pow(weight, subtree.exponent)
            bias.update(node, (value / weight - own) * counted, counted)
        own = min(2.0, max(-2.0, own + subtree.factor * bias.correction(node)))
    own_weight = float(node.n) if node.terminal else node.own_weight
    weight += own_weight
    value += own_weight * own
    square += own_weight * own * own
    node.value_sum = value / weight * node.n
    node.value_square_sum = square / weight * node.n
    node.weight_sum = weight


def back_up_weighed(
    backup: Backup, path: Sequence[tuple[Node, Edge]], leaf: Node, bias: BiasTable
) -> None:
    """N += 1 along the way; every node on it computes its means anew."""
    leaf.n += 1
    recompute(backup, leaf, bias)
    for node, edge in reversed(path):
        assert edge.child is not None
        edge.n += 1
        node.n += 1
        edge.w = side(node.player) * edge.child.value_sum / edge.child.n * edge.n
        if backup.solver and edge.child.proven is not None:
            prove(node)
        recompute(backup, node, bias)
