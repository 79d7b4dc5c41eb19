"""Samples for a value network: one position a game, as AlphaGo's third step wants them.

Positions of one game are alike and share one result; a network that sees them all learns games by
heart [Silver 2016]. So a game gives one: the supervised policy plays its first moves, one move is
any legal one, and from there the reinforced policy plays to the end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from honte.errors import HonteError
from honte.evaluation import PatternPolicy
from honte.games.go import GoState
from honte.networks.layers import Float
from honte.training.batches import make_batch
from honte.training.losses import LossWeights, targets_of
from honte.training.networks import GoNetwork
from honte.training.policy_games import Board, play_on
from honte.training.shards import UNKNOWN_ACTION, Arrays, Shard, ShardBuilder

GAMES_AT_ONCE = 128
ROLLOUTS = 100
"""Playouts of each kind that a held-out position is judged by, to compare with the network's value
[AlphaGo: 100]."""


@dataclass(frozen=True, slots=True)
class RolloutValues(Arrays):
    """What rollouts say of the held-out positions, for the side to move."""

    move: NDArray[np.int32]
    """[N]: the number of the position's move in its game."""
    value: Float
    """[N]: the mean result of uniformly random playouts."""
    patterns: Float
    """[N]: the same by the shipped policy of patterns."""


def make_value_games(
    supervised: GoNetwork,
    reinforced: GoNetwork,
    board: Board,
    games: int,
    out: Path,
    *,
    held_out: int = 0,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write a shard of samples, one a game, and one of held-out games with rollouts beside it.

    Raises HonteError if the folder holds samples already or cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    if any(out.glob("*.npz")):
        raise HonteError(f"{out} holds samples already: give an empty folder.")
    torch.set_num_threads(1)
    total = games + held_out
    done = 0
    for name, count in (("held-out", held_out), ("shard", games)):
        builder = ShardBuilder(board.size, board.size)
        played: list[tuple[int, float, float]] = []
        while len(builder) < count:
            random = np.random.Generator(np.random.Philox(key=[seed, done]))
            few = min(GAMES_AT_ONCE, count - len(builder))
            made = _positions(supervised, reinforced, board, few, random)
            for state, value in made:
                if name == "held-out":
                    uniform = state.playouts(ROLLOUTS, seed)
                    patterns = state.playouts(ROLLOUTS, seed, PatternPolicy.shipped().core)
                    played.append((state.move_number, uniform, patterns))
                builder.add(state, UNKNOWN_ACTION, value, done)
                done += 1
            if on_progress is not None:
                on_progress(done, total)
        if count:
            builder.shard().save(out / f"{name}-00000.npz")
        if played:
            move, *means = zip(*played, strict=True)
            rollouts = RolloutValues(
                np.array(move, np.int32), *(np.array(mean, np.float32) for mean in means)
            )
            rollouts.save(out / "rollouts.npz")


def _positions(
    supervised: GoNetwork,
    reinforced: GoNetwork,
    board: Board,
    games: int,
    random: np.random.Generator,
) -> list[tuple[GoState, float]]:
    """A position and its result for the side to move, of each game that is long enough."""
    exploring = random.integers(0, board.size * board.size, games)
    states = [board.new_game() for _ in range(games)]
    play_on(supervised, states, exploring.tolist(), random)
    states = [state for state in states if not state.is_terminal()]
    for state in states:
        legal = state.legal_actions()
        state.apply_action(int(legal[int(random.integers(len(legal)))]))
    states = [state for state in states if not state.is_terminal()]
    starts = [state.clone() for state in states]
    play_on(reinforced, states, [start.move_number + board.longest for start in starts], random)
    return [
        (start, float(state.returns()[start.to_play]))
        for start, state in zip(starts, states, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PhaseError:
    """Mean squared errors of predictions of the result, over a phase of the game."""

    first_move: int
    last_move: int
    positions: int
    network: float
    rollouts: float
    patterns: float


def errors_by_phase(network: GoNetwork, samples: Path, phases: int = 5) -> list[PhaseError]:
    """The value network's error and that of rollouts on held-out games, by the move of the game.

    Raises HonteError where the folder has no held-out games with rollouts.
    """
    shard = Shard.load(samples / "held-out-00000.npz")
    rollouts = RolloutValues.load(samples / "rollouts.npz")
    targets = targets_of(make_batch(shard, None, np.zeros(len(shard), np.int64)), LossWeights())
    with torch.no_grad():
        outputs = network(targets.spatial, targets.numbers)
    said = torch.tanh((outputs.value[:, 0] - outputs.value[:, 1]) / 2.0).numpy()
    order = np.argsort(rollouts.move, kind="stable")
    found = []
    for part in np.array_split(order, phases):
        if not len(part):
            continue
        result = shard.value[part]
        found.append(
            PhaseError(
                int(rollouts.move[part].min()),
                int(rollouts.move[part].max()),
                len(part),
                float(np.square(said[part] - result).mean()),
                float(np.square(rollouts.value[part] - result).mean()),
                float(np.square(rollouts.patterns[part] - result).mean()),
            )
        )
    return found
