"""Networks of the user's own answer leaves of any game."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from honte.errors import HonteError
from honte.evaluation import OnnxEvaluator
from honte.evaluation.program import padded_rows
from honte.games.protocol import TERMINAL_PLAYER
from honte.networks.backends import Precision, open_backend
from honte.search import Budget, Search, run_many
from leaf_rows import LeafRows
from tiny_graphs import linear_network, logarithm_network, unknown_operator


def leaves(rows: int, size: int = 12, actions: int = 5) -> LeafRows:
    random = np.random.default_rng(3)
    return LeafRows(random.normal(size=(rows, size)).astype(np.float32), actions)


def exact(**options: object) -> OnnxEvaluator:
    model = linear_network((3, 4), 5)
    return OnnxEvaluator(model, precision=Precision.FLOAT32, **options)  # type: ignore[arg-type]


def test_policy_and_value_are_those_of_the_graph() -> None:
    batch = leaves(4)
    weights = {
        tensor.name: np.frombuffer(tensor.raw_data, np.float32).reshape(tensor.dims)
        for tensor in linear_network((3, 4), 5).graph.initializer
    }
    answer = exact()(batch)
    np.testing.assert_allclose(answer.policy_logits, batch.observed @ weights["W"], atol=1e-5)
    np.testing.assert_allclose(
        answer.value, np.tanh(batch.observed @ weights["v"])[:, 0], atol=1e-5
    )


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 8, 11])
def test_a_padded_batch_says_what_single_rows_say(rows: int) -> None:
    evaluator = exact(batch_size=4)
    batch = leaves(rows)
    together = evaluator(batch)
    assert together.value.shape == (rows,)
    for row in range(rows):
        alone = evaluator(LeafRows(batch.observed[row : row + 1], 5))
        np.testing.assert_allclose(together.value[row], alone.value[0], atol=1e-5)
        np.testing.assert_allclose(together.policy_logits[row], alone.policy_logits[0], atol=1e-5)


def test_batches_are_padded_to_powers_of_two_and_then_whole_batches() -> None:
    assert [padded_rows(rows, 8) for rows in (1, 2, 3, 4, 5, 8)] == [1, 2, 4, 4, 8, 8]
    assert [padded_rows(rows, 8) for rows in (9, 16, 17)] == [16, 16, 24]
    assert [padded_rows(rows, 6) for rows in (3, 4, 5, 6, 7)] == [4, 4, 6, 6, 12]


def test_batches_under_way_together_can_be_asked_for_in_any_order() -> None:
    evaluator = exact(streams=2, batch_size=2)
    batches = [LeafRows(rows, 5) for rows in np.split(leaves(12).observed, 6)]
    expected = [evaluator(batch).value for batch in batches]
    pending = [evaluator.submit(batch) for batch in batches]
    for index in (3, 0, 5, 1, 4, 2):
        np.testing.assert_array_equal(pending[index].result().value, expected[index])


def test_an_answer_is_not_changed_by_the_next_one() -> None:
    evaluator = exact()
    first = evaluator(leaves(2))
    kept = first.policy_logits.copy()
    evaluator(LeafRows(-leaves(2).observed, 5))
    np.testing.assert_array_equal(first.policy_logits, kept)


class Doubtful:
    """Asked once: whether to resign. What the network sees of it is one number."""

    def __init__(self, seen: float) -> None:
        self.seen = seen
        self.answer: int | None = None

    def num_distinct_actions(self) -> int:
        return 3

    def current_player(self) -> int:
        return 0 if self.answer is None else TERMINAL_PLAYER

    def legal_actions(self) -> list[int]:
        return [0, 1, 2] if self.answer is None else []

    def apply_action(self, action: int) -> None:
        self.answer = action

    def is_terminal(self) -> bool:
        return self.answer is not None

    def returns(self) -> list[float]:
        return [0.0, 0.0]

    def clone(self) -> Doubtful:
        copy = Doubtful(self.seen)
        copy.answer = self.answer
        return copy

    def observation_tensor(self) -> list[float]:
        return [self.seen, 0.0, 0.0]


@pytest.mark.parametrize("seen", [-1.0, 0.0])  # whose logarithm is NaN, and −∞
def test_a_number_that_is_not_finite_ends_that_search_alone(seen: float) -> None:
    evaluator = OnnxEvaluator(logarithm_network(), precision=Precision.FLOAT32)
    searches = [Search(Doubtful(number), evaluator=evaluator) for number in (1.0, seen, 1.0)]
    errors: dict[int, HonteError] = {}
    results = run_many(searches, Budget(visits=4), on_error=errors.__setitem__)
    assert list(errors) == [1]
    message = str(errors[1])
    assert "network logarithm (OpenVINO" in message
    assert "value" in message
    assert [result is not None and result.visits for result in results] == [4, False, 4]


def test_padding_does_not_raise_errors_of_its_own() -> None:
    # The rows beyond the batch hold zeros, of which the logarithm is not finite.
    evaluator = OnnxEvaluator(logarithm_network(), precision=Precision.FLOAT32, batch_size=4)
    assert evaluator(LeafRows(np.ones((3, 3), np.float32))).value.shape == (3,)


def test_a_graph_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "linear.onnx"
    onnx.save(linear_network((3, 4), 5), path)
    evaluator = OnnxEvaluator(path)
    assert evaluator(leaves(2)).value.shape == (2,)
    assert evaluator.describe().startswith("linear.onnx: ")


def test_a_missing_or_foreign_file_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(HonteError, match=r"There is no network file at .*none\.onnx"):
        OnnxEvaluator(tmp_path / "none.onnx")
    foreign = tmp_path / "foreign.onnx"
    foreign.write_bytes(b"(;GM[1]FF[4])")
    with pytest.raises(HonteError, match=r"foreign\.onnx"):
        OnnxEvaluator(foreign)


def test_a_graph_of_other_inputs_and_outputs_is_refused() -> None:
    with pytest.raises(HonteError, match="outputs 'policy' and 'value'"):
        OnnxEvaluator(unknown_operator())


def test_observations_of_another_size_are_refused() -> None:
    with pytest.raises(HonteError, match="takes 12 numbers for a position and the game gives 9"):
        exact()(leaves(1, size=9))


def test_a_policy_of_another_size_is_refused() -> None:
    with pytest.raises(HonteError, match="a game with 6 actions"):
        exact()(leaves(1, actions=6))


def test_an_open_shape_has_to_be_given() -> None:
    model = linear_network((3, 4), 5)
    model.graph.input[0].type.tensor_type.shape.dim[2].Clear()
    with pytest.raises(HonteError, match="give an observation_shape"):
        OnnxEvaluator(model)
    with pytest.raises(HonteError, match="give an observation_shape"):
        OnnxEvaluator(model, observation_shape=(2, 6))
    assert OnnxEvaluator(model, observation_shape=(3, 4))(leaves(2)).value.shape == (2,)


def test_an_open_backend_can_be_shared_but_not_changed() -> None:
    backend = open_backend()
    first, second = exact_on(backend), exact_on(backend)
    assert first.backend is second.backend
    with pytest.raises(HonteError, match="open backend has its device, precision and streams"):
        OnnxEvaluator(linear_network((3, 4), 5), backend=backend, streams=1)


def exact_on(backend: object) -> OnnxEvaluator:
    return OnnxEvaluator(linear_network((3, 4), 5), backend=backend)  # type: ignore[arg-type]


@pytest.mark.parametrize("batch_size", [0, -3])
def test_an_empty_batch_size_is_refused(batch_size: int) -> None:
    with pytest.raises(HonteError, match=f"A batch of {batch_size} positions"):
        exact(batch_size=batch_size)
