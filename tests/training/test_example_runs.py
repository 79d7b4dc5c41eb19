"""The runs that come as examples: their files can be read, and their positions tell the truth."""

import csv

import pytest

from honte.evaluation import Uniform
from honte.games import ConnectFour
from honte.search import Search, SearchConfig
from honte.search.config import Backup
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


def test_the_values_of_the_last_positions_are_those_that_a_search_proves():
    """The solver of the search passes exact results up, by another way than alpha-beta does."""
    with open(RUNS / "connect-four-positions.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if len(row["moves"].split()) >= 28]
    assert len(rows) >= 20
    config = SearchConfig(backup=Backup(solver=True))
    for row in rows:
        state = ConnectFour().new_initial_state()
        for action in map(int, row["moves"].split()):
            state.apply_action(action)
        right = set(map(int, row["right"].split()))
        for action in state.legal_actions():
            after = state.clone()
            after.apply_action(action)
            if after.is_terminal():
                value = after.returns()[state.current_player()]
            else:
                result = Search(after, config, Uniform()).run(visits=100_000)
                assert result.stop_reason.name == "PROVEN"
                value = -result.value
            assert (value == int(row["value"])) == (action in right)
            assert value <= int(row["value"])
