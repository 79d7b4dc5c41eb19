"""The one-way arrows between the rooms of the house, and what `import honte` may cost."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared_data import REPOSITORY

PACKAGE = REPOSITORY / "src" / "honte"
CORE = REPOSITORY / "core"

# Each room imports only rooms of later lines. `cli` is the door to all others.
ARROWS = (
    {"cli"},
    {"cluster"},
    {"web", "protocols", "lab", "training"},
    {"players"},
    {"presets"},
    {"search"},
    {"evaluation"},
    {"networks"},
    {"games"},
    {"_core"},
    {"bradley_terry", "files", "toml_files"},
    {"errors", "__init__"},
)
LEVEL = {room: level for level, rooms in enumerate(ARROWS) for room in rooms}
RECORDS_MAY_IMPORT = {"records", "games", "files", "errors", "__init__"}
MAY_IMPORT_RECORDS = {"records", "cli", "cluster", "web", "protocols", "lab", "training", "players"}

# onnx's own import takes as long as the rest of honte, torch's a hundred times that.
HEAVY = {
    "fastapi", "jax", "matplotlib", "numba", "onnx", "onnxruntime", "openvino", "pyspiel", "ray",
    "scipy", "tensorboard", "torch", "uvicorn",
}  # fmt: skip
ENTRANCES = (
    "honte", "honte.cli.main", "honte.cluster", "honte.evaluation", "honte.games", "honte.networks",
    "honte.players", "honte.presets", "honte.protocols", "honte.records", "honte.search",
)  # fmt: skip


def room_of(module: str) -> str:
    """The room that ``honte.x.y`` is in; the package itself is ``__init__``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imports_of(path: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every honte module a file imports, inside functions too."""
    package = ["honte", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            if module == "honte":
                yield from ((node.lineno, submodule_or_package(a.name)) for a in node.names)
            else:
                yield node.lineno, module


def submodule_or_package(name: str) -> str:
    """What ``from honte import name`` imports: a module, or the package for a name in it."""
    is_module = name == "_core" or (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").exists()
    return f"honte.{name}" if is_module else "honte"


def is_allowed(importer: str, imported: str) -> bool:
    """Whether one room may import another."""
    if importer == "records":
        return imported in RECORDS_MAY_IMPORT
    if imported == "records":
        return importer in MAY_IMPORT_RECORDS
    return importer == imported or LEVEL[importer] < LEVEL[imported]


def test_arrows_run_one_way():
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        importer = room_of(".".join(["honte", *path.relative_to(PACKAGE).with_suffix("").parts]))
        for line, module in imports_of(path):
            if module.split(".")[0] == "honte" and not is_allowed(importer, room_of(module)):
                wrong.append(f"{path.relative_to(REPOSITORY)}:{line} imports {module}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [("search", "players"), ("games", "search"), ("records", "search"), ("search", "records"),
     ("web", "cli"), ("errors", "games")],
)  # fmt: skip
def test_backward_arrows_are_seen(importer, imported):
    assert not is_allowed(importer, imported)


def test_the_core_knows_nothing_of_python_nor_games_of_search():
    wrong = []
    for path in sorted(CORE.rglob("*.[ch]pp")):
        room = path.relative_to(CORE).parts[0]
        for line in path.read_text("utf-8").splitlines():
            header = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if header is None or room == "python":
                continue
            name = header[1]
            if name.lower().startswith(("python", "nanobind")) or (
                room == "games" and name.startswith("search/")
            ):
                wrong.append(f"{path.relative_to(REPOSITORY)} includes {name}")
    assert not wrong, "\n".join(wrong)


def test_importing_is_light_and_touches_no_network():
    program = (
        "import importlib, sys\n"
        "def refuse(event, arguments):\n"
        "    if event.startswith('socket.') and event != 'socket.gethostname':\n"
        "        raise SystemExit(f'{event} while importing')\n"
        "sys.addaudithook(refuse)\n"
        "for module in sys.argv[1].split():\n"
        "    importlib.import_module(module)\n"
        "    print(module, *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, " ".join(ENTRANCES)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        entrance, *imported = line.split()
        assert not HEAVY & set(imported), f"import {entrance} brings them in"
    assert len(done.stdout.splitlines()) == len(ENTRANCES)


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("needs a git checkout: it looks at the files under version control")
    return [REPOSITORY / name for name in listed.stdout.split("\0") if name]


def test_no_file_names_a_path_of_one_machine():
    machine_path = re.compile(r"(?<![\w.:/*$}>-])/(?:root|home|work|opt|tmp|mnt|srv|Users)/\w")
    wrong = []
    for path in tracked_files():
        if not path.is_file() or path.suffix in {".png", ".gz", ".xz", ".sgf", ".lock"}:
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if len(line) < 2000 and machine_path.search(line):
                wrong.append(f"{path.relative_to(REPOSITORY)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)
