"""The folder of a training run: what it was asked to do, what it measured, what it made."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from honte.errors import HonteError
from honte.training.checkpoint import write_whole


class RunFolder:
    """``config.json``, ``metrics.jsonl``, ``checkpoint.pt``, ``tensorboard/`` and networks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._board: Any = None

    @property
    def checkpoint(self) -> Path:
        """The file of the run's whole state."""
        return self.path / "checkpoint.pt"

    def open(
        self,
        config: dict[str, Any],
        free: frozenset[str] = frozenset(),
        defaults: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Begin the run, or go on with it.

        ``config`` is what the run was asked for, as plain values; those named ``free`` may change
        from one start to the next. Where the run is older than a setting, it began with what
        ``defaults`` says. Raises HonteError if any other differs from the run's own.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise HonteError(f"{self.path} cannot be made: {error.strerror}.") from None
        file = self.path / "config.json"
        if file.exists():
            before = {**defaults, **self.config()}
            for name in sorted((set(config) | set(before)) - free):
                if config.get(name) != before.get(name):
                    raise HonteError(
                        f"The run in {self.path} began with {name} = {before.get(name)!r} and is "
                        f"now asked for {config.get(name)!r}: give what it began with, or start "
                        "in a new folder."
                    )
        write_whole(file, json.dumps(config, indent=2).encode())

    def config(self) -> dict[str, Any]:
        """What the run was asked for. Raises HonteError if this is no run."""
        try:
            found: dict[str, Any] = json.loads((self.path / "config.json").read_text())
        except (OSError, ValueError):
            raise HonteError(f"{self.path} is no training run: it has no config.json.") from None
        return found

    def log(self, step: int, values: dict[str, float]) -> None:
        """Add a line to the metrics, and to TensorBoard."""
        line = {"step": step, "time": round(time.time(), 1), **values}
        try:
            with open(self.path / "metrics.jsonl", "a") as file:
                file.write(json.dumps(line) + "\n")
            board = self._tensorboard()
            if board is not None:
                for name, value in values.items():
                    board.add_scalar(name, value, step)
        except OSError as error:
            raise HonteError(f"{self.path} cannot be written: {error.strerror}.") from None

    def forget_after(self, step: int) -> None:
        """Drop metrics of steps that a run resumed at ``step`` will make again."""
        file = self.path / "metrics.jsonl"
        if file.exists():
            kept = [line for line in self.metrics() if line["step"] <= step]
            write_whole(file, "".join(json.dumps(line) + "\n" for line in kept).encode())

    def metrics(self) -> Iterator[dict[str, Any]]:
        """Every line measured so far; one that was cut short is left out."""
        try:
            text = (self.path / "metrics.jsonl").read_text()
        except OSError:
            return
        for line in text.splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue

    def _tensorboard(self) -> Any:
        if self._board is None:
            try:
                from torch.utils.tensorboard import SummaryWriter
            except ImportError:
                return None
            self._board = SummaryWriter(str(self.path / "tensorboard"))
        return self._board
