"""Tables in the terminal, CSV, Markdown and HTML, and the command line."""

import hashlib
import re

import pytest

from honte.cli.main import main
from honte.errors import HonteError
from honte.lab.report import csv_table, html_page, report
from honte.lab.store import Ending, Fixture, GameRow
from honte.lab.studies import STUDIES, StudyOptions, study


def row(first, second, opening, result, ending=Ending.RULES, **more):
    return GameRow(Fixture(first, second, opening), (), ending, result, None, **more)


ROWS = [
    row("a", "b<i>", 0, 1.0),
    row("b<i>", "a", 0, 0.5),
    row("a", "b<i>", 1, 1.0, Ending.FORFEIT, note="b hung."),
    row("b<i>", "a", 1, 1.0, agreed=(0.0, 30)),
]


def test_points_endings_and_wrong_agreements_are_counted():
    found = report("A match", ROWS)
    assert str(found.record("a")) == "2–1–1"
    assert found.record("a").points == 2.5
    assert (found.checked, found.wrong) == (1, 1)
    assert found.forfeits == {"b<i>": 1}
    assert "b<i> failed in 1 games, which it lost." in found.notes()


def test_csv_and_html_say_the_same():
    found = report("A match", ROWS)
    lines = csv_table(found).splitlines()
    assert lines[0].startswith("player,elo,low,high,games")
    assert lines[1].startswith("a,")
    assert ",4,0.6250,2,1,1," in lines[1]
    page = html_page(found)
    assert "b&lt;i&gt;" in page
    assert "b<i>" not in page
    assert "62.5%" in page


@pytest.mark.parametrize("name", [name for name in STUDIES if not name.startswith("katago")])
def test_every_table_can_be_set_up(name, tmp_path):
    options = StudyOptions(
        network="n.bin.gz", folder=tmp_path, visits=400, pairs=1, speed=lambda player: 1000.0
    )
    made = study(name, options)
    assert made.name == name
    names = [player.name for player in made.players]
    assert len(set(names)) == len(names) >= 5
    assert len(list(made.schedule.fixtures())) == made.schedule.total
    assert made.anchor in names
    assert set(made.axis) <= set(names)


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("katago", ["maxVisits = 20", "numSearchThreads = 1"]),
        ("katago-time", ["maxTime = 2.5", "maxVisits = 1000000"]),
    ],
)
def test_the_tables_against_katago_switch_its_haste_off(name, limits, tmp_path):
    options = StudyOptions(network="n", katago="katago", folder=tmp_path, visits=20, seconds=2.5)
    made = study(name, options)
    text = (tmp_path / f"{name}.cfg").read_text()
    assert "searchFactorWhenWinning = 1.0" in text
    assert all(limit in text for limit in limits)
    assert made.players[1].arguments[:2] == ["katago", "gtp"]
    with pytest.raises(HonteError, match="--katago PATH"):
        study(name, StudyOptions(network="n"))


def test_a_table_says_which_network_and_which_board(tmp_path, capsys):
    """By the digits of its file, so that the next network of that name is not taken for it."""
    from honte.networks import shipped_networks

    options = ["--visits", "2", "--games", "2", "--size", "5", "--out", str(tmp_path)]
    assert main(["lab", "table", "visits", *options]) == 0
    page = (tmp_path / "visits-5x5.md").read_text()
    digest = hashlib.sha256(shipped_networks()["default"].read_bytes()).hexdigest()
    assert f"SHA-256 {digest[:12]}…" in page
    assert "Go 5 × 5" in page
    assert "# The network alone, and with more and more search, 5 × 5\n" in page
    assert {path.suffix for path in tmp_path.glob("visits-5x5.*")} >= {".csv", ".svg", ".html"}


def test_a_table_that_is_not_there_is_a_sentence(capsys):
    assert main(["lab", "table", "dogs"]) == 2
    assert "no table 'dogs'; there are c-puct" in capsys.readouterr().err
    assert main(["lab", "rate", "nothing.sqlite"]) == 2
    assert "There is no file nothing.sqlite." in capsys.readouterr().err


def test_a_match_on_the_command_line(tmp_path, capsys):
    store = str(tmp_path / "m.sqlite")
    players = ["name=a;preset=uct;visits=30", "name=b;preset=uct;visits=5"]
    arguments = ["match", *players, "--store", store, "--game", "tic-tac-toe", "--games", "4"]
    pages = ["--csv", str(tmp_path / "m.csv"), "--html", str(tmp_path / "m.html")]
    assert main([*arguments, "--openings", "1", *pages]) == 0
    out, progress = capsys.readouterr()
    assert "a against b" in out or "b against a" in out
    assert "4/4" in progress
    assert "left 0:00:00" in progress
    assert (tmp_path / "m.csv").read_text().count("\n") == 3
    assert "<svg" in (tmp_path / "m.html").read_text()
    assert main(["lab", "rate", store, "--anchor", "a"]) == 0
    assert main(["lab", "replay", store, "--game", "1"]) == 0
    # Whichever of the four was over first.
    assert re.search(r"^1: (a – b|b – a), opening [01]: ", capsys.readouterr().out, re.M)
    assert main([*arguments, "--openings", "2"]) == 2
    assert "another match: openings.plies was 1 and is now 2" in capsys.readouterr().err


def test_the_network_that_comes_with_honte_plays(tmp_path, capsys):
    from honte.networks import shipped_networks

    if "default" not in shipped_networks():
        pytest.skip("needs the network that comes with honte")
    store = str(tmp_path / "m.sqlite")
    players = ["name=a;preset=alphago_zero;visits=8", "name=b;preset=policy_only"]
    arguments = ["--store", store, "--size", "5", "--games", "4", "--openings", "2"]
    assert main(["match", *players, *arguments]) == 0
    assert "4 games" in capsys.readouterr().out


def test_games_of_go_become_sgf(tmp_path, capsys):
    store = str(tmp_path / "m.sqlite")
    players = ["name=a;preset=uct;visits=5", "name=b;preset=uct;visits=5"]
    assert main(["match", *players, "--store", store, "--size", "5", "--games", "2"]) == 0
    assert main(["lab", "replay", store, "--sgf", str(tmp_path / "games")]) == 0
    from honte import records

    record = records.load(tmp_path / "games" / "00001.sgf")
    assert record.komi == 7
    assert len(record.moves()) > 4


def test_a_sweep_over_numbers_is_plotted_over_them(tmp_path, capsys):
    """And one over words by its words."""
    for field, values, axis in (
        ("selection.c", "0.5,1", "selection.c</text>"),
        ("decision.kind", "most_visits,highest_value", "Elo, with 95 % intervals</text>"),
    ):
        page = tmp_path / "sweep.html"
        arguments = ["lab", "sweep", field, values, "--store", str(tmp_path / field)]
        options = ["--player", "preset=uct;visits=3", "--size", "3", "--games", "2"]
        assert main([*arguments, *options, "--html", str(page)]) == 0
        assert axis in page.read_text()
