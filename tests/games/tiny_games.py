"""Small games written in Python, each with one trait that searches get wrong.

All follow the State protocol, have a ``key`` and draw themselves; ``minimax`` gives their
exact values. Players are 0 and 1; values and results are named with whose side they are on.
"""

from __future__ import annotations

from functools import cache


class Tiny:
    """What the games share: ``fields`` names the attributes that make up the position."""

    fields: tuple[str, ...] = ()

    def clone(self):
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        return copy

    def key(self):
        return repr([type(self).__name__, *(getattr(self, name) for name in self.fields)])

    def __str__(self):
        parts = ", ".join(f"{name}={getattr(self, name)}" for name in self.fields)
        return f"{type(self).__name__}({parts})"

    def __eq__(self, other):
        return type(self) is type(other) and self.key() == other.key()

    def __hash__(self):
        return hash(self.key())

    def num_players(self):
        return 2

    def current_player(self):
        return -4 if self.is_terminal() else self.player

    def observation_tensor(self):
        """The position's numbers from the side to move, for toy networks."""
        numbers = []
        for name in self.fields:
            value = getattr(self, name)
            numbers.extend(float(v) for v in (value if isinstance(value, tuple) else (value,)))
        return numbers


class Nim(Tiny):
    """Heaps; take any number from one; who takes the last one wins.

    The mover wins exactly where the exclusive or of the heaps is not 0 (Bouton 1901). Action =
    heap · largest + (taken − 1). A heap of 1 alone leaves a single legal move.
    """

    fields = ("heaps", "player")

    def __init__(self, heaps=(1, 3, 5)):
        self.heaps, self.player, self.largest = tuple(heaps), 0, max(heaps)

    def num_distinct_actions(self):
        return len(self.heaps) * self.largest

    def legal_actions(self):
        return [
            heap * self.largest + taken - 1
            for heap, left in enumerate(self.heaps)
            for taken in range(1, left + 1)
        ]

    def apply_action(self, action):
        heap, taken = action // self.largest, action % self.largest + 1
        if not 1 <= taken <= self.heaps[heap]:
            raise ValueError(f"heap {heap} has no {taken} left")
        heaps = list(self.heaps)
        heaps[heap] -= taken
        self.heaps, self.player = tuple(heaps), 1 - self.player

    def is_terminal(self):
        return not any(self.heaps)

    def returns(self):
        return [-1.0, 1.0] if self.player == 0 else [1.0, -1.0]


class DoubleMove(Tiny):
    """Three in a row of five cells, each turn being two moves (the first turn one).

    Marks go on a strip of ``length`` cells; a full strip is a draw. A value must change sides
    by who moves, not by the depth.
    """

    fields = ("cells", "player", "left")

    def __init__(self, length=7):
        self.cells, self.player, self.left = (0,) * length, 0, 1

    def num_distinct_actions(self):
        return len(self.cells)

    def legal_actions(self):
        return [] if self.is_terminal() else [i for i, c in enumerate(self.cells) if c == 0]

    def apply_action(self, action):
        if self.cells[action]:
            raise ValueError(f"cell {action} is taken")
        cells = list(self.cells)
        cells[action] = self.player + 1
        self.cells = tuple(cells)
        self.left -= 1
        if self.left == 0:
            self.player, self.left = 1 - self.player, 2

    def winner(self):
        for a, b, c in zip(self.cells, self.cells[1:], self.cells[2:], strict=False):
            if a == b == c != 0:
                return a - 1
        return None

    def is_terminal(self):
        return self.winner() is not None or all(self.cells)

    def returns(self):
        winner = self.winner()
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]


class Corridor(Tiny):
    """One legal move at each step for ``length`` plies, then the last mover has won.

    A search that always wants to choose, or that recurses, trips here.
    """

    fields = ("left", "player")

    def __init__(self, length=5):
        self.left, self.player = length, 0

    def num_distinct_actions(self):
        return 3

    def legal_actions(self):
        return [1] if self.left else []

    def apply_action(self, action):
        if action != 1:
            raise ValueError("the only move is 1")
        self.left -= 1
        self.player = 1 - self.player

    def is_terminal(self):
        return self.left == 0

    def returns(self):
        return [-1.0, 1.0] if self.player == 0 else [1.0, -1.0]


