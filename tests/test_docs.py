"""The pages that teach by example: their code runs, from top to bottom, as written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from shared_data import REPOSITORY

DOCS = REPOSITORY / "docs"
TAUGHT = sorted([*DOCS.glob("tutorials/*.md"), *DOCS.glob("how-to/*.md")])


def run(arguments: list[str], folder: Path) -> None:
    commands = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": commands + os.pathsep + os.environ["PATH"],
        "PYTHONPATH": str(folder / "examples"),
    }
    done = subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", TAUGHT, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs(page, tmp_path):
    text = page.read_text("utf-8")
    shutil.copytree(REPOSITORY / "examples", tmp_path / "examples")
    python = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shell = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not python and not shell:
        pytest.skip(f"{page.name} shows no code that runs as it stands")
    if python:
        run([sys.executable, "-c", "\n".join(python)], tmp_path)
    for block in shell:
        run(["sh", "-e", "-c", block], tmp_path)


def test_the_reference_of_commands_has_every_command_and_option():
    import runpy

    import typer.main

    from honte.cli.main import app

    page = runpy.run_path(str(DOCS / "commands.py"))["on_page_markdown"]("<!-- commands -->")
    pending = [("honte", typer.main.get_command(app))]
    while pending:
        name, command = pending.pop()
        below = getattr(command, "commands", {})
        pending += [(f"{name} {child}", below[child]) for child in below]
        if below:
            continue
        assert f"## `{name}`" in page
        for parameter in command.params:
            assert parameter.help or parameter.name == "help", f"{name} {parameter.name} says why"
            if parameter.param_type_name == "option" and parameter.name != "help":
                assert f"`{parameter.opts[0]}`" in page


def test_the_page_of_presets_says_what_they_are():
    import runpy

    pytest.importorskip("griffe", reason="needs griffe, of the extra docs, to read docstrings")
    script = runpy.run_path(str(DOCS / "presets.py"))
    text = script["PAGE"].read_text("utf-8")
    assert script["page"](text) == text, "run python docs/presets.py"


def test_the_page_of_presets_has_every_named_system():
    text = (DOCS / "explanation" / "presets.md").read_text("utf-8")
    named = {"uct", "rave", "grave", "alphago_fan", "alphago_lee", "alphago_master"}
    named |= {"alphago_zero", "alphazero", "leela_zero", "katago", "gumbel_alphazero"}
    named |= {"policy_only", "value_only", "alphabeta"}
    for name in named:
        assert f"| `{name}()` |" in text
        assert f"### {name}\n" in text


def test_the_page_of_algorithms_names_types_that_are():
    from honte.search import config

    text = (DOCS / "explanation" / "algorithms.md").read_text("utf-8")
    calls = re.findall(r"`(?:\w+=)?([A-Z]\w+)\(([^)`]*)", text)
    assert len(calls) > 15
    for name, fields in calls:
        if name in ("Mixture", "WithRollouts"):
            continue
        made = getattr(config, name)
        for given in filter(None, (part.split("=")[0].strip() for part in fields.split(","))):
            assert given in made.model_fields, f"{name} has no {given}"
