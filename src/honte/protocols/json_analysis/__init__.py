"""KataGo's JSON analysis engine, for KaTrain, Ogatak and scripts."""

from honte.protocols.json_analysis.server import AnalysisServer

__all__ = ["AnalysisServer"]
