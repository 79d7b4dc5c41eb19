"""Sabaki's own GTP package drives ``honte gtp``."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from patience import PATIENCE

SCRIPT = """
const {Controller} = require('@sabaki/gtp');
(async () => {
  const engine = new Controller(process.argv[1], process.argv.slice(2));
  engine.start();
  const answers = [];
  for (const [name, ...args] of [
    ['name'], ['list_commands'], ['boardsize', 9], ['komi', 7], ['play', 'B', 'E5'],
    ['play', 'B', 'E5'], ['genmove', 'W'], ['undo'],
  ]) {
    const {error, content} = await engine.sendCommand({name, args});
    answers.push({name, error, content});
  }
  const lines = [];
  const analysis = engine.sendCommand({name: 'analyze', args: ['W', 10]}, ({line}) => {
    lines.push(line);
    if (lines.filter(text => text.startsWith('info')).length === 3) {
      engine.sendCommand({name: 'protocol_version'});
    }
  });
  answers.push({name: 'analyze', ...(await analysis), lines});
  const move = await engine.sendCommand({name: 'genmove_analyze', args: ['W', 10]});
  answers.push({name: 'genmove_analyze', ...move});
  await engine.stop();
  console.log(JSON.stringify(answers));
})();
"""


def test_sabaki_plays_and_analyses():
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    probe = subprocess.run([node, "-e", "require.resolve('@sabaki/gtp')"], capture_output=True)
    if probe.returncode != 0:
        pytest.skip("needs @sabaki/gtp (npm install @sabaki/gtp, with NODE_PATH to it)")
    start = "from honte.cli.main import run; run()"
    engine = [sys.executable, "-c", start, "gtp", "--visits", "300"]
    run = subprocess.run(
        [node, "-e", SCRIPT, "--", *engine], capture_output=True, text=True, timeout=PATIENCE
    )
    assert run.returncode == 0, run.stderr
    answers = json.loads(run.stdout.splitlines()[-1])
    content = {answer["name"]: answer["content"] for answer in answers}
    assert content["name"] == "honte"
    assert {"analyze", "genmove_analyze"} <= set(content["list_commands"].split("\n"))
    assert [answer["error"] for answer in answers[:8]] == [False] * 5 + [True] + [False] * 2
    assert answers[5]["content"] == "illegal move"
    reports = [line for line in answers[8]["lines"] if line.startswith("info")]
    assert len(reports) >= 3
    # Sabaki takes the vertices at the end of a block as its variation.
    assert all(block.split(" pv ")[1].split() for block in reports[0].split("info move ")[1:])
    assert "\nplay " in answers[9]["content"]
