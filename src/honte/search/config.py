"""The configuration of a search: one frozen model a phase, readable from TOML.

Every field carries the symbol of the papers where there is one. A combination that cannot be
is refused when it is made, in a sentence. The named systems of the papers are configurations
in :mod:`honte.presets`.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from honte.errors import HonteError
from honte.search.formula import Formula
from honte.toml_files import read_toml


class Phase(BaseModel):
    """A frozen part of the configuration; an unknown field is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise HonteError(_sentence(type(self).__name__, error)) from None

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read one from a file. Raises HonteError naming the file and the field at fault."""
        data = read_toml(path)
        try:
            return cls(**data)
        except HonteError as error:
            raise HonteError(f"In {path}: {error}") from None


def _sentence(name: str, error: ValidationError) -> str:
    parts = []
    for fault in error.errors():
        if fault["type"] == "value_error":
            parts.append(str(fault["ctx"]["error"]))
            continue
        place = ".".join(str(step) for step in fault["loc"]) or name
        given = fault["input"]
        message = fault["msg"][0].lower() + fault["msg"][1:]
        parts.append(f"{name}: {place} = {given!r} cannot be: {message}.")
    return " ".join(parts)


class QDenominator(Enum):
    """What the total value of an edge is divided by."""

    VISITS = "visits"
    """Q = W / N."""
    VISITS_PLUS_ONE = "visits_plus_one"
    """Q = W / (N + 1), as some texts on AlphaGo 2016 have it."""


class UrgencyRule(Enum):
    """First-play urgency: the value that stands in for an action without visits."""

    CONSTANT = "constant"
    """A fixed value; 0 is AlphaGo Zero's, −1 counts it as a loss."""
    PARENT = "parent"
    """The mean value of the node, for its side to move."""
    PARENT_MINUS_CONSTANT = "parent_minus_constant"
    """The node's mean value less the amount."""
    PARENT_MINUS_VISITED_POLICY = "parent_minus_visited_policy"
    """The node's mean value less amount · √(Σ P of the actions visited) [Leela Zero, KataGo]."""
    UNVISITED_FIRST = "unvisited_first"
    """Plus infinity: every action once before any twice [UCB1]."""


class FirstPlayUrgency(Phase):
    """The rule and its amount; the amount is a value for CONSTANT, a reduction otherwise."""

    rule: UrgencyRule = UrgencyRule.CONSTANT
    amount: float = Field(default=0.0, ge=-2.0, le=2.0)


class Ucb1(Phase):
    """UCB1: Q + c · √(ln N(s) / N(s,a)), unvisited actions first [Auer 2002; Kocsis 2006]."""

    kind: Literal["ucb1"] = "ucb1"
    c: float = Field(default=1.0, ge=0.0)
    """Exploration constant for values in [−1, 1]; √2 fits rewards of twice that certainty."""
    q_denominator: QDenominator = QDenominator.VISITS


class Equivalence(Phase):
    """β = √(k / (3 N(s) + k)): AMAF and mean weigh about the same at k visits of the node
    [Gelly & Silver 2011]."""

    kind: Literal["equivalence"] = "equivalence"
    k: float = Field(default=1000.0, gt=0.0)


class MinimumMse(Phase):
    """β = ñ / (n + ñ + bias · n · ñ): the weight of least squared error for an AMAF value whose
    squared bias is bias / 4 in units of its variance [Silver 2009; Cazenave 2015]."""

    kind: Literal["minimum_mse"] = "minimum_mse"
    bias: float = Field(default=1e-3, ge=0.0)


RaveSchedule = Annotated[Equivalence | MinimumMse, Field(discriminator="kind")]


class Rave(Phase):
    """RAVE: (1 − β) Q + β Q_AMAF + c · √(ln N(s) / N(s,a)); an action that nobody has played at
    any time comes first [Gelly & Silver 2011]. AMAF counts the way down and the playouts."""

    kind: Literal["rave"] = "rave"
    c: float = Field(default=0.0, ge=0.0)
    schedule: RaveSchedule = Equivalence()
    q_denominator: QDenominator = QDenominator.VISITS


class Grave(Phase):
    """GRAVE: RAVE with the AMAF values of the nearest ancestor that has ``reference`` visits, the
    root where none has [Cazenave 2015]."""

    kind: Literal["grave"] = "grave"
    c: float = Field(default=0.0, ge=0.0)
    reference: int = Field(default=50, ge=1)
    schedule: RaveSchedule = MinimumMse(bias=1e-5)
    q_denominator: QDenominator = QDenominator.VISITS


