"""KataGo's JSON analysis engine: queries in, replies out, one object a line."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any, TextIO

import honte
from honte.errors import HonteError
from honte.evaluation import Evaluator
from honte.players.ownership import OwnershipReport, ownership_sources
from honte.protocols.json_analysis import fields, response
from honte.protocols.json_analysis.fields import FieldError
from honte.protocols.json_analysis.query import read_query
from honte.protocols.json_analysis.scheduler import (
    MOST_AT_ONCE,
    Scheduler,
    Task,
    ownership_of,
)
from honte.protocols.line_source import LONGEST_LINE, ByteStream, LineSource
from honte.protocols.parameters import Parameters
from honte.protocols.raw_network import RawAnswer, raw_network_of
from honte.search import SearchResult

SPOKEN_VERSION = "1.16.0"
"""The KataGo release whose queries and replies these are."""


class AnalysisServer:
    """Answers queries until the end of input, then finishes what is open."""

    def __init__(
        self,
        evaluator: Evaluator,
        parameters: Parameters,
        output: TextIO,
        *,
        at_once: int = MOST_AT_ONCE,
        seed: int = 0,
        logger: logging.Logger | None = None,
    ) -> None:
        self._parameters = parameters
        self._output = output
        self._logger = logger if logger is not None else logging.getLogger("honte.analysis")
        self._network = raw_network_of(evaluator)
        self._ownership_source, _ = ownership_sources(evaluator)
        self._clear_evaluator = getattr(evaluator, "clear_cache", None)
        self._scheduler = Scheduler(
            evaluator,
            at_once=at_once,
            seed=seed,
            on_final=lambda task, result: self._reply(task, result, during_search=False),
            on_partial=lambda task, result: self._reply(task, result, during_search=True),
            on_error=self._task_failed,
        )

    def serve(self, queries: ByteStream, *, finish: bool = True) -> None:
        """Read an unbuffered stream of queries to its end; without ``finish`` what is open then
        stays unanswered."""
        source = LineSource(queries)
        try:
            lines = iter(source)
            ended = False
            while not (ended and (self._scheduler.idle or not finish)):
                while not ended and (self._scheduler.idle or source.pending()):
                    line = next(lines, None)
                    if line is None:
                        ended = True
                    else:
                        self.receive(line)
                if not self._scheduler.idle:
                    with source.interrupting(self._scheduler.interrupt):
                        self._scheduler.work()
        except BrokenPipeError:
            self._logger.info("The client has closed its end.")
        finally:
            self._scheduler.close()
            source.close()

    def receive(self, line: bytes) -> None:
        """One line of input."""
        if not line.strip():
            return
        if len(line) >= LONGEST_LINE:
            self._send({"error": f"The line is longer than {LONGEST_LINE} bytes."})
            return
        try:
            data = fields.load_object(line.strip())
        except HonteError as error:
            self._send({"error": str(error)})
            return
        identifier = data.get("id")
        if not isinstance(identifier, str):
            self._send({"error": 'Request must have a string "id" field'})
            return
        try:
            if "action" in data:
                self._act(identifier, data)
            else:
                self._query(identifier, data)
        except FieldError as error:
            self._send({"error": str(error), "field": error.field, "id": identifier})
        except HonteError as error:
            self._send({"error": str(error), "id": identifier})

    def _query(self, identifier: str, data: Mapping[str, Any]) -> None:
        if any(task.query.identifier == identifier for task in self._scheduler.tasks):
            raise FieldError("id", "A query with this id is still open")
        query = read_query(data, self._parameters)
        for warning in query.warnings:
            self._send({"warning": warning.sentence, "field": warning.field, "id": identifier})
        self._scheduler.add(query)

    def _act(self, identifier: str, data: dict[str, Any]) -> None:
        match data["action"]:
            case "query_version":
                data |= {
                    "version": SPOKEN_VERSION,
                    "git_hash": "<omitted>",
                    "engine": f"honte {honte.__version__}",
                }
            case "query_models":
                models = [] if self._network is None else [self._network.description()]
                data |= {"models": models}
            case "clear_cache":
                self._scheduler.clear_cache()
                if callable(self._clear_evaluator):
                    self._clear_evaluator()
            case "terminate":
                if not isinstance(data.get("terminateId"), str):
                    raise FieldError(
                        "terminateId",
                        'Requests for a terminate action must have a string "terminateId" field',
                    )
                turns = _turns(data)
                self._send(data)
                self._terminate(data["terminateId"], turns)
                return
            case "terminate_all":
                turns = _turns(data)
                self._send(data)
                self._terminate(None, turns)
                return
            case _:
                raise FieldError(
                    "action",
                    "'action' field must be 'query_version' or 'query_models' or 'terminate' or "
                    "'terminate_all' or 'clear_cache'",
                )
        self._send(data)

    def _terminate(self, identifier: str | None, turns: list[int] | None) -> None:
        for task in self._scheduler.tasks:
            if identifier is not None and task.query.identifier != identifier:
                continue
            if turns is not None and task.turn.number not in turns:
                continue
            self._scheduler.remove(task)
            result = task.result()
            if result is None:
                self._send(response.no_results(task.query, task.turn))
            else:
                self._reply(task, result, during_search=False)

    def _reply(self, task: Task, result: SearchResult, *, during_search: bool) -> None:
        try:
            reply = response.final_or_partial(
                task.query,
                task.turn,
                result,
                task.tree,
                during_search=during_search,
                ownership=self._ownership(task, result, final=not during_search),
                raw=self._raw(task),
            )
        except HonteError as error:
            if not during_search:
                self._task_failed(task, error)
            return
        self._send(reply)

    def _ownership(
        self, task: Task, result: SearchResult, *, final: bool
    ) -> OwnershipReport | None:
        query = task.query
        if not query.wants_ownership:
            return None
        moves = query.wants_moves_ownership
        return ownership_of(task, result, self._ownership_source, moves=moves, final=final)

    def _raw(self, task: Task) -> RawAnswer | None:
        if self._network is None or task.turn.state.is_terminal():
            return None
        if task.raw is None:
            task.raw = self._network.evaluate(task.turn.judged)
        return task.raw

    def _task_failed(self, task: Task, error: HonteError) -> None:
        self._send(
            {"error": str(error), "id": task.query.identifier, "turnNumber": task.turn.number}
        )

    def _send(self, reply: Mapping[str, Any]) -> None:
        if "error" in reply or "warning" in reply:
            self._logger.info("%s", reply)
        self._output.write(json.dumps(reply, allow_nan=False, separators=(",", ":")) + "\n")
        self._output.flush()


def _turns(data: Mapping[str, Any]) -> list[int] | None:
    try:
        return fields.integers(data, "turnNumbers", -(1 << 62), 1 << 62)
    except FieldError as error:
        raise FieldError(
            "turnNumbers", "If provided, must be an array of integers indicating turns to terminate"
        ) from error
