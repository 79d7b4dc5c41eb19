"""``honte train``: networks from records, from a teacher, from self-play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from honte.cli.cluster import ClusterAddress, machines_at_work
from honte.errors import HonteError

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from honte.cluster.learning import ClusterLearning
    from honte.cluster.self_play import ClusterSelfPlay
    from honte.training.distill import DistillOptions, Progress
    from honte.training.zero.config import ZeroConfig

train_app = typer.Typer(help="Make networks.", no_args_is_help=True)


@train_app.callback()
def _train() -> None:
    """Make networks: from game records, from a teacher, from self-play."""


def _needs_torch() -> None:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise HonteError("Training needs PyTorch: run `pip install 'honte[train]'`.")


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def _show(bar: Bar, task: TaskID, done: int, total: int) -> None:
    bar.update(task, completed=done, total=total)


@train_app.command()
def samples(
    games: Annotated[list[Path], typer.Argument(help="SGF collections, plain, .gz or .xz.")],
    out: Annotated[Path, typer.Option(help="An empty folder for the shards.")],
    share: Annotated[float, typer.Option(help="Share of the positions to take.")] = 1.0,
    varied: Annotated[
        float, typer.Option(help="Share to show under other rules and komi, for a teacher.")
    ] = 0.0,
    held_out: Annotated[int, typer.Option(help="Games kept for measuring.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    seed: Annotated[int, typer.Option(help="The same seed gives the same samples.")] = 0,
) -> None:
    """Make training samples of game records."""
    from honte.training.from_records import SampleOptions, make_samples

    options = SampleOptions(share=share, varied=varied, held_out=held_out, seed=seed)
    with _bar() as bar:
        task = bar.add_task("Games", total=None)
        tally = make_samples(
            games,
            out,
            options,
            workers=workers,
            on_progress=partial(_show, bar, task),
        )
    typer.echo(
        f"{tally.samples} samples of {tally.games - tally.held_out_games} games, "
        f"{tally.held_out_samples} of {tally.held_out_games} held-out games"
    )
    for words, counts in (("skipped", tally.skipped), ("cut short", tally.cut)):
        for reason, count in counts.most_common():
            typer.echo(f"{words}: {count} × {reason}")


@train_app.command("teacher-games")
def teacher_games(
    teacher: Annotated[Path, typer.Option(help="The network whose policy plays.")],
    out: Annotated[Path, typer.Option(help="The folder of shards to add to.")],
    size: Annotated[list[str], typer.Option(help="Board size, 9 or 13x9; may be repeated.")],
    positions: Annotated[int, typer.Option(min=1, help="Samples for each size.")] = 20000,
    seed: Annotated[int, typer.Option(help="Another seed gives other games.")] = 0,
) -> None:
    """Add samples on other board sizes from games of a teacher's policy with itself."""
    _needs_torch()
    from honte.evaluation import NetworkEvaluator
    from honte.training.teacher_games import make_teacher_games

    evaluator = NetworkEvaluator(teacher, batch_size=32)
    for text in size:
        sides = text.lower().split("x")
        if len(sides) > 2 or not all(side.isdigit() and 2 <= int(side) <= 25 for side in sides):
            raise HonteError(f"A board size is 9 or 13x9, from 2 to 25, not {text!r}.")
        width, height = int(sides[0]), int(sides[-1])
        with _bar() as bar:
            task = bar.add_task(f"{width}×{height}", total=positions)
            made = make_teacher_games(
                evaluator,
                width,
                height,
                positions,
                out,
                seed=seed,
                on_progress=partial(_show, bar, task),
            )
        typer.echo(f"{made} samples on {width}×{height}")


