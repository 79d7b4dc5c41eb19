"""The networks' inputs: ladders that a player would read, history, rules, symmetries."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from honte._core import GoState, katago_features, write_katago_features
from honte.games.go import BLACK, WHITE, Go, Rules, parse_vertex

LADDERED, LADDERED_BEFORE, LADDERED_TWO_AGO, CAPTURING = 14, 15, 16, 17


def position(
    picture: str, *, to_play: int = BLACK, rules: str = "chinese", komi: float = 7.5
) -> GoState:
    """A board drawn with X for black and O for white, row 1 last."""
    rows = [line.split() for line in picture.strip().splitlines()]
    width, height = len(rows[0]), len(rows)
    stones = {
        mark: [y * width + x for y in range(height) for x in range(width) if rows[y][x] == mark]
        for mark in "XO"
    }
    game = Go(width, height, Rules.named(rules), komi)
    return game.new_initial_state(stones["X"], stones["O"], to_play)


def points(state: GoState, plane: int) -> set[str]:
    """The vertices that are set in a plane."""
    spatial, _ = katago_features(state)
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    return {
        f"{letters[x]}{state.height - y}" for y, x in zip(*np.nonzero(spatial[plane]), strict=True)
    }


LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . {breaker} . .
    . . . . . . . . .
    . . O . . . . . .
    . . O X . . . . .
    . . . O . . . . .
    . . . . . . . . .
"""
"""White's E3 drives D3 up to the right, past G6."""


def test_a_ladder_that_works_is_seen_before_its_first_move() -> None:
    """From D4 the chain would get away, so only one of the two ataris captures."""
    state = position(LADDER.format(breaker="."), to_play=WHITE)
    assert points(state, LADDERED) == {"D3"}
    assert points(state, CAPTURING) == {"E3"}


def test_moves_that_start_a_ladder_are_shown_to_the_attacker_alone() -> None:
    state = position(LADDER.format(breaker="."), to_play=BLACK)
    assert points(state, LADDERED) == {"D3"}
    assert points(state, CAPTURING) == set()


@pytest.mark.parametrize(("breaker", "captured"), [(".", True), ("O", True), ("X", False)])
def test_a_friend_on_its_way_breaks_a_ladder(breaker: str, captured: bool) -> None:
    state = position(LADDER.format(breaker=breaker), to_play=WHITE)
    assert ("D3" in points(state, LADDERED)) == captured
    assert ("E3" in points(state, CAPTURING)) == captured


@pytest.mark.parametrize(("breaker", "captured"), [(".", True), ("X", False)])
def test_a_chain_in_atari_is_caught_though_it_moves_first(breaker: str, captured: bool) -> None:
    state = position(LADDER.format(breaker=breaker), to_play=WHITE)
    state.play(parse_vertex("E3", 9, 9))
    assert points(state, 3) == {"D3"}  # one liberty
    assert ("D3" in points(state, LADDERED)) == captured
    assert points(state, CAPTURING) == set()


@pytest.mark.parametrize(("guard", "captured"), [("X", False), ("O", True)])
def test_capturing_an_attacker_breaks_a_ladder(guard: str, captured: bool) -> None:
    """C3 has no way out but to take C4, which can be taken where B4 is black."""
    state = position(f"""
        . . . . . . .
        . . . . . . .
        . . X . . . .
        . {guard} O . . . .
        . O X O . . .
        . O . O . . .
        . . . . . . .
    """)
    assert "C3" in points(state, 3)
    assert ("C3" in points(state, LADDERED)) == captured


