"""Who owns what: Benson's life, areas, sekis, group tax, dead stones and the clean-up phases."""

from __future__ import annotations

import numpy as np
import pytest

from games.go.positions import at, diagram, play, position
from honte.errors import HonteError
from honte.games.go import BLACK, WHITE, GoState, Legality, Rules, Scoring, Tax

JAPANESE = Rules.named("japanese")


def rows(owners: np.ndarray) -> list[str]:
    """An ownership map as the rows of a diagram."""
    return ["".join(".XO"[owner] for owner in row) for row in owners]


@pytest.mark.parametrize(
    ("text", "alive"),
    [
        (".X.XO XXXXO OOOOO ..... .....", "XXXX. XXXX. ..... ..... ....."),
        # An eye of two points makes no second eye.
        ("..XXO XXXXO OOOOO ..... .....", "..... ..... ..... ..... ....."),
        (".X... XX... ..... ..... .....", "..... ..... ..... ..... ....."),
        # A corner stone shares both its eyes with the chain around it.
        ("X.XO. .XXO. XXXO. OOOO. .....", "XXX.. XXX.. XXX.. ..... ....."),
        # No stone of a chequerboard can ever be taken.
        ("X.X.X .X.X. X.X.X .X.X. X.X.X", "XXXXX XXXXX XXXXX XXXXX XXXXX"),
        # A dead stone in an eye belongs to the living.
        (".OX.X XXXXX ..... ..... .....", "XXXXX XXXXX ..... ..... ....."),
        # A false eye: B5 falls when the corner is in atari.
        ("X.XO. OXXO. .OOO. ..... .....", "..... ..... ..... ..... ....."),
    ],
)
def test_unconditional_life(text: str, alive: str) -> None:
    assert rows(diagram(text, rules="chinese").pass_alive()) == alive.split()


def test_life_needs_more_where_suicide_is_legal() -> None:
    # A1 is not beside black. Without suicide white can never fill A2 and B1 both; with it,
    # white gives up three stones and then lives on A1.
    text = "XX... .X... XX... .XX.. O.X.."
    assert rows(diagram(text, rules="chinese").pass_alive()) == [
        "XX...",
        "XX...",
        "XX...",
        "XXX..",
        "XXX..",
    ]
    assert not diagram(text, rules="new-zealand").pass_alive().any()


def the_position_that_flipped(rules: str) -> GoState:
    return position(
        5,
        black="A2 B2 C2 D2 B1 D1 C5",
        white="E1 E2 A3 B3 C3 D3 E3",
        rules=rules,
    )


def test_tromp_taylor_counts_the_board_as_it_stands() -> None:
    state = the_position_that_flipped("tromp-taylor")
    assert state.score() == 7 - 9
    play(state, "b pass w pass")
    assert state.is_terminal()
    assert state.score() == 7 - 9
    assert state.returns() == [1.0, -1.0]


def test_players_may_agree_on_dead_stones() -> None:
    state = the_position_that_flipped("chinese")
    dead = [at(state, "C5")]
    assert state.score_with_dead(dead) == 17 - 8
    play(state, "b pass w pass")
    assert state.score_with_dead(dead) == 17 - 8
    with pytest.raises(HonteError, match="no stone"):
        state.score_with_dead([at(state, "A5")])
    with pytest.raises(HonteError, match="no stone"):
        state.score_with_dead([99])


def test_a_stone_in_living_territory_is_dead_where_passes_are_friendly() -> None:
    text = ".X.X. XXXX. X...X XXXXX O.X.."
    friendly, strict = (diagram(text, rules=name) for name in ("chinese", "tromp-taylor"))
    assert friendly.score() == -25
    assert strict.score() == 1 - 23
    assert strict.dead_stones() == [at(strict, "A1")]
    assert strict.score_with_dead(strict.dead_stones()) == friendly.score()


@pytest.mark.parametrize(("komi", "result"), [(0.5, 1.0), (4.5, 1.0), (5.0, 0.0), (6.0, -1.0)])
def test_the_value_of_a_pass_is_exact(komi: float, result: float) -> None:
    # Black C1-C5, white D1-D5: the area is 15 to 10.
    state = position(
        5, black="C1 C2 C3 C4 C5", white="D1 D2 D3 D4 D5", to_play=WHITE, rules="cgos", komi=komi
    )
    play(state, "w pass b pass")
    assert state.returns() == [result, -result]
    assert state.score() == komi - 5


def test_seki_is_a_draw_by_area_and_by_territory() -> None:
    black, white = "A1 A2 A3 A4 B2 B3 B4", "C1 C2 C3 D1 D2 D3 D4"
    for name in ("tromp-taylor", "chinese"):
        state = position(4, black=black, white=white, rules=name)
        assert play(state, "b pass w pass").score() == 0.0
    japanese = position(4, black=black, white=white, rules=JAPANESE)
    assert play(japanese, "b pass w pass " * 3).score() == 0.0


def test_points_in_seki_count_only_without_the_tax() -> None:
    # Both sides touch D1, which neither can fill: a seki with eyes.
    text = """
        .X.X.X.
        XXXXXXX
        XXXXXXX
        OOOOXXX
        OOOOXXX
        OOOOXXX
        .OO.XX.
    """
    stones_of_white, stones_of_black, eyes_of_white, eyes_of_black = 14, 28, 1, 5
    free = diagram(text, rules="chinese")
    assert free.score() == stones_of_white + eyes_of_white - stones_of_black - eyes_of_black
    taxed = diagram(text, rules=Rules(tax=Tax.SEKI))
    assert taxed.score() == stones_of_white - stones_of_black


