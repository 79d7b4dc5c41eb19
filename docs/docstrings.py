"""Makes the docstrings' Sphinx roles and interpreter sessions into Markdown, for the reference."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|meth|attr|func|mod|data|exc):`(~?)([^`]+)`")
SESSION = re.compile(r"(?:^>>> .*\n?(?:^(?!>>>).+\n?)*)+", re.MULTILINE)


class Docstrings(griffe.Extension):
    """An extension of griffe, which reads the sources for mkdocstrings."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    text = ROLE.sub(lambda role: f"`{role[2].split('.')[-1] if role[1] else role[2]}`", text)
    text = SESSION.sub(lambda session: f"```pycon\n{session[0].rstrip()}\n```\n", text)
    return re.sub(r"(?<!`)``(?!`)", "`", text)
