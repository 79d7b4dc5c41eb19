"""What a leaf is worth: networks, rollouts, mixtures, and the contract that all of them keep."""

from __future__ import annotations

from honte.evaluation.contract import AsyncEvaluator, Evaluation, Evaluator, LeafBatch, Pending
from honte.evaluation.network import NetworkEvaluator
from honte.evaluation.onnx_model import OnnxEvaluator
from honte.evaluation.patterns import PatternPolicy
from honte.evaluation.simple import Mixture, Rollout, Uniform, WithRollouts

__all__ = [
    "AsyncEvaluator",
    "Evaluation",
    "Evaluator",
    "LeafBatch",
    "Mixture",
    "NetworkEvaluator",
    "OnnxEvaluator",
    "PatternPolicy",
    "Pending",
    "Rollout",
    "Uniform",
    "WithRollouts",
]