def plain_ladder(state: GoState, stone: int) -> bool:
    """Whether the chain is captured by ataris alone, its opponent first if it has two liberties.

    Reads every line on copied states. Leaving a ko counts as the defender's escape, two kos that
    the attacker can take in turn as its death.
    """
    colour = int(state.board().reshape(-1)[stone]) - 1
    width, height = state.width, state.height

    def liberties_and_captures(board: NDArray[np.int8]) -> tuple[set[int], set[int]]:
        def chain_of(start: int) -> tuple[set[int], set[int], set[int]]:
            chain, free, others, todo = {start}, set(), set(), [start]
            while todo:
                y, x = divmod(todo.pop(), width)
                for yy, xx in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                    if not (0 <= yy < height and 0 <= xx < width):
                        continue
                    point = yy * width + xx
                    if board[yy, xx] == 0:
                        free.add(point)
                    elif board[yy, xx] != board[start // width, start % width]:
                        others.add(point)
                    elif point not in chain:
                        chain.add(point)
                        todo.append(point)
            return chain, free, others

        _, free, others = chain_of(stone)
        captures: set[int] = set()
        for other in others:
            last = chain_of(other)[1]
            if len(last) == 1:
                captures |= last
        return free, captures

    def play(before: GoState, action: int, player: int) -> GoState | None:
        after = before.with_to_play(player)
        if after.legality(action, player).name != "LEGAL":
            return None
        after.play(action, player)
        return after

    def defend(now: GoState, ko: bool) -> bool:
        free, captures = liberties_and_captures(now.board())
        if len(free) >= 2 or ko:
            return False
        for action in sorted(captures | free):
            after = play(now, action, colour)
            if after is not None and not attack(after):
                return False
        return True

    def dies_by_double_ko(now: GoState) -> bool:
        """Both liberties are kos to be taken, connecting gains nothing, nothing can be captured."""
        free, captures = liberties_and_captures(now.board())
        for action in free:
            taken = play(without_history(now), action, 1 - colour)
            connected = play(without_history(now), action, colour)
            if taken is None or not taken.ko_banned():
                return False
            if connected and len(liberties_and_captures(connected.board())[0]) > 2:
                return False
        return not captures

    def attack(now: GoState) -> bool:
        free, _ = liberties_and_captures(now.board())
        if len(free) <= 1:
            return True
        if len(free) >= 3:
            return False
        if dies_by_double_ko(now):
            return True
        for action in sorted(free):
            after = play(now, action, 1 - colour)
            if after is not None and defend(after, bool(after.ko_banned())):
                return True
        return False

    def without_history(now: GoState) -> GoState:
        board = now.board().reshape(-1)
        return Go(width, height, Rules.named("chinese")).new_initial_state(
            np.flatnonzero(board == 1).tolist(), np.flatnonzero(board == 2).tolist()
        )

    free, _ = liberties_and_captures(state.board())
    if len(free) == 1:
        return defend(without_history(state), False)
    for action in sorted(free):
        after = play(without_history(state), action, 1 - colour)
        if after is not None and defend(without_history(after), False):
            return True
    return False


def test_ladders_match_a_plain_reading_on_random_boards() -> None:
    random.seed(5)
    compared = caught = 0
    for _ in range(120):
        size = random.choice([4, 5, 6, 7])
        state = Go(size, rules=Rules.named("chinese")).new_initial_state()
        for _ in range(random.randint(4, size * size)):
            moves = [a for a in state.legal_actions() if a != size * size]
            if not moves or state.is_terminal():
                break
            state.apply_action(random.choice(moves))
        if state.ko_banned() or state.is_terminal():
            continue
        spatial, _ = katago_features(state)
        for stone in np.flatnonzero(spatial[3] + spatial[4]):
            compared += 1
            found = bool(spatial[LADDERED].reshape(-1)[stone])
            caught += found
            assert found == plain_ladder(state, int(stone)), f"{state}\n{stone}"
    assert compared > 300
    assert 50 < caught < compared - 50


def test_history_shows_five_moves_and_ladders_of_three_boards() -> None:
    state = Go(9, rules=Rules.named("tromp-taylor")).new_initial_state()
    for vertex in ("E5", "C3", "G7", "pass", "C7"):
        state.play(parse_vertex(vertex, 9, 9))
    _, numbers = katago_features(state)
    assert [points(state, plane) for plane in (9, 10, 11, 12, 13)] == [
        {"C7"}, set(), {"G7"}, {"C3"}, {"E5"},
    ]  # fmt: skip
    assert numbers[:5].tolist() == [0, 1, 0, 0, 0]


def test_a_pass_that_would_end_the_game_is_hidden_where_passing_is_friendly() -> None:
    """Under rules with friendly passes a network must not think that its pass ends the game."""
    for rules, shown in (("chinese", 0), ("tromp-taylor", 1), ("japanese", 1)):
        state = Go(9, rules=Rules.named(rules)).new_initial_state()
        for vertex in ("E5", "C3", "pass"):
            state.play(parse_vertex(vertex, 9, 9))
        _, numbers = katago_features(state)
        assert (numbers[0], numbers[14]) == (shown, shown)
        assert points(state, 10) == ({"C3"} if shown else set())


@pytest.mark.parametrize(
    ("komi", "to_play", "wave"),
    [(7.5, WHITE, 0.5), (7.0, WHITE, 0), (6.5, WHITE, -0.5), (7.5, BLACK, -0.5), (6.0, WHITE, 0)],
)
def test_the_parity_of_komi_on_an_odd_board(komi: float, to_play: int, wave: float) -> None:
    """On 9 × 9 an odd komi allows a draw: half a point more wins what would have been drawn."""
    state = Go(9, rules=Rules.named("chinese"), komi=komi).new_initial_state((), (), to_play)
    _, numbers = katago_features(state)
    assert numbers[18] == pytest.approx(wave)
    assert numbers[5] == pytest.approx((komi if to_play == WHITE else -komi) / 20)


def test_rules_as_numbers() -> None:
    def numbers(rules: str) -> list[float]:
        return katago_features(Go(9, rules=Rules.named(rules)).new_initial_state())[1][
            6:12
        ].tolist()

    assert numbers("tromp-taylor") == [1, 0.5, 1, 0, 0, 0]
    assert numbers("aga") == [1, -0.5, 0, 0, 0, 0]
    assert numbers("japanese") == [0, 0, 0, 1, 1, 0]
    assert numbers("stone-scoring") == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("symmetry", range(8))
def test_a_symmetry_moves_every_plane_alike(symmetry: int) -> None:
    random.seed(symmetry)
    state = Go(9, 7 if symmetry < 4 else 9, Rules.named("tromp-taylor")).new_initial_state()
    for _ in range(40):
        state.apply_action(
            random.choice([a for a in state.legal_actions() if a != state.width * state.height])
        )
    plain, numbers = katago_features(state)
    moved, same = katago_features(state, symmetry=symmetry)
    for action in range(state.width * state.height):
        place = state.transform_action(action, symmetry)
        np.testing.assert_array_equal(
            moved.reshape(22, -1)[:, place], plain.reshape(22, -1)[:, action]
        )
    np.testing.assert_array_equal(numbers, same)


def test_a_small_board_lies_in_the_corner_of_a_large_one() -> None:
    state = position(LADDER.format(breaker="X"))
    small, numbers = katago_features(state)
    large, same = katago_features(state, 19, 13)
    assert large.shape == (22, 13, 19)
    np.testing.assert_array_equal(large[:, :9, :9], small)
    assert not large[:, 9:].any()
    assert not large[:, :, 9:].any()
    np.testing.assert_array_equal(numbers, same)


def test_many_positions_are_written_into_one_array() -> None:
    states = [
        position(LADDER.format(breaker="X")),
        position(LADDER.format(breaker="O"), to_play=WHITE),
    ]
    spatial = np.full((3, 22, 9, 9), 7, np.float32)
    numbers = np.full((3, 19), 7, np.float32)
    write_katago_features(states, [0, 5], spatial, numbers)
    for row, (state, symmetry) in enumerate(zip(states, (0, 5), strict=True)):
        np.testing.assert_array_equal(spatial[row], katago_features(state, symmetry=symmetry)[0])
    assert (spatial[2] == 7).all()


def test_what_does_not_fit_is_refused() -> None:
    state = Go(9, 7).new_initial_state()
    for arguments in ((8, 7, 0), (9, 7, 4), (9, 7, 8), (9, 7, -1), (26, 26, 0)):
        with pytest.raises(ValueError, match=r"symmetry|fit|at most"):
            katago_features(state, *arguments)
    spatial, numbers = np.zeros((1, 22, 9, 9), np.float32), np.zeros((1, 19), np.float32)
    with pytest.raises(ValueError, match="symmetries"):
        write_katago_features([state], [], spatial, numbers)
    with pytest.raises(ValueError, match="at least 2"):
        write_katago_features([state, state], [0, 0], spatial, numbers)


def test_an_earlier_answer_does_not_leak_into_a_later_one() -> None:
    """Ladders are remembered by position; many positions share the memory's places."""
    random.seed(9)
    states = []
    for _ in range(60):
        state = Go(9, rules=Rules.named("chinese")).new_initial_state()
        for _ in range(50):
            moves = [a for a in state.legal_actions() if a != 81]
            if not moves or state.is_terminal():
                break
            state.apply_action(random.choice(moves))
            states.append(state.clone())
    first = [katago_features(state)[0] for state in states]
    order = list(range(len(states)))
    random.shuffle(order)
    for index in order:
        np.testing.assert_array_equal(katago_features(states[index])[0], first[index])


def test_clean_up_phases_are_told_and_wipe_the_history() -> None:
    state = Go(9, rules=Rules.named("japanese")).new_initial_state()
    for vertex in ("E5", "C3", "pass", "pass"):
        state.play(parse_vertex(vertex, 9, 9))
    _, numbers = katago_features(state)
    assert numbers[12:15].tolist() == [1, 0, 0]
    assert not numbers[:5].any()
    for vertex in ("pass", "pass"):
        state.play(parse_vertex(vertex, 9, 9))
    _, numbers = katago_features(state)
    assert numbers[12:15].tolist() == [1, 1, 0]
    assert points(state, 20) == {"E5"}
    assert points(state, 21) == {"C3"}
    state.play(parse_vertex("pass", 9, 9))
    assert katago_features(state)[1][14] == 1


def test_a_territory_game_that_is_agreed_upon_shows_its_last_pass() -> None:
    """Without clean-up phases two passes end the game, and the second is all that is shown."""
    state = Go(9, rules=Rules.named("japanese")).new_initial_state().with_cleanup(False)
    for vertex in ("E5", "C3", "pass", "pass"):
        state.play(parse_vertex(vertex, 9, 9))
    assert state.is_terminal()
    assert state.phase == 0
    _, numbers = katago_features(state)
    assert numbers[:5].tolist() == [1, 0, 0, 0, 0]
    assert numbers[12:15].tolist() == [0, 0, 1]


def test_areas_as_if_suicide_were_legal() -> None:
    """Black lives for good unless white's stones inside could vanish by suicide."""
    state = position("""
        . X O .
        X X . .
        . X X X
        O . O X
    """)
    plain, _ = katago_features(state)
    assert plain[18].all()
    other, _ = katago_features(state, pass_alive_as_if_suicide=True)
    np.testing.assert_array_equal(np.flatnonzero((plain != other).any(axis=(1, 2))), [18, 19])
    np.testing.assert_array_equal(other[19], other[2])


def test_a_board_can_be_judged_without_the_moves_that_led_to_it() -> None:
    """The stones, the ko and the rules stay; the moves and the ladders of before go, and the next
    move is shown again."""
    state = position(LADDER.format(breaker="."), to_play=WHITE, rules="tromp-taylor")
    for vertex in ("E3", "D4", "J9"):
        state.play(parse_vertex(vertex, 9, 9))
    told, _ = katago_features(state)
    alone = state.without_earlier_moves()
    shown, _ = katago_features(alone)
    assert told[9:14].any()
    assert not shown[9:14].any()
    assert (shown[15] == shown[14]).all()
    assert (shown[16] == shown[14]).all()
    others = [plane for plane in range(22) if plane not in (*range(9, 14), 15, 16)]
    assert (told[others] == shown[others]).all()
    assert alone.legal_actions() == state.legal_actions()
    assert alone.moves() == state.moves()
    kept, _ = katago_features(pickle.loads(pickle.dumps(alone)))
    assert (kept == shown).all()
    alone.play(parse_vertex("A1", 9, 9))
    assert points(alone, 9) == {"A1"}
    assert points(alone, 10) == set()
