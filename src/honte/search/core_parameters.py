"""From a configuration to the struct that the native core reads."""

from __future__ import annotations

from honte import _core
from honte.search.config import (
    Custom,
    Equivalence,
    Expansion,
    FirstPlayUrgency,
    Grave,
    Gumbel,
    PolynomialPuct,
    Puct,
    QDenominator,
    Rave,
    SearchConfig,
    Selection,
    Ucb1,
    UctLikePuct,
)


def core_parameters(config: SearchConfig) -> _core.SearchParameters:
    """The same search, field by field, as the core names it."""
    parameters = _core.SearchParameters()
    _selection(parameters.selection, config.selection)
    _expansion(parameters.expansion, config.expansion)
    backup = parameters.backup
    backup.virtual_loss = _core.VirtualLossRule[config.backup.virtual_loss.name]
    backup.virtual_visits = config.backup.virtual_visits
    backup.solver = config.backup.solver
    backup.value_weight_exponent = config.backup.value_weight_exponent
    backup.noise_prune_scale = config.backup.noise_prune_scale
    if config.backup.score_utility is not None:
        utility = config.backup.score_utility
        backup.static_score, backup.static_scale = utility.static, utility.static_scale
        backup.dynamic_score, backup.dynamic_scale = utility.dynamic, utility.dynamic_scale
        backup.center_share = utility.center_share
    if config.backup.uncertainty is not None:
        backup.uncertainty_coefficient = config.backup.uncertainty.coefficient
        backup.uncertainty_exponent = config.backup.uncertainty.exponent
        backup.maximum_weight = config.backup.uncertainty.maximum
    if config.backup.subtree_value_bias is not None:
        backup.bias_factor = config.backup.subtree_value_bias.factor
        backup.bias_exponent = config.backup.subtree_value_bias.exponent
    if config.backup.separate_means is not None:
        backup.separate_means = True
        backup.rollout_weight = config.backup.separate_means.rollout_weight
    backup.transpositions = config.backup.transpositions
    parameters.ownership = config.backup.ownership
    parameters.maximum_nodes = config.memory.maximum_nodes or 0
    parameters.maximum_bytes = int((config.memory.maximum_mebibytes or 0) * 2**20)
    return parameters


def _selection(core: _core.SelectionParameters, selection: Selection) -> None:
    core.visits_plus_one = selection.q_denominator is QDenominator.VISITS_PLUS_ONE
    if isinstance(selection, Ucb1):
        core.formula = _core.Formula.UCB1
        core.c = selection.c
        core.urgency = core.root_urgency = _core.UrgencyRule.UNVISITED_FIRST
        return
    if isinstance(selection, Rave | Grave):
        core.formula = _core.Formula.RAVE
        core.c = selection.c
        core.urgency = core.root_urgency = _core.UrgencyRule.UNVISITED_FIRST
        core.rave_reference = selection.reference if isinstance(selection, Grave) else 0
        if isinstance(selection.schedule, Equivalence):
            core.rave_schedule = _core.RaveSchedule.EQUIVALENCE
            core.rave_equivalence = selection.schedule.k
        else:
            core.rave_schedule = _core.RaveSchedule.MINIMUM_MSE
            core.rave_bias = selection.schedule.bias
        return
    if isinstance(selection, Gumbel):
        core.formula = _core.Formula.GUMBEL
        core.considered = selection.considered
        core.visit_offset = selection.c_visit
        core.value_scale = selection.c_scale
        return
    if isinstance(selection, Puct):
        core.formula = _core.Formula.PUCT
        core.c, core.c_log, core.c_base = selection.c_puct, selection.c_log, selection.c_base
    elif isinstance(selection, PolynomialPuct):
        core.formula = _core.Formula.POLYNOMIAL_PUCT
        core.c, core.exponent = selection.c, selection.alpha
    elif isinstance(selection, UctLikePuct):
        core.formula = _core.Formula.UCT_LIKE_PUCT
        core.c, core.c_base = selection.c, selection.c_base
    elif isinstance(selection, Custom):
        core.formula = _core.Formula.CUSTOM
        core.custom_address = selection.formula.address
    everywhere: FirstPlayUrgency = selection.first_play_urgency
    at_root = selection.root_first_play_urgency or everywhere
    core.urgency = _core.UrgencyRule[everywhere.rule.name]
    core.urgency_value = everywhere.amount
    core.root_urgency = _core.UrgencyRule[at_root.rule.name]
    core.root_urgency_value = at_root.amount
    if isinstance(selection, Custom):
        return
    core.forced_playouts = selection.forced_playouts
    if selection.spread is not None:
        core.spread_scale = selection.spread.scale
        core.spread_prior = selection.spread.prior
        core.spread_prior_weight = selection.spread.prior_weight


def _expansion(core: _core.ExpansionParameters, expansion: Expansion) -> None:
    core.threshold = expansion.threshold
    core.policy_temperature = expansion.policy_temperature
    core.root_temperature = expansion.root_temperature
    core.policy_filter = expansion.policy_filter
    core.dynamic_pruning = expansion.dynamic_pruning
    core.symmetry = _core.SymmetryRule[expansion.symmetry.name]
    if expansion.root_noise is not None:
        core.noise = _core.NoiseRule[expansion.root_noise.kind.name]
        core.noise_weight = expansion.root_noise.weight
        core.noise_concentration = expansion.root_noise.concentration
    if expansion.progressive_widening is not None:
        core.widening_factor = expansion.progressive_widening.factor
        core.widening_exponent = expansion.progressive_widening.exponent
