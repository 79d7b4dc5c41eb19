"""Fuzz target: any bytes are lines for the JSON engine, and every reply is an object of its own.

``make fuzz`` runs it. Searches are cut short.
"""

from __future__ import annotations

import io
import json
import logging
import sys

from fuzz.seeds import QUERIES, run
from gtp_driver import QUICK
from honte.evaluation import Rollout
from honte.presets import uct
from honte.protocols.json_analysis import AnalysisServer, scheduler
from honte.protocols.parameters import Parameters

logging.disable()
scheduler.CACHED_EVALUATIONS = 64
scheduler.Task.visits_wanted = property(lambda task: 4)  # type: ignore[method-assign, assignment]


def one_input(data: bytes) -> None:
    output = io.StringIO()
    server = AnalysisServer(Rollout(), Parameters(uct(), QUICK), output)
    server.serve(io.BytesIO(data))
    replies = [json.loads(line, parse_constant=_refuse) for line in output.getvalue().splitlines()]
    assert all(isinstance(reply, dict) for reply in replies)
    said = [line for line in data.split(b"\n") if line.strip()]
    assert len(replies) >= len(said), (len(replies), len(said))


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


if __name__ == "__main__":
    run(sys.argv, one_input, QUERIES, ("honte.protocols", "honte.players"))
