"""The systems a person can choose, and the evaluators that all sessions share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from honte import presets
from honte.errors import HonteError
from honte.evaluation import Evaluator, NetworkEvaluator, Rollout, WithRollouts
from honte.search import AlphaBetaConfig, SearchConfig
from honte.search.config import Memory

PLAYOUTS = "playouts"
"""The name under which random playouts stand in the list of networks."""
PLAYOUTS_OF_ALPHABETA = Rollout(32)
"""Minimax takes the noise of a single playout for truth."""
MOST_NODES = 150_000
"""Nodes in one person's tree, so that twenty of them fit into a small machine."""


class LeafAnswer(Enum):
    """What answers the leaves of a system."""

    PLAYOUT = "playout"
    NETWORK = "network"
    WITH_ROLLOUTS = "with rollouts"
    """Half network, half playout, as in AlphaGo 2016."""


@dataclass(frozen=True, slots=True)
class System:
    """A preset as the page offers it."""

    name: str
    config: Callable[[], SearchConfig | AlphaBetaConfig]
    answer: LeafAnswer
    needs_network: bool = False
    """Whether it is nothing without a network; the others then use playouts."""

    @property
    def grows_tree(self) -> bool:
        """Whether its search is one of visits."""
        return isinstance(self.config(), SearchConfig)

    @property
    def formula(self) -> str:
        """The kind of its selection; minimax where it grows no tree."""
        config = self.config()
        return config.selection.kind if isinstance(config, SearchConfig) else "minimax"


SYSTEMS = {
    system.name: system
    for system in (
        System("uct", presets.uct, LeafAnswer.PLAYOUT),
        System("rave", presets.rave, LeafAnswer.PLAYOUT),
        System("grave", presets.grave, LeafAnswer.PLAYOUT),
        System("alphago_fan", presets.alphago_fan, LeafAnswer.WITH_ROLLOUTS),
        System("alphago_lee", presets.alphago_lee, LeafAnswer.WITH_ROLLOUTS),
        System("alphago_master", presets.alphago_master, LeafAnswer.NETWORK),
        System("alphago_zero", presets.alphago_zero, LeafAnswer.NETWORK),
        System("alphazero", presets.alphazero, LeafAnswer.NETWORK),
        System("leela_zero", presets.leela_zero, LeafAnswer.NETWORK),
        System("katago", presets.katago, LeafAnswer.NETWORK),
        System("gumbel_alphazero", presets.gumbel_alphazero, LeafAnswer.NETWORK),
        System("alphabeta", presets.alphabeta, LeafAnswer.NETWORK),
        System("policy_only", presets.policy_only, LeafAnswer.NETWORK, needs_network=True),
        System("value_only", presets.value_only, LeafAnswer.NETWORK, needs_network=True),
    )
}


class Engines:
    """Evaluators by name: random playouts, and networks that are opened when first used."""

    def __init__(self, networks: Sequence[Path] = ()) -> None:
        self._paths = {_network_name(path): path for path in networks}
        self._evaluators: dict[str, NetworkEvaluator] = {}
        self._lock = threading.Lock()

    @property
    def networks(self) -> tuple[str, ...]:
        """The names a person can choose; the first is the default."""
        return (*self._paths, PLAYOUTS)

    @property
    def opened(self) -> tuple[NetworkEvaluator, ...]:
        """The networks in use so far."""
        return tuple(self._evaluators.values())

    def network(self, name: str) -> NetworkEvaluator | None:
        """The evaluator of a network, None for playouts. May take seconds the first time.

        Raises HonteError for an unknown name, and for a file that is no network.
        """
        if name == PLAYOUTS:
            return None
        path = self._paths.get(name)
        if path is None:
            raise HonteError(
                f"There is no network {name!r} here; there are {', '.join(self.networks)}."
            )
        with self._lock:
            known = self._evaluators.get(name)
            if known is None:
                known = self._evaluators[name] = NetworkEvaluator(path)
            return known

    def evaluator(self, system: System, network_name: str) -> Evaluator:
        """What answers the leaves of a system with a network. Raises as :meth:`network` does."""
        if system.answer is LeafAnswer.PLAYOUT:
            return Rollout()
        network = self.network(network_name)
        if network is None:
            if system.needs_network:
                raise needs_a_network(system)
            return Rollout() if system.grows_tree else PLAYOUTS_OF_ALPHABETA
        if system.answer is LeafAnswer.WITH_ROLLOUTS:
            return WithRollouts(network)
        return network


def named_system(name: str) -> System:
    """The system of a name. Raises HonteError that lists the names."""
    try:
        return SYSTEMS[name]
    except KeyError:
        raise HonteError(f"There is no system {name!r}; there are {', '.join(SYSTEMS)}.") from None


def needs_a_network(system: System) -> HonteError:
    """Says that a system is nothing without a network."""
    return HonteError(
        f"The system {system.name} is a network and nothing else: choose a network, "
        "or start the server with --network FILE."
    )


def refuse_without_tree(system: System) -> None:
    """Raise HonteError for a system whose search cannot be looked into."""
    if not system.grows_tree:
        raise HonteError(
            f"The system {system.name} looks a fixed number of moves ahead and keeps no visits: "
            "choose another system for this."
        )


def config_of(system: System, *, ownership: bool) -> SearchConfig:
    """The system's configuration with the page's limits on memory. Raises HonteError for a system
    whose search is none of visits."""
    refuse_without_tree(system)
    config = system.config()
    assert isinstance(config, SearchConfig)
    backup = config.backup.model_copy(update={"ownership": ownership})
    return config.replace(backup=backup, memory=Memory(maximum_nodes=MOST_NODES))


def _network_name(path: Path) -> str:
    name = path.name
    for suffix in (".gz", ".bin", ".txt", ".onnx"):
        name = name.removesuffix(suffix)
    return name
