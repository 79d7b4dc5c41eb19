"""A checkpoint is whole or refused, and the one before it is offered."""

import errno
import os

import pytest

from honte.errors import HonteError

torch = pytest.importorskip("torch")

from honte.training.checkpoint import (  # noqa: E402
    load_checkpoint,
    previous_of,
    save_checkpoint,
)


@pytest.fixture
def path(tmp_path):
    for step in (1, 2):
        save_checkpoint(tmp_path / "run.pt", {"step": step, "weights": torch.full((50,), step)})
    return tmp_path / "run.pt"


def test_the_last_two_are_kept(path):
    assert load_checkpoint(path)["step"] == 2
    assert load_checkpoint(previous_of(path))["step"] == 1
    assert sorted(p.name for p in path.parent.iterdir()) == ["run.pt", "run.pt.previous"]


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "empty"])
def test_a_damaged_checkpoint_is_refused_and_the_last_good_one_named(path, damage):
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 1
    cut = {
        "cut": content[: len(content) // 2],
        "flipped": content,
        "foreign": b"PK\3\4",
        "empty": b"",
    }
    path.write_bytes(cut[damage])
    with pytest.raises(HonteError, match=r"damaged.*last good checkpoint is .*previous"):
        load_checkpoint(path)
    previous_of(path).write_bytes(b"")
    with pytest.raises(HonteError, match="no good checkpoint before it"):
        load_checkpoint(path)


def test_a_full_disk_leaves_the_checkpoint_as_it_was(path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(HonteError, match=r"No space left on device.*untouched"):
        save_checkpoint(path, {"step": 3})
    monkeypatch.undo()
    assert load_checkpoint(path)["step"] == 2
    assert len(list(path.parent.iterdir())) == 2
