"""The page that ships is the page that frontend/ builds, small and free of other hosts."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from shared_data import REPOSITORY

PAGE = REPOSITORY / "src" / "honte" / "web" / "page"
FRONTEND = REPOSITORY / "frontend"


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_page_is_under_400_kilobytes_compressed():
    total = sum(len(gzip.compress(content)) for content in files(PAGE).values())
    assert total < 400_000


def test_the_page_asks_no_other_host_for_anything():
    allowed = ("http://www.w3.org/", "https://www.w3.org/", "http://127.0.0.1:8000")
    for name, content in files(PAGE).items():
        text = content.decode("utf-8")
        asked = re.findall(r"""(?:src|href|url\()\s*[=(]?\s*["'](https?:[^"']+)""", text)
        assert [address for address in asked if not address.startswith(allowed)] == [], name


def test_the_lock_file_names_no_host():
    lock = (FRONTEND / "package-lock.json").read_text("utf-8")
    assert "resolved" not in lock
    assert "http" not in json.dumps([
        {k: v for k, v in entry.items() if k != "funding"}
        for entry in json.loads(lock)["packages"].values()
    ])  # fmt: skip


def test_every_language_has_every_text():
    keys = {}
    for path in sorted((FRONTEND / "src" / "texts").glob("??.ts")):
        keys[path.stem] = re.findall(r"^  (\w+):", path.read_text("utf-8"), re.MULTILINE)
    assert set(keys) == {"en", "id", "hi", "ar"}
    assert all(found == keys["en"] for found in keys.values())


def test_the_committed_page_is_what_the_sources_build(tmp_path, page_tools):
    work = tmp_path / "frontend"
    ignore = shutil.ignore_patterns("node_modules", ".node_modules-*")
    shutil.copytree(FRONTEND, work, ignore=ignore)
    (tmp_path / "docs").mkdir()
    shutil.copy(REPOSITORY / "docs" / "web.md", tmp_path / "docs" / "web.md")
    os.symlink(page_tools, work / "node_modules")
    done = subprocess.run(["npm", "run", "build"], cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    built = files(tmp_path / "src" / "honte" / "web" / "page")
    assert list(built) == list(files(PAGE))
    assert built == files(PAGE)
