"""Hours of use: memory stays where it is."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc (Linux)"),
]

START = "from honte.cli.main import run; run()"


def resident_bytes(process: subprocess.Popen[str]) -> int:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.fixture
def start() -> Iterator:
    started = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", START, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def command(process: subprocess.Popen[str], line: str) -> str:
    process.stdin.write(line + "\n")
    process.stdin.flush()
    lines = []
    while (said := process.stdout.readline()) not in ("\n", ""):
        lines.append(said)
    assert said, "the engine has ended"
    return "".join(lines)


def test_ten_thousand_commands(start):
    engine = start("gtp", "--visits", "30")
    draw = random.Random(1)
    points = [f"{column}{row}" for column in "ABCDEFGHJ" for row in range(1, 10)]
    command(engine, "boardsize 9")
    early = 0
    for number in range(10_000):
        if number % 200 == 0:
            command(engine, "clear_board")
        kind = draw.randrange(8)
        line = [
            f"play {draw.choice('bw')} {draw.choice(points)}",
            f"genmove {draw.choice('bw')}",
            "undo",
            f"kata-search_analyze b 1000 ownership true movesOwnership true avoid w {points[0]} 3",
            f"komi {draw.randrange(-5, 10) + 0.5}",
            f"time_left b {draw.randrange(100)} 0",
            "showboard",
            "nonsense",
        ][kind]
        assert command(engine, line)[0] in "=?"
        if number == 2_000:
            early = resident_bytes(engine)
    assert resident_bytes(engine) < 1.1 * early


def test_a_thousand_queries(start):
    engine = start("analysis")
    query = {"rules": "chinese", "boardXSize": 9, "boardYSize": 9, "maxVisits": 100}
    draw = random.Random(2)
    early = 0
    for number in range(1_000):
        moves = [["BW"[i % 2], f"{'ABCDEFGHJ'[i]}{draw.randrange(1, 10)}"] for i in range(9)]
        asked = {**query, "id": str(number), "moves": moves, "includeOwnership": True}
        engine.stdin.write(json.dumps(asked) + "\n")
        engine.stdin.flush()
        assert json.loads(engine.stdout.readline())["id"] == str(number)
        if number == 200:
            early = resident_bytes(engine)
    assert resident_bytes(engine) < 1.1 * early


# S11
def test_three_hundred_moves_with_one_tree(start):
    engine = start("gtp", "--visits", "800", "--no-resign")
    command(engine, "boardsize 19")
    early = 0
    for number in range(300):
        assert command(engine, f"genmove {'bw'[number % 2]}").startswith("=")
        if number == 50:
            early = resident_bytes(engine)
    assert resident_bytes(engine) < 1.1 * early
