"""A GTP conversation over a pair of streams."""

from __future__ import annotations

from typing import TextIO

from honte.protocols.gtp.engine import Engine
from honte.protocols.gtp.framing import Response, parse_line
from honte.protocols.line_source import LONGEST_LINE, ByteStream, LineSource


def serve(engine: Engine, commands: ByteStream, responses: TextIO) -> None:
    """Answer commands until ``quit`` or the end of input.

    ``commands`` is unbuffered, so that a command is seen as soon as it is there; ``responses``
    gets nothing but GTP, and everything else goes to the engine's logger.
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
        engine.player.close()
        engine.source = None
        source.close()
