"""A match that is killed again and again loses no game and plays none twice."""

import os
import random
import signal
import sqlite3
import subprocess
import sys

from honte.lab.board_games import GameSpec
from honte.lab.replay import positions
from honte.lab.store import Store
from patience import PATIENCE

ARGUMENTS = [
    "match", "name=a;preset=uct;visits=400", "name=b;preset=uct;visits=250",
    "name=c;preset=uct;visits=100", "--game", "connect-four", "--games", "120", "--openings", "3",
    "--at-once", "4", "--to-the-end",
]  # fmt: skip

PROGRAM = "from honte.cli.main import run; run()"
# Into the thick of it: the first new game sets a timer, whose signal ends the process as SIGKILL
# does. It counts the processor time of the process, so that it strikes in the next games however
# busy the machine is; six such times are enough for a sixth of all the games.
DYING = """
import signal
from honte.lab.store import Store

add, moment = Store.add, {moment}

def add_and_wait(self, game):
    if signal.getitimer(signal.ITIMER_PROF)[0] == 0:
        signal.setitimer(signal.ITIMER_PROF, moment)
    return add(self, game)

Store.add = add_and_wait
"""


def start(store, before=""):
    return subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM, *ARGUMENTS, "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_killed_at_random_moments_every_game_is_there_once(tmp_path):
    store, random_moment = tmp_path / "match.sqlite", random.Random(1)
    held = []
    for _ in range(6):
        process = start(store, DYING.format(moment=0.001 + random_moment.random() * 0.05))
        process.communicate(timeout=PATIENCE)
        assert process.returncode == -signal.SIGPROF
        with sqlite3.connect(store) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            rows = connection.execute("SELECT * FROM games ORDER BY id").fetchall()
        assert rows[: len(held)] == held, "a game that was there stays as it was"
        held = rows
    assert held
    process = start(store)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    with Store(store) as file:
        games = file.games()
        assert len(games) == len({game.fixture for game in games}) == 360
        expected = {
            (one, other, opening)
            for one in "abc"
            for other in "abc"
            if one != other
            for opening in range(60)
        }
        assert {
            (game.fixture.first, game.fixture.second, game.fixture.opening) for game in games
        } == expected
        assert len(file.openings()) == 60
        for game in games:
            list(positions(GameSpec(name="connect-four"), game))
    assert "360 games" in printed.decode()
