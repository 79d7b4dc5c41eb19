"""KaTrain's own engine class drives ``honte analysis`` through its real query path."""

from __future__ import annotations

import os
import sys

import pytest

from patience import PATIENCE, until

os.environ.setdefault("KIVY_NO_ARGS", "1")
os.environ.setdefault("KIVY_NO_CONSOLELOG", "1")
os.environ.setdefault("KIVY_NO_FILELOG", "1")


class Application:
    """As much of KaTrain's application as its engine asks for."""

    def __init__(self):
        self.errors = []

    def log(self, message, level=0):
        if level < 0:
            self.errors.append(message)

    def __call__(self, *arguments):
        self.errors.append(arguments)


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setenv("KIVY_HOME", str(tmp_path))
    katrain_engine = pytest.importorskip(
        "katrain.core.engine", reason="needs KaTrain (pip install 'honte[clients]')"
    )
    start = "from honte.cli.main import run; run()"
    config = {
        "backend": "custom",
        "altcommand": f'exec "{sys.executable}" -c "{start}" analysis',
        "max_visits": 60,
        "fast_visits": 20,
        "max_time": PATIENCE,
        "wide_root_noise": 0.04,
        "_enable_ownership": True,
        "allow_recovery": False,
    }
    engine = katrain_engine.KataGoEngine(Application(), config)
    yield engine
    engine.shutdown(finish=None)


def make_game():
    from katrain.core.game_node import GameNode
    from pysgf import Move

    root = GameNode(properties={"SZ": ["9"], "KM": ["6.5"], "RU": ["japanese"]})
    return root, root.play(Move.from_gtp("E5", "B")).play(Move.from_gtp("C3", "W"))


def test_nodes_are_analysed(engine):
    root, last = make_game()
    answers = {}
    for name, node in (("root", root), ("last", last)):
        engine.request_analysis(
            node, lambda analysis, partial, name=name: answers.__setitem__(name, analysis)
        )
    until(lambda: len(answers) == 2)
    for name, node in (("root", root), ("last", last)):
        node.set_analysis(answers[name], None, False, False)
        assert node.analysis_complete
        assert 0 <= node.winrate <= 1
        assert node.candidate_moves
        assert node.analysis["root"]["visits"] == 60
        assert len(node.ownership) == 81
    assert not engine.katrain.errors


def test_pondering_reports_and_stops(engine):
    root, _ = make_game()
    reports = []
    engine.request_analysis(root, lambda analysis, partial: reports.append(partial), ponder=True)
    until(lambda: reports.count(True) >= 2)
    engine.stop_pondering()
    until(lambda: reports[-1] is False)
    assert not engine.katrain.errors


def test_alternatives_and_a_new_game(engine):
    root, _ = make_game()
    found = []
    engine.request_analysis(root, lambda analysis, partial: found.append(analysis))
    until(lambda: found)
    root.set_analysis(found[0], None, False, False)
    first = set(root.analysis["moves"])
    engine.request_analysis(
        root, lambda analysis, partial: found.append(analysis), find_alternatives=True
    )
    until(lambda: len(found) == 2)
    assert not first & {info["move"] for info in found[1]["moveInfos"]}
    engine.request_analysis(root, lambda *_: None, visits=10**6)
    engine.on_new_game()
    engine.request_analysis(root, lambda analysis, partial: found.append(analysis))
    until(lambda: len(found) == 3)
    assert not engine.katrain.errors
