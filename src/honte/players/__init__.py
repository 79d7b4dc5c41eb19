"""A search that plays or reviews a game: clocks, pondering, resignation, handicap, scoring."""
