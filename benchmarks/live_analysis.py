"""Live analysis over GTP: how far apart reports come, and how soon an interrupt is answered.

    python benchmarks/live_analysis.py [--size 19] [--interval 10] [--fields "ownership true"]
                                       [--rounds 20] [--seconds 3] [--busy 0]

``honte gtp`` runs as a program of its own, as a client starts it. Each round plays a move,
analyses for some seconds and interrupts with ``name``. ``--busy N`` lets N processes compete for
the processor. A report's gap is measured from the line before, the first one's from ``=``; the
limits are twice the interval and 50 ms.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import random
import subprocess
import sys
import time
from queue import Empty, SimpleQueue
from threading import Thread

LONGEST_WAIT = 30.0


class Engine:
    """``honte gtp`` on pipes; every line with the time at which it came."""

    def __init__(self, options: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from honte.cli.main import run; run()", "gtp", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.lines: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), line))

    def send(self, text: str) -> float:
        """Write a line; when."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        return time.perf_counter()

    def line(self) -> tuple[float, bytes]:
        return self.lines.get(timeout=LONGEST_WAIT)

    def until_blank(self) -> float:
        """Read to the end of a response; when it ended."""
        while True:
            when, line = self.line()
            if line == b"\n":
                return when

    def ask(self, text: str) -> None:
        self.send(text)
        self.until_blank()


def listen(engine: Engine, seconds: float) -> list[float]:
    """When the lines of a running response came, for so long."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        try:
            times.append(engine.lines.get(timeout=left)[0])
        except Empty:
            break
    return times


def busy() -> None:
    while True:
        pass


def spread(name: str, milliseconds: list[float], limit: float) -> None:
    values = sorted(milliseconds)

    def at(share: float) -> float:
        return values[min(int(share * len(values)), len(values) - 1)]

    late = sum(value > limit for value in values)
    print(
        f"{name}: median {at(0.5):.1f} ms, 95 % {at(0.95):.1f}, most {values[-1]:.1f}; "
        f"{late} of {len(values)} over {limit:g} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=19)
    parser.add_argument("--interval", type=int, default=10, help="centiseconds")
    parser.add_argument("--fields", default="", help="more keys of kata-analyze")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--network", default=None)
    arguments = parser.parse_args()
    rivals = [multiprocessing.Process(target=busy, daemon=True) for _ in range(arguments.busy)]
    for rival in rivals:
        rival.start()
    engine = Engine(["--network", arguments.network] if arguments.network else [])
    draw = random.Random(1)
    gaps: list[float] = []
    firsts: list[float] = []
    interrupts: list[float] = []
    engine.ask(f"boardsize {arguments.size}")
    for number in range(arguments.rounds):
        colour = "bw"[number % 2]
        engine.send(f"kata-analyze {colour} {arguments.interval} {arguments.fields}")
        # Some rounds are interrupted when they have hardly begun.
        seconds = draw.uniform(0.0, 2.0) * arguments.seconds
        begun, line = engine.line()
        assert line.startswith(b"="), line
        times = listen(engine, seconds)
        firsts += [1e3 * (times[0] - begun)] if times else []
        gaps += [1e3 * (later - earlier) for earlier, later in itertools.pairwise(times)]
        sent = engine.send("name")
        interrupts.append(1e3 * (engine.until_blank() - sent))
        engine.until_blank()
        engine.ask(
            f"genmove {colour}"
            if number % 4 == 3
            else "clear_board"
            if number % 8 == 6
            else f"play {colour} {'ABCDEFGHJ'[number % 9]}{1 + draw.randrange(9)}"
        )
    engine.send("quit")
    engine.process.wait()
    for rival in rivals:
        rival.kill()
    limit = 2.0 * 10 * arguments.interval
    spread("first report", firsts, limit)
    spread("between reports", gaps, limit)
    spread("interrupt", interrupts, 50.0)


if __name__ == "__main__":
    main()
