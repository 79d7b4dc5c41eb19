"""KataGo's ways to a better mean, in plain Python: a node's value is computed anew from its own
evaluation and its children, each with a weight [KataGo methods]."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from honte.search.config import Backup, ScoreUtility
from honte.search.reference.phases import Edge, Node, Share, float32, lane_sum, prove, side

NODES = (0.0, 1.154405394739968, 2.366759410734541, 3.750439717725742)
WEIGHTS = (16.0 / 35.0, 0.2401231786050127, 0.0307571239675865, 0.000548268855972218)
"""Seven-point Gauss–Hermite for a standard normal variable."""


def weighs(backup: Backup) -> bool:
    return bool(
        backup.transpositions
        or backup.uncertainty
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


def share_of(child: Node, n: int) -> Share:
    """What a child brings to the weighed mean of its parent by an edge of n visits, as the tree
    keeps it."""
    per_visit = 1.0 / child.n
    weight = float32(child.weight_sum if n == child.n else child.weight_sum * n * per_visit)
    return Share(
        float32(child.value_sum * per_visit),
        float32(child.value_square_sum * per_visit),
        weight,
        float32(firmness(weight)),
    )


def firmness(weight: float) -> float:
    """1 / (√3 · σ) of a mean of so much weight, with σ² = 1 / (1.5 √weight)."""
    return math.sqrt(0.5 * math.sqrt(weight))


NOTHING = Share(0.0, 0.0, 0.0, 0.0)
"""Stands for a child from which nothing came back yet."""


def shares_before(node: Node, shares: Sequence[Share]) -> list[tuple[float, float, float]]:
    """Σ weight, Σ weight · value and Σ P of the children before each, as the core adds them."""
    columns = (
        running_sums([share.weight for share in shares]),
        running_sums([share.weight * share.value for share in shares]),
        running_sums([edge.p if edge.share else 0.0 for edge in node.edges]),
    )
    return list(zip(*columns, strict=True))


def running_sums(numbers: Sequence[float]) -> list[float]:
    """The sum of all before each; within eight by doubling, and eight by eight."""
    total, sums = 0.0, []
    for start in range(0, len(numbers), 8):
        eight = list(numbers[start : start + 8])
        eight += [0.0] * (8 - len(eight))
        for step in (1, 2, 4):
            eight = [x + (eight[i - step] if i >= step else 0.0) for i, x in enumerate(eight)]
        sums += [total + x for x in [0.0, *eight[:7]]]
        total += eight[7]
    return sums[: len(numbers)]


def prune_noise(node: Node, shares: list[Share], scale: float) -> list[Share]:
    """Children that are worse than those before them lose what they have beyond twice their
    prior's part."""
    mover = side(node.player)
    if scale <= 0.0 or not any(
        mover * (values - share.value * weights) > 0.0
        and share.weight * priors > 2.0 * weights * edge.p
        for edge, share, (weights, values, priors) in zip(
            node.edges, shares, shares_before(node, shares), strict=True
        )
        if edge.share
    ):
        return shares
    pruned = []
    priors = weights = values = 0.0
    for edge, share in zip(node.edges, shares, strict=True):
        if edge.share is None:
            pruned.append(share)
            continue
        worse = mover * (values - share.value * weights) > 0.0
        if worse and share.weight * priors > 2.0 * weights * edge.p:
            gap = mover * (values / weights - share.value)
            excess = share.weight - 2.0 * weights * edge.p / priors
            weight = share.weight - excess * (1.0 - math.exp(-gap / scale))
            share = Share(share.value, share.square, weight, firmness(weight))
        values += share.weight * share.value
        weights += share.weight
        priors += edge.p
        pruned.append(share)
    return pruned


ENTRIES, PER_UNIT = 1024, 32.0


@lru_cache
def favours(exponent: float) -> list[tuple[float, float]]:
    """(F(z) + 10⁻⁴)^exponent, where F is Student's distribution with 3 degrees of freedom, and how
    much it rises to the next entry."""

    def favour(z: float) -> float:
        cdf = 0.5 + 0.3183098861837907 * (z / (1.0 + z * z) + math.atan(z))
        return math.pow(cdf + 1e-4, exponent)

    entries = [favour((i - ENTRIES / 2) / PER_UNIT) for i in range(ENTRIES + 1)]
    return [(float32(x), float32(after - x)) for x, after in itertools.pairwise(entries)]


