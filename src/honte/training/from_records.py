"""From game records to shards, in parallel."""

from __future__ import annotations

import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from honte.errors import HonteError
from honte.training.shards import ShardBuilder

if TYPE_CHECKING:
    from honte.games.go import GoState
    from honte.records import GameRecord


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """How records become samples."""

    share: float = 1.0
    """The share of a game's positions that is taken, at random."""
    varied: float = 0.0
    """The share of the samples that is shown under other rules and komi than the game's, for a
    teacher to judge; the result of the game is then not kept."""
    held_out: int = 0
    """Games kept for measuring, of each file in proportion."""
    games_per_shard: int = 128
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("share", "varied"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise HonteError(f"{name} is from 0 to 1, not {getattr(self, name)}.")
        if self.share == 0.0:
            raise HonteError("A share of 0 of the positions is no sample: give more.")
        if self.held_out < 0 or self.games_per_shard < 1:
            raise HonteError("held_out counts games from 0, games_per_shard from 1.")


@dataclass
class Tally:
    """What came of the records."""

    games: int = 0
    samples: int = 0
    held_out_games: int = 0
    held_out_samples: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Games that gave no sample, by reason."""
    cut: Counter[str] = field(default_factory=Counter)
    """Games used only up to a move that could not be played, by reason."""

    def add(self, other: Tally) -> None:
        """Count what another part of the work counted."""
        self.games += other.games
        self.samples += other.samples
        self.held_out_games += other.held_out_games
        self.held_out_samples += other.held_out_samples
        self.skipped += other.skipped
        self.cut += other.cut


@dataclass(frozen=True, slots=True)
class _Part:
    """Some games of one file, for one worker."""

    path: Path
    games: tuple[int, ...]
    numbers_from: int
    out: Path
    options: SampleOptions


def make_samples(
    collections: list[Path],
    out: Path,
    options: SampleOptions,
    *,
    workers: int = 2,
    on_progress: Callable[[int, int], None] | None = None,
) -> Tally:
    """Write shards of the games of SGF collections into a folder.

    ``on_progress`` gets the number of games done and of all games. Broken games are skipped and
    counted. Raises HonteError if no file can be read or nothing can be learned from them.
    """
    out.mkdir(parents=True, exist_ok=True)
    if any(out.glob("*.npz")):
        raise HonteError(f"{out} holds samples already: give an empty folder.")
    parts = list(_parts(collections, out, options))
    total = sum(len(part.games) for part in parts)
    tally = Tally()
    done = 0
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for counted in pool.imap_unordered(_work, parts):
            tally.add(counted)
            done += counted.games + sum(counted.skipped.values())
            if on_progress is not None:
                on_progress(done, total)
    if tally.samples == 0:
        reasons = ", ".join(f"{count} {why}" for why, count in tally.skipped.items())
        raise HonteError(f"No sample came of {total} games ({reasons or 'all are held out'}).")
    return tally


def _parts(collections: list[Path], out: Path, options: SampleOptions) -> Iterator[_Part]:
    lengths = [len(_games_of(path)) for path in collections]
    total = sum(lengths)
    if options.held_out >= total > 0:
        raise HonteError(f"Of {total} games {options.held_out} cannot be held out.")
    order = np.random.Generator(np.random.Philox(key=[options.seed, 0])).permutation(total)
    held_out = set(order[: options.held_out].tolist())
    first = 0
    shard = 0
    for path, length in zip(collections, lengths, strict=True):
        numbers = range(first, first + length)
        kept = [number for number in numbers if number not in held_out]
        apart = [number for number in numbers if number in held_out]
        for kind, chosen in (("shard", kept), ("held-out", apart)):
            # Neighbours in a collection are alike (one event, one opening): spread them.
            places = np.random.Generator(np.random.Philox(key=[options.seed, 1]))
            places.shuffle(chosen)
            for start in range(0, len(chosen), options.games_per_shard):
                games = tuple(chosen[start : start + options.games_per_shard])
                yield _Part(path, games, first, out / f"{kind}-{shard:05}.npz", options)
                shard += 1
        first += length


@lru_cache(maxsize=4)
def _games_of(path: Path) -> list[GameRecord]:
    from honte.records import load_collection

    return load_collection(path)


def _work(part: _Part) -> Tally:
    tally = Tally()
    held_out = part.out.name.startswith("held-out")
    builders: dict[tuple[int, int], ShardBuilder] = {}
    for number in part.games:
        record = _games_of(part.path)[number - part.numbers_from]
        try:
            taken = _add_game(record, number, part.options, held_out, builders, tally)
        except HonteError as error:
            tally.skipped[_reason(error)] += 1
            continue
        if not taken:
            tally.skipped["without moves"] += 1
            continue
        tally.games += 1
        tally.held_out_games += held_out
    for (height, width), builder in builders.items():
        name = part.out
        if len(builders) > 1:
            name = part.out.with_name(f"{part.out.stem}-{width}x{height}.npz")
        builder.shard().save(name)
        if held_out:
            tally.held_out_samples += len(builder)
        else:
            tally.samples += len(builder)
    return tally


def _reason(error: HonteError) -> str:
    from honte.records import IllegalRecordMove

    if isinstance(error, IllegalRecordMove):
        return str(error).partition("illegal: ")[2].partition(";")[0] or "illegal move"
    return str(error)


def _add_game(
    record: GameRecord,
    number: int,
    options: SampleOptions,
    held_out: bool,
    builders: dict[tuple[int, int], ShardBuilder],
    tally: Tally,
) -> int:
    """Add a game's samples; returns how many positions it has."""
    from honte.records import IllegalRecordMove

    moves = record.moves()
    winner = None if record.result is None else record.result.winner
    drawn = record.result is not None and record.result.text == "0"
    random = np.random.Generator(np.random.Philox(key=[options.seed, 2 + number]))
    positions = 0
    setup_moves = iter(moves)
    try:
        for state in record.states():
            if state.is_terminal():
                break
            move = next(setup_moves, None)
            if move is None:
                break
            player, action = move
            positions += 1
            take = held_out or random.random() < options.share
            if not take or player != state.to_play:
                continue
            value = float("nan")
            if winner is not None:
                value = 1.0 if winner == player else -1.0
            elif drawn:
                value = 0.0
            shown = state
            if not held_out and random.random() < options.varied:
                shown, value = _varied(state, random), float("nan")
            shape = (state.height, state.width)
            if shape not in builders:
                builders[shape] = ShardBuilder(*shape)
            builders[shape].add(shown, action, value, number)
    except IllegalRecordMove as error:
        if not positions:
            raise
        tally.cut[_reason(error)] += 1
    return positions


VARIED_RULES = (
    "tromp-taylor", "chinese", "chinese-ogs", "japanese", "korean", "aga", "new-zealand",
)  # fmt: skip
"""What positions are shown under for a network that is to understand every rule set."""


def _varied(state: GoState, random: np.random.Generator) -> GoState:
    """The position under rules and komi drawn at random; as it is where they forbid its moves."""
    from honte.games.go import Rules

    rules = Rules.named(VARIED_RULES[int(random.integers(len(VARIED_RULES)))])
    komi = rules.default_komi
    if random.random() < 0.5:
        komi = float(np.round(2 * (komi + random.normal(0.0, 8.0))) / 2)
    try:
        return state.with_rules(rules).with_komi(komi)
    except HonteError:
        return state
