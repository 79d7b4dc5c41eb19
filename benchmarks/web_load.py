"""The page under load: twenty people at once, half of whom play and half analyse.

    python benchmarks/web_load.py [--people 20] [--visits 100] [--seconds 20] [--network FILE]

``honte web`` runs as a program of its own, with as many threads as there are cores. Those who play
move as soon as the engine has answered; those who analyse watch a position. Printed are the time
from a move to the engine's answer, beside that of one person alone, and the longest time for which
an analysing page heard nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

HONTE = (sys.executable, "-c", "from honte.cli.main import run; run()")
PATIENCE = 60.0
LONGEST_GAME = 40


class Person:
    """A page as far as the server can see."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def ask(self, type_: str, **fields: Any) -> None:
        await self._socket.send(json.dumps({"type": type_, **fields}))

    async def hear(self, type_: str, **wanted: Any) -> dict[str, Any]:
        """The next event of a type that has these fields."""
        async with asyncio.timeout(PATIENCE):
            while True:
                event: dict[str, Any] = json.loads(await self._socket.recv())
                if event["type"] == "refused":
                    raise SystemExit(f"The server refused: {event['message']}")
                if event["type"] == type_ and wanted.items() <= event.items():
                    return event


@asynccontextmanager
async def page(host: str) -> AsyncIterator[Person]:
    """A page opens."""
    address, origin = f"ws://{host}/socket", f"http://{host}"
    async with connect(address, origin=Origin(origin), max_size=None) as socket:
        yield Person(socket)


async def play(host: str, visits: int, until: float, seed: int) -> list[float]:
    """The waits for the engine's answers to one person's moves, which are made at random."""
    waits: list[float] = []
    random = Random(seed)
    async with page(host) as person:
        position = await person.hear("position")
        await person.ask("configure", visits=visits)
        while time.perf_counter() < until:
            number = position["move_number"]
            free = {p for p, stone in enumerate(position["board"]) if stone == "."}
            free -= set(position["forbidden"])
            if number in (0, LONGEST_GAME) or position["over"] or not free:
                await person.ask("new_game", width=9, height=9, white="engine")
                position = await person.hear("position", move_number=0)
                number, free = 0, set(range(81))
            asked = time.perf_counter()
            await person.ask("play", action=random.choice(sorted(free)))
            position = await person.hear("position", move_number=number + 2)
            waits.append(time.perf_counter() - asked)
    return waits


async def analyse(host: str, until: float) -> float:
    """The longest time for which one analysing person hears nothing."""
    async with page(host) as person:
        await person.hear("position")
        await person.ask("new_game", width=9, height=9)
        await person.ask("analyse", on=True)
        heard, longest = time.perf_counter(), 0.0
        while time.perf_counter() < until:
            await person.hear("report")
            now = time.perf_counter()
            heard, longest = now, max(longest, now - heard)
    return longest


async def together(
    host: str, people: int, visits: int, seconds: float
) -> tuple[list[float], float]:
    """Everybody's waits for moves, and the longest silence."""
    until = time.perf_counter() + seconds
    players = people - people // 2
    waits, silences = await asyncio.gather(
        asyncio.gather(*(play(host, visits, until, seed) for seed in range(players))),
        asyncio.gather(*(analyse(host, until) for _ in range(people - players))),
    )
    return [wait for one in waits for wait in one], max(silences, default=0.0)


@contextmanager
def server(network: str) -> Iterator[str]:
    """``honte web``, and where it is."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*HONTE, "web", "--port", "0", "--sessions", folder, "--network", network],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            host = re.search(r"http://(\S+)", process.stdout.readline())
            if host is None:
                raise SystemExit("The server did not start.")
            time.sleep(1.0)  # until the socket listens
            yield host[1]
        finally:
            process.terminate()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--visits", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--network", default="none")
    options = parser.parse_args()
    with server(options.network) as host:
        asyncio.run(together(host, 1, options.visits, 2.0))  # the network is opened
        alone, _ = asyncio.run(together(host, 1, options.visits, options.seconds / 4))
        waits, silence = asyncio.run(
            together(host, options.people, options.visits, options.seconds)
        )
    ranked = sorted(waits)
    print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}")
    print(f"one person alone: {statistics.median(alone):.2f} s from a move to the answer")
    print(
        f"{options.people} people: {len(waits)} moves answered in {statistics.median(waits):.2f} s "
        f"(19 of 20 within {ranked[int(0.95 * len(ranked))]:.2f}, all within {ranked[-1]:.2f}); "
        f"the longest silence of an analysing page: {silence:.2f} s"
    )


if __name__ == "__main__":
    main()
