"""The page of cases names tests that exist."""

from __future__ import annotations

import re

from shared_data import REPOSITORY


def test_every_test_that_the_page_names_exists():
    page = (REPOSITORY / "docs" / "reference" / "cases.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+\.py)::(\w+)`", page)
    assert len(named) > 40
    missing = [
        f"{path}::{name}"
        for path, name in named
        if f"def {name}(" not in (REPOSITORY / "tests" / path).read_text("utf-8")
    ]
    assert missing == []
