"""A whole game against GNU Go over GTP, each engine in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import pytest

from honte.players.clock import Absolute, ByoYomi, Canadian, Clock
from patience import PATIENCE

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


class GtpProcess:
    """A GTP engine behind pipes."""

    def __init__(self, *command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def send(self, command):
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().rstrip("\n")) or not lines:
            assert self.process.poll() is None or line
            lines.append(line)
        assert lines[0].startswith("="), (command, lines)
        return "\n".join([lines[0][1:].strip(), *lines[1:]])

    def close(self):
        self.send("quit")
        assert self.process.wait(PATIENCE) == 0


def honte(*options):
    return GtpProcess(
        sys.executable, "-c", "from honte.cli.main import run; run()", "gtp", *options
    )


def play_game(black, white, size, komi, most_moves):
    """A match loop as gogui-twogtp's: moves until two passes or a resignation."""
    for engine in (black, white):
        engine.send(f"boardsize {size}")
        engine.send("clear_board")
        engine.send(f"komi {komi}")
    passes = 0
    for number in range(most_moves):
        name, mover, other = [("b", black, white), ("w", white, black)][number % 2]
        move = mover.send(f"genmove {name}").lower()
        if move == "resign":
            return number, move
        other.send(f"play {name} {move}")
        passes = passes + 1 if move == "pass" else 0
        if passes == 2:
            return number, move
    raise AssertionError("the game did not end")


@pytest.mark.parametrize("honte_is_black", [True, False])
def test_a_game_with_gnugo_ends_and_the_scores_agree(honte_is_black):
    if GNUGO is None:
        pytest.skip("needs gnugo (Debian: apt install gnugo)")
    own = honte("--visits", "400", "--rules", "chinese", "--no-resign", "--seed", "5")
    peer = GtpProcess(GNUGO, "--mode", "gtp", "--chinese-rules", "--level", "1", "--seed", "3")
    try:
        black, white = (own, peer) if honte_is_black else (peer, own)
        play_game(black, white, size=9, komi=7.5, most_moves=300)
        assert own.send("final_score") == peer.send("final_score")
        drawn = own.send("showboard")
        assert "Komi: 7.5" in drawn
    finally:
        own.close()
        peer.close()


def clocked_game(own, peer, size, clock, announce):
    """A game in which honte plays White under a clock that the controller keeps: the least that was
    ever left to it."""
    for engine in (own, peer):
        engine.send(f"boardsize {size}")
        engine.send("clear_board")
        engine.send("komi 7.5")
    own.send(announce)
    passes = 0
    least = float("inf")
    for number in range(300):
        name, mover, other = [("b", peer, own), ("w", own, peer)][number % 2]
        if mover is own:
            reading = clock.read()
            left, moves = (
                (reading.period, reading.moves) if reading.in_overtime else (reading.main, 0)
            )
            own.send(f"time_left w {left:.2f} {moves}")
        began = time.perf_counter()
        move = mover.send(f"genmove {name}").lower()
        if mover is own:
            spent = time.perf_counter() - began + LAG
            periods = reading.period * max(reading.moves, 1) if reading.period else 0.0
            least = min(least, (0.0 if reading.in_overtime else reading.main) + periods - spent)
            clock.spend(spent)
        if move != "resign":
            other.send(f"play {name} {move}")
        passes = passes + 1 if move == "pass" else 0
        if passes == 2 or move == "resign":
            return least
    raise AssertionError("the game did not end")


LAG = 0.3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "announce"),
    [
        pytest.param(Absolute(25.0), "kgs-time_settings absolute 25", id="absolute"),
        pytest.param(ByoYomi(3.0, 1.5, 2), "kgs-time_settings byoyomi 3 1.5 2", id="byo-yomi"),
        pytest.param(Canadian(3.0, 10.0, 8), "kgs-time_settings canadian 3 10 8", id="Canadian"),
    ],
)
def test_no_game_with_gnugo_is_lost_on_time(system, announce):
    """Each answer is counted as read 0.3 s late."""
    if GNUGO is None:
        pytest.skip("needs gnugo (Debian: apt install gnugo)")
    own = honte("--rules", "chinese", "--no-resign", "--seed", "5")
    peer = GtpProcess(GNUGO, "--mode", "gtp", "--chinese-rules", "--level", "1", "--seed", "3")
    try:
        assert clocked_game(own, peer, 7, Clock(system), announce) > 0
    finally:
        own.close()
        peer.close()


# G19
def test_two_copies_give_the_same_result():
    engines = [honte("--visits", "100", "--seed", str(seed)) for seed in (1, 2)]
    try:
        _, last = play_game(*engines, size=5, komi=0.5, most_moves=300)
        if last != "resign":
            first, second = (engine.send("final_score") for engine in engines)
            assert first == second != "0"
    finally:
        for engine in engines:
            engine.close()
