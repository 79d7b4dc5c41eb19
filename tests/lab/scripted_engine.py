"""A GTP engine that plays the vertices of its command line in each game, then passes.

The words ``crash``, ``hang``, ``resign``, ``refuse``, ``nonsense`` and ``flood`` do what they say.
``dead=a1,b2`` in front of the vertices is its opinion on dead stones.
"""

import os
import sys
import time

name, *script = sys.argv[1:]
dead = script.pop(0)[5:].replace(",", " ") if script and script[0].startswith("dead=") else ""
moves = list(script)
for line in sys.stdin:
    words = line.split()
    answer = ""
    mark = "="
    if words[0] == "name":
        answer = name
    elif words[0] == "clear_board":
        moves = list(script)
    elif words[0] == "known_command":
        answer = "false"
    elif words[0] == "final_status_list":
        answer = dead
    elif words[0] == "genmove":
        answer = moves.pop(0) if moves else "pass"
        if answer == "crash":
            print("something is wrong", file=sys.stderr, flush=True)
            os._exit(1)
        if answer == "hang":
            time.sleep(60)
        if answer == "refuse":
            mark, answer = "?", "I do not want to"
        if answer == "nonsense":
            print("Hello! I am not GTP.\n", flush=True)
            continue
        while answer == "flood":
            print("= " + "x" * 1000, flush=True)
    print(f"{mark} {answer}\n", flush=True)
    if words[0] == "quit":
        break
