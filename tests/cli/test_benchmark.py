"""``honte benchmark`` says what it measured and on what."""

from __future__ import annotations

import re

import pytest

from honte.cli.main import main
from shared_data import shared_file


def test_without_a_network_it_measures_the_search_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["benchmark", "--size", "5", "--visits", "50"]) == 0
    said = capsys.readouterr().out
    assert re.search(r"5×5: [\d,]+ random playouts a second on one core", said)
    assert re.search(r"search without evaluation: [\d,]+ visits a second", said)


def test_with_a_network_it_says_library_precision_and_speeds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    network = shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz")
    options = ["--size", "5", "--visits", "20", "--seconds", "0.05", "--streams", "1"]
    assert main(["benchmark", "--network", str(network), "--precision", "float32", *options]) == 0
    said = capsys.readouterr().out
    assert "on the CPU in float32, 1 stream" in said
    assert re.search(r"search: [\d,]+ visits a second over 20 visits", said)


@pytest.mark.parametrize(
    "wrong",
    [["--size", "1"], ["--visits", "0"], ["--network", "nowhere.bin.gz"], ["--precision", "int3"]],
)
def test_wrong_options_are_one_sentence_and_status_2(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["benchmark", *wrong]) == 2
    said = capsys.readouterr()
    assert len(said.err.strip().splitlines()) == 1
    assert "Traceback" not in said.err
