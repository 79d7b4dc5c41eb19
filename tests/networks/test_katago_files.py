"""Reading and writing KataGo's files, and refusing what is none with one sentence."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honte.errors import HonteError
from honte.networks import load
from honte.networks.katago_graph import katago_graph
from honte.networks.katago_reader import read_katago
from honte.networks.katago_writer import katago_bytes, write_katago
from honte.networks.layers import Activation, Block, KataGoModel, parameter_count
from random_networks import RandomLayers, random_network
from shared_data import shared_file

CONTENT = katago_bytes(random_network(14, activation=Activation.RELU), binary=True)
PACKED = gzip.compress(CONTENT, mtime=0)


def refusal(path: Path) -> str:
    """The sentence with which a file is refused; it names the file and stands on one line."""
    with pytest.raises(HonteError) as caught:
        load(path)
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


def read_or_sentence(path: Path) -> tuple[KataGoModel | None, str]:
    try:
        return read_katago(path), ""
    except HonteError as error:
        return None, str(error)


@pytest.mark.parametrize("ending", [".bin.gz", ".txt.gz", ".bin", ".txt"])
@pytest.mark.parametrize("version", range(8, 18))
def test_what_is_written_is_read_back(version: int, ending: str, tmp_path: Path) -> None:
    model = random_network(version, transformer=version == 17, meta=version >= 15)
    path = tmp_path / f"net{ending}"
    write_katago(model, path)
    again = read_katago(path)
    assert katago_bytes(again, binary=True) == katago_bytes(model, binary=True)
    assert (again.name, again.version, again.scales) == (model.name, version, model.scales)
    assert again.pass_alive_as_if_suicide == (version == 17)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "name", ["g170-b6c96-s175395328-d26788732.bin.gz", "b7c96h3tfrs-test5-cnorm.bin.gz"]
)
def test_public_networks_survive_a_round_trip_byte_for_byte(name: str) -> None:
    path = shared_file("networks", name)
    model = read_katago(path)
    assert katago_bytes(model, binary=True) == gzip.decompress(path.read_bytes())
    assert model.name == name.removesuffix(".bin.gz")


def test_the_count_of_parameters_leaves_out_running_statistics() -> None:
    model = read_katago(shared_file("networks", "g170-b6c96-s175395328-d26788732.bin.gz"))
    block = model.trunk.blocks[0]
    # 96 → 96 → 96 with 3 × 3 kernels; two biases, and a scale where the second norm is.
    assert parameter_count(block) == 2 * 96 * 96 * 9 + 3 * 96


def test_the_ending_of_the_name_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "weights.from.somewhere"
    path.write_bytes(PACKED)
    assert load(path).name == "random-v14"


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert "no network file" in refusal(tmp_path / "nowhere.bin.gz")
    refusal(tmp_path)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.bin.gz"
    path.write_bytes(b"")
    assert "empty" in refusal(path)


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("part", [i / 23 for i in range(23)] + [0.9999])
def test_a_file_cut_short(packed: bool, part: float, tmp_path: Path) -> None:
    whole = PACKED if packed else CONTENT
    path = tmp_path / "cut.bin.gz"
    path.write_bytes(whole[: int(part * (len(whole) - 1))])
    refusal(path)


def test_a_packed_file_that_lacks_only_its_checksum(tmp_path: Path) -> None:
    path = tmp_path / "cut.bin.gz"
    path.write_bytes(PACKED[:-1])
    assert "cut short" in refusal(path)


def foreign_files() -> dict[str, bytes]:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("data.pkl", b"weights")
    random = np.random.default_rng(1)
    return {
        "PNG": b"\x89PNG\r\n\x1a\n" + bytes(40),
        "game record": b"(;GM[1]FF[4]SZ[19];B[pd])",
        "pickle": pickle.dumps({"weights": [1.0]}),
        "zip": archive.getvalue(),
        "web page": b"<!DOCTYPE html><html><body>404</body></html>",
        "JSON": b'{"weights": []}',
        "": random.bytes(4096),
        "version number": b"A letter to a friend, who asked for a network.",
        "ends": b"name",
        "unreadable": b"x" * 100_000,
    }


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", list(foreign_files()))
def test_foreign_content_is_named(kind: str, packed: bool, tmp_path: Path) -> None:
    content = foreign_files()[kind]
    path = tmp_path / "foreign.bin.gz"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert kind in refusal(path)


def test_random_bytes_are_refused(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    for trial in range(200):
        path = tmp_path / f"{trial}.bin.gz"
        path.write_bytes(random.bytes(int(random.integers(1, 300))))
        refusal(path)


@pytest.mark.parametrize("version", ["7", "18", "0", "99999999", "-1", "8.5"])
def test_versions_that_are_not_known(version: str, tmp_path: Path) -> None:
    path = tmp_path / "version.bin"
    path.write_bytes(CONTENT.replace(b"random-v14\n14\n", f"random-v14\n{version}\n".encode(), 1))
    assert "version" in refusal(path)


def with_first_convolution(kernel: int, outputs: int) -> bytes:
    """The network's content up to its first weights, with other sizes claimed there."""
    header = CONTENT[: CONTENT.index(b"@BIN@")]
    header = re.sub(rb"(trunk[0-9]+\n3\n)8\n", rb"\g<1>%d\n" % outputs, header)
    return header.replace(b"5\n5\n22\n8\n", b"%d\n%d\n22\n%d\n" % (kernel, kernel, outputs))


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("kernel", "outputs", "complaint"),
    [(5, 199_999, "ends after"), (37, 99_999, "more than any"), (5, 999_999_999, "more than any")],
)
def test_a_false_size_does_not_allocate(
    kernel: int, outputs: int, complaint: str, packed: bool, tmp_path: Path
) -> None:
    content = with_first_convolution(kernel, outputs) + b"@BIN@" + bytes(400_000)
    path = tmp_path / "size.bin"
    path.write_bytes(gzip.compress(content) if packed else content)
    tracemalloc.start()
    assert complaint in refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6


