"""The four phases as the papers write them, each a few lines. Values of an edge are from the
side to move at its parent; values of a node, and everything on the way up, for player 0."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from honte.search.config import (
    Backup,
    Custom,
    Expansion,
    FirstPlayUrgency,
    Grave,
    Gumbel,
    NoiseKind,
    PolynomialPuct,
    Puct,
    QDenominator,
    Rave,
    RootNoise,
    Selection,
    Ucb1,
    UctLikePuct,
    UrgencyRule,
)
from honte.search.formula import Parent
from honte.search.reference.random import Random

Evaluate = Callable[[Any], "tuple[float, Sequence[float] | None] | Playouts | Judgement"]
"""From a state to its value for the side to move in [−1, 1], and logits for all A actions
(None: uniform); or to playouts from it; or to all that a network may say."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """An evaluation with points and doubt, for the side to move."""

    value: float
    logits: Sequence[float] | None
    score_mean: float = 0.0
    score_stdev: float = 0.0
    error: float = 0.0
    """Expected absolute error of the value."""
    rollout: float | None = None
    """How a playout from there ended, where it is kept apart from the value."""


@dataclass(frozen=True, slots=True)
class Playouts:
    """Results for player 0, each with the actions that led there as pairs of player and action."""

    playouts: Sequence[tuple[float, Sequence[tuple[int, int]]]]

    @property
    def mean(self) -> float:
        total = 0.0
        for result, _ in self.playouts:
            total += result
        return total / len(self.playouts)


@dataclass(frozen=True, slots=True)
class Share:
    """What a child brings to the weighed mean of its parent; means are player 0's."""

    value: float
    square: float
    weight: float
    firmness: float
    """1 over the standard deviation of ``value``, by its weight."""


@dataclass(slots=True)
class Edge:
    action: int
    p: float
    n: int = 0
    w: float = 0.0
    child: Node | None = None
    share: Share | None = None
    closed: bool = False
    exact: float | None = None
    """The child's proven value, for the side to move, since the last backup."""


@dataclass(slots=True)
class Node:
    player: int
    salt: int
    terminal: bool = False
    proven: float | None = None
    n: int = 0
    value_sum: float = 0.0
    value_square_sum: float = 0.0
    raw_value: float = 0.0
    raw_score: float = 0.0
    """The evaluator's value, for player 0."""
    legal: list[int] = field(default_factory=list)
    unopened: list[tuple[int, float]] = field(default_factory=list)
    """Actions without an edge and their priors, in the order in which they will be opened."""
    edges: list[Edge] = field(default_factory=list)
    visited_prior: float = 0.0
    own_utility: float = 0.0
    """Of the node's own evaluation, for player 0."""
    own_weight: float = 1.0
    values: int = 0
    """N_v, where values and rollouts have means of their own; N_r is n."""
    values_sum: float = 0.0
    """W_v, for player 0."""
    rollouts_sum: float = 0.0
    """W_r, for player 0."""
    weight_sum: float = 0.0
    bucket: tuple[tuple[int, int], ...] = ()
    """Who made the last two moves, and which."""
    bias: tuple[float, float] = (0.0, 0.0)
    """What the node has added to its bucket."""
    amaf: dict[int, tuple[float, int]] = field(default_factory=dict)
    """Total value, for the side to move here, and visits of each action as if played first."""


Unguided = Ucb1 | Rave | Grave | Gumbel
"""The formulas without first-play urgency, spread and forced playouts."""


def side(player: int) -> float:
    return -1.0 if player == 1 else 1.0


