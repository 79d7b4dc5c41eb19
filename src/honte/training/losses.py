"""What a network of Go is trained towards."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from honte.training.batches import Batch
from honte.training.networks import NetworkOutputs


@dataclass(frozen=True, slots=True)
class LossWeights:
    """How much each part counts."""

    policy: float = 1.0
    value: float = 1.0
    score: float = 0.5
    ownership: float = 0.5
    played: float = 0.5
    """With a teacher: the share of the policy target that is the move played."""
    outcome: float = 0.2
    """With a teacher: the share of the value target that is the game's result."""


@dataclass(frozen=True, slots=True)
class Targets:
    """A batch as tensors."""

    spatial: Tensor
    numbers: Tensor
    policy: Tensor
    """[N, A]; a row of zeros is not learned from."""
    value: Tensor
    """[N, 3]; likewise."""
    score: Tensor | None
    ownership: Tensor | None
    action: Tensor

    def part(self, rows: slice) -> Targets:
        """Some of the rows."""
        return Targets(
            self.spatial[rows],
            self.numbers[rows],
            self.policy[rows],
            self.value[rows],
            None if self.score is None else self.score[rows],
            None if self.ownership is None else self.ownership[rows],
            self.action[rows],
        )


def targets_of(batch: Batch, weights: LossWeights) -> Targets:
    """What to learn from a batch, the teacher's word mixed with what happened."""
    actions = batch.spatial.shape[2] * batch.spatial.shape[3] + 1
    action = torch.from_numpy(batch.action)
    known = (action >= 0).float()[:, None]
    played = functional.one_hot(action.clamp(min=0), actions).float() * known
    outcome = torch.from_numpy(batch.outcome)
    finished = (~outcome.isnan()).float()[:, None]
    win = (outcome.nan_to_num() + 1.0) / 2.0
    result = torch.stack((win, 1.0 - win, torch.zeros_like(win)), dim=1) * finished
    if batch.policy is None or batch.value is None:
        policy, value = played, result
    else:
        share = weights.played * known
        policy = (1.0 - share) * torch.from_numpy(batch.policy) + share * played
        share = weights.outcome * finished
        value = (1.0 - share) * torch.from_numpy(batch.value) + share * result
    return Targets(
        spatial=torch.from_numpy(batch.spatial).contiguous(memory_format=torch.channels_last),
        numbers=torch.from_numpy(batch.numbers),
        policy=policy,
        value=value,
        score=None if batch.score is None else torch.from_numpy(batch.score),
        ownership=None if batch.ownership is None else torch.from_numpy(batch.ownership),
        action=action,
    )


def masked_logits(outputs: NetworkOutputs, spatial: Tensor) -> Tensor:
    """[N, A] policy logits, far below zero on stones, points banned by ko and points where a stone
    would stand alone without a liberty: a search masks them too. The network need not learn that
    they cannot be played, which would blind it to a throw-in that is legal a move later."""
    return outputs.policy - closed_actions(spatial) * 1e4


def closed_actions(spatial: Tensor) -> Tensor:
    """[N, A]: 1 at the actions that :func:`masked_logits` closes."""
    closed = spatial[:, 1] + spatial[:, 2] + spatial[:, 6] + lone_suicides(spatial)
    return functional.pad(closed.flatten(1), (0, 1))


def lone_suicides(spatial: Tensor) -> Tensor:
    """[N, H, W]: 1 at empty points of which every neighbour is an opponent's stone out of atari, so
    that no rules let the player to move play there."""
    mine_or_open = spatial[:, 0] - spatial[:, 2] * (1.0 - spatial[:, 3])
    around = functional.pad(mine_or_open, (1, 1, 1, 1))
    neighbours = (
        around[:, :-2, 1:-1] + around[:, 2:, 1:-1] + around[:, 1:-1, :-2] + around[:, 1:-1, 2:]
    )
    empty = spatial[:, 0] - spatial[:, 1] - spatial[:, 2]
    return empty * (neighbours == 0)


def losses(outputs: NetworkOutputs, targets: Targets, weights: LossWeights) -> dict[str, Tensor]:
    """The mean loss of each part, and ``total``.

    Policy and value: cross entropy, nats. Score: Huber loss of mean, deviation and lead in units
    of 20 points. Ownership: mean cross entropy of a point.
    """
    rows = len(targets.action)
    log_policy = masked_logits(outputs, targets.spatial).log_softmax(dim=1)
    # A teacher may leave a little of its policy on what cannot be played.
    policy = targets.policy * (1.0 - closed_actions(targets.spatial))
    parts = {
        "policy": -(policy * log_policy).sum() / rows,
        "value": -(targets.value * outputs.value.log_softmax(dim=1)).sum() / rows,
    }
    total = weights.policy * parts["policy"] + weights.value * parts["value"]
    if targets.score is not None:
        mean, stdev, lead = outputs.misc[:, 0], outputs.misc[:, 1], outputs.misc[:, 2]
        said = torch.stack((mean, functional.softplus(stdev), lead), dim=1)
        parts["score"] = functional.huber_loss(said, targets.score / 20.0, delta=0.5)
        total = total + weights.score * parts["score"]
    if targets.ownership is not None:
        # tanh(x) = 2σ(2x) − 1, so that the logit of "mine" is 2x.
        board = targets.spatial[:, 0]
        each = functional.binary_cross_entropy_with_logits(
            2.0 * outputs.ownership, (targets.ownership + 1.0) / 2.0, weight=board, reduction="sum"
        )
        parts["ownership"] = each / board.sum()
        total = total + weights.ownership * parts["ownership"]
    parts["total"] = total
    return parts
