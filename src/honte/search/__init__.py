"""Search: configuration, the search itself, and what it finds."""

from honte.search.alphabeta import AlphaBeta, AlphaBetaConfig
from honte.search.budget import Budget
from honte.search.config import SearchConfig
from honte.search.restriction import Restriction
from honte.search.result import ChildStatistics, SearchResult, StopReason
from honte.search.search import EvaluationCache, Search, run_many
from honte.search.steps import Simulation, Step, StepEdge
from honte.search.stream import run_stream
from honte.search.tree import TreeEdge, TreeMeans, TreeNode

__all__ = [
    "AlphaBeta",
    "AlphaBetaConfig",
    "Budget",
    "ChildStatistics",
    "EvaluationCache",
    "Restriction",
    "Search",
    "SearchConfig",
    "SearchResult",
    "Simulation",
    "Step",
    "StepEdge",
    "StopReason",
    "TreeEdge",
    "TreeMeans",
    "TreeNode",
    "run_many",
    "run_stream",
]
