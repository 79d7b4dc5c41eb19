"""The JSON engine under load: how long short queries wait beside a long one, and a terminate.

    python benchmarks/many_queries.py [--short 40] [--visits 100] [--long 1] [--busy 0]

``honte analysis`` runs as a program of its own. A query of a million visits comes first, or
several; then short ones, one every quarter of a second; then a terminate of the long ones. For
each short query: the time to its answer, beside the time it takes on its own.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from queue import SimpleQueue
from threading import Thread
from typing import Any

LONGEST_WAIT = 120.0


class Engine:
    """``honte analysis`` on pipes; every reply with the time at which it came."""

    def __init__(self, options: list[str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", "from honte.cli.main import run; run()", "analysis", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.replies: SimpleQueue[tuple[float, dict[str, Any]]] = SimpleQueue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.replies.put((time.perf_counter(), json.loads(line)))

    def send(self, query: dict[str, Any]) -> float:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(query).encode() + b"\n")
        self.process.stdin.flush()
        return time.perf_counter()

    def reply_to(self, identifiers: set[str]) -> dict[str, tuple[float, dict[str, Any]]]:
        """The replies to these, with their times."""
        found: dict[str, tuple[float, dict[str, Any]]] = {}
        while identifiers - found.keys():
            when, reply = self.replies.get(timeout=LONGEST_WAIT)
            if reply.get("id") in identifiers:
                found[reply["id"]] = (when, reply)
        return found


def query(identifier: str, visits: int, number: int) -> dict[str, Any]:
    """A position of its own for each number, so that no cache answers it."""
    column = "ABCDEFGHJKLMNOPQRST"
    moves = [["B", f"{column[number % 19]}{1 + number // 19 % 19}"], ["W", "K10"]]
    return {
        "id": identifier,
        "moves": moves,
        "rules": "chinese",
        "boardXSize": 19,
        "boardYSize": 19,
        "maxVisits": visits,
    }


def spread(name: str, seconds: list[float]) -> None:
    values = sorted(seconds)
    last = values[min(int(0.95 * len(values)), len(values) - 1)]
    print(
        f"{name}: median {statistics.median(values):.2f} s, 95 % {last:.2f}, most {values[-1]:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", type=int, default=40)
    parser.add_argument("--visits", type=int, default=100)
    parser.add_argument("--long", type=int, default=1)
    parser.add_argument("--network", default=None)
    arguments = parser.parse_args()
    engine = Engine(["--network", arguments.network] if arguments.network else [])
    engine.send(query("first", 2, 0))
    engine.reply_to({"first"})

    alone = []
    for number in range(arguments.short):
        sent = engine.send(query(f"alone{number}", arguments.visits, number))
        alone.append(engine.reply_to({f"alone{number}"})[f"alone{number}"][0] - sent)
    spread(f"a query of {arguments.visits} visits alone", alone)

    long = {f"long{number}" for number in range(arguments.long)}
    for number, identifier in enumerate(sorted(long)):
        engine.send(query(identifier, 1_000_000, 100 + number))
    time.sleep(1.0)
    sent_at = {}
    for number in range(arguments.short):
        name = f"short{number}"
        sent_at[name] = engine.send(query(name, arguments.visits, 200 + number))
        time.sleep(0.25)
    answered = engine.reply_to(set(sent_at))
    spread(
        f"the same beside {arguments.long} of a million",
        [answered[name][0] - sent for name, sent in sent_at.items()],
    )

    terminated = []
    for identifier in sorted(long):
        sent = engine.send({"id": "end", "action": "terminate", "terminateId": identifier})
        when, reply = engine.reply_to({identifier})[identifier]
        terminated.append(when - sent)
        print(f"{identifier} had {reply['rootInfo']['visits']} visits when it was ended")
    spread("the last reply after a terminate", terminated)
    assert engine.process.stdin is not None
    engine.process.stdin.close()
    engine.process.wait()


if __name__ == "__main__":
    main()
