"""The named systems as configurations, and nothing else.

Each function returns a :class:`honte.search.SearchConfig`, but :func:`alphabeta`, whose search is
none of visits: it makes a :class:`honte.search.AlphaBetaConfig`. What answers the leaves (a
network, a rollout, a mixture) is the evaluator's business and named in each docstring.
"""

from __future__ import annotations

from honte.search.alphabeta import AlphaBetaConfig
from honte.search.config import (
    Backup,
    BestLowerBound,
    Expansion,
    FirstPlayUrgency,
    Grave,
    Gumbel,
    GumbelDecision,
    HighestPrior,
    HighestValue,
    MostVisits,
    Puct,
    Rave,
    RootNoise,
    SampleVisits,
    ScoreUtility,
    SearchConfig,
    SeparateMeans,
    Spread,
    SubtreeValueBias,
    Symmetry,
    Ucb1,
    UncertaintyWeighting,
    UrgencyRule,
    VirtualLossKind,
)


def uct() -> SearchConfig:
    """UCT: UCB1 in the tree, no priors; evaluator ``Rollout()`` [Kocsis & Szepesvári 2006]."""
    return SearchConfig(selection=Ucb1(c=1.0))


def rave() -> SearchConfig:
    """UCT with RAVE, MoGo's and Fuego's search; evaluator ``Rollout()`` [Gelly & Silver 2011]."""
    return SearchConfig(selection=Rave())


def grave() -> SearchConfig:
    """GRAVE with a reference of 50 playouts; evaluator ``Rollout()`` [Cazenave 2015]."""
    return SearchConfig(selection=Grave())


def alphago_fan() -> SearchConfig:
    """AlphaGo of October 2015, as published; evaluator ``WithRollouts(networks, Rollout())``.

    c_puct 5, n_thr 40, n_vl 3, λ 0.5 and softmax temperature 0.67 are the paper's table; popular
    texts give 1.5 for c_puct. The network's values and the rollouts have means of their own, as in
    the paper: a position below n_thr gets its value once and a rollout at every visit. Popular
    texts mix the two at each leaf: that is this search without ``separate_means``, its evaluator
    ``Mixture(networks, Rollout(), 0.5)``. The paper's rollouts follow a policy of patterns, as
    ``Rollout(policy=PatternPolicy.shipped())`` does. The most visited move is played [Silver 2016].
    """
    return SearchConfig(
        selection=Puct(c_puct=5.0),
        expansion=Expansion(threshold=40, policy_temperature=0.67, symmetry=Symmetry.RANDOM),
        backup=Backup(virtual_visits=3.0, separate_means=SeparateMeans(rollout_weight=0.5)),
        decision=MostVisits(),
    )


def alphago_lee() -> SearchConfig:
    """AlphaGo of March 2016: AlphaGo Fan's search with larger networks [Silver 2016, 2017]."""
    return alphago_fan()


def alphago_master() -> SearchConfig:
    """AlphaGo Master: one dual network, value head only, no rollouts [Silver 2017]."""
    return SearchConfig(
        selection=Puct(c_puct=1.5),
        expansion=Expansion(symmetry=Symmetry.RANDOM),
        decision=MostVisits(),
    )


def alphago_zero(*, self_play: bool = False) -> SearchConfig:
    """AlphaGo Zero: dual network, PUCT; 1,600 simulations a move in the paper [Silver 2017].

    In self-play with root noise ε = 0.25 of a total concentration 10.83 (α = 0.03 on 19×19)
    and τ = 1 for the first 30 moves.
    """
    return SearchConfig(
        selection=Puct(c_puct=1.5),
        expansion=Expansion(
            symmetry=Symmetry.RANDOM, root_noise=RootNoise() if self_play else None
        ),
        decision=SampleVisits(temperature=1.0, moves=30) if self_play else MostVisits(),
    )


def alphazero(*, self_play: bool = False) -> SearchConfig:
    """AlphaZero: c_puct growing from 1.25, no symmetries; 800 simulations in training
    [Silver 2018]."""
    return SearchConfig(
        selection=Puct(c_puct=1.25, c_log=1.0, c_base=19652.0),
        expansion=Expansion(root_noise=RootNoise() if self_play else None),
        decision=SampleVisits(temperature=1.0, moves=30) if self_play else MostVisits(),
    )


def leela_zero() -> SearchConfig:
    """Leela Zero: FPU reduction 0.25 · √ΣP, on its scale of [0, 1] (0.5 on ours); LCB."""
    return SearchConfig(
        selection=Puct(
            c_puct=1.6,
            first_play_urgency=FirstPlayUrgency(
                rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=0.5
            ),
        ),
        expansion=Expansion(symmetry=Symmetry.RANDOM),
        decision=BestLowerBound(z=1.96, minimum_share=0.1),
    )


def katago() -> SearchConfig:
    """KataGo's search: c_puct 1.0 + 0.45 · log((N + 500)/500) scaled by the spread of values, FPU
    reduction 0.2 · √ΣP (0.1 at the root), score utility, value-weighted children, noise pruning,
    uncertainty weighting, subtree value bias, LCB [KataGo methods]. Without its local patterns;
    its graph is ``backup.transpositions``, off because it made no difference that can be told here
    and asks a game for keys."""
    return SearchConfig(
        selection=Puct(
            c_puct=1.0,
            c_log=0.45,
            c_base=500.0,
            spread=Spread(),
            first_play_urgency=FirstPlayUrgency(
                rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=0.2
            ),
            root_first_play_urgency=FirstPlayUrgency(
                rule=UrgencyRule.PARENT_MINUS_VISITED_POLICY, amount=0.1
            ),
        ),
        expansion=Expansion(symmetry=Symmetry.RANDOM),
        backup=Backup(
            virtual_loss=VirtualLossKind.LOST_VISITS,
            score_utility=ScoreUtility(),
            uncertainty=UncertaintyWeighting(),
            value_weight_exponent=0.25,
            noise_prune_scale=0.15,
            subtree_value_bias=SubtreeValueBias(),
        ),
        decision=BestLowerBound(z=5.0, minimum_share=0.15),
    )


def gumbel_alphazero() -> SearchConfig:
    """Gumbel AlphaZero: 16 considered actions, halved over the budget; improves on its policy
    with as few as two simulations. The training target is ``result.policy`` [Danihelka 2022]."""
    return SearchConfig(selection=Gumbel(), decision=GumbelDecision())


def policy_only() -> SearchConfig:
    """The policy network alone: one visit, the highest prior."""
    return SearchConfig(decision=HighestPrior())


def value_only() -> SearchConfig:
    """The value network alone, one ply deep: every action once, the highest value.

    Give it a budget of one visit more than there are legal actions.
    """
    return SearchConfig(
        selection=Ucb1(c=0.0),
        decision=HighestValue(),
    )


def alphabeta(depth: int = 4) -> AlphaBetaConfig:
    """Minimax with alpha-beta pruning: for :class:`honte.search.AlphaBeta`, whose evaluator gives
    the values at the depth, such as a value network or ``Rollout(32)`` [Knuth & Moore 1975]."""
    return AlphaBetaConfig(depth=depth)
