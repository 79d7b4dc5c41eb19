"""Experiments: matches and what is counted from them."""