class Ring(Tiny):
    """A token on a ring of ``size`` places that both players may push either way: cycles.

    Place 0 is the start. Player 0 wins on place ``size // 2 − 1``, player 1 on the place after
    it. Without a win after ``limit`` plies the game is drawn; with ``count_plies=False`` it
    never ends by itself (only a search's own bound on depth ends a line), and its key then has
    no ply, so the graph of positions has cycles.
    """

    def __init__(self, size=8, limit=12, count_plies=True):
        self.place, self.player, self.ply = 0, 0, 0
        self.size, self.limit, self.count_plies = size, limit, count_plies

    @property
    def fields(self):
        return ("place", "player", "ply") if self.count_plies else ("place", "player")

    def num_distinct_actions(self):
        return 3

    def legal_actions(self):
        """Back, stay, forward."""
        return [] if self.is_terminal() else [0, 1, 2]

    def apply_action(self, action):
        self.place = (self.place + action - 1) % self.size
        self.player = 1 - self.player
        self.ply += 1

    def winner(self):
        goal = self.size // 2 - 1
        return {goal: 0, goal + 1: 1}.get(self.place)

    def is_terminal(self):
        return self.winner() is not None or (self.count_plies and self.ply >= self.limit)

    def returns(self):
        winner = self.winner()
        return [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]


def mixed(*words):
    """A 64-bit hash of integers (SplitMix64's finaliser): the same on every machine."""
    mask = (1 << 64) - 1
    x = 0
    for word in words:
        x = (x + 0x9E3779B97F4A7C15 + word) & mask
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        x ^= x >> 31
    return x


class RandomTree(Tiny):
    """A tree of a given branching and depth whose leaves' results a hash decides.

    ``results`` are the values that leaves may have for player 0. With ``players=1`` all moves
    are player 0's. With ``moves_twice`` a hash decides at each node who moves. With ``early``
    some inner nodes are ends too, and with ``uneven`` some actions are missing.
    """

    fields = ("seed", "node", "depth_left")

    def __init__(
        self,
        seed,
        branching=3,
        depth=4,
        *,
        players=2,
        moves_twice=False,
        results=(-1.0, -0.5, 0.0, 0.5, 1.0),
        early=False,
        uneven=False,
    ):
        self.seed, self.branching, self.depth_left = seed, branching, depth
        self.players, self.moves_twice, self.results = players, moves_twice, results
        self.early, self.uneven = early, uneven
        self.node, self.ply = 0, 0

    def num_players(self):
        return self.players

    def num_distinct_actions(self):
        return self.branching

    def legal_actions(self):
        if self.is_terminal():
            return []
        actions = list(range(self.branching))
        if self.uneven:
            kept = [a for a in actions if mixed(self.seed, self.node, 3, a) % 3]
            return kept or [self.branching - 1]
        return actions

    def apply_action(self, action):
        if action not in self.legal_actions():
            raise ValueError(f"there is no branch {action}")
        self.node = mixed(self.seed, self.node, action)
        self.depth_left -= 1
        self.ply += 1

    @property
    def player(self):
        if self.players == 1:
            return 0
        return mixed(self.seed, self.node, 1) % 2 if self.moves_twice else self.ply % 2

    def observation_tensor(self):
        return [(self.node >> shift & 255) / 128 - 1 for shift in range(0, 64, 8)]

    def is_terminal(self):
        if self.depth_left == 0:
            return True
        return self.early and self.ply > 0 and mixed(self.seed, self.node, 2) % 5 == 0

    def returns(self):
        value = self.results[mixed(self.seed, self.node) % len(self.results)]
        return [value] if self.players == 1 else [value, -value]


def minimax(state):
    """The exact value of a game without cycles, for player 0."""

    @cache
    def value(position):
        if position.is_terminal():
            return position.returns()[0]
        choose = max if position.current_player() == 0 else min
        return choose(value(after(position, action)) for action in position.legal_actions())

    return value(state.clone())


def best_actions(state):
    """The actions that keep the exact value, for the player to move."""
    best = minimax(state)
    return [a for a in state.legal_actions() if minimax(after(state, a)) == best]


def after(state, *actions):
    """A copy of the state with the actions played."""
    state = state.clone()
    for action in actions:
        state.apply_action(action)
    return state
