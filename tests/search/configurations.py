"""Every configuration that the types allow, drawn by hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from honte.search.config import (
    Backup,
    Custom,
    Equivalence,
    Expansion,
    FirstPlayUrgency,
    Grave,
    Gumbel,
    MinimumMse,
    NoiseKind,
    Parallelism,
    PolynomialPuct,
    ProgressiveWidening,
    Puct,
    QDenominator,
    Rave,
    RootNoise,
    ScoreUtility,
    SearchConfig,
    SeparateMeans,
    Spread,
    SubtreeValueBias,
    Ucb1,
    UctLikePuct,
    UncertaintyWeighting,
    UrgencyRule,
    VirtualLossKind,
)
from honte.search.formula import formula

urgencies = st.builds(
    FirstPlayUrgency,
    rule=st.sampled_from(UrgencyRule),
    amount=st.sampled_from([-1.0, 0.0, 0.1, 0.25, 0.5]),
)
guided = {
    "first_play_urgency": urgencies,
    "root_first_play_urgency": st.none() | urgencies,
    "q_denominator": st.sampled_from(QDenominator),
    "spread": st.none() | st.just(Spread()) | st.just(Spread(scale=0.5, prior=0.2)),
    "forced_playouts": st.sampled_from([0.0, 0.0, 2.0]),
}
schedules = st.sampled_from([Equivalence(k=10.0), Equivalence(), MinimumMse(bias=0.1)])


@formula
def own_formula(q, n, p, parent):
    return q + 0.1 * parent.value + 2.0 * p * np.sqrt(1.0 + parent.n) / (1.0 + n * n)


constants = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.25, 1.5, 2.5, 5.0])
selections = st.one_of(
    st.builds(Ucb1, c=constants, q_denominator=st.sampled_from(QDenominator)),
    st.builds(
        Puct,
        c_puct=constants,
        c_log=st.sampled_from([0.0, 0.45, 1.0]),
        c_base=st.sampled_from([5.0, 500.0, 19652.0]),
        **guided,
    ),
    st.builds(PolynomialPuct, c=constants, alpha=st.sampled_from([0.25, 0.5, 0.75]), **guided),
    st.builds(
        Custom,
        formula=st.just(own_formula),
        first_play_urgency=urgencies.filter(
            lambda fpu: fpu.rule is not UrgencyRule.UNVISITED_FIRST
        ),
        q_denominator=st.sampled_from(QDenominator),
    ),
    st.builds(Rave, c=constants, schedule=schedules, q_denominator=st.sampled_from(QDenominator)),
    st.builds(
        Grave,
        c=constants,
        reference=st.sampled_from([1, 5, 50]),
        schedule=schedules,
        q_denominator=st.sampled_from(QDenominator),
    ),
    st.builds(
        Gumbel,
        considered=st.sampled_from([1, 2, 4, 16, 100]),
        c_visit=st.sampled_from([0.0, 50.0]),
        c_scale=st.sampled_from([0.1, 1.0]),
        q_denominator=st.sampled_from(QDenominator),
    ),
    st.builds(UctLikePuct, c=constants, c_base=st.sampled_from([0.0, 10.0, 19652.0]), **guided),
)
noises = st.builds(
    RootNoise,
    kind=st.sampled_from(NoiseKind),
    weight=st.sampled_from([0.1, 0.25, 1.0]),
    concentration=st.sampled_from([0.3, 10.83]),
)


def expansions(selection):
    opens_all = isinstance(selection, Gumbel | Rave | Grave)
    return st.builds(
        Expansion,
        threshold=st.sampled_from([1, 1, 1, 2, 5]),
        policy_temperature=st.sampled_from([0.67, 1.0, 2.0]),
        root_temperature=st.sampled_from([0.5, 1.0, 1.25]),
        root_noise=st.none() if opens_all or isinstance(selection, Ucb1) else st.none() | noises,
        policy_filter=st.sampled_from([0.0, 0.0, 0.02, 0.3]),
        dynamic_pruning=st.booleans(),
        progressive_widening=st.none()
        if opens_all
        else st.none()
        | st.builds(
            ProgressiveWidening,
            factor=st.sampled_from([0.5, 1.0, 2.0]),
            exponent=st.sampled_from([0.0, 0.3, 0.5]),
        ),
    )


unweighed = st.builds(
    Backup,
    virtual_loss=st.sampled_from(VirtualLossKind),
    virtual_visits=st.sampled_from([1.0, 3.0]),
    solver=st.booleans(),
    separate_means=st.none()
    | st.builds(SeparateMeans, rollout_weight=st.sampled_from([0.0, 0.25, 0.5, 1.0])),
)


weighed = st.builds(
    Backup,
    virtual_loss=st.sampled_from(VirtualLossKind),
    solver=st.booleans(),
    score_utility=st.none() | st.just(ScoreUtility()),
    uncertainty=st.none() | st.just(UncertaintyWeighting()),
    value_weight_exponent=st.sampled_from([0.0, 0.25, 1.0]),
    noise_prune_scale=st.sampled_from([0.0, 0.15]),
    subtree_value_bias=st.none() | st.just(SubtreeValueBias()),
)


graphs = weighed.map(lambda backup: backup.model_copy(update={"transpositions": True}))


def backups(selection, expansion, state):
    if expansion.threshold > 1:
        return unweighed
    if isinstance(selection, Rave | Grave) or not hasattr(state, "key"):
        return unweighed | weighed
    if hasattr(state, "graph_key"):  # what follows may depend on the way: nothing is proven
        ways = graphs.map(lambda backup: backup.model_copy(update={"solver": False}))
        return unweighed | weighed | ways
    return unweighed | weighed | graphs


def configurations(parallelism, state):
    """SearchConfigs for a game with the given strategy for parallelism."""
    return selections.flatmap(
        lambda selection: expansions(selection).flatmap(
            lambda expansion: st.builds(
                SearchConfig,
                selection=st.just(selection),
                expansion=st.just(expansion),
                backup=backups(selection, expansion, state),
                parallelism=parallelism,
            )
        )
    )


one_leaf = st.just(Parallelism(batch_size=1, batches_in_flight=1))
many_leaves = st.builds(
    Parallelism,
    batch_size=st.sampled_from([1, 3, 8, 32]),
    batches_in_flight=st.sampled_from([1, 2, 4]),
)
