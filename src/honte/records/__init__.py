"""Game records: read what is out there, write what the standard asks for.

>>> from honte import records
>>> record = records.loads("(;SZ[9]KM[6.5];B[ee];W[gc](;B[cg])(;B[cc]))")
>>> record.komi, [node.move for node in record.mainline() if node.move]
(6.5, [(0, 40), (1, 24), (0, 56)])
"""

from honte.records.findings import Finding, IllegalRecordMove, RecordError, RecordWarning
from honte.records.points import Setup
from honte.records.reader import load, load_collection, loads, loads_collection
from honte.records.record import GameRecord, PlayerName, save_collection
from honte.records.result import Ending, Result
from honte.records.rules_text import format_rules, parse_rules
from honte.records.tree import Node

__all__ = [
    "Ending",
    "Finding",
    "GameRecord",
    "IllegalRecordMove",
    "Node",
    "PlayerName",
    "RecordError",
    "RecordWarning",
    "Result",
    "Setup",
    "format_rules",
    "load",
    "load_collection",
    "loads",
    "loads_collection",
    "parse_rules",
    "save_collection",
]
