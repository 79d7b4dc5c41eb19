"""A match that is killed again and again loses no game and plays none twice."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from honte.lab.board_games import GameSpec
from honte.lab.replay import positions
from honte.lab.store import Store

ARGUMENTS = [
    "match", "name=a;preset=uct;visits=400", "name=b;preset=uct;visits=250",
    "name=c;preset=uct;visits=100", "--game", "connect-four", "--games", "30", "--openings", "3",
    "--at-once", "4", "--to-the-end",
]  # fmt: skip


def start(store):
    program = "from honte.cli.main import run; run()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *ARGUMENTS, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def count(store: Path) -> int:
    if not store.exists():
        return 0
    with sqlite3.connect(store, timeout=30) as connection:
        try:
            return connection.execute("SELECT count(*) FROM games").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def test_killed_at_random_moments_every_game_is_there_once(tmp_path):
    store, random_moment = tmp_path / "match.sqlite", random.Random(1)
    kills, before, held = 0, 0, []
    while kills < 6:
        process = start(store)
        # Into the thick of it: until a game is new, then anywhere in the next ones.
        while count(store) == before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(random_moment.random() * 0.05)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
        before = count(store)
        with sqlite3.connect(store) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            rows = connection.execute("SELECT * FROM games ORDER BY id").fetchall()
        assert rows[: len(held)] == held, "a game that was there stays as it was"
        held = rows
    assert kills >= 3
    process = start(store)
    printed, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    with Store(store) as file:
        games = file.games()
        assert len(games) == len({game.fixture for game in games}) == 90
        expected = {
            (one, other, opening)
            for one in "abc"
            for other in "abc"
            if one != other
            for opening in range(15)
        }
        assert {
            (game.fixture.first, game.fixture.second, game.fixture.opening) for game in games
        } == expected
        assert len(file.openings()) == 15
        for game in games:
            list(positions(GameSpec(name="connect-four"), game))
    assert "90 games" in printed.decode()
