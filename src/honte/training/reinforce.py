"""Policy gradient: a policy network of Go plays against earlier selves and learns what won.

AlphaGo's second step [Silver 2016]: from the supervised policy, REINFORCE [Williams 1992] on games
against an opponent drawn from a pool of earlier selves, so that it does not learn to beat one
opponent alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from honte.errors import HonteError
from honte.networks.network import Network
from honte.training.architecture import Architecture
from honte.training.checkpoint import (
    load_checkpoint,
    previous_of,
    save_checkpoint,
)
from honte.training.distill import export
from honte.training.learner import Learner, OptimiserOptions, has_fast_bfloat16
from honte.training.losses import masked_logits
from honte.training.networks import GoNetwork
from honte.training.policy_games import Board, Moves, play
from honte.training.runs import RunFolder

FREE_TO_CHANGE = frozenset({"iterations", "workers"})
ROWS_A_STEP = 512
"""Moves that one step learns from; a round of games gives several steps."""


@dataclass(frozen=True, slots=True)
class ReinforceOptions:
    """A run of policy gradient."""

    start: Path
    """The folder of the run that made the supervised policy."""
    board: Board = field(default_factory=Board)
    iterations: int = 100
    games: int = 128
    """Games an iteration, against one opponent [AlphaGo: 128]."""
    pool_every: int = 10
    """Iterations between selves that join the pool [AlphaGo: 500, in longer runs]."""
    measured_games: int = 128
    """Against the supervised policy, each time a self joins the pool."""
    learning_rate: float = 1e-4
    """Far below that of supervised learning: a game says little about any one of its moves."""
    workers: int = 2
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.iterations, self.games, self.pool_every, self.measured_games) < 1:
            raise HonteError("iterations, games, pool_every and measured_games are at least 1.")


def trained_network(folder: Path) -> GoNetwork:
    """The network of Go that a run has made so far. Raises HonteError where there is none."""
    config = RunFolder(folder).config()
    prefix = "architecture."
    sizes = {
        name.removeprefix(prefix): value
        for name, value in config.items()
        if name.startswith(prefix)
    }
    if not sizes:
        raise HonteError(f"The run in {folder} did not make a network of Go by itself.")
    network = GoNetwork(Architecture(**sizes))
    network.load_state_dict(load_checkpoint(RunFolder(folder).checkpoint)["learner"]["mean"])
    network.requires_grad_(False)
    return network


@dataclass(frozen=True, slots=True)
class _Part:
    spatial: Tensor
    numbers: Tensor
    action: Tensor
    advantage: Tensor
    """[N]: the result of the game less the mean result of the round."""


def run_reinforce(
    folder: Path,
    options: ReinforceOptions,
    *,
    use_previous: bool = False,
    on_progress: Callable[[int, float, float | None], None] | None = None,
) -> Network:
    """Learn to the end, or go on; returns the reinforced policy as a network.

    ``on_progress`` gets the iterations done, the win rate of the round against its opponent, and
    that of the last measurement against the supervised policy. The same seed gives the same run.
    Raises HonteError as :func:`honte.training.distill.run_distill` does.
    """
    torch.set_num_threads(1)
    run = RunFolder(folder)
    supervised = trained_network(options.start)
    architecture = asdict(supervised.architecture)
    run.open(
        {
            "kind": "reinforce",
            "start": str(options.start),
            **{f"architecture.{name}": value for name, value in architecture.items()},
            **{f"board.{name}": value for name, value in asdict(options.board).items()},
            **{
                name: getattr(options, name)
                for name in (
                    "iterations", "games", "pool_every", "measured_games", "learning_rate",
                    "workers", "seed",
                )
            },
        },
        FREE_TO_CHANGE,
    )  # fmt: skip
    network = GoNetwork(supervised.architecture)
    network.load_state_dict(supervised.state_dict())
    learner: Learner[GoNetwork, _Part] = Learner(
        network,
        OptimiserOptions(weight_decay=0.0, mean_decay=0.9, workers=options.workers),
        _loss,
        autocast=has_fast_bfloat16(),
    )
    pool = [supervised.state_dict()]
    done = 0
    if run.checkpoint.exists():
        saved = load_checkpoint(previous_of(run.checkpoint) if use_previous else run.checkpoint)
        learner.restore(saved["learner"])
        pool, done = saved["pool"], int(saved["iteration"])
        run.forget_after(done)
    opponent = GoNetwork(supervised.architecture)
    measured: float | None = None
    while done < options.iterations:
        random = np.random.Generator(np.random.Philox(key=[options.seed, done]))
        opponent.load_state_dict(pool[int(random.integers(len(pool)))])
        players = (learner.network, opponent)
        results, moves = play(options.board, players, options.games, random, watch=0)
        values = _learn(learner, options, results, moves, random)
        done += 1
        values["win_rate"] = float((results > 0).mean())
        if done % options.pool_every == 0 or done == options.iterations:
            pool.append({name: value.clone() for name, value in learner.mean.state_dict().items()})
            measured = against(options.board, learner.mean, supervised, options, done)
            values["win_rate_against_supervised"] = measured
        state = {"learner": learner.state(), "pool": pool, "iteration": done}
        save_checkpoint(run.checkpoint, state)
        run.log(done, values)
        if on_progress is not None:
            on_progress(done, values["win_rate"], measured)
    return export(learner.mean, folder.name, folder / "network.bin.gz")


def against(
    board: Board,
    network: GoNetwork,
    supervised: GoNetwork,
    options: ReinforceOptions,
    iteration: int,
) -> float:
    """The win rate of a policy against the supervised one, moves drawn from both."""
    random = np.random.Generator(np.random.Philox(key=[options.seed, (1 << 32) + iteration]))
    results, _ = play(board, (network, supervised), options.measured_games, random)
    return float((results > 0).mean() + 0.5 * (results == 0).mean())


def _loss(network: GoNetwork, part: _Part) -> dict[str, Tensor]:
    outputs = network(part.spatial, part.numbers)
    log_policy = masked_logits(outputs, part.spatial).log_softmax(dim=1)
    chosen = log_policy.gather(1, part.action[:, None])[:, 0]
    return {"total": -(part.advantage * chosen).mean()}


def _learn(
    learner: Learner[GoNetwork, _Part],
    options: ReinforceOptions,
    results: np.ndarray[tuple[int], np.dtype[np.float32]],
    moves: list[Moves],
    random: np.random.Generator,
) -> dict[str, float]:
    """One pass over the moves of a round. The mean result is taken off, so that a round against a
    weak opponent does not push every move up."""
    advantage = np.repeat(results - results.mean(), [len(one.actions) for one in moves])
    spatial = np.concatenate([np.stack(one.spatial) for one in moves if one.actions])
    numbers = np.concatenate([np.stack(one.numbers) for one in moves if one.actions])
    action = np.array([action for one in moves for action in one.actions], np.int64)
    order = random.permutation(len(action))
    total, steps = 0.0, 0
    workers = options.workers
    for start in range(0, len(order), ROWS_A_STEP):
        rows = order[start : start + ROWS_A_STEP]
        share = len(rows) // workers
        if share == 0:
            continue
        parts = []
        for worker in range(workers):
            own = rows[worker * share : (worker + 1) * share]
            parts.append(
                _Part(
                    torch.from_numpy(spatial[own].astype(np.float32)),
                    torch.from_numpy(numbers[own]),
                    torch.from_numpy(action[own]),
                    torch.from_numpy(advantage[own].astype(np.float32)),
                )
            )
        total += learner.step(parts, options.learning_rate)["total"]
        steps += 1
    return {"loss": total / max(1, steps), "moves_a_game": len(action) / len(moves)}
