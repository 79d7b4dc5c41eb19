"""KataGo's own answers on positions of many sizes, rules and phases, in every symmetry given.

The inputs come from the core, the answers from the graph in float32; what is compared is what a
player would read: policy, winning chance, points, ownership, and where play is illegal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from graph_runners import RUNNERS
from honte._core import GoState, katago_features
from honte.games.go import BLACK, WHITE, Go, Rules, parse_vertex
from honte.networks import Network, Outputs, RawOutputs, interpret, load
from shared_data import shared_file

CASES = {
    "g170-b6c96": ("g170-b6c96-s175395328-d26788732.bin.gz", "katago-raw-nn.json"),
    "b7c96h3tfrs": ("b7c96h3tfrs-test5-cnorm.bin.gz", "katago-raw-nn-transformer.json"),
}
SIDE = 19


@dataclass(frozen=True)
class Row:
    """One position under one symmetry, with KataGo's answer."""

    name: str
    state: GoState
    symmetry: int
    answer: dict[str, Any]

    @property
    def moved(self) -> NDArray[np.int64]:
        """For each action of the board, its place in the 19 × 19 batch's policy."""
        state = self.state
        turned_width = state.height if self.symmetry & 4 else state.width
        moved = np.array(
            [state.transform_action(a, self.symmetry) for a in range(state.width * state.height)]
        )
        places = moved // turned_width * SIDE + moved % turned_width
        return np.append(places, SIDE * SIDE)


def state_of(position: dict[str, Any]) -> GoState:
    width, height = position["width"], position["height"]
    said = position["rules"]
    rules = Rules.from_json(said)
    stones: dict[str, list[int]] = {"b": [], "w": []}
    for colour, vertex in position["setup"]:
        stones[colour].append(parse_vertex(vertex, width, height))
    first = position["moves"][0][0] if position["moves"] else position.get("toPlay", "b")
    # KataGo's console tolerates suicide under every rule set, and one random game has one.
    tolerant = Go(width, height, replace(rules, suicide=True), position["komi"])
    state = tolerant.new_initial_state(stones["b"], stones["w"], WHITE if first == "w" else BLACK)
    # It also leaves dead stones to the players instead of having them captured.
    state = state.with_cleanup(False)
    for colour, vertex in position["moves"]:
        state.play(parse_vertex(vertex, width, height), "bw".index(colour))
    pickled = state.__getstate__()
    numbers = list(pickled[2])
    numbers[2] = rules.suicide
    strict = GoState.__new__(GoState)
    strict.__setstate__((*pickled[:2], tuple(numbers), *pickled[3:]))
    assert strict.rules == rules
    return strict


def rows_of(reference: str) -> list[Row]:
    positions = json.loads(shared_file("reference", reference).read_text())
    return [
        Row(position["name"], state, answer["symmetry"], answer)
        for position in positions
        for state in [state_of(position)]
        for answer in position["outputs"]
    ]


def legal_actions(state: GoState) -> list[int]:
    """KataGo answers for finished games too, as if play went on."""
    return (state.resumed() if state.is_terminal() else state).legal_actions()


def evaluate(network: Network, rows: list[Row], runner: str) -> Outputs:
    """All rows in one batch of 19 × 19, whatever their size."""
    features = [katago_features(row.state, SIDE, SIDE, row.symmetry) for row in rows]
    feeds = {
        "spatial": np.stack([f[0] for f in features]),
        "global": np.stack([f[1] for f in features]),
    }
    raw = RawOutputs(*RUNNERS[runner](network.model(), feeds))
    legal = np.zeros((len(rows), SIDE * SIDE + 1), dtype=bool)
    for index, row in enumerate(rows):
        legal[index, row.moved[legal_actions(row.state)]] = True
    possible = [
        row.state.rules.ko.value == "SIMPLE" or row.state.rules.scoring.value == "TERRITORY"
        for row in rows
    ]
    return interpret(
        raw,
        scales=network.output_scales,
        legal=legal,
        on_board=feeds["spatial"][:, 0] > 0,
        no_result_possible=np.array(possible),
    )


