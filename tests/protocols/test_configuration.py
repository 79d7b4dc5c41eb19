"""How an engine is set up."""

from __future__ import annotations

import pytest

from honte.errors import HonteError
from honte.players.named import preset_names
from honte.protocols.analysis_format import View
from honte.protocols.configuration import set_up
from honte.search.config import Puct, Ucb1


def test_without_anything_the_shipped_network_plays():
    setup = set_up()
    assert setup.description.startswith("default")
    assert isinstance(setup.parameters.search.selection, Puct)
    assert setup.rules.name == "tromp-taylor"
    assert setup.parameters.search.memory.maximum_nodes is not None


@pytest.mark.parametrize("options", [{"network": "none"}, {"preset_name": "uct"}])
def test_without_a_network_random_playouts_play(options):
    setup = set_up(**options)
    assert "no network" in setup.description
    assert isinstance(setup.parameters.search.selection, Ucb1)


def test_a_file_in_toml(tmp_path):
    path = tmp_path / "engine.toml"
    path.write_text(
        'rules = "japanese"\nkomi = 5.5\nreport_as = "WHITE"\n'
        "[player]\nvisits = 77\nlag = 1.0\n[player.resignation]\nturns = 5\n"
        "[search.selection]\nkind = 'puct'\nc_puct = 2.5\n"
    )
    setup = set_up(config=path)
    assert setup.komi == 5.5
    assert setup.parameters.settings.visits == 77
    assert setup.parameters.settings.resignation.turns == 5
    assert setup.parameters.search.selection.c_puct == 2.5
    assert setup.parameters.view is View.WHITE
    assert set_up(config=path, visits=5, rules="aga").parameters.settings.visits == 5


def test_a_file_written_for_katago(tmp_path):
    path = tmp_path / "gtp.cfg"
    path.write_text("# one\nlogDir = logs\nmaxVisits = 33 # two\nrules = japanese\n")
    setup = set_up(config=path, override_config="maxTime=5,homeDataDir=x")
    assert setup.parameters.settings.visits == 33
    assert setup.parameters.settings.seconds == 5
    assert setup.rules.name == "japanese"
    assert setup.unused_settings == ("logDir", "homeDataDir")


@pytest.mark.parametrize(
    "text", ["visits = 3", "[player]\nvisits = 'many'", "not toml", "[search]\nx = 1", "rules = 5"]
)
def test_a_bad_file_is_named(tmp_path, text):
    path = tmp_path / "engine.toml"
    path.write_text(text)
    with pytest.raises(HonteError, match=r"engine\.toml"):
        set_up(config=path)


@pytest.mark.parametrize(
    "options",
    [
        {"visits": 0},
        {"rules": "nonsense"},
        {"preset_name": "nonsense"},
        {"network": "/nowhere.bin.gz"},
        {"override_config": "maxVisits=none"},
    ],
)
def test_bad_options_are_sentences(options):
    with pytest.raises(HonteError):
        set_up(**options)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_can_be_named(name):
    assert set_up(preset_name=name).parameters.search is not None
