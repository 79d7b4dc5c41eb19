"""A GTP conversation over a pair of streams."""

from __future__ import annotations

from typing import BinaryIO, TextIO

from honte.protocols.gtp.engine import Engine
from honte.protocols.gtp.framing import LONGEST_LINE, LineSource, Response, parse_line


def serve(engine: Engine, commands: BinaryIO, responses: TextIO) -> None:
    """Answer commands until ``quit`` or the end of input.

    ``responses`` gets nothing but GTP; everything else goes to the engine's logger.
    """
    source = LineSource(commands, on_interrupt=engine.player.interrupt)
    engine.source = source
    try:
        for line in source:
            command = parse_line(line)
            if command is None:
                continue
            engine.logger.debug("< %s", command)
            response = Response(responses, command.identifier)
            if len(line) >= LONGEST_LINE:
                response.fail(f"the line is longer than {LONGEST_LINE} bytes")
                continue
            engine.execute(command, response)
            if engine.finished:
                break
    except BrokenPipeError:
        engine.logger.info("The controller has closed its end.")
    finally:
        engine.player.stop_pondering()
        engine.source = None
