"""Games of policy networks of Go without search: many at once, every move drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from honte._core import katago_features
from honte.games.go import Go, GoState, Rules
from honte.networks.layers import Float
from honte.training.losses import masked_logits
from honte.training.networks import GoNetwork


@dataclass(frozen=True, slots=True)
class Board:
    """What is played: a board, komi, and Tromp-Taylor's rules, by which every end is counted as
    it stands and needs no judge."""

    size: int = 9
    komi: float = 7.0

    def new_game(self) -> GoState:
        """The empty board."""
        return Go(self.size, rules=Rules.named("tromp-taylor"), komi=self.komi).new_initial_state()

    @property
    def longest(self) -> int:
        """Moves after which a game is counted as it stands: policies need not know how to stop."""
        return 2 * self.size * self.size


@dataclass(slots=True)
class Moves:
    """The moves of one player in one game."""

    spatial: list[NDArray[np.uint8]] = field(default_factory=list)
    """[22, H, W] each."""
    numbers: list[Float] = field(default_factory=list)
    """[19] each."""
    actions: list[int] = field(default_factory=list)


def policies(network: GoNetwork, states: Sequence[GoState]) -> NDArray[np.float64]:
    """[N, A] probabilities over the legal moves."""
    features = [katago_features(state) for state in states]
    spatial = torch.from_numpy(np.stack([planes for planes, _ in features]))
    numbers = torch.from_numpy(np.stack([values for _, values in features]))
    with torch.no_grad():
        logits = masked_logits(network(spatial, numbers), spatial).double()
    legal = torch.zeros(logits.shape, dtype=torch.bool)
    for row, state in enumerate(states):
        legal[row, state.legal_actions()] = True
    chances: NDArray[np.float64] = logits.masked_fill(~legal, -torch.inf).softmax(dim=1).numpy()
    return chances


def play(
    board: Board,
    players: tuple[GoNetwork, GoNetwork],
    games: int,
    random: np.random.Generator,
    *,
    watch: int | None = None,
) -> tuple[NDArray[np.float32], list[Moves]]:
    """Play games between two networks; returns the results [N] for the first one, and its moves.

    The first is Black in the even games. ``watch`` 0 keeps the first one's moves, None nobody's.
    """
    states = [board.new_game() for _ in range(games)]
    moves = [Moves() for _ in range(games)]
    open_games = list(range(games))
    while open_games:
        for player in (0, 1):
            turn = [
                n
                for n in open_games
                if not states[n].is_terminal() and (states[n].to_play + n) % 2 == player
            ]
            if not turn:
                continue
            chances = policies(players[player], [states[n] for n in turn])
            for number, chance in zip(turn, chances, strict=True):
                state = states[number]
                action = int(random.choice(len(chance), p=chance))
                if watch == player:
                    spatial, values = katago_features(state)
                    moves[number].spatial.append(spatial.astype(np.uint8))
                    moves[number].numbers.append(values)
                    moves[number].actions.append(action)
                state.apply_action(action)
        open_games = [
            n
            for n in open_games
            if not states[n].is_terminal() and states[n].move_number < board.longest
        ]
    results = np.array([states[n].returns()[n % 2] for n in range(games)], np.float32)
    return results, moves


def play_on(
    network: GoNetwork, states: Sequence[GoState], last: Sequence[int], random: np.random.Generator
) -> None:
    """Let a network play both sides of every state until it is over or has so many moves."""
    while True:
        going = [
            n
            for n, state in enumerate(states)
            if not state.is_terminal() and state.move_number < last[n]
        ]
        if not going:
            return
        for n, chance in zip(going, policies(network, [states[n] for n in going]), strict=True):
            states[n].apply_action(int(random.choice(len(chance), p=chance)))
