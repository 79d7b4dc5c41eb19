"""Rounds of self-play on the machines of a cluster."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from honte.cluster.cargo import Parcel, packed, parcel_of, unpacked
from honte.cluster.connection import Cluster
from honte.cluster.desk import Deliver, Take
from honte.cluster.workforce import Workforce
from honte.errors import HonteError
from honte.evaluation import Evaluator, NetworkEvaluator, OnnxEvaluator
from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import ZeroGame, open_game
from honte.training.zero.replay import ZeroSamples
from honte.training.zero.self_play import GamePool, OnProgress, PlayedGame, SelfPlayReport

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, slots=True)
class GameNumber:
    """A game that is to be played, and by which network."""

    number: int
    network: Parcel


class SelfPlayBench:
    """Games of a network with itself, in one process of a machine."""

    def __init__(self, config: ZeroConfig) -> None:
        self._config = config
        self._game = open_game(config.game)
        at_once = config.self_play.at_once
        # With more at hand than on the boards, a game that ends is followed at once.
        self.at_once = at_once + (at_once + 3) // 4

    def check(self) -> None:
        """That the game could be opened is enough; the network comes with the first number."""

    def work(self, take: Take, deliver: Deliver) -> None:
        """Play what numbers there are to take, with one network at a time."""
        in_hand: deque[GameNumber] = deque()
        while True:
            if not in_hand:
                in_hand.append(take(True))
            network = in_hand[0].network
            evaluator = evaluator_of_file(network.name, network.open(), self._config, self._game)
            pool = GamePool(self._game, self._config.self_play, evaluator, self._config.seed)

            def next_number(digest: str = network.digest) -> int | None:
                if not in_hand and (order := take(False)) is not None:
                    in_hand.append(order)
                if not in_hand or in_hand[0].network.digest != digest:
                    return None
                return in_hand.popleft().number

            pool.play(next_number, lambda played: deliver(played.number, packed(played)))


@dataclass(frozen=True, slots=True)
class SelfPlayRecipe:
    """The configuration of a run is all that a machine needs beforehand."""

    config: ZeroConfig

    def bench(self) -> SelfPlayBench:
        """Open the game."""
        return SelfPlayBench(self.config)


def evaluator_of_file(name: str, content: bytes, config: ZeroConfig, game: ZeroGame) -> Evaluator:
    """What answers leaves with the network in a file of a run, as
    :func:`honte.training.zero.learning.export` writes it."""
    batch_size = config.self_play.batch_size
    with tempfile.TemporaryDirectory(prefix="honte-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        if game.is_go:
            return NetworkEvaluator(path, batch_size=batch_size)
        if path.suffix == ".onnx":
            return OnnxEvaluator(path, batch_size=batch_size)
        return _own_network(path, config, game)


def _own_network(path: Path, config: ZeroConfig, game: ZeroGame) -> Evaluator:
    try:
        import torch
    except ImportError:
        raise HonteError(
            "A network of your own is played by PyTorch: pip install 'honte[train]'."
        ) from None
    from honte.training.zero.learning import TorchEvaluator, new_network

    network = new_network(config.network, game)
    network.load_state_dict(torch.load(path, weights_only=True))
    return TorchEvaluator(network.eval(), game.shape)


class ClusterSelfPlay:
    """Plays the rounds of a run, as :func:`honte.training.zero.loop.run_zero` asks for them.

    A game is a function of the run's seed, its number and the network, so it is the same wherever
    it is played, as far as the machines' processors give the same numbers.
    """

    def __init__(
        self,
        cluster: Cluster,
        config: ZeroConfig,
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._cluster = cluster
        self._game = open_game(config.game)
        self._workforce: Workforce[GameNumber, bytes] = Workforce(
            cluster, SelfPlayRecipe(config), _number, on_notice=on_notice
        )
        self._open = False

    @property
    def machines(self) -> int:
        """Machines that play now."""
        return self._workforce.machines

    def __call__(
        self, network: nn.Module, name: str, numbers: range, on_progress: OnProgress
    ) -> tuple[ZeroSamples, SelfPlayReport]:
        """Play the games of these numbers; their samples in the games' order."""
        if not self._open:
            self._workforce.open()
            self._open = True
        parcel = self._pack(network, name)
        began = time.perf_counter()
        orders = (GameNumber(number, parcel) for number in numbers)
        games: dict[int, PlayedGame] = {}
        report = SelfPlayReport()

        def deliver(content: bytes) -> bool:
            played: PlayedGame = unpacked(content)
            if played.number not in games:
                games[played.number] = played
                report.add(played.report)
                report.seconds = time.perf_counter() - began
                on_progress(report.games, len(numbers), report)
            return True

        self._workforce.work(lambda: next(orders, None), deliver)
        return ZeroSamples.join(games[number].samples for number in numbers), report

    def _pack(self, network: nn.Module, name: str) -> Parcel:
        from honte.training.zero.learning import export, network_file

        with tempfile.TemporaryDirectory(prefix="honte-") as folder:
            path = network_file(Path(folder), network, self._game)
            export(network, name, path)
            return parcel_of(self._cluster, path)

    def close(self) -> None:
        """End every process that was started."""
        self._workforce.close()


def _number(order: GameNumber) -> int:
    return order.number
