"""KataGo as a peer: its JSON analysis engine in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typer

from honte.games.go import GoState, format_vertex

COLOURS = "BW"
QUERY_KEYS = {
    "koRule": "ko",
    "scoringRule": "scoring",
    "taxRule": "tax",
    "multiStoneSuicideLegal": "suicide",
}
"""Rules are named otherwise in questions than in answers."""


class KataGo:
    """KataGo with one search at a time and a fixed number of threads.

    Its network runs on boards of ``size`` alone, without padding. ``threads`` search the tree,
    and as many evaluate. ``cache_size_power`` is that of its cache of evaluations, which is
    emptied before every search.
    """

    def __init__(
        self,
        program: Path,
        network: Path,
        *,
        size: int,
        threads: int,
        cache_size_power: int = 16,
    ) -> None:
        if not program.exists():
            raise typer.BadParameter(f"there is no KataGo at {program}")
        self._folder = tempfile.TemporaryDirectory()
        config = Path(self._folder.name, "analysis.cfg")
        config.write_text(
            f"""logDir = {self._folder.name}
logToStderr = false
reportAnalysisWinratesAs = SIDETOMOVE
numAnalysisThreads = 1
numSearchThreadsPerAnalysisThread = {threads}
numEigenThreadsPerModel = {threads}
nnMaxBatchSize = {max(threads, 8)}
nnCacheSizePowerOfTwo = {cache_size_power}
nnMutexPoolSizePowerOfTwo = {min(cache_size_power, 12)}
nnRandomize = true
maxBoardXSizeForNNBuffer = {size}
maxBoardYSizeForNNBuffer = {size}
requireMaxBoardSize = true
"""
        )
        self._process = subprocess.Popen(
            [program, "analysis", "-config", config, "-model", network, "-quit-without-waiting"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._queries = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    @property
    def process_id(self) -> int:
        return self._process.pid

    def processor_seconds(self) -> float:
        """Processor time of the process so far (Linux)."""
        numbers = Path(f"/proc/{self.process_id}/stat").read_text().rpartition(")")[2].split()
        return (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")

    def search(self, state: GoState, visits: int) -> tuple[int, float]:
        """The root's visits, and the seconds from the question to the answer."""
        self._ask({"action": "clear_cache"})
        begin = time.perf_counter()
        answer = self._ask(
            {
                "moves": [
                    [COLOURS[player], format_vertex(action, state.width, state.height)]
                    for player, action in state.moves()
                ],
                "rules": {
                    QUERY_KEYS.get(key, key): value for key, value in state.rules.to_json().items()
                },
                "komi": state.komi,
                "boardXSize": state.width,
                "boardYSize": state.height,
                "maxVisits": visits,
            }
        )
        return answer["rootInfo"]["visits"], time.perf_counter() - begin

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._queries += 1
        self._process.stdin.write(json.dumps({"id": str(self._queries), **question}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            assert self._process.stderr is not None
            said = self._process.stderr.read().strip().splitlines()
            raise typer.BadParameter(f"KataGo ended: {said[-1] if said else 'it said nothing'}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise typer.BadParameter(f"KataGo refused a position: {answer['error']}")
        return answer