def test_a_decompression_bomb_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "bomb.bin.gz"
    # A thousand times smaller than what it unpacks to.
    path.write_bytes(PACKED + gzip.compress(b"1" + bytes(200_000_000), 9))
    tracemalloc.start()
    assert "follows" in refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("ending", [".bin", ".txt"])
def test_weights_that_are_no_numbers(value: float, ending: str, tmp_path: Path) -> None:
    model = random_network(11)
    model.value.hidden.weights[1, 2] = value
    path = tmp_path / f"nan{ending}"
    write_katago(model, path)
    assert "not a finite number" in refusal(path)


def test_a_negative_variance(tmp_path: Path) -> None:
    model = random_network(11)
    model.value.points_norm.variance[0] = -1
    write_katago(model, tmp_path / "variance.bin")
    assert "variance" in refusal(tmp_path / "variance.bin")


@pytest.mark.parametrize("packed", [False, True])
def test_data_after_the_end(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "more.bin.gz"
    more = CONTENT + b"more"
    path.write_bytes(gzip.compress(more) if packed else more)
    assert "follows" in refusal(path)
    path.write_bytes(gzip.compress(CONTENT + b"\n \n"))
    assert load(path).name == "random-v14"
    path.write_bytes(PACKED + b"more")
    refusal(path)


def test_layers_that_do_not_fit_each_other(tmp_path: Path) -> None:
    model = random_network(11)
    head = model.value
    wrong = type(head.ownership)("narrow", head.ownership.weights[:, :2])
    object.__setattr__(head, "ownership", wrong)
    write_katago(model, tmp_path / "fit.bin")
    assert "narrow" in refusal(tmp_path / "fit.bin")


def test_blocks_nested_without_end(tmp_path: Path) -> None:
    layers = RandomLayers(14, 1, Activation.RELU)
    block: Block = layers.ordinary(8, 4)
    for _ in range(200):
        block = layers.nested(8, 8, block)
    model = random_network(14)
    object.__setattr__(model.trunk, "blocks", (block,))
    write_katago(model, tmp_path / "nested.bin")
    assert "nested more than" in refusal(tmp_path / "nested.bin")


@settings(max_examples=300)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(0, 255)), min_size=1, max_size=4
    ),
    packed=st.booleans(),
)
def test_flipped_bytes_are_read_or_refused(
    changes: list[tuple[int, int]], packed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A changed weight may pass, but nothing crashes, and a packed file shows that it changed."""
    content = bytearray(PACKED if packed else CONTENT)
    for position, value in changes:
        content[position % len(content)] = value
    path = tmp_path_factory.mktemp("flips") / "net.bin.gz"
    path.write_bytes(content)
    model, sentence = read_or_sentence(path)
    if model is None:
        assert str(path) in sentence
        assert "\n" not in sentence
    elif packed:
        assert katago_bytes(model, binary=True) == CONTENT


@settings(max_examples=200)
@given(position=st.integers(0, 700), insert=st.binary(max_size=12), delete=st.integers(0, 12))
def test_a_damaged_header_is_read_or_refused(
    position: int, insert: bytes, delete: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("header") / "net.bin"
    path.write_bytes(CONTENT[:position] + insert + CONTENT[position + delete :])
    model, sentence = read_or_sentence(path)
    assert model is not None or str(path) in sentence
    if model is not None:
        katago_graph(model)


def test_numbers_far_apart_in_a_text_file_keep_every_digit(tmp_path: Path) -> None:
    """Text is read in pieces, and the end of a piece may fall inside a number."""
    text = katago_bytes(random_network(11, seed=3), binary=False)
    path = tmp_path / "spaced.txt"
    for gap in (100, 301):
        path.write_bytes(text.replace(b" ", b" " * gap))
        assert katago_bytes(read_katago(path), binary=False) == text
