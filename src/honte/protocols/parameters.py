"""Settings that clients change while an engine runs, under KataGo's names.

GTP's ``kata-set-param`` and the JSON engine's ``overrideSettings`` share this table.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from honte.errors import HonteError
from honte.players.player import PlayerSettings
from honte.players.resignation import Resignation
from honte.protocols.analysis_format import View
from honte.search import SearchConfig
from honte.search.config import (
    BestLowerBound,
    FirstPlayUrgency,
    Phase,
    Puct,
    RootNoise,
    Ucb1,
    UrgencyRule,
)

Value = bool | int | float | str | None
P = TypeVar("P", bound=Phase)


class UnknownParameter(HonteError):
    """honte has no parameter of this name."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Everything a client may change."""

    search: SearchConfig
    settings: PlayerSettings
    view: View = View.SIDE_TO_MOVE
    wide_root_noise: float = 0.0
    """KataGo's wideRootNoise w flattens the root's policy to the power 1 / (4w + 1); that part
    of it is done here, as a temperature."""
    analysis_wide_root_noise: float = 0.0
    """The same for GTP's analysis commands alone."""
    keep_ownership: bool = False
    """Whether searches keep the ownership of every evaluation."""

    def with_value(self, name: str, value: Any) -> Parameters:
        """A copy with one parameter changed.

        Raises :class:`UnknownParameter` for a name, :class:`HonteError` for a value that cannot
        be.
        """
        parameter = _TABLE.get(name)
        if parameter is None:
            raise UnknownParameter(f"There is no parameter {name[:60]!r}.")
        return parameter.write(self, parameter.check(name, value))

    def value(self, name: str) -> Value:
        """The value of a parameter. Raises :class:`UnknownParameter`."""
        parameter = _TABLE.get(name)
        if parameter is None:
            raise UnknownParameter(f"There is no parameter {name[:60]!r}.")
        return parameter.read(self)

    def to_json(self) -> dict[str, Value]:
        """Every parameter by name."""
        return {name: parameter.read(self) for name, parameter in _TABLE.items()}

    def keeping_ownership(self, keep: bool) -> Parameters:
        """A copy whose searches keep the ownership of every evaluation, or do not."""
        return self if keep == self.keep_ownership else replace(self, keep_ownership=keep)

    def play_config(self) -> SearchConfig:
        """The configuration of a search that finds a move, and of the JSON engine's."""
        return self._config(self.wide_root_noise)

    def analysis_config(self) -> SearchConfig:
        """The configuration of GTP's analysis commands."""
        return self._config(self.wide_root_noise + self.analysis_wide_root_noise)

    def _config(self, noise: float) -> SearchConfig:
        config = _flattened(self.search, noise)
        if not self.keep_ownership or config.backup.ownership:
            return config
        return config.replace(backup=_changed(config.backup, ownership=True))


def names() -> list[str]:
    """Every parameter."""
    return list(_TABLE)


