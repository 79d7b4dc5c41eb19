"""The way to a Ray cluster: an address in, its machines out, each held to the same honte."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import honte
from honte.errors import HonteError

LOCAL = "local"
"""As an address: start a cluster of this machine alone, and end it again."""
ANY = "auto"
"""As an address: the cluster that runs on this machine."""
PATIENCE = 5.0
"""Seconds for the first sign of life at an address."""
LOOK_PATIENCE = 30.0
"""Seconds for a machine to say what is installed there: a first process takes its time."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A node of the cluster."""

    identity: str
    """Ray's name of it."""
    address: str
    cpus: float
    gpus: float

    def __str__(self) -> str:
        return f"{self.address} ({self.identity[:8]})"


def ray_module(address: str = ANY) -> Any:
    """Ray itself. Raises HonteError where it is not installed."""
    # Ray reports its use to its makers, and prints its own news among what a command writes to
    # standard output, unless this stands before it is loaded.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
    if address == LOCAL:
        # So that it listens on 127.0.0.1 alone, as it does by itself where it knows no clusters.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise HonteError("Many machines need Ray: pip install 'honte[cluster]'.") from None


class Cluster:
    """A connection to a cluster. Made by :func:`connect`."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray

    def machines(self) -> list[Machine]:
        """Those that are alive and take work."""
        found = []
        for node in self.ray.nodes():
            resources = node["Resources"]
            cpus, gpus = resources.get("CPU", 0.0), resources.get("GPU", 0.0)
            if node["Alive"] and (cpus or gpus):
                found.append(Machine(node["NodeID"], node["NodeManagerAddress"], cpus, gpus))
        return found

    def alive(self, machine: Machine) -> bool:
        """Whether a machine is still there."""
        return any(
            node["NodeID"] == machine.identity and node["Alive"] for node in self.ray.nodes()
        )

    def here(self) -> str:
        """The identity of the machine that this process is connected through."""
        return str(self.ray.get_runtime_context().get_node_id())

    def look_at(self, machines: Sequence[Machine]) -> dict[Machine, str | None]:
        """How far the machines run the same honte as this one: nothing where they do, otherwise
        what is wrong, in words. Those that do not answer are left out."""
        ray = self.ray
        look = ray.remote(num_cpus=0, max_retries=0)(_look())
        asked = {look.options(**on(machine)).remote(): machine for machine in machines}
        answered, _ = ray.wait(
            list(asked), num_returns=len(asked), timeout=LOOK_PATIENCE, fetch_local=False
        )
        found: dict[Machine, str | None] = {}
        for reference in answered:
            # A machine that has just gone is still listed for a while.
            with contextlib.suppress(ray.exceptions.RayError):
                found[asked[reference]] = _difference(*ray.get(reference))
        return found


def _difference(version: str | None, digest: str) -> str | None:
    if version is None:
        return "has no honte"
    if version != honte.__version__:
        return f"has honte {version}"
    return None if digest == source_digest() else f"has other files of honte {version}"


def on(machine: Machine) -> dict[str, Any]:
    """Ray's options for work that is to be done on one machine and no other."""
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    affinity = strategies.NodeAffinitySchedulingStrategy(machine.identity, soft=False)
    return {"scheduling_strategy": affinity}


def _look() -> Any:
    # A function inside a function travels whole, so that it runs where there is no honte.
    def look() -> tuple[str | None, str]:
        try:
            import honte
        except ImportError:
            return None, ""
        try:
            from honte.cluster.connection import source_digest
        except ImportError:
            return honte.__version__, ""
        return honte.__version__, source_digest()

    return look


@cache
def source_digest() -> str:
    """A fingerprint of honte's Python files: games are the same only where these are."""
    folder = Path(honte.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*.py")):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


@contextlib.contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a cluster, and let go of it again.

    ``address``: ``auto`` for the cluster that this machine is part of, ``host:6379`` for that
    cluster by the address of its head, ``ray://host:10001`` for one that this machine is no part
    of, ``local`` to start one here for the time being. Where Ray is connected already, that
    connection is used and kept. Raises HonteError where Ray is missing or nothing answers.
    """
    ray = ray_module(address)
    if ray.is_initialized():
        yield Cluster(ray)
        return
    _start(ray, address)
    try:
        yield Cluster(ray)
    finally:
        ray.shutdown()


def _start(ray: Any, address: str) -> None:
    quietly = {"log_to_driver": False, "logging_level": "ERROR"}
    if address == LOCAL:
        ray.init(address=LOCAL, include_dashboard=False, **quietly)
        return
    if address != ANY:
        _knock(address)
    try:
        with _one_attempt():
            ray.init(address=address, **quietly)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        if address == ANY:
            raise HonteError(
                "No Ray cluster that this user may use runs on this machine: start one with "
                "`ray start --head`, or give its address."
            ) from None
        raise HonteError(
            f"There is no Ray cluster at {address} that this machine can use: {_words(error)} "
            "(where the cluster asks for a token, RAY_AUTH_MODE=token and the token must be set.)"
        ) from None


@contextlib.contextmanager
def _one_attempt() -> Iterator[None]:
    """Where something else than Ray listens, Ray would try for a quarter of an hour."""
    name = "RAY_gcs_server_port_wait_time_s"
    before = os.environ.get(name)
    os.environ[name] = before or "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def _knock(address: str) -> None:
    """Raise HonteError unless something listens there: Ray itself would try for a long time."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal():
        raise HonteError(
            f"{address!r} is no address of a cluster: give auto, local, HOST:6379 or "
            "ray://HOST:10001."
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise HonteError(
            f"Nothing answers at {address} ({reason}): is the cluster's head running there?"
        ) from None


def _words(error: BaseException) -> str:
    words = " ".join(str(error).split())[:300] or type(error).__name__
    return words if words.endswith(".") else words + "."
