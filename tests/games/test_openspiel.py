"""Loading games of OpenSpiel by name, and the sentences where that cannot be."""

import sys

import pytest

from honte.errors import HonteError
from honte.games.openspiel import load_game, new_initial_state


def test_without_openspiel_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(HonteError, match="pip install 'honte\\[openspiel\\]'"):
        load_game("hex")


class TestWithOpenSpiel:
    @pytest.fixture(autouse=True)
    def _needs_openspiel(self):
        pytest.importorskip("pyspiel", reason="needs OpenSpiel (pip install open_spiel)")

    @pytest.mark.parametrize("name", ["breakthrough", "hex(board_size=5)", "chess", "go", "nim"])
    def test_games_that_honte_plays(self, name):
        assert new_initial_state(name).legal_actions()

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("backgammon", "it has chance"),
            ("kuhn_poker", "do not see everything"),
            ("matching_pennies_3p", "3 players"),
            ("goofspiel", "move at once"),
            ("no_such_game", "registered_names"),
        ],
    )
    def test_games_that_it_does_not(self, name, reason):
        with pytest.raises(HonteError, match=reason):
            load_game(name)
