"""How an engine is set up: from the command line's options and a TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honte.errors import HonteError
from honte.games.go import Rules
from honte.networks import DEFAULT_NETWORK
from honte.players.named import preset
from honte.players.player import PlayerSettings
from honte.players.resignation import Resignation
from honte.protocols.analysis_format import View
from honte.protocols.parameters import Parameters, UnknownParameter, read_value
from honte.search.config import Memory, Phase, SearchConfig

if TYPE_CHECKING:
    from honte.evaluation import Evaluator

NO_NETWORK = "none"
DEFAULT_VISITS_WITH_NETWORK = 500
DEFAULT_VISITS_OF_ROLLOUTS = 10_000
MOST_NODES = 1_000_000
"""The tree's cap where the configuration names none: hours of pondering stay within memory."""


class ResignationTable(Phase):
    """``[player.resignation]``: see :class:`honte.players.resignation.Resignation`."""

    enabled: bool = True
    winrate: float = Resignation().winrate
    turns: int = Resignation().turns
    minimum_visits: int = Resignation().minimum_visits
    earliest_move_share: float = Resignation().earliest_move_share
    handicap_factor: float = Resignation().handicap_factor


class PlayerTable(Phase):
    """``[player]``: see :class:`honte.players.player.PlayerSettings`."""

    visits: int | None = None
    simulations: int | None = None
    seconds: float | None = None
    lag: float = PlayerSettings().lag
    pondering: bool = False
    resignation: ResignationTable = ResignationTable()


class ConfigurationFile(Phase):
    """A TOML file for ``honte gtp`` and ``honte analysis``."""

    network: str | None = None
    preset: str | None = None
    rules: str | None = None
    komi: float | None = None
    report_as: View | None = None
    """BLACK, WHITE or SIDETOMOVE."""
    search: SearchConfig | None = None
    """A whole search instead of a preset."""
    player: PlayerTable = PlayerTable()


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """Everything an engine starts from."""

    evaluator: Evaluator
    parameters: Parameters
    rules: Rules
    komi: float | None
    description: str
    """What answers the leaves, for people."""
    unused_settings: tuple[str, ...] = ()
    """What a configuration written for KataGo says that honte has no use for."""


def read_katago_settings(path: Path) -> dict[str, str]:
    """The ``key = value`` lines of a configuration written for KataGo."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise HonteError(f"Cannot read the configuration {path}: {error.strerror}.") from None
    pairs = (line.split("#", 1)[0].partition("=") for line in lines)
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip()}


def with_katago_settings(
    parameters: Parameters, settings: dict[str, str]
) -> tuple[Parameters, list[str]]:
    """Take over the settings honte knows; the names of the others. Raises HonteError for a value
    that cannot be."""
    unknown = []
    for name, value in settings.items():
        try:
            parameters = parameters.with_value(name, read_value(value))
        except UnknownParameter:
            unknown.append(name)
    return parameters, unknown


def set_up(
    *,
    network: str | None = None,
    preset_name: str | None = None,
    visits: int | None = None,
    rules: str | None = None,
    komi: float | None = None,
    config: Path | None = None,
    override_config: str | None = None,
    view: View = View.SIDE_TO_MOVE,
    pondering: bool | None = None,
    resign: bool | None = None,
) -> EngineSetup:
    """Join options and file; options go first. Raises HonteError for what cannot be.

    ``config`` is honte's TOML or, by its suffix ``.cfg``, one written for KataGo;
    ``override_config`` is KataGo's ``key=value,key=value``.
    """
    file = ConfigurationFile()
    katago_settings: dict[str, str] = {}
    if config is not None and config.suffix == ".cfg":
        katago_settings = read_katago_settings(config)
    elif config is not None:
        file = ConfigurationFile.from_toml(config)
    for pair in (override_config or "").split(","):
        key, mark, value = pair.partition("=")
        if mark:
            katago_settings[key.strip()] = value.strip()
    if visits is not None and visits < 1:
        raise HonteError(f"{visits} visits are no search: give at least 1.")
    name = preset_name or file.preset
    # UCT is the search without a network: asked for by name, it gets none.
    network = network or file.network or (NO_NETWORK if name == "uct" else DEFAULT_NETWORK)
    evaluator, description = make_evaluator(network)
    if file.search is not None and preset_name is None:
        search = file.search
    else:
        search = preset(name or ("uct" if network == NO_NETWORK else "katago"))
    if search.memory.maximum_nodes is None:
        search = search.replace(memory=Memory(maximum_nodes=MOST_NODES))
    table = file.player
    resignation: Resignation | None = None
    if resign if resign is not None else table.resignation.enabled:
        fields: dict[str, Any] = table.resignation.model_dump(exclude={"enabled"})
        resignation = Resignation(**fields)
    settings = PlayerSettings(
        visits=visits if visits is not None else table.visits,
        simulations=table.simulations,
        seconds=table.seconds,
        default_visits=DEFAULT_VISITS_OF_ROLLOUTS
        if network == NO_NETWORK
        else DEFAULT_VISITS_WITH_NETWORK,
        lag=table.lag,
        resignation=resignation,
        pondering=pondering if pondering is not None else table.pondering,
    )
    parameters, unused = with_katago_settings(
        Parameters(search, settings, file.report_as or view), katago_settings
    )
    if visits is not None:
        parameters = parameters.with_value("maxVisits", visits)
    named_rules = rules or file.rules or katago_settings.get("rules") or "tromp-taylor"
    return EngineSetup(
        evaluator=evaluator,
        parameters=parameters,
        rules=Rules.parse(named_rules),
        komi=komi if komi is not None else file.komi,
        description=description,
        unused_settings=tuple(name for name in unused if name != "rules"),
    )


def make_evaluator(network: str) -> tuple[Evaluator, str]:
    """The evaluator of a network file or a shipped network, or random playouts for ``none``; and
    what it is."""
    from honte.evaluation import NetworkEvaluator, Rollout

    if network == NO_NETWORK:
        return Rollout(), "random playouts, no network"
    evaluator = NetworkEvaluator(network)
    return evaluator, evaluator.describe()