class Spread(Phase):
    """KataGo's variance-scaled c_puct: c_puct · (1 + scale · (stdev / prior − 1)), where stdev is
    the spread of the values seen below the node, the prior spread counting ``prior_weight``
    visits [KataGo methods]."""

    scale: float = Field(default=0.85, ge=0.0, le=1.0)
    prior: float = Field(default=0.4, gt=0.0)
    prior_weight: float = Field(default=2.0, gt=0.0)


class _PolicyGuided(Phase):
    """What every formula guided by a prior has."""

    first_play_urgency: FirstPlayUrgency = FirstPlayUrgency()
    root_first_play_urgency: FirstPlayUrgency | None = None
    """At the root; None: as everywhere."""
    q_denominator: QDenominator = QDenominator.VISITS
    spread: Spread | None = None
    """Scale the exploration by the spread of values below a node; None: do not. Visits to solve in
    9×9 Go: 1.05 (0.90 … 1.33), in Connect Four 0.94 (0.76 … 1.13)."""
    forced_playouts: float = Field(default=0.0, ge=0.0)
    """k: a visited root action gets at least √(k · P · ΣN) visits; 0 for none [KataGo: 2]."""


class Puct(_PolicyGuided):
    """PUCT: Q + c(N) · P · √N(s) / (1 + N(s,a)) [Rosin 2011; Silver 2016].

    N(s) is the sum of the edges' visits, and 1 at a fresh node, so that the highest prior is
    tried first. c(N) = c_puct + c_log · log((N + c_base) / c_base): with ``c_log`` 0 a constant;
    with c_log 1, c_puct 1.25, c_base 19652 AlphaZero's growing c_puct (N counts one visit less
    than in the paper's 1 + N); with 0.45 and 500 KataGo's.
    """

    kind: Literal["puct"] = "puct"
    c_puct: float = Field(default=1.5, ge=0.0)
    c_log: float = Field(default=0.0, ge=0.0)
    c_base: float = Field(default=19652.0, gt=0.0)


class PolynomialPuct(_PolicyGuided):
    """Q + c · P · N(s)^α / (1 + N(s,a)); α = 0.5 is PUCT."""

    kind: Literal["polynomial_puct"] = "polynomial_puct"
    c: float = Field(default=1.5, ge=0.0)
    alpha: float = Field(default=0.5, gt=0.0, le=2.0)


class UctLikePuct(_PolicyGuided):
    """Q + c · P · √(ln(1 + N(s) + c_base) / (1 + N(s,a)))."""

    kind: Literal["uct_like_puct"] = "uct_like_puct"
    c: float = Field(default=1.5, ge=0.0)
    c_base: float = Field(default=19652.0, ge=0.0)


class Gumbel(Phase):
    """Gumbel AlphaZero: the root draws ``considered`` actions by Gumbel-top-k and halves them
    sequentially over the simulations; inside the tree visits follow the improved policy, without
    a random draw [Danihelka 2022]. Give the search a budget of simulations or visits: the halving
    needs to know how many there will be. Decide with :class:`GumbelDecision`.
    """

    kind: Literal["gumbel"] = "gumbel"
    considered: int = Field(default=16, ge=1)
    """m"""
    c_visit: float = Field(default=50.0, ge=0.0)
    c_scale: float = Field(default=1.0, gt=0.0)
    """σ(q) = (c_visit + max N) · c_scale · (q + 1) / 2, for q in [−1, 1]."""
    q_denominator: QDenominator = QDenominator.VISITS


class Custom(Phase):
    """A formula of your own, see :mod:`honte.search.formula`; not readable from TOML."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True
    )

    kind: Literal["custom"] = "custom"
    formula: Formula
    first_play_urgency: FirstPlayUrgency = FirstPlayUrgency()
    root_first_play_urgency: FirstPlayUrgency | None = None
    q_denominator: QDenominator = QDenominator.VISITS


Selection = Annotated[
    Ucb1 | Puct | PolynomialPuct | UctLikePuct | Rave | Grave | Gumbel | Custom,
    Field(discriminator="kind"),
]


class NoiseKind(Enum):
    """How the Dirichlet concentration is spread over the legal actions."""

    PLAIN = "plain"
    """α for every action: AlphaGo Zero's 0.03 on 19×19."""
    SCALED = "scaled"
    """α = concentration / number of legal actions: 10.83 in all is AlphaGo Zero's on any board."""
    SHAPED = "shaped"
    """Half of the total evenly, half where the policy is above its mean [KataGo]."""


