"""Writes every command and option of ``honte`` into the page that asks for them."""

from __future__ import annotations

from typing import Any

import typer.main

from honte.cli.main import app

PLACE = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """What mkdocs calls with each page."""
    if PLACE not in markdown:
        return markdown
    return markdown.replace(PLACE, "\n".join(described(typer.main.get_command(app), "honte")))


def described(command: Any, name: str) -> list[str]:
    """A command as a section, then those below it."""
    below = getattr(command, "commands", {})
    lines = [] if below else [f"## `{name}`", "", command.help.strip(), "", *parameters(command)]
    for child in below:
        lines += described(below[child], f"{name} {child}")
    return lines


def parameters(command: Any) -> list[str]:
    rows = []
    for parameter in command.params:
        flags = [*parameter.opts, *parameter.secondary_opts]
        option = parameter.param_type_name == "option"
        if "--help" in flags:
            continue
        shown = ", ".join(f"`{flag}`" for flag in flags) if option else f"`{parameter.name}`"
        default = parameter.default
        stated = f" Default: {default}." if option and isinstance(default, (int, float)) else ""
        stated = "" if isinstance(default, bool) else stated
        rows.append(f"| {shown} | {cell(parameter.help or '')}{stated} |")
    return ["| | |", "|---|---|", *rows, ""] if rows else []


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