def whites_view(row: Row, index: int, outputs: Outputs) -> dict[str, Any]:
    """A row of the answer in the words, the orientation and the colour of the reference."""
    values = outputs.values
    sign = 1 if row.state.to_play == WHITE else -1
    both = (values.win[index], values.loss[index])
    policy = outputs.policy[index][row.moved]
    view = {
        "whiteWin": both[0] if sign == 1 else both[1],
        "whiteLoss": both[1] if sign == 1 else both[0],
        "noResult": values.no_result[index],
        "whiteLead": sign * values.lead[index],
        "whiteScoreSelfplay": sign * values.score_mean[index],
        "whiteScoreSelfplaySq": values.score_mean_square[index],
        "policy": policy[:-1],
        "policyPass": policy[-1],
        "whiteOwnership": sign * outputs.ownership[index].reshape(-1)[row.moved[:-1]],
    }
    if values.variance_time is not None:
        assert values.short_term_value_error is not None
        assert values.short_term_score_error is not None
        view["varTimeLeft"] = values.variance_time[index]
        view["shorttermWinlossError"] = values.short_term_value_error[index]
        view["shorttermScoreError"] = values.short_term_score_error[index]
    return view


TOLERANCES = {
    "whiteWin": 1e-4,
    "whiteLoss": 1e-4,
    "noResult": 1e-4,
    "whiteLead": 0.02,
    "whiteScoreSelfplay": 0.02,
    "whiteScoreSelfplaySq": 0.5,
    "policy": 1e-4,
    "policyPass": 1e-4,
    "whiteOwnership": 1e-3,
    "varTimeLeft": 0.02,
    "shorttermWinlossError": 1e-3,
    "shorttermScoreError": 5e-3,
}


@pytest.mark.parametrize("runner", list(RUNNERS))
@pytest.mark.parametrize("case", list(CASES))
def test_answers_are_katagos(case: str, runner: str) -> None:
    file, reference = CASES[case]
    network = load(shared_file("networks", file))
    rows = rows_of(reference)
    outputs = evaluate(network, rows, runner)
    worst = dict.fromkeys(TOLERANCES, (0.0, ""))
    for index, row in enumerate(rows):
        name = f"{row.name}, symmetry {row.symmetry}"
        wanted = row.answer
        points = row.state.width * row.state.height
        illegal = [move for move in range(points) if wanted["policy"][move] is None]
        legal = legal_actions(row.state)
        assert illegal == sorted(set(range(points)) - set(legal)), name
        for quantity, found in whites_view(row, index, outputs).items():
            expected = np.array(
                [value or 0 for value in wanted[quantity]]
                if isinstance(wanted[quantity], list)
                else wanted[quantity]
            )
            worst[quantity] = max(worst[quantity], (float(np.abs(found - expected).max()), name))
    for quantity, (difference, name) in worst.items():
        print(f"{case} {runner} {quantity}: {difference:.2g} ({name})")
    exceeded = {q: worst[q] for q in worst if worst[q][0] > TOLERANCES[q]}
    assert not exceeded


@pytest.mark.parametrize("case", list(CASES))
def test_a_batch_of_mixed_sizes_answers_as_each_board_alone(case: str) -> None:
    file, reference = CASES[case]
    network = load(shared_file("networks", file))
    wanted = {
        "empty-9",
        "pass-last",
        "random-13x13-60-aga-0",
        "game20-move60-chinese",
        "empty-7x11",
    }
    rows = [row for row in rows_of(reference) if row.name in wanted and row.symmetry < 4]
    assert {row.name for row in rows} == wanted
    together = evaluate(network, rows, "ONNX Runtime")
    for index, row in enumerate(rows):
        spatial, global_ = katago_features(row.state, symmetry=row.symmetry)
        feeds = {"spatial": spatial[None], "global": global_[None]}
        policy, value, _, ownership = RUNNERS["ONNX Runtime"](network.model(), feeds)
        height, width = ownership.shape[1:]
        exp = np.exp(policy[0, 0] - policy[0, 0].max())
        legal = np.zeros(len(exp), dtype=bool)
        actions = row.state.legal_actions()
        legal[[row.state.transform_action(action, row.symmetry) for action in actions]] = True
        alone = np.where(legal, exp, 0) / exp[legal].sum()
        grid = together.policy[index, :-1].reshape(SIDE, SIDE)[:height, :width]
        np.testing.assert_allclose(grid.reshape(-1), alone[:-1], atol=1e-5)
        np.testing.assert_allclose(
            together.ownership[index, :height, :width], np.tanh(ownership[0]), atol=1e-4
        )
        odds = value[0, 0] - value[0, 1]
        values = together.values
        np.testing.assert_allclose(
            np.log(values.win[index] / values.loss[index]), odds, atol=1e-3, rtol=1e-4
        )
