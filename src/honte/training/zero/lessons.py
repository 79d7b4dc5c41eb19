"""The steps of learning between two rounds of games, in this process or wherever else they are
taken: the same steps, since each is a function of the seed, its number and the rounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import nn

from honte.training.learner import Learner, OptimiserOptions, has_fast_bfloat16
from honte.training.zero.config import ZeroConfig
from honte.training.zero.game import ZeroGame, open_game
from honte.training.zero.learning import Part, draw_parts, loss, new_network
from honte.training.zero.replay import Replay, ZeroSamples

ZeroLearner = Learner[nn.Module, Part]

STEPS_BETWEEN_CHECKPOINTS = 100


@dataclass(frozen=True, slots=True)
class Lesson:
    """Steps that are to be taken."""

    counts: tuple[int, ...]
    """Samples of each round so far."""
    until: int
    """How many steps of the run there are then."""
    rate: float
    """The learning rate, but for its rise in the first hundred steps of a run."""


@dataclass(frozen=True, slots=True)
class Step:
    """What came of a step."""

    losses: dict[str, float]
    waited: float
    """Seconds for its batch to be drawn."""


TakeSteps = Callable[[ZeroLearner, Replay, Lesson], Iterator[Step]]
"""Takes the steps of a lesson and gives what came of each, wherever they are taken. With every
:data:`STEPS_BETWEEN_CHECKPOINTS`-th of a lesson and with the last the learner has learned them."""


def new_learner(config: ZeroConfig, device: str = "cpu") -> ZeroLearner:
    """A run's network that knows nothing, and what moves its weights; the same every time.

    ``device`` is PyTorch's name of where it learns. Sets the threads that PyTorch uses by itself
    to one: the learner has threads of its own.
    """
    torch.set_num_threads(1)
    torch.manual_seed(config.seed)
    game = open_game(config.game)
    training = config.training
    graphics = device != "cpu"
    return Learner(
        new_network(config.network, game),
        OptimiserOptions(
            learning_rate=training.learning_rate,
            weight_decay=training.weight_decay,
            mean_decay=training.mean_decay,
            workers=1 if graphics else training.workers,
        ),
        lambda network, part: loss(network, part, training),
        # A network of the user's own has the arithmetic that it was written for.
        autocast=config.network.factory is None and (graphics or has_fast_bfloat16()),
        device=device,
    )


def steps(
    learner: ZeroLearner, window: ZeroSamples, game: ZeroGame, config: ZeroConfig, lesson: Lesson
) -> Iterator[Step]:
    """Take the steps that are missing; what came of each."""
    training = config.training
    while learner.steps < lesson.until:
        began = time.perf_counter()
        parts = draw_parts(
            game,
            window,
            training.batch_size,
            learner.options.workers,
            config.seed,
            learner.steps,
        )
        parts = [part.on(learner.device) for part in parts]
        waited = time.perf_counter() - began
        warm = min(1.0, (learner.steps + 1) / 100)
        yield Step(learner.step(parts, lesson.rate * warm), waited)


def steps_here(config: ZeroConfig) -> TakeSteps:
    """Steps in this process."""
    game = open_game(config.game)

    def take(learner: ZeroLearner, replay: Replay, lesson: Lesson) -> Iterator[Step]:
        if learner.steps < lesson.until:
            rounds = replay.rounds_of_window(lesson.counts, config.training)
            yield from steps(learner, replay.window(rounds), game, config, lesson)

    return take
