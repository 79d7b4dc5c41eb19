"""Who may drive the server: its own page, and no page of another origin.

A browser sends the page's origin with every socket it opens and with every request that could
change something. A page from elsewhere can also point a name of its own at 127.0.0.1, so the
Host that a request names must be one that this server knows itself by.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Guard:
    """Judges Host and Origin. ``hosts`` are names by which the server may be called, beside the
    loopback ones and plain IP addresses (no page can make those its own name)."""

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self._hosts = _LOOPBACK | {host.lower() for host in hosts}

    def refusal(self, host: str | None, origin: str | None, *, needs_origin: bool) -> str | None:
        """Why a request is refused; None where it may pass."""
        if not host or not self._known(host):
            return (
                f"This server does not answer to the name {host!r}. Open it as "
                "http://127.0.0.1 with its port, or allow the name with --allow-host."
            )
        if origin is None:
            return "A socket needs an Origin." if needs_origin else None
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or parts.netloc.lower() != host.lower():
            return f"A page from {origin} may not use this server: open the server's own page."
        return None

    def _known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        if name is None:
            return False
        if name.lower() in self._hosts:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
