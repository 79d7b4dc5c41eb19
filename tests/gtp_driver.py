"""A controller for GTP engines in tests: scripts in, replies out."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np

from honte.evaluation import Evaluation, LeafBatch, Rollout
from honte.games.go import Rules
from honte.players.counting import Counter
from honte.players.ownership import ownership_sources
from honte.players.player import PlayerSettings, SearchPlayer
from honte.players.resignation import Resignation
from honte.presets import alphago_zero, uct
from honte.protocols.gtp import Engine, serve
from honte.protocols.parameters import Parameters

QUICK = PlayerSettings(default_visits=30, resignation=None, lag=0.0)


@dataclass(frozen=True)
class Reply:
    """One response, as a controller cuts the stream."""

    success: bool
    identifier: str
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()


class Fixed:
    """A stub net: the same value for whoever moves, and a policy by action or uniform."""

    def __init__(self, value: float = 0.0, best: int | None = None) -> None:
        self.value = value
        self.best = best

    def __call__(self, batch: LeafBatch) -> Evaluation:
        logits = np.zeros((batch.size, batch.num_actions), np.float32)
        if self.best is not None:
            logits[:, self.best] = 8.0
        return Evaluation(value=np.full(batch.size, self.value, np.float32), policy_logits=logits)


def make_engine(
    evaluator: Any = None,
    *,
    settings: PlayerSettings = QUICK,
    rules: str = "tromp-taylor",
    komi: float | None = None,
    size: tuple[int, int] = (9, 9),
    seed: int = 1,
) -> Engine:
    if evaluator is None:
        evaluator, config = Rollout(), uct()
    else:
        config = alphago_zero()
    return Engine(
        SearchPlayer(config, evaluator, settings, seed=seed),
        Counter(*ownership_sources(evaluator)),
        Parameters(config, settings),
        rules=Rules.named(rules),
        komi=komi,
        size=size,
    )


def converse(script: bytes | str, engine: Engine | None = None) -> list[Reply]:
    """Send a whole script in one write; the replies in order."""
    engine = engine or make_engine()
    data = script.encode() if isinstance(script, str) else script
    output = io.StringIO()
    serve(engine, io.BytesIO(data), output)
    return split(output.getvalue())


def split(stream: str) -> list[Reply]:
    """Cut a stream into responses exactly as the specification does."""
    replies = []
    if stream:
        assert stream.endswith("\n\n")
    for block in stream.split("\n\n")[:-1]:
        assert block, "a blank line where no response is"
        head, _, rest = block.partition("\n")
        assert head[0] in "=?", block
        identifier = head[1:].split(" ", 1)[0]
        assert identifier == "" or identifier.isdigit()
        first = head[1 + len(identifier) :].lstrip(" ")
        text = "\n".join(part for part in (first, rest) if part)
        replies.append(Reply(head[0] == "=", identifier, text))
    return replies


def resigning(**changes: Any) -> PlayerSettings:
    """Settings of a player that gives up at once."""
    resignation = Resignation(
        **{"turns": 1, "minimum_visits": 10, "earliest_move_share": 0.0, **changes}
    )
    return PlayerSettings(default_visits=40, resignation=resignation, lag=0.0)
