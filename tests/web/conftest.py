"""A server of its own for the tests of the page, and a browser to drive it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the web page needs the extra web")

from honte.networks.katago_writer import write_katago
from patience import PATIENCE
from random_networks import random_network
from shared_data import REPOSITORY
from web_server import Socket, running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def network_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("network") / "tiny.bin.gz"
    write_katago(random_network(8), path)
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory, network_file):
    """With a network, and with one whose file is taken away once the server runs."""
    folder = tmp_path_factory.mktemp("sessions")
    gone = folder / "gone.bin.gz"
    shutil.copy(network_file, gone)
    with running(folder, "--network", str(network_file), "--network", str(gone)) as found:
        gone.unlink()
        yield found


@pytest.fixture
def connect(server):
    opened = []

    def open_one(session: str = "", origin: str | None = None) -> Socket:
        socket = Socket(server.host, session, origin)
        opened.append(socket)
        return socket

    yield open_one
    for socket in opened:
        socket.close()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS, timeout=1000 * PATIENCE
        )
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def page_tools():
    """What frontend/ is built and looked over with: its node_modules, installed where it has none.

    Of several processes that test, one installs and the others wait for it.
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs node and npm (Debian: apt-get install nodejs npm)")
    frontend = REPOSITORY / "frontend"
    installed = frontend / "node_modules"
    with open(frontend / "package.json", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not installed.exists():
            install(npm, frontend, installed)
    return installed


def install(npm, frontend, installed):
    """Elsewhere first: the folder is there whole or not at all, whatever becomes of this."""
    with tempfile.TemporaryDirectory(dir=frontend, prefix=".node_modules-") as folder:
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(frontend / name, folder)
        done = subprocess.run(
            [npm, "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            pytest.skip(f"npm ci does not work here: {done.stderr.strip()[-200:]}")
        os.rename(Path(folder) / "node_modules", installed)


@pytest.fixture
def open_page(browser, server):
    """Opens the page as a new person; at the end nothing may stand in the console."""
    contexts, faults = [], []

    def open_one(fragment: str = "", **options):
        context = browser.new_context(
            viewport=options.pop("viewport", {"width": 1280, "height": 900}),
            locale=options.pop("locale", "en-GB"),
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            lambda message: message.type == "error" and faults.append(message.text),
        )
        page.goto(server.address + "/" + fragment)
        page.wait_for_selector(".board, .bars, .curve, canvas, .stage, .contenders, .no-tree")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert faults == []
