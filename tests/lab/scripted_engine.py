"""A GTP engine that plays the vertices of its command line in turn, then passes.

The words ``crash``, ``hang`` and ``resign`` do what they say.
"""

import os
import sys
import time

moves = sys.argv[2:]
for line in sys.stdin:
    words = line.split()
    answer = ""
    if words[0] == "name":
        answer = sys.argv[1]
    elif words[0] == "genmove":
        answer = moves.pop(0) if moves else "pass"
        if answer == "crash":
            os._exit(1)
        if answer == "hang":
            time.sleep(60)
    print(f"= {answer}\n", flush=True)
    if words[0] == "quit":
        break