class RootNoise(Phase):
    """P' = (1 − ε) P + ε η, η ~ Dirichlet, once per new root [Silver 2017]."""

    kind: NoiseKind = NoiseKind.SCALED
    weight: float = Field(default=0.25, ge=0.0, le=1.0)
    """ε"""
    concentration: float = Field(default=10.83, gt=0.0)
    """α for PLAIN, the total Σα otherwise."""


class ProgressiveWidening(Phase):
    """At N visits a node has at most ⌈C·N^β⌉ actions open, highest priors first."""

    factor: float = Field(default=2.0, gt=0.0)
    """C"""
    exponent: float = Field(default=0.5, ge=0.0, le=1.0)
    """β"""


class Symmetry(Enum):
    """Which of the board's symmetries a leaf is evaluated under."""

    IDENTITY = "identity"
    RANDOM = "random"
    """One at random [AlphaGo Zero]."""
    MEAN = "mean"
    """The mean answer over all of them; costs as many evaluations."""


class Expansion(Phase):
    """From an evaluator's answer to priors over legal actions."""

    threshold: int = Field(default=1, ge=1)
    """n_thr: visits of a leaf before it is expanded; until then each visit evaluates it anew."""
    policy_temperature: float = Field(default=1.0, gt=0.0)
    """Softmax temperature of the priors everywhere [AlphaGo 2016: 0.67]."""
    root_temperature: float = Field(default=1.0, gt=0.0)
    """Further temperature at the root, before noise [KataGo]."""
    root_noise: RootNoise | None = None
    policy_filter: float = Field(default=0.0, ge=0.0, lt=1.0)
    """Actions with a smaller prior are never opened (the best always is); the rest sum to 1."""
    progressive_widening: ProgressiveWidening | None = None
    dynamic_pruning: bool = False
    """At the root, leave actions that can no longer become the most visited within the budget of
    simulations; for play, not for training targets."""
    symmetry: Symmetry = Symmetry.IDENTITY


class VirtualLossKind(Enum):
    """How a leaf in flight is seen by the next way down."""

    LOST_VISITS = "lost_visits"
    """n_vl lost visits on its way [AlphaGo 2016]."""
    UNOBSERVED = "unobserved"
    """Visits without a value: they lower the exploration term only [WU-UCT, Liu 2020]."""


class ScoreUtility(Phase):
    """Points count a little: what is backed up is v + static · S(score; 0) + dynamic · S(score;
    centre), S the expectation of (2/π) atan((x − centre) / (scale · √area)); the centre is
    ``center_share`` of what the evaluator expects at the root. |Q| ≤ 1 + static + dynamic then.
    Counts for evaluations with score_mean and score_stdev and for finished games [KataGo methods].
    """

    static: float = Field(default=0.1, ge=0.0, le=1.0)
    static_scale: float = Field(default=2.0, gt=0.0)
    dynamic: float = Field(default=0.3, ge=0.0, le=1.0)
    dynamic_scale: float = Field(default=0.75, gt=0.0)
    center_share: float = Field(default=0.8, ge=0.0, le=1.0)


class UncertaintyWeighting(Phase):
    """An evaluation counts coefficient / (error^exponent + coefficient / maximum) in the means,
    its expected absolute error being what the evaluator says of itself [KataGo methods]."""

    coefficient: float = Field(default=0.25, gt=0.0)
    exponent: float = Field(default=1.0, gt=0.0)
    maximum: float = Field(default=8.0, gt=0.0)


class SubtreeValueBias(Phase):
    """Evaluations are corrected by ``factor`` of how far the search below positions with the
    same last two moves was off their evaluations, each counting its weight^exponent [KataGo
    methods, which also compare the local pattern]."""

    factor: float = Field(default=0.45, gt=0.0, le=1.0)
    exponent: float = Field(default=0.85, gt=0.0, le=1.0)


class SeparateMeans(Phase):
    """AlphaGo's leaf values: what the evaluator says and how a rollout from there ended have sums
    of their own, and Q = (1 − λ) W_v / N_v + λ W_r / N_r. A position gets its value once and a
    rollout at every visit, so below an expansion threshold N_v < N_r = N; a virtual loss is a lost
    rollout. A finished game counts in both. The evaluator is a ``WithRollouts``; one inside the
    core (``Rollout()``, ``Uniform()``) has one answer for both [Silver 2016]."""

    rollout_weight: float = Field(default=0.5, ge=0.0, le=1.0)
    """λ: 0 reads values alone, 1 rollouts alone."""


