"""What a GTP session holds: the game, the player, the clocks and how results are shown."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, IllegalMove, Rules
from honte.players.clock import Clock, TimeSystem
from honte.players.counting import Counter
from honte.players.game import Game
from honte.players.player import Interruption, SearchPlayer
from honte.protocols.gtp.framing import CommandLine, Response
from honte.protocols.line_source import LineSource
from honte.protocols.parameters import Parameters

LARGEST_KOMI = 400.0


class Engine:
    """One GTP engine. Command handlers read and change it; see the modules beside this one."""

    def __init__(
        self,
        player: SearchPlayer,
        counter: Counter,
        parameters: Parameters,
        *,
        rules: Rules,
        komi: float | None = None,
        size: tuple[int, int] = (19, 19),
        logger: logging.Logger | None = None,
    ) -> None:
        self.player = player
        self.counter = counter
        self.parameters = parameters
        self.logger = logger if logger is not None else logging.getLogger("honte.gtp")
        self.game = Game(*size, rules, komi if komi is not None else rules.default_komi)
        self.player.prepare(*size)
        self.clocks = {BLACK: Clock(), WHITE: Clock()}
        self.finished = False
        """Whether ``quit`` was asked for."""
        self.response: Response
        self.source: LineSource | None = None

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.game.state.rules

    def configure(self, parameters: Parameters) -> None:
        """Take over changed parameters."""
        self.player.reconfigure(config=parameters.play_config(), settings=parameters.settings)
        self.parameters = parameters

    def set_clocks(self, system: TimeSystem) -> None:
        """Both players start anew under this time system."""
        self.clocks = {BLACK: Clock(system), WHITE: Clock(system)}

    def new_board(self, width: int, height: int) -> None:
        """An empty board of this size; rules and komi stay. Raises for sizes that are none."""
        self.take_up(Game(width, height, self.rules, self.game.state.komi))

    def take_up(self, game: Game) -> None:
        """Another game from here on."""
        self.player.new_game()
        self.player.prepare(game.state.width, game.state.height)
        self.game = game

    def play(self, colour: int, action: int) -> None:
        """Play a move. Raises :class:`HonteError` with GTP's own words when it is illegal."""
        try:
            self.game.play(colour, action)
        except IllegalMove as error:
            self.logger.info("%s", error)
            raise HonteError("illegal move") from error

    @contextmanager
    def interruptible(self) -> Iterator[Interruption]:
        """Within, any input ends the search that holds the interruption."""
        interruption = Interruption()
        if self.source is None:
            yield interruption
        else:
            with self.source.interrupting(interruption.ask):
                yield interruption

    def input_waits(self) -> bool:
        """Whether the controller has sent something that is still unread."""
        return self.source is None or self.source.pending()

    def wait_for_input(self) -> None:
        """Until the controller sends something."""
        if self.source is not None:
            self.source.wait()

    def execute(self, line: CommandLine, response: Response) -> None:
        """Run one command; leaves exactly one response."""
        from honte.protocols.gtp import ALL_COMMANDS
        from honte.protocols.gtp.commands import Arguments

        self.response = response
        handler = ALL_COMMANDS.get(line.name)
        if handler is None:
            response.fail("unknown command")
            return
        try:
            text = handler(self, Arguments(line.name, line.arguments, line.tail))
        except HonteError as error:
            self._refuse(line, str(error))
        except (ArithmeticError, LookupError, ValueError, RuntimeError, OSError) as error:
            self.logger.exception("%s failed", line.name)
            self._refuse(line, f"{line.name} failed: {error}")
        else:
            response.succeed(text)

    def _refuse(self, line: CommandLine, sentence: str) -> None:
        self.logger.info("%s: %s", line.name, sentence)
        self.response.fail(sentence)