def read_value(text: str) -> Value:
    """A value as a GTP client writes it: JSON where it is JSON, a plain word otherwise."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float | str) or value is None else text


def _changed(phase: P, **changes: Any) -> P:
    fields = {name: getattr(phase, name) for name in type(phase).model_fields}
    return type(phase)(**{**fields, **changes})


def _flattened(config: SearchConfig, noise: float) -> SearchConfig:
    if noise == 0.0:
        return config
    temperature = config.expansion.root_temperature * (1.0 + 4.0 * noise)
    return config.replace(expansion=_changed(config.expansion, root_temperature=temperature))


Check = Callable[[str, Any], Any]


@dataclass(frozen=True, slots=True)
class _Parameter:
    check: Check
    read: Callable[[Parameters], Value]
    write: Callable[[Parameters, Any], Parameters]


def _number(low: float, high: float) -> Check:
    def check(name: str, value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise HonteError(f"{name} must be a number from {low:g} to {high:g}.")
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if not low <= number <= high:
            raise HonteError(f"{name} must be a number from {low:g} to {high:g}.")
        return number

    return check


def _integer(low: int, high: int) -> Check:
    numbers = _number(low, high)

    def check(name: str, value: Any) -> int:
        number = numbers(name, value)
        if not float(number).is_integer():
            raise HonteError(f"{name} must be an integer from {low} to {high}.")
        return int(number)

    return check


def _boolean(name: str, value: Any) -> bool:
    text = str(value).lower()
    if text in ("true", "1"):
        return True
    if text in ("false", "0"):
        return False
    raise HonteError(f"{name} must be true or false.")


def _view(name: str, value: Any) -> View:
    for view in View:
        if str(value).upper() == view.value:
            return view
    raise HonteError(f"{name} must be BLACK, WHITE or SIDETOMOVE.")


def _setting(name: str) -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    def read(parameters: Parameters) -> Value:
        value: Value = getattr(parameters.settings, name)
        return value

    def write(parameters: Parameters, value: Any) -> Parameters:
        return replace(parameters, settings=replace(parameters.settings, **{name: value}))

    return read, write


def _expansion(name: str) -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    def read(parameters: Parameters) -> Value:
        value: Value = getattr(parameters.search.expansion, name)
        return value

    def write(parameters: Parameters, value: Any) -> Parameters:
        expansion = _changed(parameters.search.expansion, **{name: value})
        return replace(parameters, search=parameters.search.replace(expansion=expansion))

    return read, write


def _selection(name: str) -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    """A field of the selection formula; formulas without it stay as they are."""

    def read(parameters: Parameters) -> Value:
        value: Value = getattr(parameters.search.selection, name, None)
        return value

    def write(parameters: Parameters, value: Any) -> Parameters:
        if name not in type(parameters.search.selection).model_fields:
            return parameters
        selection = _changed(parameters.search.selection, **{name: value})
        return replace(parameters, search=parameters.search.replace(selection=selection))

    return read, write


def _exploration() -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    """The constant of whatever formula there is."""

    def field_of(parameters: Parameters) -> str:
        return "c_puct" if isinstance(parameters.search.selection, Puct) else "c"

    def read(parameters: Parameters) -> Value:
        value: Value = getattr(parameters.search.selection, field_of(parameters))
        return value

    def write(parameters: Parameters, value: Any) -> Parameters:
        return _selection(field_of(parameters))[1](parameters, value)

    return read, write


def _urgency(name: str) -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    """A first-play reduction · √(Σ P of the actions visited)."""

    def read(parameters: Parameters) -> Value:
        urgency = getattr(parameters.search.selection, name, None)
        return urgency.amount if urgency is not None else None

    def write(parameters: Parameters, value: Any) -> Parameters:
        rule = UrgencyRule.PARENT_MINUS_VISITED_POLICY
        return _selection(name)[1](parameters, FirstPlayUrgency(rule=rule, amount=value))

    return read, write


def _read_resign_threshold(parameters: Parameters) -> Value:
    resignation = parameters.settings.resignation or Resignation()
    return 2.0 * resignation.winrate - 1.0


def _write_resignation(parameters: Parameters, **changes: Any) -> Parameters:
    resignation = replace(parameters.settings.resignation or Resignation(), **changes)
    return replace(parameters, settings=replace(parameters.settings, resignation=resignation))


def _allow_resignation(parameters: Parameters, allow: bool) -> Parameters:
    if not allow:
        return replace(parameters, settings=replace(parameters.settings, resignation=None))
    return _write_resignation(parameters)


def _enable_noise(parameters: Parameters, enable: bool) -> Parameters:
    if enable and isinstance(parameters.search.selection, Ucb1):
        return parameters
    return _expansion("root_noise")[1](parameters, RootNoise() if enable else None)


def _lower_bound(field: str) -> tuple[Callable[[Parameters], Value], Callable[..., Parameters]]:
    """A field of the decision by lower confidence bound; other decisions stay as they are."""

    def read(parameters: Parameters) -> Value:
        value: Value = getattr(parameters.search.decision, field, None)
        return value

    def write(parameters: Parameters, value: Any) -> Parameters:
        decision = parameters.search.decision
        if not isinstance(decision, BestLowerBound):
            return parameters
        changed = _changed(decision, **{field: value})
        return replace(parameters, search=parameters.search.replace(decision=changed))

    return read, write


def _threads(parameters: Parameters, value: int) -> Parameters:
    parallelism = _changed(parameters.search.parallelism, threads=value)
    return replace(parameters, search=parameters.search.replace(parallelism=parallelism))


_TABLE: Mapping[str, _Parameter] = {
    "maxVisits": _Parameter(_integer(1, 1 << 50), *_setting("visits")),
    "maxPlayouts": _Parameter(_integer(1, 1 << 50), *_setting("simulations")),
    "maxTime": _Parameter(_number(0.0, 1e20), *_setting("seconds")),
    "lagBuffer": _Parameter(_number(0.0, 3600.0), *_setting("lag")),
    "ponderingEnabled": _Parameter(_boolean, *_setting("pondering")),
    "allowResignation": _Parameter(
        _boolean, lambda parameters: parameters.settings.resignation is not None, _allow_resignation
    ),
    "resignThreshold": _Parameter(
        _number(-1.0, 0.0),
        _read_resign_threshold,
        lambda parameters, value: _write_resignation(parameters, winrate=(value + 1.0) / 2.0),
    ),
    "resignConsecTurns": _Parameter(
        _integer(1, 100),
        lambda parameters: (parameters.settings.resignation or Resignation()).turns,
        lambda parameters, value: _write_resignation(parameters, turns=value),
    ),
    "reportAnalysisWinratesAs": _Parameter(
        _view,
        lambda parameters: parameters.view.value,
        lambda parameters, value: replace(parameters, view=value),
    ),
    "wideRootNoise": _Parameter(
        _number(0.0, 5.0),
        lambda parameters: parameters.wide_root_noise,
        lambda parameters, value: replace(parameters, wide_root_noise=value),
    ),
    "analysisWideRootNoise": _Parameter(
        _number(0.0, 5.0),
        lambda parameters: parameters.analysis_wide_root_noise,
        lambda parameters, value: replace(parameters, analysis_wide_root_noise=value),
    ),
    "cpuctExploration": _Parameter(_number(0.0, 10.0), *_exploration()),
    "cpuctExplorationLog": _Parameter(_number(0.0, 10.0), *_selection("c_log")),
    "cpuctExplorationBase": _Parameter(_number(10.0, 100_000.0), *_selection("c_base")),
    "fpuReductionMax": _Parameter(_number(0.0, 2.0), *_urgency("first_play_urgency")),
    "rootFpuReductionMax": _Parameter(_number(0.0, 2.0), *_urgency("root_first_play_urgency")),
    "rootPolicyTemperature": _Parameter(_number(0.01, 100.0), *_expansion("root_temperature")),
    "nnPolicyTemperature": _Parameter(_number(0.01, 5.0), *_expansion("policy_temperature")),
    "rootNoiseEnabled": _Parameter(
        _boolean,
        lambda parameters: parameters.search.expansion.root_noise is not None,
        _enable_noise,
    ),
    "lcbStdevs": _Parameter(_number(1.0, 12.0), *_lower_bound("z")),
    "minVisitPropForLCB": _Parameter(_number(0.0, 1.0), *_lower_bound("minimum_share")),
    "numSearchThreads": _Parameter(
        _integer(1, 256), lambda parameters: parameters.search.parallelism.threads, _threads
    ),
}
