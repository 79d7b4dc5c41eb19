"""Fuzz target: any bytes are game records or are refused in a sentence.

What was read is written strictly, and reads back as the same tree. ``make fuzz`` runs it.
"""

from __future__ import annotations

import sys

from fuzz.seeds import RECORDS, run
from honte.errors import HonteError
from honte.records import loads, loads_collection

MOST_POINTS = 4_000
"""Larger boards are played on elsewhere; here they only take time."""


def one_input(data: bytes) -> None:
    for content in (data, data.decode("latin-1")):
        try:
            games = loads_collection(content)
        except HonteError:
            continue
        for game in games:
            written = game.dumps()
            again = loads(written)
            assert again.dumps() == written
            assert game.warnings is not None
            try:
                if game.width * game.height <= MOST_POINTS:
                    for _ in zip(game.states(), range(50), strict=False):
                        pass
            except HonteError:
                pass


if __name__ == "__main__":
    run(sys.argv, one_input, RECORDS, ("honte.records", "honte.players.game"))
