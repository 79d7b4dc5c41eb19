"""The README's promises: every block of code runs as written, every link leads somewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from shared_data import REPOSITORY

README = (REPOSITORY / "README.md").read_text("utf-8")


@dataclass(frozen=True)
class Block:
    heading: str
    language: str
    code: str


def blocks() -> list[Block]:
    found = []
    parts = re.split(r"^## (.+)$", README, flags=re.MULTILINE)
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        for language, code in re.findall(r"^```(\w+)\n(.*?)^```$", body, re.MULTILINE | re.DOTALL):
            found.append(Block(heading, language, code))
    return found


def run(heading: str, folder: Path) -> str:
    """Run the block under a heading in a folder that holds the examples, as a newcomer would."""
    (block,) = (block for block in blocks() if block.heading == heading)
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    commands = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": commands + os.pathsep + os.environ["PATH"]}
    program = {"python": [sys.executable, "-c"], "sh": ["sh", "-e", "-c"]}[block.language]
    done = subprocess.run(
        [*program, block.code], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_search_a_position(tmp_path):
    lines = run("Search a position", tmp_path).splitlines()
    assert len(lines) == 3
    for line in lines:
        assert re.fullmatch(r"[A-J][1-9] \d+ [+-]\d\.\d\d", line)
    visits = [int(line.split()[1]) for line in lines]
    assert visits == sorted(visits, reverse=True)


def test_a_game_of_your_own(tmp_path):
    """A multiple of four left to the opponent is the winning move at Nim."""
    printed = re.match(r"take 1, leaving 12: worth (.+)", run("A game of your own", tmp_path))
    assert printed
    assert float(printed[1]) > 0.2


def test_a_network_of_your_own(tmp_path):
    action, policy = run("A network of your own", tmp_path).split(maxsplit=1)
    shares = [float(number) for number in re.findall(r"[\d.]+", policy)]
    assert sum(shares) == pytest.approx(1.0, abs=0.05)
    assert max(shares) == shares[int(action)]


def test_play_over_gtp(tmp_path):
    answers = [answer.strip() for answer in run("Play over GTP", tmp_path).split("\n\n")]
    assert answers[:2] == ["=", "="]
    assert re.fullmatch(r"= [A-J][1-9]", answers[2])
    assert answers[3].startswith("=")


def test_analyse_a_game(tmp_path):
    printed = run("Analyse a game", tmp_path)
    assert "L11" in printed  # Lee Sedol's wedge, move 78
    assert (tmp_path / "report.html").read_text("utf-8").lstrip().lower().startswith("<!doctype")


def test_every_block_is_run_here():
    run_here = set(re.findall(r'run\("([^"]+)", tmp_path\)', Path(__file__).read_text("utf-8")))
    assert {block.heading for block in blocks()} - {"Two commands"} == run_here


def test_the_two_commands_are_targets_of_the_makefile():
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    (block,) = (block for block in blocks() if block.heading == "Two commands")
    targets = re.findall(r"^make (\w+)", block.code, re.MULTILINE)
    assert len(targets) == 2
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "THIRD_PARTY.md"])
def test_links_lead_somewhere(page):
    text = (REPOSITORY / page).read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert [link for link in links if not (REPOSITORY / link).exists()] == []


def test_every_dependency_states_its_licence():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = list(project["dependencies"])
    for extra in extras.keys() - {"test", "docs", "fuzz", "clients"}:
        needed += extras[extra]
    names = {re.match(r"[\w-]+", requirement)[0] for requirement in needed}
    listed = re.findall(
        r"^\| ([\w-]+) \| ", (REPOSITORY / "THIRD_PARTY.md").read_text("utf-8"), re.M
    )
    assert names == set(listed) - {"package"}
