"""The runs that come as examples: their files can be read, and their positions tell the truth."""

import csv

import pytest

from honte.games import ConnectFour
from shared_data import REPOSITORY

pytest.importorskip("torch")

from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import open_game
from honte.training.zero.problems import read_known_positions

RUNS = REPOSITORY / "examples" / "runs"


@pytest.mark.parametrize("path", sorted(RUNS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_run_s_file_can_be_read_and_its_game_begun(path):
    config = ZeroConfig.from_toml(path)
    assert not open_game(config.game).new_state().is_terminal()


def test_there_are_500_positions_in_which_some_move_is_wrong():
    config = ZeroConfig.from_toml(RUNS / "connect-four.toml")
    positions = read_known_positions(config.measuring.positions, open_game(config.game))
    assert len(positions) == 500
    assert all(position.right < set(position.state.legal_actions()) for position in positions)
    assert len({str(position.state) for position in positions}) > 490


def best_result(state, seen):
    """By trying every line on the game's own rules: 1 where the side to move wins, 0, or −1."""
    key = str(state)
    if key not in seen:
        found = -1
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            ended = after.is_terminal()
            result = after.returns()[state.current_player()] if ended else -best_result(after, seen)
            found = max(found, int(result))
            if found == 1:
                break
        seen[key] = found
    return seen[key]


def test_the_values_of_the_last_positions_are_those_of_every_line_tried():
    with open(RUNS / "connect-four-positions.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if len(row["moves"].split()) >= 30]
    assert len(rows) >= 5
    seen = {}
    for row in rows:
        state = ConnectFour().new_initial_state()
        for action in map(int, row["moves"].split()):
            state.apply_action(action)
        right = set(map(int, row["right"].split()))
        assert best_result(state, seen) == int(row["value"])
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            ended = after.is_terminal()
            result = after.returns()[state.current_player()] if ended else -best_result(after, seen)
            assert (result == int(row["value"])) == (action in right)
