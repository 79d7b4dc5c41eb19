"""The lab: matches, ratings, sweeps, tables and tactics.

A match is a file: players, openings and every game are in one SQLite store
(:mod:`honte.lab.store`), so that a match that was cut short goes on where it stopped.
"""
