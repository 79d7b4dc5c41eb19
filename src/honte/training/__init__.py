"""Making networks: from game records, from a teacher, and from self-play.

Needs PyTorch (``pip install 'honte[train]'``); nothing else of honte imports this package.
"""
