"""Games of OpenSpiel by name.

A ``pyspiel`` state follows the State protocol already: hand it to a search as it is. What is
here only saves a look at whether a game is one that honte plays.
"""

from __future__ import annotations

from typing import Any

from honte.errors import HonteError

__all__ = ["load_game", "new_initial_state"]


def load_game(name: str) -> Any:
    """The ``pyspiel.Game`` of a name, such as ``"breakthrough"`` or ``"hex(board_size=5)"``.

    Raises ``HonteError`` where OpenSpiel is missing, does not know the name, or the game is none
    for this kind of search: honte plays games for one or two players who move in turn, see
    everything and roll no dice, with results in [−1, 1] that sum to zero between two.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise HonteError(
            f"OpenSpiel is needed to load {name!r}: pip install 'honte[openspiel]'."
        ) from error
    try:
        game = pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise HonteError(
            f"OpenSpiel does not load {name!r}: {error}. "
            "pyspiel.registered_names() lists its games."
        ) from error

    kind = game.get_type()
    two = game.num_players() == 2
    obstacles = [
        obstacle
        for applies, obstacle in [
            (game.num_players() > 2, f"it has {game.num_players()} players"),
            (kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL, "the players move at once"),
            (kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC, "it has chance"),
            (
                kind.information != pyspiel.GameType.Information.PERFECT_INFORMATION,
                "the players do not see everything",
            ),
            (two and kind.utility != pyspiel.GameType.Utility.ZERO_SUM, "it is not zero-sum"),
            (
                game.min_utility() < -1 or game.max_utility() > 1,
                f"its results run from {game.min_utility():g} to {game.max_utility():g}, "
                "not within [-1, 1]",
            ),
        ]
        if applies
    ]
    if obstacles:
        raise HonteError(f"honte does not play OpenSpiel's {name}: {'; '.join(obstacles)}.")
    return game


def new_initial_state(name: str) -> Any:
    """The first position of a game of OpenSpiel. Raises as :func:`load_game` does."""
    return load_game(name).new_initial_state()