def float32(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


# Selection


def explored(selection: Selection, p: float, n: int, total: int, factor: float = 1.0) -> float:
    """The exploration term of an edge with prior P and N(s,a) = n where N(s) = total; the factor
    is the spread's."""
    big_n = max(1.0, total)
    if isinstance(selection, Ucb1 | Rave | Grave):
        return selection.c * math.sqrt(math.log(big_n)) * (1.0 / math.sqrt(max(1.0, n)))
    if isinstance(selection, Puct):
        growth = selection.c_log * math.log((big_n + selection.c_base) / selection.c_base)
        return (selection.c_puct + growth) * math.sqrt(big_n) * factor * (p / (1.0 + n))
    if isinstance(selection, PolynomialPuct):
        return selection.c * math.pow(big_n, selection.alpha) * factor * (p / (1.0 + n))
    assert isinstance(selection, UctLikePuct)
    scale = selection.c * math.sqrt(math.log(1.0 + big_n + selection.c_base))
    return scale * factor * (p / math.sqrt(1.0 + n))


def spread_factor(selection: Selection, node: Node) -> float:
    """KataGo's factor on c_puct: the spread of the values below, over its usual size."""
    spread = None if isinstance(selection, Unguided | Custom) else selection.spread
    if spread is None:
        return 1.0
    squares = node.value_square_sum - node.value_sum * node.value_sum * (1.0 / node.n)
    deviations = max(0.0, squares) * (1.0 / (spread.prior * spread.prior))
    weight = spread.prior_weight
    variance = (weight + deviations) * (1.0 / (weight + node.n))
    return 1.0 + spread.scale * (math.sqrt(variance) - 1.0)


def urgency(selection: Selection, node: Node, at_root: bool) -> float:
    """First-play urgency, for the side to move at the node."""
    if isinstance(selection, Unguided):
        return math.inf
    everywhere = selection.first_play_urgency
    fpu: FirstPlayUrgency = (at_root and selection.root_first_play_urgency) or everywhere
    parent = side(node.player) * node.value_sum / node.n
    return {
        UrgencyRule.CONSTANT: fpu.amount,
        UrgencyRule.PARENT: parent,
        UrgencyRule.PARENT_MINUS_CONSTANT: parent - fpu.amount,
        UrgencyRule.PARENT_MINUS_VISITED_POLICY: parent
        - fpu.amount * math.sqrt(node.visited_prior),
        UrgencyRule.UNVISITED_FIRST: math.inf,
    }[fpu.rule]


def q(selection: Selection, edge: Edge, player: int, solver: bool) -> float:
    if solver and edge.exact is not None:
        return edge.exact
    plus_one = selection.q_denominator is QDenominator.VISITS_PLUS_ONE
    return edge.w / (edge.n + 1.0 if plus_one else edge.n)


def select(
    selection: Selection,
    expansion: Expansion,
    node: Node,
    at_root: bool,
    solver: bool,
    hopeless: int = -1,
) -> Edge:
    """The edge with the highest score; the best action without one gets its edge if it wins.
    Edges with ``hopeless`` visits or fewer are left out."""
    total = sum(edge.n for edge in node.edges)
    if isinstance(selection, Custom):
        return select_by_custom(selection, expansion, node, at_root, solver)
    if isinstance(selection, Gumbel):
        return select_improved(selection, expansion, node, solver)
    factor = spread_factor(selection, node)
    forced = 0.0
    if at_root and not isinstance(selection, Unguided):
        forced = selection.forced_playouts * total
    first_play = urgency(selection, node, at_root)
    best, best_score = None, -math.inf
    for edge in node.edges:
        if edge.closed or edge.n <= hopeless:
            continue
        if forced > 0.0 and edge.n > 0 and edge.n * edge.n < forced * edge.p:
            return edge
        value = q(selection, edge, node.player, solver)
        if solver and value <= -1.0 and edge.exact is not None:
            continue  # a proven loss teaches nothing more
        score = value + explored(selection, edge.p, edge.n, total, factor)
        if score > best_score:
            best, best_score = edge, score
    may_open = hopeless < 0 and len(node.edges) < open_limit(expansion, total, node)
    if node.unopened and may_open:
        p = node.unopened[0][1]
        if best is None or first_play + explored(selection, p, 0, total, factor) > best_score:
            best = open_next(node)
    return best or max((e for e in node.edges if not e.closed), key=lambda edge: edge.n)


def select_by_custom(
    selection: Custom, expansion: Expansion, node: Node, at_root: bool, solver: bool
) -> Edge:
    """The highest score of a function of one's own, the first of equals."""
    total = sum(edge.n for edge in node.edges)
    first_play = urgency(selection, node, at_root)
    offered = [
        (q(selection, e, node.player, solver) if e.n else first_play, e.n, e.p) for e in node.edges
    ]
    if node.unopened and len(node.edges) < open_limit(expansion, total, node):
        offered.append((first_play, 0, node.unopened[0][1]))
    arrays = [np.array(column, np.float64) for column in zip(*offered, strict=True)]
    value = side(node.player) * node.value_sum / node.n
    scores = selection.formula.score(arrays[0], arrays[1], arrays[2], Parent(total, value))
    open_places = [
        i for i in range(len(offered)) if i >= len(node.edges) or not node.edges[i].closed
    ]
    best = max(open_places, key=lambda i: (scores[i], -i))
    return open_next(node) if best == len(node.edges) else node.edges[best]


def open_next(node: Node) -> Edge:
    """Give the best action without an edge its edge."""
    action, p = node.unopened.pop(0)
    node.edges.append(Edge(action, p))
    node.visited_prior = float32(node.visited_prior + p)
    return node.edges[-1]


def lane_sum(numbers: Sequence[float]) -> float:
    """Number i goes to lane i mod 8, and the lanes are added pairwise: the core's order."""
    lanes = [0.0] * 8
    for i, number in enumerate(numbers):
        lanes[i % 8] += number
    a, b, c, d, e, f, g, h = lanes
    return ((a + e) + (c + g)) + ((b + f) + (d + h))


LARGEST_POWER = 900.0


def power_of_two(y: float) -> float:
    """2^y for y ≤ 900 as the core computes it, to 2·10⁻⁷ of its size; 0 from −900 down."""
    if y <= -LARGEST_POWER:
        return 0.0
    k = round(y)
    f = y - k
    square = f * f
    first = (f * 6.931471805599453e-1 + 1.0) + square * (
        f * 5.550410866482158e-2 + 2.402265069591007e-1
    )
    last = (f * 1.3333558146428443e-3 + 9.618129107628477e-3) + square * 1.5403530393381609e-4
    return math.ldexp(first + (square * square) * last, k)


def mixed_value(selection: Gumbel, node: Node, solver: bool) -> float:
    """v_mix: the value that completes unvisited actions, for the side to move."""
    raw = side(node.player) * node.raw_value
    visits = sum(edge.n for edge in node.edges)
    if visits == 0:
        return raw
    known = [q(selection, e, node.player, solver) if e.n else 0.0 for e in node.edges]
    priors = [edge.p if edge.n else 0.0 for edge in node.edges]
    weighted = lane_sum([p * value for p, value in zip(priors, known, strict=True)])
    prior = lane_sum(priors)
    return (raw * prior + visits * weighted) / (prior * (1.0 + visits))


def sharpness(selection: Gumbel, node: Node) -> float:
    """What σ multiplies values by."""
    most = max((edge.n for edge in node.edges), default=0)
    return (selection.c_visit + most) * selection.c_scale


def completed(selection: Gumbel, node: Node, solver: bool) -> tuple[list[float], float]:
    """σ(q) of each edge and σ(v_mix) of an action without visits, for the side to move."""
    mixed, scale = mixed_value(selection, node, solver), sharpness(selection, node)
    values = [q(selection, e, node.player, solver) if e.n > 0 else mixed for e in node.edges]
    return [scale * (value + 1.0) / 2.0 for value in values], scale * (mixed + 1.0) / 2.0


def select_improved(selection: Gumbel, expansion: Expansion, node: Node, solver: bool) -> Edge:
    """Visits follow π' = softmax(log P + σ(completed q)): the highest π'(a) − N(a)/(1 + ΣN), here
    times 1 + ΣN and what makes π' sum to one, with e^σ(q) in the unit of the highest."""
    total = sum(edge.n for edge in node.edges)
    if total == 0:
        return open_next(node)
    mixed = mixed_value(selection, node, solver)
    scale = sharpness(selection, node) * (0.5 / math.log(2.0))
    known = [q(selection, edge, node.player, solver) if edge.n else None for edge in node.edges]
    top = max(value for value in known if value is not None)
    weights = [
        0.0 if value is None else edge.p * power_of_two((value - top) * scale)
        for edge, value in zip(node.edges, known, strict=True)
    ]
    unvisited = power_of_two(min((mixed - top) * scale, LARGEST_POWER))
    visited = lane_sum([edge.p if edge.n else 0.0 for edge in node.edges])
    whole = max(0.0, 1.0 - visited) * unvisited + lane_sum(weights)
    best, best_score = None, -math.inf
    for edge, weight in zip(node.edges, weights, strict=True):
        score = (weight if edge.n else edge.p * unvisited) * (1.0 + total) - edge.n * whole
        if score > best_score:
            best, best_score = edge, score
    may_open = len(node.edges) < open_limit(expansion, total, node)
    if node.unopened and may_open and node.unopened[0][1] * unvisited * (1.0 + total) > best_score:
        best = open_next(node)
    assert best is not None
    return best


def halving_schedule(considered: int, simulations: int) -> list[int]:
    """For each simulation at the root, how many visits the action to be visited has so far."""
    visits = [0] * max(1, considered)
    rounds = max(1.0, math.ceil(math.log2(len(visits))))
    schedule: list[int] = []
    left = len(visits)
    while len(schedule) < simulations:
        for _ in range(max(1, int(simulations / (rounds * left)))):
            schedule += visits[:left]
            visits[:left] = [count + 1 for count in visits[:left]]
        left = 1 if len(visits) == 1 else max(2, left // 2)
    return schedule[:simulations]


def open_limit(expansion: Expansion, total: int, node: Node) -> float:
    """⌈C·N^β⌉, at least 1; progressive widening."""
    widening = expansion.progressive_widening
    if widening is None:
        return math.inf
    return max(1.0, math.ceil(widening.factor * math.pow(max(1.0, total), widening.exponent)))


# Expansion


def softmax(logits: Sequence[float], temperature: float) -> list[float]:
    highest, lowest = max(logits), min(logits)
    if highest == lowest:
        return [1.0 / len(logits)] * len(logits)
    weights = [math.exp((logit - highest) / temperature) for logit in logits]
    total = 0.0
    for weight in weights:
        total += weight
    return [weight / total for weight in weights]


def filtered(priors: list[float], bar: float) -> list[float]:
    """Priors below the bar become −1 (never opened, the best always is), the rest sum to 1."""
    if bar <= 0.0:
        return priors
    bar = min(bar, max(priors))
    kept = 0.0
    for p in priors:
        kept += p if p >= bar else 0.0
    return [p / kept if p >= bar else -1.0 for p in priors]


def rounded(p: float) -> float:
    """A prior as the tree keeps it: 11 bits of mantissa, not below 2^-31."""
    (bits,) = struct.unpack("I", struct.pack("f", p))
    bias = (127 - 31) << 11
    code = max(0, (bits + 0x800 >> 12) - bias)
    return float(struct.unpack("f", struct.pack("I", code + bias << 12))[0])


def noisy(priors: list[float], noise: RootNoise, random: Random) -> list[float]:
    """P' = (1 − ε) P + ε η, η ~ Dirichlet over the legal actions."""
    if len(priors) < 2:
        return priors
    count = len(priors)
    alphas = {
        NoiseKind.PLAIN: [noise.concentration] * count,
        NoiseKind.SCALED: [noise.concentration / count] * count,
        NoiseKind.SHAPED: [noise.concentration * part for part in shape(priors)],
    }[noise.kind]
    eta = [random.gamma(alpha) for alpha in alphas]
    total = 0.0
    for x in eta:
        total += x
    if not total > 0.0:
        return priors
    return [
        (1.0 - noise.weight) * p + noise.weight * x / total
        for p, x in zip(priors, eta, strict=True)
    ]


def shape(priors: list[float]) -> list[float]:
    """Half evenly, half by how far a log prior stands above the mean, cut off from above."""
    count = float(len(priors))
    logs = [math.log(min(0.01, p) + 1e-20) for p in priors]
    mean = 0.0
    for x in logs:
        mean += x
    mean /= count
    above = [max(0.0, x - mean) for x in logs]
    total = 0.0
    for x in above:
        total += x
    return [0.5 * x / total + 0.5 / count if total > 0.0 else 1.0 / count for x in above]


# Backup


def back_up(path: Sequence[tuple[Node, Edge]], leaf: Node, value: float, solver: bool) -> None:
    """N += 1 and W += v along the way, the sign by who moves at each parent."""
    leaf.n += 1
    leaf.value_sum += value
    leaf.value_square_sum += value * value
    for node, edge in reversed(path):
        edge.n += 1
        edge.w += side(node.player) * value
        node.n += 1
        node.value_sum += value
        node.value_square_sum += value * value
        if solver and edge.child is not None and edge.child.proven is not None:
            edge.exact = side(node.player) * edge.child.proven
            prove(node)


def back_up_separately(
    path: Sequence[tuple[Node, Edge]],
    leaf: Node,
    value: float | None,
    rollout: float,
    mixed: float,
    backup: Backup,
) -> None:
    """AlphaGo's two means, for player 0: the value where the leaf got it now, the rollout always;
    Q = (1 − λ) W_v / N_v + λ W_r / N_r."""
    assert backup.separate_means is not None
    share = backup.separate_means.rollout_weight
    for node in [leaf, *(node for node, _ in reversed(path))]:
        node.n += 1
        if value is not None:
            node.values += 1
            node.values_sum += value
        node.rollouts_sum += rollout
        mean = (1.0 - share) * (node.values_sum / node.values)
        mean += share * (node.rollouts_sum / node.n)
        node.value_sum = mean * node.n
        node.value_square_sum += mixed * mixed
    for node, edge in reversed(path):
        assert edge.child is not None
        edge.n += 1
        edge.w = side(node.player) * edge.child.value_sum / edge.child.n * edge.n
        if backup.solver and edge.child.proven is not None:
            edge.exact = side(node.player) * edge.child.proven
            prove(node)


def prove(node: Node) -> None:
    """A win among the children, or nothing but exact values, makes this value exact."""
    if node.proven is not None:
        return
    mover = side(node.player)
    exact = [mover * e.child.proven for e in node.edges if e.child and e.child.proven is not None]
    if max(exact) >= 1.0 or len(exact) == len(node.legal):
        node.proven = mover * max(exact)
