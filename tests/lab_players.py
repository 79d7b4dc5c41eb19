"""Players for the tests: engines that follow a script, and searches without a network."""

import shlex
import sys
from pathlib import Path

from honte.lab.reading import parse_player
from honte.lab.specs import AgreedEnd, EnginePlayerSpec, MatchSpec, OpeningsSpec
from patience import PATIENCE

SCRIPT = Path(__file__).parent / "lab" / "scripted_engine.py"


def engine(name, *moves, timeout=PATIENCE):
    command = shlex.join([sys.executable, str(SCRIPT), name, *moves])
    return EnginePlayerSpec(name=name, command=command, timeout=timeout, start_timeout=PATIENCE)


def uct(name, visits, **more):
    extra = "".join(f";{key}={value}" for key, value in more.items())
    return parse_player(f"name={name};preset=uct;visits={visits}{extra}")


def plain_match(plies=0, *, agreed=None, seed=0):
    """Games to their end, after so many random moves."""
    spec = None if agreed is None else AgreedEnd(**agreed)
    return MatchSpec(openings=OpeningsSpec(plies=plies), agreed_end=spec, seed=seed)
