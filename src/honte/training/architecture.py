"""The shapes of the networks that honte trains, as configuration."""

from __future__ import annotations

from dataclasses import dataclass

from honte.errors import HonteError


@dataclass(frozen=True, slots=True)
class Architecture:
    """A residual tower of ``blocks`` × ``channels`` with two heads.

    Every ``pooling_every``-th block also sees a summary of the whole board (global pooling), as
    KataGo's networks do; 0 leaves it out. Raises HonteError for sizes that are none.
    """

    blocks: int = 6
    channels: int = 64
    pooling_every: int = 3
    pooled_channels: int = 16
    """Channels of a pooling block that are summed up over the board; the rest stay local."""
    head_channels: int = 32
    """Channels of the policy head, and of the value head's map."""
    value_hidden: int = 64
    """Width of the value head's hidden layer."""
    short_term: bool = False
    """Of Go: a further head, for the search's values a few turns on. Training reads it alone: it
    shapes the tower and is not exported [KataGo]."""

    def __post_init__(self) -> None:
        for name in ("blocks", "channels", "pooled_channels", "head_channels", "value_hidden"):
            size = getattr(self, name)
            if size < 1:
                raise HonteError(f"A network with {name} = {size} is none: give at least 1.")
        if self.pooling_every < 0:
            raise HonteError(
                f"pooling_every is a distance between blocks, not {self.pooling_every}."
            )
        if self.pooling_every and self.pooled_channels >= self.channels:
            raise HonteError(
                f"Of {self.channels} channels {self.pooled_channels} cannot be pooled and some be "
                "left: give fewer pooled_channels or more channels."
            )

    @property
    def regular_channels(self) -> int:
        """Channels of a pooling block that stay local."""
        return self.channels - self.pooled_channels if self.pooling_every else self.channels

    def pools(self, block: int) -> bool:
        """Whether the block of this number, from 0, has global pooling."""
        return self.pooling_every > 0 and block % self.pooling_every == self.pooling_every - 1

    def __str__(self) -> str:
        return f"{self.blocks} blocks of {self.channels} channels"