_Samples = Annotated[Path, typer.Option(help="Folder of shards, made by honte train samples.")]
_Blocks = Annotated[int, typer.Option(help="Residual blocks.")]
_Channels = Annotated[int, typer.Option(help="Channels of each block.")]
_Steps = Annotated[int, typer.Option(min=1, help="Batches to learn from in all.")]
_Batch = Annotated[int, typer.Option(min=1, help="Samples a batch.")]
_Seed = Annotated[int, typer.Option(help="The same seed gives the same run.")]
_Workers = Annotated[int, typer.Option(min=1, help="Threads; each computes part of a batch.")]
_Previous = Annotated[bool, typer.Option("--previous", help="Go on from the checkpoint before.")]


@train_app.command()
def supervised(
    run: Annotated[Path, typer.Argument(help="Folder of the run; goes on if it has begun.")],
    samples: _Samples,
    blocks: _Blocks = 6,
    channels: _Channels = 64,
    steps: _Steps = 6000,
    batch_size: _Batch = 128,
    seed: _Seed = 0,
    workers: _Workers = 2,
    previous: _Previous = False,
) -> None:
    """Learn to predict the moves and winners of game records."""
    _needs_torch()
    options = _options(samples, None, blocks, channels, steps, batch_size, seed, workers)
    _run(run, options, previous)


@train_app.command()
def distill(
    run: Annotated[Path, typer.Argument(help="Folder of the run; goes on if it has begun.")],
    samples: _Samples,
    teacher: Annotated[Path, typer.Option(help="The network to learn from.")],
    blocks: _Blocks = 6,
    channels: _Channels = 64,
    steps: _Steps = 6000,
    batch_size: _Batch = 128,
    played: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Share of the policy target that is the move of the record."
        ),
    ] = 0.5,
    seed: _Seed = 0,
    workers: _Workers = 2,
    previous: _Previous = False,
) -> None:
    """Learn from records and from what a stronger network says of their positions."""
    from dataclasses import replace

    _needs_torch()
    options = _options(samples, teacher, blocks, channels, steps, batch_size, seed, workers)
    options = replace(options, weights=replace(options.weights, played=played))
    _run(run, options, previous)


