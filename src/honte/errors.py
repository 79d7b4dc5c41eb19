"""The errors a person can cause: each message is a sentence that says what to do."""

from __future__ import annotations


class HonteError(ValueError):
    """Something given to honte cannot be; the message names it, the place and the way out."""
