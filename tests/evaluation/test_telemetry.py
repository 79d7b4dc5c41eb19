"""Running a network tells nobody: OpenVINO's package brings a telemetry client along."""

import subprocess
import sys

import pytest

from shared_data import REPOSITORY

PROGRAM = """
import sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system"}:
        raise SystemExit(f"{event}{arguments}")

sys.addaudithook(refuse)
from honte.evaluation import OnnxEvaluator
from honte.games import TicTacToe
from honte.networks.backends import BackendKind
from honte.search import Search
from tiny_graphs import linear_network

evaluator = OnnxEvaluator(linear_network((18,), 9), backend=BackendKind[sys.argv[1]])
print(Search(TicTacToe().new_initial_state(), evaluator=evaluator).run(visits=20).visits)
"""


@pytest.mark.parametrize("backend", ["OPENVINO", "ONNXRUNTIME"])
def test_a_search_with_a_network_opens_no_connection(backend):
    pytest.importorskip(backend.lower())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, backend],
        cwd=REPOSITORY / "tests", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == 20
