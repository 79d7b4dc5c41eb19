"""A server in a process of its own, and a socket to it: what the tests of the page drive."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace

from patience import PATIENCE, until


@contextmanager
def running(sessions: Path, *arguments: str) -> Iterator[SimpleNamespace]:
    """`honte web` in a process of its own."""
    command = [sys.executable, "-c", "from honte.cli.main import run; run()", "web"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--sessions", str(sessions), "--threads", "2", *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)[0]
        wait_until_open(address)
        yield SimpleNamespace(
            address=address,
            host=address.removeprefix("http://"),
            processor_seconds=lambda: processor_seconds(process.pid),
        )
    finally:
        process.terminate()
        try:
            process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise


def wait_until_open(address: str) -> None:
    def is_open() -> bool:
        try:
            urllib.request.urlopen(address, timeout=PATIENCE).close()
        except OSError:
            return False
        return True

    until(is_open)


def processor_seconds(process: int) -> float:
    """What all threads of another process have used; on a system without /proc, the time."""
    try:
        told = Path(f"/proc/{process}/stat").read_text("utf-8")
    except FileNotFoundError:
        return time.monotonic()
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Socket:
    """A page as far as the server can see: requests out, events in."""

    def __init__(self, host: str, session: str = "", origin: str | None = None) -> None:
        from websockets.sync.client import connect

        self._open = ExitStack()
        self._socket = self._open.enter_context(
            connect(
                f"ws://{host}/socket?session={session}",
                origin=f"http://{host}" if origin is None else origin,
                max_size=None,
                # As in a browser, events are taken in however long nobody looks at them.
                max_queue=None,
                ping_timeout=None,
                open_timeout=PATIENCE,
                close_timeout=1,
            )
        )
        self._numbers = itertools.count(1)
        self.seen = []

    def send(self, type_: str, **fields) -> int:
        number = next(self._numbers)
        self._socket.send(json.dumps({"type": type_, "number": number, **fields}))
        return number

    def send_raw(self, text: str | bytes) -> None:
        self._socket.send(text)

    def wait(self, type_: str, accept=lambda event: True):
        """The next event of a type that is accepted; those before it are put by."""
        return self.wait_for(lambda event: event["type"] == type_ and accept(event))

    def wait_for(self, accept):
        """The next event that is accepted, of whatever type."""
        end = time.monotonic() + PATIENCE
        while (left := end - time.monotonic()) > 0:
            try:
                event = json.loads(self._socket.recv(timeout=left))
            except TimeoutError:
                break
            self.seen.append(event)
            if accept(event):
                return event
        kinds = [event["type"] for event in self.seen[-12:]]
        raise AssertionError(f"what was waited for did not come within {PATIENCE} s; came: {kinds}")

    def ask(self, type_: str, answer: str, **fields):
        """The answer of a type to a request of ours."""
        number = self.send(type_, **fields)
        return self.wait(answer, lambda event: event["number"] == number)

    def close(self) -> None:
        self._open.close()
