"""The search as the papers write it, in plain Python: the oracle of the native core."""

from honte.search.reference.search import ReferenceSearch

__all__ = ["ReferenceSearch"]
