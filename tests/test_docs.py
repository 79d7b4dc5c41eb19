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
