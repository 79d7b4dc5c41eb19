"""Moves that an analysis may not, or may only, look at."""

from __future__ import annotations

from dataclasses import dataclass

from honte.errors import HonteError
from honte.games.go import GoState
from honte.search import Restriction


@dataclass(frozen=True, slots=True)
class Restrictions:
    """All the restrictions of one request."""

    every: tuple[Restriction, ...] = ()

    def with_one(self, restriction: Restriction) -> Restrictions:
        """One more. Raises :class:`HonteError` where it contradicts the others: a player's moves
        are either allowed, once, or avoided."""
        same_player = [other for other in self.every if other.player == restriction.player]
        if any(restriction.allow or other.allow for other in same_player):
            raise HonteError("allow may be given once for a player and not together with avoid")
        return Restrictions((*self.every, restriction))

    @property
    def below_root(self) -> tuple[Restriction, ...]:
        """Those that reach further than the root."""
        return tuple(restriction for restriction in self.every if restriction.until_depth > 1)

    def allowed_at_root(self, state: GoState) -> list[int] | None:
        """The legal actions that are left to the player to move, or None where all are.

        Raises :class:`HonteError` when none is left.
        """
        mine = [restriction for restriction in self.every if restriction.player == state.to_play]
        if not mine or state.is_terminal():
            return None
        actions = set(state.legal_actions())
        for restriction in mine:
            if restriction.allow:
                actions &= restriction.actions
            else:
                actions -= restriction.actions
        if not actions:
            raise HonteError("the restrictions leave no legal move to look at")
        return sorted(actions)
