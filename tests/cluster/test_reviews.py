"""Many games analysed by several machines are analysed as by one, each written once."""

import json
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs Ray: pip install 'honte[cluster]'")

from honte.cli.main import main

GAME = "(;GM[1]FF[4]SZ[5]KM[0.5]RU[Chinese];B[cc];W[{}];B[bc];W[cb];B[bb])"
OPTIONS = ["--network", "none", "--visits", "60", "--threads", "1"]


def test_each_game_is_analysed_once_and_as_on_one_machine(nodes, cluster, tmp_path, capsys):
    nodes.have(2)
    records = tmp_path / "records"
    records.mkdir()
    for number, vertex in enumerate(("cd", "dd", "db", "dc", "bd")):
        (records / f"{number}.sgf").write_text(GAME.format(vertex))
    found = {}
    for name, more in (("alone", []), ("spread", ["--cluster", nodes.address])):
        out = tmp_path / f"{name}.json"
        assert main(["analyze", str(records), *OPTIONS, "--json", str(out), *more]) == 0
        found[name] = json.loads(Path(out).read_text())
    assert [Path(game["file"]).name for game in found["spread"]] == [
        f"{number}.sgf" for number in range(5)
    ]
    assert found["spread"] == found["alone"]


@pytest.mark.slow
def test_a_network_that_is_none_is_a_sentence(nodes, cluster, tmp_path, capsys):
    record = tmp_path / "game.sgf"
    record.write_text(GAME.format("cd"))
    network = tmp_path / "network.bin.gz"
    network.write_bytes(b"no network")
    options = ["--network", str(network), "--cluster", nodes.address]
    assert main(["analyze", str(record), *options]) == 2
    assert "On the machine 127.0.0.1" in capsys.readouterr().err