class Backup(Phase):
    """How an answer changes the tree.

    "Visits to solve" is what a switch of KataGo's did to the visits that positions with known
    answers need, on against off in its preset where nothing else is said, below 1 where it helps:
    docs/lab/katago-switches.md.
    """

    virtual_loss: VirtualLossKind = VirtualLossKind.LOST_VISITS
    virtual_visits: float = Field(default=1.0, gt=0.0, le=100.0)
    """n_vl, for LOST_VISITS. Visits to solve with either kind in 9×9 Go: the same; by matches with
    32 leaves in flight see the lab."""
    solver: bool = False
    """Pass exact results of finished games up the tree [MCTS-solver, Winands 2008]. Visits to solve
    in Connect Four: 0.49 (0.42 … 0.58), in plain PUCT 0.71; in 9×9 Go 1.00."""
    score_utility: ScoreUtility | None = None
    """Let points count; None: only who wins. Visits to solve in 9×9 Go: 0.87 (0.75 … 0.98)."""
    uncertainty: UncertaintyWeighting | None = None
    """Weigh evaluations by how sure the evaluator is of them. Visits to solve in 9×9 Go: 0.99
    (0.94 … 1.03), by a network that says nothing of its errors."""
    value_weight_exponent: float = Field(default=0.0, ge=0.0, le=2.0)
    """Weigh children by how good they are [KataGo: 0.25]; 0: not. Visits to solve in 9×9 Go: 1.06
    (0.91 … 1.35) in KataGo's search, 0.92 (0.83 … 0.99) in plain PUCT."""
    noise_prune_scale: float = Field(default=0.0, ge=0.0)
    """Take away the weight that noise gave to bad children [KataGo: 0.15]; 0: not. Visits to solve
    in 9×9 Go: 1.00; in Connect Four 1.03 (1.00 … 1.09)."""
    subtree_value_bias: SubtreeValueBias | None = None
    """Learn within the tree where evaluations are off. Visits to solve in 9×9 Go: 0.98
    (0.85 … 1.14)."""
    separate_means: SeparateMeans | None = None
    """Keep values and rollouts apart, as AlphaGo of 2016 did; None: one mean."""
    transpositions: bool = False
    """One node a position, however it is reached: the tree becomes a graph. An edge's value is its
    child's mean; a way down ends where the child has more visits than the edge, and where it would
    lead round in a circle. The game needs ``graph_key`` or ``key`` [KataGo]. Visits to solve in
    9×9 Go: 1.04 (0.98 … 1.14); fewer nodes and evaluations."""
    ownership: bool = False
    """Keep each evaluation's ownership of the points, for the mean in the result: a byte a point
    and node."""


class MostVisits(Phase):
    """The most visited action; ties go to the higher value, then the higher prior."""

    kind: Literal["most_visits"] = "most_visits"


class SampleVisits(Phase):
    """π(a) ∝ N^(1/τ), sampled; computed in logarithms, so that τ → 0 cannot overflow."""

    kind: Literal["sample_visits"] = "sample_visits"
    temperature: float = Field(default=1.0, gt=0.0)
    """τ"""
    moves: int | None = Field(default=30, ge=0)
    """From this move of the game on the most visited action instead; None: never."""


class BestLowerBound(Phase):
    """The best lower confidence bound Q − z·s/√N among well visited actions [KataGo]."""

    kind: Literal["best_lower_bound"] = "best_lower_bound"
    z: float = Field(default=5.0, gt=0.0)
    """Standard errors below the mean."""
    minimum_share: float = Field(default=0.15, ge=0.0, le=1.0)
    """An action needs this share of the most visits to be chosen for its bound."""


class VisitsTimesValue(Phase):
    """The highest N · (1 + Q)."""

    kind: Literal["visits_times_value"] = "visits_times_value"


class HighestPrior(Phase):
    """The highest prior: the policy network alone; search changes nothing."""

    kind: Literal["highest_prior"] = "highest_prior"


class HighestValue(Phase):
    """The highest Q; with a budget of one visit an action the value network alone."""

    kind: Literal["highest_value"] = "highest_value"


class GumbelDecision(Phase):
    """Among the most visited actions the highest g + log P + σ(q); with :class:`Gumbel` only."""

    kind: Literal["gumbel"] = "gumbel"


