"""The commands of `honte`, one module each."""