def test_group_tax_takes_two_points_a_group() -> None:
    # Black is one group in the middle, white two at the sides.
    text = """
        .OX.XO.
        OOXXXOO
        .OX.XO.
        OOXXXOO
        OOXXXOO
        OOXXXOO
        OOXXXOO
    """
    assert diagram(text, rules="chinese").score() == 28 - 21
    assert diagram(text, rules="stone-scoring").score() == (28 - 2 * 2) - (21 - 2)


def test_territory_is_surrounded_points_and_prisoners() -> None:
    state = diagram("..XO. ..XO. ..XO. ..XO. ..XO.", rules=JAPANESE, komi=0.5)
    assert state.score() == 5 - 10 + 0.5
    # White throws a stone in and black takes it in two moves, while white passes: black
    # loses two points of territory and gains a prisoner.
    play(state, "b pass w A5 b A4 w pass b B5")
    assert state.captured(WHITE) == 1
    assert state.score() == 5 - (8 + 1) + 0.5


def pass_through(state: GoState, phase: int) -> GoState:
    """Pass until this clean-up phase."""
    while state.phase < phase:
        play(state, "b pass w pass" if state.to_play == BLACK else "w pass b pass")
    return state


def test_the_clean_up_has_two_phases_and_then_the_score() -> None:
    state = diagram("..XO. ..XO. ..XO. ..XO. ..XO.", rules=JAPANESE)
    assert state.phase == 0
    assert pass_through(state, 2).phase == 2
    assert not state.is_terminal()
    play(state, "b pass w pass")
    assert state.is_terminal()
    assert state.score() == 5 - 10


def test_stones_of_the_second_clean_up_phase_are_free() -> None:
    # Black fills its own territory: in play and in the first phase this costs points, in
    # the second it does not.
    def score_after(phase: int) -> float:
        state = diagram("..XO. ..XO. ..XO. ..XO. ..XO.", rules=JAPANESE)
        pass_through(state, phase)
        play(state, "b A1 w pass")
        pass_through(state, 2)
        if state.passes_in_a_row == 0:
            play(state, "b pass")
        return play(state, "w pass" if state.to_play == WHITE else "b pass").score()

    assert [score_after(phase) for phase in (0, 1, 2)] == [-4.0, -4.0, -5.0]


KO_SHAPE = {"black": "A2 B1 B3", "white": "C1 C3 D2 B2", "rules": JAPANESE}


def test_in_the_clean_up_retaking_a_ko_first_lifts_a_block() -> None:
    state = pass_through(position(5, **KO_SHAPE), 1)
    play(state, "b C2")
    retake = at(state, "B2")
    assert state.legality(retake) is Legality.LEGAL
    board = state.board().tolist()
    play(state, "w B2")  # lifts the block and changes no stone
    assert state.board().tolist() == board
    play(state, "b E5 w B2")
    assert state.board().tolist() != board
    # Black retakes: white's stone is blocked now; then the same capture once more is barred.
    play(state, "b C2 w E1 b C2")
    assert state.legality(at(state, "B2")) is Legality.LEGAL


def test_a_ko_is_taken_once_in_the_same_position() -> None:
    state = pass_through(position(5, **KO_SHAPE), 1)
    play(state, "b C2 w B2 b pass w B2")  # white lifted the block, then took the ko
    play(state, "b C2 w pass")  # black lifted white's block
    assert state.legality(at(state, "C2")) is Legality.REPEATED_KO
    assert state.ko_banned() == [at(state, "C2")]


def test_playouts_value_a_won_board() -> None:
    state = position(5, black="C1 C2 C3 C4 C5 B3", white="E1", rules="cgos", komi=0.5)
    assert state.playouts(2000, seed=1) > 0.5
    assert state.playouts(2000, seed=1) == state.playouts(2000, seed=1)
    assert state.with_komi(50.0).playouts(100) == -1.0
    assert Rules.named("cgos").scoring is Scoring.AREA


BENT_FOUR = """
    .XX.XXX
    XXXXXXX
    OOOOOOO
    XXOOOOO
    .XOOOOO
    OXXXO.O
    OO.XOO.
"""
"""White's three stones in the corner become a bent four when White wishes so, and a ko for Black's
life follows; Black cannot play there at all."""
KILLED = "A4 B4 B3 B2 C2 D2 D1"
START_OF_THE_KO = "w C1 b A3 w B1 b A1 w A2 "


def test_bent_four_in_the_corner_is_dead_by_territory_rules() -> None:
    agreed = diagram(BENT_FOUR, rules=JAPANESE, to_play=WHITE)
    score = agreed.score_with_dead([at(agreed, vertex) for vertex in KILLED.split()])
    # Played out, Black may not use a threat: taking the ko back only lifts a block.
    played = pass_through(diagram(BENT_FOUR, rules=JAPANESE, to_play=WHITE), 2)
    play(played, START_OF_THE_KO)
    board = played.board().tolist()
    play(played, "b A1")
    assert played.board().tolist() == board
    play(played, "w A1 b C1 w A1 b B1 w A2")
    while not played.is_terminal():
        play(played, "b pass" if played.to_play == BLACK else "w pass")
    assert played.score() == score
    assert not (played.board()[3:, :4] == 1).any()


def test_bent_four_is_a_ko_like_any_other_by_area_rules() -> None:
    state = diagram(BENT_FOUR, rules="chinese", to_play=WHITE)
    play(state, START_OF_THE_KO)
    assert state.legality(at(state, "A1"), BLACK) is Legality.KO
    play(state, "b D7 w pass")  # a threat that White leaves unanswered
    assert state.legality(at(state, "A1"), BLACK) is Legality.LEGAL
    play(state, "b A1")
    assert state.board()[5, 0] == 0  # A2 was taken