Decision = Annotated[
    MostVisits
    | SampleVisits
    | BestLowerBound
    | VisitsTimesValue
    | HighestPrior
    | HighestValue
    | GumbelDecision,
    Field(discriminator="kind"),
]


class Parallelism(Phase):
    """How many leaves wait for answers at once.

    Part of the search's identity: with the same seed, batch size and batches in flight it makes
    the same visits on any number of threads and streams.
    """

    batch_size: int | None = Field(default=None, ge=1, le=4096)
    """Leaves a batch; None: what the evaluator prefers, and fewer while the tree is young."""
    batches_in_flight: int = Field(default=3, ge=1, le=16)
    """Batches at once, where the evaluator is asynchronous."""
    threads: int = Field(default=1, ge=1, le=256)
    """Threads that encode a batch's features."""


class Memory(Phase):
    """Hard caps; at either rarely visited subtrees are pruned, and the result says so."""

    maximum_nodes: int | None = Field(default=None, ge=16, le=2**32 - 2)
    maximum_mebibytes: float | None = Field(default=None, ge=1.0)
    """What the tree may occupy, in units of 2^20 bytes. While it is pruned, what is kept of it is
    there twice."""


class SearchConfig(Phase):
    """A whole search: selection, expansion, backup, decision, and what machine it may use."""

    selection: Selection = Puct()
    expansion: Expansion = Expansion()
    backup: Backup = Backup()
    decision: Decision = MostVisits()
    parallelism: Parallelism = Parallelism()
    memory: Memory = Memory()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (
            isinstance(self.selection, Ucb1 | Rave | Grave)
            and self.expansion.root_noise is not None
        ):
            raise ValueError(
                f"Root noise changes priors, and {self.selection.kind} reads none: choose PUCT or "
                "drop the noise."
            )
        if (
            isinstance(self.selection, Rave | Grave)
            and self.expansion.progressive_widening is not None
        ):
            raise ValueError(
                f"{self.selection.kind} compares all actions of a node: drop the progressive "
                "widening."
            )
        gumbel = isinstance(self.selection, Gumbel)
        if isinstance(self.decision, GumbelDecision) and not gumbel:
            raise ValueError(
                f"Gumbel's decision needs Gumbel's selection, not {self.selection.kind}: "
                "choose both."
            )
        if gumbel and self.expansion.root_noise is not None:
            raise ValueError(
                "Gumbel's root explores by its own draw: drop the Dirichlet noise, or choose PUCT."
            )
        if gumbel and self.expansion.progressive_widening is not None:
            raise ValueError(
                "Gumbel compares all actions of the root: drop the progressive widening."
            )
        backup = self.backup
        weighs = (
            backup.uncertainty is not None
            or backup.subtree_value_bias is not None
            or backup.value_weight_exponent > 0
            or backup.noise_prune_scale > 0
        )
        if backup.transpositions:
            if isinstance(self.selection, Rave | Grave):
                raise ValueError(
                    f"{self.selection.kind} counts what was played after a node on the way down, "
                    "and a shared node lies on many ways: drop the transpositions."
                )
            if self.expansion.threshold > 1:
                raise ValueError(
                    "In a graph a position has one evaluation: set the expansion threshold to 1, "
                    "or drop the transpositions."
                )
            if backup.separate_means is not None:
                raise ValueError(
                    "Separate means add up what passed a node, and a graph reads what its children "
                    "are worth: drop the transpositions or separate_means."
                )
        if weighs and self.expansion.threshold > 1:
            raise ValueError(
                "Weighed means count one evaluation a position: set the expansion threshold to 1, "
                "or weigh nothing."
            )
        if backup.separate_means is not None and (weighs or backup.score_utility is not None):
            raise ValueError(
                "Separate means are AlphaGo's, of values and rollouts: they know neither points "
                "nor weights. Drop score_utility, uncertainty, value_weight_exponent, "
                "noise_prune_scale and subtree_value_bias, or separate_means."
            )
        cap, batch = self.memory.maximum_nodes, self.parallelism.batch_size
        if cap is not None and batch is not None:
            flying = batch * self.parallelism.batches_in_flight
            if cap < 2 * flying:
                raise ValueError(
                    f"A cap of {cap} nodes cannot hold {flying} leaves in flight twice over: "
                    "raise maximum_nodes or lower batch_size."
                )
        return self

    def replace(self, **changes: Any) -> Self:
        """A copy with some phases changed, validated anew."""
        return type(self)(
            **{**{name: getattr(self, name) for name in type(self).model_fields}, **changes}
        )
