"""From records to samples: what a row says, which games are left out, and what a batch shows."""

import lzma

import numpy as np
import pytest

from honte import records
from honte.errors import HonteError
from honte.games.go import parse_vertex
from honte.training.batches import BatchStream, Place, make_batch
from honte.training.from_records import SampleOptions, make_samples
from honte.training.shards import Shard, held_out_paths, shard_paths
from honte.training.symmetries import point_permutations

GOOD = "(;GM[1]SZ[9]KM[7]RU[Chinese]RE[B+3];B[ee];W[cc];B[gg];W[gc];B[cg])"
LOST = "(;GM[1]SZ[9]KM[7]RU[Chinese]RE[W+R];B[ce];W[gc];B[gg])"
ILLEGAL = "(;GM[1]SZ[9]KM[7]RE[B+R];B[ee];W[ee];B[aa])"
EMPTY = "(;GM[1]SZ[9]KM[7]RE[B+R])"


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    path = tmp_path_factory.mktemp("games") / "games.sgf.xz"
    path.write_bytes(lzma.compress("".join([GOOD, LOST, ILLEGAL, EMPTY] * 2).encode()))
    return path


def test_broken_games_are_counted_by_reason(collection, tmp_path):
    tally = make_samples([collection], tmp_path / "out", SampleOptions(), workers=1)
    assert tally.skipped == {"without moves": 2}
    assert tally.cut == {"there is a stone already": 2}
    assert tally.games == 6
    assert tally.samples == 2 * (5 + 3 + 2)


def test_a_row_holds_the_move_and_the_winner_for_the_side_to_move(tmp_path):
    (tmp_path / "one.sgf").write_text(GOOD)
    make_samples([tmp_path / "one.sgf"], tmp_path / "out", SampleOptions(), workers=1)
    shard = Shard.load(shard_paths(tmp_path / "out")[0])
    moves = [parse_vertex(vertex, 9, 9) for vertex in ("E5", "C7", "G3", "G7", "C3")]
    assert shard.action.tolist() == moves
    assert shard.value.tolist() == [1, -1, 1, -1, 1]
    assert shard.spatial()[4, 1:3].reshape(2, -1).sum(axis=1).tolist() == [2, 2]
    assert shard.spatial()[4, 1].reshape(-1)[moves[0]] == 1
    np.testing.assert_allclose(shard.numbers[:, 5] * 20, [-7, 7, -7, 7, -7])


def test_held_out_games_are_in_no_training_shard(collection, tmp_path):
    make_samples([collection], tmp_path / "out", SampleOptions(held_out=3), workers=1)
    trained = {int(g) for p in shard_paths(tmp_path / "out") for g in Shard.load(p).game}
    measured = {int(g) for p in held_out_paths(tmp_path / "out") for g in Shard.load(p).game}
    assert measured
    assert not trained & measured


def test_an_empty_collection_and_a_folder_in_use_are_refused(collection, tmp_path):
    (tmp_path / "empty.sgf").write_text(EMPTY)
    with pytest.raises(HonteError, match=r"No sample came of 1 games \(1 without moves"):
        make_samples([tmp_path / "empty.sgf"], tmp_path / "a", SampleOptions(), workers=1)
    make_samples([collection], tmp_path / "b", SampleOptions(), workers=1)
    with pytest.raises(HonteError, match="holds samples already"):
        make_samples([collection], tmp_path / "b", SampleOptions(), workers=1)
    with pytest.raises(HonteError, match="holds no samples"):
        shard_paths(tmp_path / "nowhere")


def test_a_turned_batch_is_the_core_s_own_turned_position(tmp_path):
    """Planes and move under each symmetry agree with what the core shows of the position."""
    from honte._core import katago_features

    (tmp_path / "one.sgf").write_text(GOOD)
    make_samples([tmp_path / "one.sgf"], tmp_path / "out", SampleOptions(), workers=1)
    shard = Shard.load(shard_paths(tmp_path / "out")[0])
    record = records.loads(GOOD)
    state = record.state_at(3)
    row = shard.take(np.array([3]))
    for symmetry in range(8):
        batch = make_batch(row, None, np.array([symmetry]))
        spatial, _ = katago_features(state, 9, 9, symmetry)
        np.testing.assert_array_equal(batch.spatial[0], spatial)
        assert batch.action[0] == state.transform_action(int(row.action[0]), symmetry)
    assert len(point_permutations(9, 7)) == 4


def test_a_stream_goes_on_where_it_was_left(collection, tmp_path):
    options = SampleOptions(games_per_shard=1)
    make_samples([collection], tmp_path / "out", options, workers=1)
    shards = shard_paths(tmp_path / "out")

    def read(start, count):
        stream = BatchStream(shards, 3, seed=5, start=start)
        found = [stream.next() for _ in range(count)]
        stream.close()
        return found

    whole = read(Place(), 9)
    rest = read(whole[3][1], 5)
    for (batch, place), (again, same) in zip(whole[4:], rest, strict=True):
        assert place == same
        np.testing.assert_array_equal(batch.spatial, again.spatial)
        np.testing.assert_array_equal(batch.action, again.action)
    assert len({batch.action.tobytes() for batch, _ in whole}) > 4
