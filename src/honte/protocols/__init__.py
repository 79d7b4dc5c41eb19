"""How other programs talk to honte: GTP, its analysis extensions, and the JSON analysis engine."""
