"""Positions on boards of any size from games that a teacher's policy plays with itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from honte.errors import HonteError
from honte.evaluation import NetworkEvaluator
from honte.games.go import Go, GoState, Rules
from honte.training.from_records import VARIED_RULES
from honte.training.shards import UNKNOWN_ACTION, ShardBuilder

PARALLEL_GAMES = 32


def make_teacher_games(
    teacher: NetworkEvaluator,
    width: int,
    height: int,
    positions: int,
    out: Path,
    *,
    share: float = 0.25,
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write a shard of about ``positions`` samples of teacher's games on one board size.

    Moves are drawn from the policy, so games differ; rules and komi are drawn for every game. Of
    a game's positions a ``share`` is kept, none with a move or a result to learn from: those of a
    policy that plays at random are worth little beside the teacher's judgement. Returns the
    number of samples. Raises HonteError if the shard is there already or cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"shard-{width}x{height}-{seed:05}.npz"
    if path.exists():
        raise HonteError(f"{path} is there already: give another seed or folder.")
    random = np.random.Generator(np.random.Philox(key=[seed, width * 100 + height]))
    builder = ShardBuilder(height, width)
    games = [_new_game(width, height, random) for _ in range(PARALLEL_GAMES)]
    while len(builder) < positions:
        policies = teacher.evaluate(games).policy
        for place, (state, policy) in enumerate(zip(games, policies, strict=True)):
            if random.random() < share:
                builder.add(state, UNKNOWN_ACTION, float("nan"), 0)
            weights = policy.astype(np.float64)
            state.apply_action(int(random.choice(len(weights), p=weights / weights.sum())))
            if state.is_terminal() or state.move_number > 2 * width * height:
                games[place] = _new_game(width, height, random)
        if on_progress is not None:
            on_progress(min(len(builder), positions), positions)
    builder.shard().save(path)
    return len(builder)


def _new_game(width: int, height: int, random: np.random.Generator) -> GoState:
    rules = Rules.named(VARIED_RULES[int(random.integers(len(VARIED_RULES)))])
    komi = rules.default_komi
    if random.random() < 0.5:
        komi = float(np.round(2 * (komi + random.normal(0.0, 5.0))) / 2)
    return Go(width, height, rules, komi).new_initial_state()
