"""The rules of Go in plain Python: sets, flood fills and nothing clever.

An independent oracle for the native engine; boards are tuples of "." "X" "O", row by row.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from honte.games.go import HandicapBonus, Ko, Rules, Scoring, Tax

Board = tuple[str, ...]
STONES = "XO"
PASS = None


@dataclass
class PlainGo:
    """A game: the board, whose turn it is and everything that happened."""

    width: int
    height: int
    rules: Rules
    komi: float
    to_play: int = 0
    board: Board = ()
    ko_point: int | None = None
    ko_for: int | None = None
    passes: int = 0
    phase: int = 0
    over: bool = False
    no_result: bool = False
    bonus: float = 0.0
    moves: list[tuple[int, int | None]] = field(default_factory=list)
    blocked: frozenset[int] = frozenset()
    seen: list[tuple[Board, int, frozenset[int]]] = field(default_factory=list)
    passed: list[tuple[Board, int, frozenset[int]]] = field(default_factory=list)
    ko_captures: list[tuple[Board, int, int]] = field(default_factory=list)
    second_start: Board = ()

    def __post_init__(self) -> None:
        self.board = self.board or (".",) * (self.width * self.height)
        self.button = self.rules.button
        self.setup = self.board
        self.neighbours = [self.find_neighbours(point) for point in range(len(self.board))]
        if self.rules.scoring is Scoring.TERRITORY:
            self.bonus += self.board.count("X") - self.board.count("O")
        self.seen.append((self.board, self.to_play, self.blocked))

    # Boards

    def near(self, point: int) -> list[int]:
        return self.neighbours[point]

    def find_neighbours(self, point: int) -> list[int]:
        x, y = point % self.width, point // self.width
        steps = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
        return [
            b * self.width + a for a, b in steps if 0 <= a < self.width and 0 <= b < self.height
        ]

    def region(self, board: Board, point: int, kinds: str) -> set[int]:
        found, todo = {point}, [point]
        while todo:
            for other in self.near(todo.pop()):
                if other not in found and board[other] in kinds:
                    found.add(other)
                    todo.append(other)
        return found

    def liberties(self, board: Board, chain: set[int]) -> set[int]:
        return {other for point in chain for other in self.near(point) if board[other] == "."}

    def put(self, board: Board, point: int, player: int) -> tuple[Board, int]:
        """The board after a play, and how many of the player's own stones it cost."""
        own, other = STONES[player], STONES[1 - player]
        after = list(board)
        after[point] = own
        for next_to in self.near(point):
            if after[next_to] == other:
                chain = self.region(tuple(after), next_to, other)
                if not self.liberties(tuple(after), chain):
                    for stone in chain:
                        after[stone] = "."
        chain = self.region(tuple(after), point, own)
        if self.liberties(tuple(after), chain):
            return tuple(after), 0
        for stone in chain:
            after[stone] = "."
        return tuple(after), len(chain)

    def ko_victim(self, board: Board, point: int, player: int) -> int | None:
        """The single stone that a play here would take, the player's stone standing alone."""
        if board[point] != ".":
            return None
        own, other = STONES[player], STONES[1 - player]
        if any(board[next_to] != other for next_to in self.near(point)):
            return None
        after, _ = self.put(board, point, player)
        taken = [p for p, stone in enumerate(board) if stone == other and after[p] == "."]
        return taken[0] if len(taken) == 1 and after[point] == own else None

    # Moves

    def superko(self, after: Board, player: int) -> bool:
        if self.rules.ko is Ko.POSITIONAL:
            return any(board == after for board, _, _ in self.seen)
        return any(board == after and turn == 1 - player for board, turn, _ in self.seen)

    def lifts(self, point: int, player: int) -> int | None:
        """The blocked stone that a play here would try to retake in the clean-up."""
        if not self.blocked:
            return None
        if point in self.blocked and self.board[point] == STONES[1 - player]:
            chain = self.region(self.board, point, self.board[point])
            if len(chain) == 1 and len(self.liberties(self.board, chain)) == 1:
                return point
        victim = self.ko_victim(self.board, point, player)
        return victim if victim in self.blocked else None

    def is_legal(self, point: int | None, player: int) -> bool:
        if self.over:
            return False
        if point is PASS or self.lifts(point, player) is not None:
            return True
        if self.board[point] != ".":
            return False
        after, lost = self.put(self.board, point, player)
        if lost == 1 or (lost and not self.rules.suicide):
            return False
        if self.phase > 0:
            return (self.board, point, player) not in self.ko_captures
        if point == self.ko_point and player == self.ko_for:
            return False
        return self.rules.ko is Ko.SIMPLE or not self.superko(after, player)

    def legal(self) -> list[int]:
        """The legal actions of the side to move."""
        points = range(self.width * self.height)
        passing = [] if self.over else [self.width * self.height]
        return [point for point in points if self.is_legal(point, self.to_play)] + passing

    def play(self, action: int) -> None:
        """Play a legal action for the side to move."""
        point = PASS if action == self.width * self.height else action
        player = self.to_play
        self.moves.append((player, point))
        clears = self.phase > 0 or self.rules.ko is Ko.SIMPLE
        ends = False
        if point is not PASS:
            self.passes = 0
            self.put_stone(point, player)
        elif self.button:
            self.button = False
            self.bonus += 0.5 if player == 1 else -0.5
            self.ko_point = None
            self.seen, self.passed = [], []
        else:
            self.ko_point = None
            self.passes += 1
            situation = (self.board, player, self.blocked)
            ends = self.passes == 2 or (clears and situation in self.passed)
            self.passed.append(situation)
            if clears:
                self.seen = []
        self.to_play = 1 - player
        now = (self.board, self.to_play, self.blocked)
        self.seen.append(now)
        if point is not PASS and clears and self.seen.count(now) >= 3:
            self.over = self.no_result = True
        if ends:
            self.end_phase()

    def put_stone(self, point: int, player: int) -> None:
        lifted = self.lifts(point, player)
        if lifted is not None:
            self.blocked -= {lifted}
            return
        before = self.board
        victim = self.ko_victim(before, point, player)
        self.board, lost = self.put(before, point, player)
        alone = not lost and len(self.region(self.board, point, STONES[player])) == 1
        took_ko = victim is not None and alone
        self.ko_point, self.ko_for = (victim, 1 - player) if took_ko else (None, None)
        if self.phase > 0:
            if took_ko:
                self.blocked |= {point}
                self.ko_captures.append((before, point, player))
            self.blocked = frozenset(p for p in self.blocked if self.board[p] != ".")
            self.ko_point = None
        if self.rules.scoring is Scoring.TERRITORY and self.phase < 2:
            self.bonus += 1 if player == 0 else -1

    def end_phase(self) -> None:
        if self.rules.scoring is Scoring.AREA or self.phase == 2:
            self.over = True
            return
        self.phase += 1
        self.passes = 0
        self.blocked = frozenset()
        self.passed, self.ko_captures = [], []
        self.seen = [(self.board, self.to_play, self.blocked)]
        if self.phase == 2:
            self.second_start = self.board

    # Life

    def chains(self, board: Board, kinds: str) -> list[frozenset[int]]:
        found: list[frozenset[int]] = []
        for point, stone in enumerate(board):
            if stone in kinds and not any(point in chain for chain in found):
                found.append(frozenset(self.region(board, point, kinds)))
        return found

    def benson(self, board: Board, own: str) -> tuple[set[frozenset[int]], list[frozenset[int]]]:
        """The pass-alive chains of a colour, and the regions walled by them alone."""
        other = STONES[1 - STONES.index(own)]
        alive = set(self.chains(board, own))
        regions = self.chains(board, "." + other)
        every_point = self.rules.suicide

        beside = {}
        for region in regions:
            around = {n for point in region for n in self.near(point)}
            beside[region] = [chain for chain in alive if chain & around]

        while True:
            walled = [region for region in regions if alive.issuperset(beside[region])]
            eyes: Counter[frozenset[int]] = Counter()
            for region in walled:
                for chain in beside[region]:
                    points = [p for p in region if every_point or board[p] == "."]
                    if all(set(self.near(p)) & chain for p in points):
                        eyes[chain] += 1
            survivors = {chain for chain in alive if eyes[chain] >= 2}
            if survivors == alive:
                return alive, walled
            alive = survivors

    def area(self, big: bool) -> Board:
        """Pass-alive stones and territory, and with `big` all stones and one-colour regions."""
        board = self.board
        owner = ["."] * len(board)
        for own in STONES:
            alive, walled = self.benson(board, own)
            for chain in alive:
                for point in chain:
                    owner[point] = own
            for region in walled:
                if own not in board:
                    continue
                inner = [p for p in region if all(board[n] != own for n in self.near(p))]
                if len(inner) <= 1:
                    for point in region:
                        owner[point] = own
        if big:
            for own in STONES:
                other = STONES[1 - STONES.index(own)]
                for region in self.chains(board, "." + other):
                    if own in board and all(board[p] == "." for p in region):
                        for point in region:
                            if owner[point] == ".":
                                owner[point] = own
            owner = [board[p] if who == "." else who for p, who in enumerate(owner)]
        return tuple(owner)

    def plain_area(self) -> Board:
        owner = list(self.board)
        for region in self.chains(self.board, "."):
            around = {self.board[n] for point in region for n in self.near(point)} - {"."}
            if len(around) == 1:
                for point in region:
                    owner[point] = next(iter(around))
        return tuple(owner)

    # Scores, white minus black

    def handicap_bonus(self) -> int:
        blacks = self.setup.count("X")
        if "O" in self.setup:
            return 0
        for player, point in self.moves:
            if player == 1 and point is not PASS:
                break
            blacks += player == 0 and point is not PASS
        blacks = blacks if blacks > 1 else 0
        kind = self.rules.handicap_bonus
        if kind is HandicapBonus.N_MINUS_ONE:
            return max(0, blacks - 1)
        return blacks if kind is HandicapBonus.N else 0

    def score(self) -> float:
        strict = self.rules.scoring is Scoring.AREA and not self.rules.friendly_pass
        basic = self.plain_area() if strict else self.area(big=True)
        button = 0.0 if not self.button else 0.5 if self.to_play == 1 else -0.5
        total = self.komi + self.bonus + self.handicap_bonus() + button
        owner = list(basic)
        territory = self.rules.scoring is Scoring.TERRITORY
        if territory or self.rules.tax is not Tax.NONE:
            owner, groups = self.independent(basic)
            for p, who in enumerate(basic):
                stone = self.board[p]
                keep_point = territory and self.rules.tax is Tax.NONE and who != stone
                keep_stone = not territory and who == stone
                if who != "." and (keep_point or keep_stone):
                    owner[p] = who
            if territory:
                for p, stone in enumerate(self.board):
                    counted = self.phase < 2 or self.second_start[p] == stone
                    if owner[p] == "." and stone != "." and counted:
                        owner[p] = stone
            if self.rules.tax is Tax.ALL:
                total -= 2 * groups
        return total + owner.count("O") - owner.count("X")

    def independent(self, basic: Board) -> tuple[list[str], int]:
        owner = ["."] * len(basic)
        groups = 0
        for own in STONES:
            for part in self.chains(basic, own):
                in_seki = False
                for point in part:
                    stone = self.board[point]
                    if stone == own:
                        chain = self.region(self.board, point, own)
                        in_seki |= len(self.liberties(self.board, chain)) == 1
                    in_seki |= any(
                        self.board[n] == "." and basic[n] == "." for n in self.near(point)
                    )
                if not in_seki:
                    groups += 1 if own == "O" else -1
                    for point in part:
                        owner[point] = own
        return owner, groups
