"""honte runs: what it lists, and the curve it draws."""

import json

import pytest

from honte.cli.main import main
from honte.cli.runs import sparkline
from honte.training.runs import RunFolder


def test_runs_are_listed_with_their_curves(tmp_path, capsys):
    run = RunFolder(tmp_path / "one")
    run.open({"kind": "zero", "iterations": 9})
    (run.path / "metrics.jsonl").write_text(
        '{"step": 1, "time": 0, "loss/value": 4.0}\n{"step": 2, "time": 0, "loss/value": 1.0}\n'
        '{"step": 3, "ti'
    )
    assert main(["runs", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "zero, 2 of 9" in shown
    assert "█▁" in shown


def test_a_run_s_curves_are_plotted_by_name(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    run = RunFolder(tmp_path / "one")
    run.open({"kind": "zero", "iterations": 9})
    lines = [{"step": step, "time": 0, "elo": 10 * step, "loss": 1 / step} for step in (1, 2, 3)]
    (run.path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    file = tmp_path / "curves.svg"
    assert main(["runs", str(run.path), "--plot", str(file), "--only", "elo"]) == 0
    drawn = file.read_text()
    assert "elo" in drawn
    assert "loss" not in drawn
    assert main(["runs", str(run.path), "--plot", str(file), "--only", "luck"]) == 2
    assert "never measured 'luck'" in capsys.readouterr().err


def test_a_folder_without_runs_is_one_sentence(tmp_path, capsys):
    assert main(["runs", str(tmp_path)]) == 2
    assert "There is no training run in" in capsys.readouterr().err


def test_without_a_folder_named_it_is_the_one_where_runs_are_made(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["runs"]) == 2
    assert str(tmp_path) in capsys.readouterr().err
    RunFolder(tmp_path / "runs" / "one").open({"kind": "zero", "iterations": 9})
    assert main(["runs"]) == 0
    assert "one: zero, 0 of 9" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("values", "curve"),
    [([1.0], "▁"), ([0.0, 7.0], "▁█"), ([2.0, 2.0], "▁▁"), (list(range(8)), "▁▂▃▄▅▆▇█")],
)
def test_a_curve_rises_with_its_values(values, curve):
    assert sparkline(values) == curve
