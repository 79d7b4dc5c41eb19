"""Fuzz target: any bytes are GTP commands, each with exactly one response, and no crash.

``make fuzz`` runs it. Searches are cut short, and nothing is written to files.
"""

from __future__ import annotations

import io
import logging
import sys
from dataclasses import replace

from fuzz.seeds import COMMANDS, run
from gtp_driver import QUICK, split
from honte.evaluation import Rollout
from honte.games.go import Rules
from honte.players.counting import Counter
from honte.players.ownership import PlayoutOwnership
from honte.players.player import SearchPlayer
from honte.presets import uct
from honte.protocols.gtp import Engine, serve
from honte.protocols.gtp.framing import parse_line
from honte.protocols.parameters import Parameters
from honte.records import GameRecord
from honte.search import Budget

logging.disable()
GameRecord.save = lambda self, path: None  # type: ignore[method-assign]


class ShortOfTime(SearchPlayer):
    """Searches a little, whatever it was told."""

    def _run(self, search, budget, *rest):
        return super()._run(search, Budget(simulations=8), *rest)

    def fresh_choice(self, game, player):
        self.settings = replace(self.settings, visits=8)
        return super().fresh_choice(game, player)


def one_input(data: bytes) -> None:
    player = ShortOfTime(uct(), Rollout(), replace(QUICK, pondering=False), seed=1)
    counter = Counter(PlayoutOwnership(4), PlayoutOwnership(4))
    engine = Engine(
        player, counter, Parameters(uct(), QUICK), rules=Rules.named("chinese"), size=(5, 5)
    )
    output = io.StringIO()
    serve(engine, io.BytesIO(data), output)
    replies = split(output.getvalue())
    commands = [c for line in data.split(b"\n") if (c := parse_line(line)) is not None]
    if engine.finished:
        names = [command.name for command in commands]
        commands = commands[: names.index("quit") + 1]
    assert len(replies) == len(commands), (len(replies), len(commands))
    for reply, command in zip(replies, commands, strict=True):
        assert reply.identifier == command.identifier
        assert not reply.text.startswith(f"{command.name} failed:"), reply.text


if __name__ == "__main__":
    run(sys.argv, one_input, COMMANDS, ("honte.protocols", "honte.players"))
