"""The errors a person can cause: each message is a sentence that says what to do."""

from __future__ import annotations


class HonteError(ValueError):
    """Something given to honte cannot be; the message names it, the place and the way out."""


class ProtocolError(HonteError):
    """A game broke the State protocol; the message names the game, the position and the actions.

    An exception that the game's own code raised is the ``__cause__``.
    """
