"""honte (本手, "the proper move"): neural-network-guided Monte-Carlo tree search."""

__version__ = "0.1.0"
