"""KataGo networks answer leaves of Go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from honte import _core
from honte.errors import HonteError
from honte.evaluation import AsyncEvaluator, Evaluation, NetworkEvaluator
from honte.networks import Network, OutputScales, from_katago, load
from honte.networks.backends import BackendKind, Precision
from honte.networks.outputs import interpret_value
from leaf_rows import LeafRows, go_rows
from random_networks import random_network
from shared_data import shared_file

FLOAT32 = Precision.FLOAT32


def small(version: int = 8, **options: object) -> NetworkEvaluator:
    network = from_katago(random_network(version, seed=4))
    return NetworkEvaluator(network, **{"precision": FLOAT32, **options})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def b6c96() -> Network:
    return load(shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz"))


def each_output(answer: Evaluation) -> Iterator[tuple[str, np.ndarray]]:
    for name in ("value", "policy_logits", "score_mean", "score_stdev", "score_lead", "ownership"):
        output = getattr(answer, name)
        assert output is not None, name
        yield name, output


def test_it_is_an_asynchronous_evaluator() -> None:
    evaluator = small(streams=2, batch_size=4)
    assert isinstance(evaluator, AsyncEvaluator)
    assert (evaluator.streams, evaluator.preferred_batch_size) == (2, 4)


def test_it_says_network_library_device_and_precision() -> None:
    said = small(backend=BackendKind.OPENVINO, streams=2, batch_size=4).describe()
    assert said.startswith("random-v8: OpenVINO 20")
    assert said.endswith("on the CPU in float32, 2 streams, batches of 4")


@pytest.mark.parametrize("no_result", ["impossible", "simple ko", "territory"])
@pytest.mark.parametrize("version", [8, 9, 10, 15])
def test_the_search_reads_the_numbers_that_the_network_means(version: int, no_result: str) -> None:
    random = np.random.default_rng(version)
    value = random.normal(size=(5, 3)).astype(np.float32)
    misc = random.normal(size=(5, 4 if version == 8 else 6)).astype(np.float32)
    scales = OutputScales(version)
    core = _core.ValueScales(
        version, scales.score_mean, scales.score_stdev, scales.lead, scales.short_term_value
    )
    globals_ = np.zeros((5, 19), np.float32)
    globals_[:, 6] = 1  # positional ko
    if no_result == "simple ko":
        globals_[[0, 3], 6] = 0
    elif no_result == "territory":
        globals_[[0, 3], 9] = 1
    possible = np.array([no_result != "impossible" and row in (0, 3) for row in range(5)])
    read = _core.read_katago_values(value, misc, globals_, 5, core)
    meant = interpret_value(value, misc, scales, possible)
    expected = [meant.value, meant.score_mean, meant.score_stdev, meant.lead, meant.no_result]
    np.testing.assert_allclose(read[:5], expected, rtol=1e-4, atol=1e-6)
    if version >= 9:
        np.testing.assert_allclose(read[5], meant.short_term_value_error, rtol=1e-5)


def test_what_is_not_a_number_stays_none() -> None:
    """NaN must reach the search, which refuses it."""
    bad = np.full((1, 4), np.nan, np.float32)
    core = _core.ValueScales(8, 20, 20, 20, 0.25)
    value, globals_ = bad[:, :3].copy(), np.zeros((1, 19), np.float32)
    assert np.isnan(_core.read_katago_values(value, bad, globals_, 1, core)[:5]).all()


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_a_padded_batch_says_what_single_rows_say(rows: int) -> None:
    evaluator = small(batch_size=4)
    batch = go_rows(rows, 5, 7)
    batch.wants_ownership = True
    together = dict(each_output(evaluator(batch)))
    assert together["policy_logits"].shape == (rows, 36)
    assert together["ownership"].shape == (rows, 35)
    for row in range(rows):
        one = slice(row, row + 1)
        alone = LeafRows(None, 36, batch.spatial[one], batch.globals_[one], wants_ownership=True)
        for name, output in each_output(evaluator(alone)):
            np.testing.assert_allclose(together[name][row], output[0], rtol=1e-4, atol=1e-4)


def test_boards_of_many_shapes_share_one_evaluator() -> None:
    evaluator = small()
    pending = [evaluator.submit(go_rows(2, *shape)) for shape in ((5, 5), (3, 9), (5, 5), (9, 3))]
    sizes = [answer.result().policy_logits.shape for answer in pending]
    assert sizes == [(2, 26), (2, 28), (2, 26), (2, 28)]


def test_a_smaller_board_in_the_corner_is_evaluated_as_if_alone() -> None:
    evaluator = small()
    alone = go_rows(1, 5, 5)
    padded = go_rows(1, 7, 8)
    padded.spatial[:] = 0
    padded.spatial[:, :, :5, :5] = alone.spatial
    found, expected = evaluator(padded), evaluator(alone)
    np.testing.assert_allclose(found.value, expected.value, atol=1e-5)
    np.testing.assert_allclose(
        found.policy_logits[0, :-1].reshape(7, 8)[:5, :5],
        expected.policy_logits[0, :-1].reshape(5, 5),
        atol=1e-4,
    )


def test_ownership_is_made_only_when_it_is_wanted() -> None:
    evaluator = small()
    batch = go_rows(2, 5, 5)
    assert evaluator(batch).ownership is None
    batch.wants_ownership = True
    ownership = evaluator(batch).ownership
    assert ownership is not None
    assert np.abs(ownership).max() <= 1


def test_batches_can_be_asked_for_in_any_order() -> None:
    evaluator = small(streams=2)
    batches = [go_rows(2, 5, 5, seed=seed) for seed in range(6)]
    expected = [evaluator(batch).value for batch in batches]
    pending = [evaluator.submit(batch) for batch in batches]
    for index in (5, 0, 3, 1, 4, 2):
        np.testing.assert_array_equal(pending[index].result().value, expected[index])


def test_one_stream_and_two_give_the_same_bits(b6c96: Network) -> None:
    batch = go_rows(8, 9, 9)
    one, two = (NetworkEvaluator(b6c96, streams=streams) for streams in (1, 2))
    for evaluator in (one, two):
        assert evaluator.preferred_batch_size == one.preferred_batch_size
    expected = one(batch)
    for answer in [two.submit(batch) for _ in range(4)]:
        found = answer.result()
        np.testing.assert_array_equal(found.value, expected.value)
        np.testing.assert_array_equal(found.policy_logits, expected.policy_logits)


def test_optimism_moves_the_policy_to_the_optimistic_one() -> None:
    network = from_katago(random_network(12, seed=4))
    batch = go_rows(2, 5, 5)
    plain, half, optimistic = (
        NetworkEvaluator(network, precision=FLOAT32, policy_optimism=share)(batch).policy_logits
        for share in (0.0, 0.5, 1.0)
    )
    assert not np.allclose(plain, optimistic)
    np.testing.assert_allclose(half, (plain + optimistic) / 2, atol=1e-5)


def test_other_games_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        small().submit(LeafRows(np.zeros((1, 9), np.float32), 9))


def test_networks_that_read_a_description_of_the_players_run_without_one() -> None:
    network = from_katago(random_network(15, meta=True))
    answer = NetworkEvaluator(network, precision=FLOAT32)(go_rows(2, 5, 5))
    assert np.isfinite(answer.value).all()


def test_warming_up_compiles_every_batch_size() -> None:
    evaluator = small(batch_size=8)
    evaluator.warm_up((5, 5))
    assert sorted(evaluator._program((5, 5))._compiled) == [1, 2, 4, 8]


def test_bfloat16_hardly_changes_what_a_real_network_says(b6c96: Network) -> None:
    from honte.networks.backends.openvino import supports_bfloat16

    if not supports_bfloat16():
        pytest.skip("this processor has no bfloat16 arithmetic")
    batch = go_rows(8, 9, 9)
    exact, rounded = (
        NetworkEvaluator(b6c96, precision=precision)(batch)
        for precision in (FLOAT32, Precision.BFLOAT16)
    )
    np.testing.assert_allclose(rounded.value, exact.value, atol=0.05)
    np.testing.assert_allclose(rounded.score_lead, exact.score_lead, atol=1.0)
    assert not np.array_equal(rounded.value, exact.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "A batch of 0 positions"),
        ({"policy_optimism": 1.5}, "Policy optimism is from 0 to 1"),
        ({"streams": 0}, "0 streams"),
        ({"precision": "float32"}, "one of Precision.FLOAT32, .* not 'float32'"),
        ({"backend": "onnxruntime"}, "not 'onnxruntime'"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(HonteError, match=message):
        small(**options)


def test_a_missing_file_is_one_sentence() -> None:
    with pytest.raises(HonteError, match=r"nowhere\.bin\.gz"):
        NetworkEvaluator("nowhere.bin.gz")