def _options(
    samples: Path,
    teacher: Path | None,
    blocks: int,
    channels: int,
    steps: int,
    batch_size: int,
    seed: int,
    workers: int,
) -> DistillOptions:
    from honte.training.architecture import Architecture
    from honte.training.distill import DistillOptions
    from honte.training.learner import OptimiserOptions

    return DistillOptions(
        samples=samples,
        teacher=teacher,
        architecture=Architecture(blocks, channels, pooled_channels=max(1, channels // 4)),
        optimiser=OptimiserOptions(workers=workers),
        steps=steps,
        batch_size=batch_size,
        seed=seed,
    )


def _say(line: str) -> None:
    """How far a run is: one line that a terminal keeps in its place, and a log below the last."""
    live = sys.stderr.isatty()
    shown, end = (f"\r{line}\x1b[K", "") if live else (line, "\n")
    print(shown, end=end, file=sys.stderr, flush=True)


def _run(folder: Path, options: DistillOptions, previous: bool) -> None:
    from honte.training.distill import run_distill

    def show(progress: Progress) -> None:
        losses = " ".join(f"{name} {value:.3f}" for name, value in progress.losses.items())
        line = (
            f"step {progress.step}/{progress.steps}  {progress.samples_per_second:.0f} samples/s  "
            f"{losses}  waiting {progress.waiting:.0%}"
        )
        names = {
            "top1": "top-1",
            "value": "winner",
            "top1_of_all": "top-1 of all",
            "value_of_all": "winner of all",
        }
        shares = [f"{names[name]} {value:.1%}" for name, value in (progress.held_out or {}).items()]
        if shares:
            line += f"  held out: {', '.join(shares)}"
        _say(line)

    network = run_distill(folder, options, use_previous=previous, on_progress=show)
    typer.echo(
        f"{folder / 'network.bin.gz'}: {network.description.architecture}, "
        f"{network.description.parameters} weights"
    )


@train_app.command()
def reinforce(
    run: Annotated[Path, typer.Argument(help="Folder of the run; goes on if it has begun.")],
    start: Annotated[Path, typer.Option(help="Folder of the supervised run to begin from.")],
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    komi: Annotated[float, typer.Option(help="White's points for moving second.")] = 7.0,
    iterations: Annotated[int, typer.Option(min=1, help="Rounds of games.")] = 100,
    games: Annotated[int, typer.Option(min=1, help="Games a round, against one opponent.")] = 128,
    pool_every: Annotated[int, typer.Option(min=1, help="Rounds between new opponents.")] = 10,
    seed: _Seed = 0,
    workers: _Workers = 2,
    previous: _Previous = False,
) -> None:
    """Improve a policy by policy gradient against earlier selves."""
    _needs_torch()
    from honte.training.policy_games import Board
    from honte.training.reinforce import ReinforceOptions, run_reinforce

    options = ReinforceOptions(
        start=start,
        board=Board(size, komi),
        iterations=iterations,
        games=games,
        pool_every=pool_every,
        workers=workers,
        seed=seed,
    )

    def show(done: int, won: float, measured: float | None) -> None:
        against = "" if measured is None else f", {measured:.1%} against the supervised policy"
        print(f"round {done}/{iterations}: won {won:.1%}{against}", file=sys.stderr, flush=True)

    run_reinforce(run, options, use_previous=previous, on_progress=show)
    typer.echo(f"{run / 'network.bin.gz'}")


@train_app.command("value-games")
def value_games(
    supervised: Annotated[Path, typer.Option(help="Folder of the supervised policy's run.")],
    reinforced: Annotated[Path, typer.Option(help="Folder of the reinforced policy's run.")],
    out: Annotated[Path, typer.Option(help="An empty folder for the samples.")],
    size: Annotated[int, typer.Option(min=2, max=25, help="Board size.")] = 9,
    komi: Annotated[float, typer.Option(help="White's points for moving second.")] = 7.0,
    games: Annotated[int, typer.Option(min=1, help="Games; each gives one sample.")] = 10_000,
    held_out: Annotated[int, typer.Option(min=0, help="Further games, for measuring.")] = 1000,
    seed: _Seed = 0,
) -> None:
    """Make samples for a value network: one position a game."""
    _needs_torch()
    from honte.training.policy_games import Board
    from honte.training.reinforce import trained_network
    from honte.training.value_games import make_value_games

    with _bar() as bar:
        task = bar.add_task("Games", total=games + held_out)
        make_value_games(
            trained_network(supervised),
            trained_network(reinforced),
            Board(size, komi),
            games,
            out,
            held_out=held_out,
            seed=seed,
            on_progress=partial(_show, bar, task),
        )
    typer.echo(f"{games} samples and {held_out} held out in {out}")


@train_app.command()
def value(
    run: Annotated[Path, typer.Argument(help="Folder of the run; goes on if it has begun.")],
    samples: Annotated[Path, typer.Option(help="Folder made by honte train value-games.")],
    blocks: _Blocks = 6,
    channels: _Channels = 64,
    steps: _Steps = 2000,
    batch_size: _Batch = 128,
    seed: _Seed = 0,
    workers: _Workers = 2,
    previous: _Previous = False,
) -> None:
    """Learn a value network, and say how far off it is beside random playouts."""
    _needs_torch()
    from dataclasses import replace

    from honte.training.losses import LossWeights
    from honte.training.reinforce import trained_network
    from honte.training.value_games import errors_by_phase

    options = _options(samples, None, blocks, channels, steps, batch_size, seed, workers)
    _run(run, replace(options, weights=LossWeights(policy=0.0)), previous)
    if not (samples / "rollouts.npz").exists():
        return
    typer.echo("mean squared error on held-out games")
    for phase in errors_by_phase(trained_network(run), samples):
        typer.echo(
            f"moves {phase.first_move:3} to {phase.last_move:3}: network {phase.network:.3f}, "
            f"playouts {phase.rollouts:.3f}, by patterns {phase.patterns:.3f} "
            f"({phase.positions} positions)"
        )


@train_app.command()
def rollout(
    run: Annotated[Path, typer.Argument(help="Folder of the run; goes on if it has begun.")],
    samples: _Samples,
    steps: _Steps = 1000,
    batch_size: _Batch = 512,
    diamonds: Annotated[
        int, typer.Option(min=1, help="Surroundings of the last move with weights of their own.")
    ] = 500,
    seed: _Seed = 0,
    previous: _Previous = False,
) -> None:
    """Learn the fast policy of playouts from game records."""
    _needs_torch()
    from honte.training.rollout_policy import RolloutOptions, RolloutProgress, run_rollout

    def show(progress: RolloutProgress) -> None:
        line = f"step {progress.step}/{progress.steps}  loss {progress.loss:.3f}"
        if progress.held_out:
            line += f"  held out: top-1 {progress.held_out['top1']:.1%}"
        _say(line)

    options = RolloutOptions(
        samples=samples, steps=steps, batch_size=batch_size, diamonds=diamonds, seed=seed
    )
    policy = run_rollout(run, options, use_previous=previous, on_progress=show)
    typer.echo(
        f"{run / 'rollout.npz'}: {len(policy.patterns)} patterns, {len(policy.diamonds)} "
        "surroundings of the last move"
    )


@train_app.command()
def zero(
    config: Annotated[Path, typer.Argument(help="The TOML file of the run.")],
    run: Annotated[Path, typer.Option(help="Folder of the run; goes on if it has begun.")],
    previous: _Previous = False,
    cluster: ClusterAddress = None,
) -> None:
    """Learn a game from nothing but its rules: self-play, learning, and again."""
    _needs_torch()
    from honte.training.zero.config import ZeroConfig
    from honte.training.zero.loop import ZeroProgress, run_zero

    said = -1
    table = ZeroConfig.from_toml(config)
    # A game or a network of the user's own may lie beside the run's file.
    sys.path.insert(0, str(config.resolve().parent))

    def show(progress: ZeroProgress) -> None:
        nonlocal said
        losses = " ".join(f"{name} {value:.3f}" for name, value in progress.losses.items())
        line = (
            f"iteration {progress.iteration + 1}/{progress.iterations}  {progress.doing}  "
            f"{progress.games} games  {progress.positions_per_second:.0f} {who(progress)}  "
            f"{progress.samples_per_second:.0f} samples/s (waiting {progress.waiting:.0%})  "
            f"{losses}"
        )
        if progress.elo is not None:
            line += f"  Elo {progress.elo:+.0f}"
        if sys.stderr.isatty() or (progress.iteration != said and progress.doing == "learning"):
            said = progress.iteration
            _say(line)

    with _crew_at(cluster, table) as (rounds, learning):

        def who(progress: ZeroProgress) -> str:
            if progress.iteration < table.self_play.playout_rounds:
                return "playouts/s"
            if rounds is not None:
                return f"evaluations/s ({machines_at_work(rounds.machines)})"
            if progress.utilisation is None:
                return "evaluations/s"
            return f"evaluations/s ({progress.utilisation:.0%} of the backend's)"

        file = run_zero(
            run,
            table,
            use_previous=previous,
            on_progress=show,
            play_round=rounds,
            take_steps=learning,
        )
    typer.echo(f"{file}")


@contextmanager
def _crew_at(
    address: str | None, config: ZeroConfig
) -> Iterator[tuple[ClusterSelfPlay | None, ClusterLearning | None]]:
    """Who plays and who learns: a cluster at an address, or for None this process."""
    if address is None:
        yield None, None
        return
    from honte.cluster import connect
    from honte.cluster.learning import ClusterLearning
    from honte.cluster.self_play import ClusterSelfPlay

    def say(sentence: str) -> None:
        print(f"\n{sentence}", file=sys.stderr, flush=True)

    with connect(address) as cluster:
        rounds = ClusterSelfPlay(cluster, config, say)
        learning = ClusterLearning(cluster, config, say)
        try:
            yield rounds, learning
        finally:
            learning.close()
            rounds.close()
