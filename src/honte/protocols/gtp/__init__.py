"""GTP 2 with the extensions of KataGo, Leela Zero, GoGui, KGS and Sabaki."""

from honte.protocols.gtp import (
    administration,
    analysis,
    clocks,
    katago,
    kgs,
    playing,
    records,
    scoring,
    setup,
)
from honte.protocols.gtp.commands import COMMANDS as ALL_COMMANDS
from honte.protocols.gtp.engine import Engine
from honte.protocols.gtp.session import serve

__all__ = [
    "ALL_COMMANDS",
    "Engine",
    "administration",
    "analysis",
    "clocks",
    "katago",
    "kgs",
    "playing",
    "records",
    "scoring",
    "serve",
    "setup",
]
