"""The games of a match on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from honte.cluster.cargo import Parcel, parcel_of
from honte.cluster.connection import Cluster
from honte.cluster.desk import Deliver as HandOn
from honte.cluster.desk import Take as TakeJob
from honte.cluster.workforce import Workforce
from honte.lab.board_games import GameSpec
from honte.lab.playroom import Deliver, GameOrder, LocalPlayroom, Playroom, Take, by_time
from honte.lab.specs import EnginePlayerSpec, MatchSpec, PlayerSpec
from honte.lab.store import Fixture, GameRow


class MatchBench:
    """Games in one process of a machine, many at once."""

    def __init__(self, room: LocalPlayroom) -> None:
        self._room = room
        self.at_once = room.at_once

    def check(self) -> None:
        """Try every player on an empty board."""
        self._room.check()

    def work(self, take: TakeJob, deliver: HandOn) -> None:
        """Play what there is to take."""

        def finished(row: GameRow) -> bool:
            deliver(row.fixture, row)
            return True

        self._room.play(take, finished)


@dataclass(frozen=True, slots=True)
class MatchRecipe:
    """Everything a machine needs to play games of a match."""

    game: GameSpec
    match: MatchSpec
    players: tuple[PlayerSpec, ...]
    networks: tuple[tuple[str, Parcel], ...]
    """Files of the driver's machine, by the names that players give them."""
    at_once: int | None

    def bench(self) -> MatchBench:
        """Unpack the networks and seat the players."""
        files = {name: str(parcel.unpack()) for name, parcel in self.networks}
        players = [_with_files(player, files) for player in self.players]
        return MatchBench(LocalPlayroom(self.game, self.match, players, at_once=self.at_once))


def _with_files(player: PlayerSpec, files: dict[str, str]) -> PlayerSpec:
    if isinstance(player, EnginePlayerSpec) or player.leaf.network not in files:
        return player
    leaf = player.leaf.model_copy(update={"network": files[player.leaf.network]})
    return player.model_copy(update={"leaf": leaf})


class ClusterPlayroom:
    """A playroom whose games are played wherever there is a machine."""

    def __init__(
        self,
        cluster: Cluster,
        game: GameSpec,
        match: MatchSpec,
        players: Sequence[PlayerSpec],
        at_once: int | None,
        on_notice: Callable[[str], None],
    ) -> None:
        names = {
            player.leaf.network
            for player in players
            if not isinstance(player, EnginePlayerSpec) and player.leaf.network is not None
        }
        networks = [
            (name, parcel_of(cluster, Path(name)))
            for name in sorted(names)
            if Path(name).is_file()  # others come with honte, on every machine
        ]
        recipe = MatchRecipe(game, match, tuple(players), tuple(networks), at_once)
        self._workforce: Workforce[GameOrder, GameRow] = Workforce(
            cluster, recipe, _fixture, one_a_machine=by_time(players), on_notice=on_notice
        )

    @property
    def machines(self) -> int:
        """Machines that play now."""
        return self._workforce.machines

    def check(self) -> None:
        """Have every machine try every player on an empty board.

        Raises HonteError that names the machine, the player and what is wrong.
        """
        self._workforce.open()

    def play(self, take: Take, deliver: Deliver) -> None:
        """Play what there is to take, until there is no more or enough is delivered."""
        self._workforce.work(lambda: take(False), deliver)

    def close(self) -> None:
        """End every process that was started."""
        self._workforce.close()


def _fixture(order: GameOrder) -> Fixture:
    return order.fixture


class ClusterPlayrooms:
    """Makes the playrooms of matches, as :class:`honte.lab.runner.Match` asks for them."""

    def __init__(
        self, cluster: Cluster, on_notice: Callable[[str], None] = lambda sentence: None
    ) -> None:
        self._cluster = cluster
        self.on_notice = on_notice
        """Hears in a sentence of machines that are lost or cannot be used."""
        self._latest: ClusterPlayroom | None = None

    def __call__(
        self,
        game: GameSpec,
        match: MatchSpec,
        players: Sequence[PlayerSpec],
        at_once: int | None,
    ) -> Playroom:
        """The place for one match."""
        self._latest = ClusterPlayroom(
            self._cluster, game, match, players, at_once, lambda said: self.on_notice(said)
        )
        return self._latest

    @property
    def machines(self) -> int:
        """Machines that play now."""
        return 0 if self._latest is None else self._latest.machines