def favour_good_children(
    shares: Sequence[Share], mean: float, exponent: float, mover: float
) -> list[float]:
    """Weights times a power of Student's t of how much better than the mean a child is; straight
    lines between the table's entries."""
    table, favoured = favours(exponent), []
    for share in shares:
        z = mover * (share.value - mean) * share.firmness
        place = min(max(z * PER_UNIT + ENTRIES / 2, 0.0), ENTRIES - 1.0)
        i = int(place)
        here, rise = table[i]
        favoured.append(share.weight * (here + (place - i) * rise))
    return favoured


def weighed_sums(shares: Sequence[Share], changed: int | None) -> tuple[float, float]:
    """Σ weight and Σ weight · value; the child that changed is added last."""
    last = NOTHING if changed is None else shares[changed]
    others = [NOTHING if i == changed else share for i, share in enumerate(shares)]
    return (
        lane_sum([share.weight for share in others]) + last.weight,
        lane_sum([share.weight * share.value for share in others]) + last.weight * last.value,
    )


def means_of_children(
    backup: Backup, node: Node, changed: int | None
) -> tuple[float, float, float]:
    """The children's mean value, mean square and weight."""
    given = [edge.share or NOTHING for edge in node.edges]
    if not given:
        return 0.0, 0.0, 0.0
    if len(given) == 1:
        return given[0].value, given[0].square, given[0].weight
    shares = prune_noise(node, given, backup.noise_prune_scale)
    weight, value = weighed_sums(shares, changed if shares is given else None)
    if weight == 0.0:
        return 0.0, 0.0, 0.0
    per_weight = 1.0 / weight
    weights = [share.weight for share in shares]
    if backup.value_weight_exponent > 0.0:
        mean, mover = value * per_weight, side(node.player)
        weights = favour_good_children(shares, mean, backup.value_weight_exponent, mover)
    value = lane_sum([w * share.value for w, share in zip(weights, shares, strict=True)])
    square = lane_sum([w * share.square for w, share in zip(weights, shares, strict=True)])
    if backup.value_weight_exponent > 0.0:
        favoured = lane_sum(weights)
        return value / favoured, square / favoured, weight
    return value * per_weight, square * per_weight, weight


def recompute(backup: Backup, node: Node, bias: BiasTable, changed: int | None = None) -> None:
    """The node's means from its own evaluation and its children; sums are mean · N. ``changed`` is
    the child's place from which the backup came, if any."""
    value, square, weight = means_of_children(backup, node, changed)
    own = node.own_utility
    subtree = backup.subtree_value_bias
    if subtree is not None and not node.terminal:
        correction = bias.correction(node)
        if weight > 0.0:
            counted = math.pow(weight, subtree.exponent)
            bias.update(node, (value - own) * counted, counted)
        own = min(2.0, max(-2.0, own + subtree.factor * correction))
    own_weight = float(node.n) if node.terminal else node.own_weight
    node.weight_sum = weight + own_weight
    per_weight = node.n / node.weight_sum
    node.value_sum = value * (weight * per_weight) + own * (own_weight * per_weight)
    node.value_square_sum = square * (weight * per_weight) + own * own * (own_weight * per_weight)


def place_of(node: Node, edge: Edge) -> int:
    return next(place for place, each in enumerate(node.edges) if each is edge)


def back_up_weighed(
    backup: Backup, path: Sequence[tuple[Node, Edge]], leaf: Node, bias: BiasTable
) -> None:
    """N += 1 along the way; every node on it computes its means anew."""
    leaf.n += 1
    recompute(backup, leaf, bias)
    for node, edge in reversed(path):
        child = edge.child
        assert child is not None
        edge.n += 1
        node.n += 1
        edge.w = side(node.player) * child.value_sum * (edge.n / child.n)
        edge.share = share_of(child, edge.n)
        if backup.solver and child.proven is not None:
            edge.exact = side(node.player) * child.proven
            prove(node)
        recompute(backup, node, bias, place_of(node, edge))
