"""KataGo's commands about rules, parameters, models and the raw network."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from honte.errors import HonteError
from honte.games.go import BLACK, GoState, Rules
from honte.protocols import parameters
from honte.protocols.gtp.commands import Arguments, command, parse_integer
from honte.protocols.gtp.engine import Engine
from honte.protocols.raw_network import RawNetwork, raw_network_of

_SHORT_KEYS = {
    "koRule": "ko",
    "scoringRule": "scoring",
    "taxRule": "tax",
    "multiStoneSuicideLegal": "suicide",
}


def rules_to_json(rules: Rules) -> dict[str, Any]:
    """The rules under the keys that KataGo uses over GTP."""
    return {_SHORT_KEYS.get(key, key): value for key, value in rules.to_json().items()}


def change_rules(engine: Engine, rules: Rules) -> None:
    """Play under other rules from here on."""
    if rules != engine.rules:
        engine.player.forget()
        engine.game.set_rules(rules)


@command("kata-get-rules")
def get_rules(engine: Engine, arguments: Arguments) -> str:
    """The rules in force as JSON."""
    arguments.end()
    return json.dumps(rules_to_json(engine.rules))


@command("kata-set-rules")
def set_rules(engine: Engine, arguments: Arguments) -> str:
    """A name or a JSON object; the board stays."""
    if not arguments.tail:
        raise HonteError("syntax error: kata-set-rules needs a name or a JSON object")
    change_rules(engine, Rules.parse(arguments.tail))
    return ""


@command("kata-set-rule")
def set_rule(engine: Engine, arguments: Arguments) -> str:
    """One field of the rules and its value."""
    field = arguments.word("a field of the rules")
    value = parameters.read_value(arguments.word("a value"))
    arguments.end()
    rules = rules_to_json(engine.rules)
    if field not in rules:
        raise HonteError(f"There is no field {field[:40]!r} in rules; {', '.join(rules)} are.")
    if isinstance(rules[field], str):
        value = str(value).upper()
    rules[field] = value
    change_rules(engine, Rules.parse(json.dumps(rules)))
    return ""


@command("kata-list-params")
def list_params(engine: Engine, arguments: Arguments) -> str:
    """The names of all parameters."""
    return " ".join(parameters.names())


@command("kata-get-param")
def get_param(engine: Engine, arguments: Arguments) -> str:
    """The value of one parameter."""
    value = engine.parameters.value(arguments.word("a parameter"))
    arguments.end()
    return value if isinstance(value, str) else json.dumps(value)


@command("kata-get-params")
def get_params(engine: Engine, arguments: Arguments) -> str:
    """All parameters as a JSON object."""
    return json.dumps(engine.parameters.to_json())


@command("kata-set-param")
def set_param(engine: Engine, arguments: Arguments) -> str:
    """One parameter and its value."""
    name = arguments.word("a parameter")
    value = parameters.read_value(" ".join(arguments.rest()))
    engine.configure(engine.parameters.with_value(name, value))
    return ""


@command("kata-set-params")
def set_params(engine: Engine, arguments: Arguments) -> str:
    """A JSON object of parameters: all of them, or none."""
    try:
        values = json.loads(arguments.tail)
    except (ValueError, RecursionError) as error:
        raise HonteError(f"kata-set-params needs a JSON object: {error}") from error
    if not isinstance(values, dict):
        raise HonteError("kata-set-params needs a JSON object")
    changed = engine.parameters
    for name, value in values.items():
        changed = changed.with_value(name, value)
    engine.configure(changed)
    return ""


@command("kata-get-models")
def get_models(engine: Engine, arguments: Arguments) -> str:
    """The networks in use as a JSON array; empty without one."""
    network = raw_network_of(engine.player.evaluator)
    return json.dumps([] if network is None else [network.description()])


@command("kata-raw-nn")
def raw_nn(engine: Engine, arguments: Arguments) -> str:
    """``[colour] symmetry [optimism]``: the network's own answer, from White's side."""
    colour = arguments.optional_colour()
    word = arguments.word("a symmetry, 0 to 7 or all").lower()
    symmetry = parse_integer(word)
    if word != "all" and (symmetry is None or not 0 <= symmetry <= 7):
        raise HonteError("syntax error: kata-raw-nn needs a symmetry, 0 to 7 or all")
    optimism: float | None = None
    if arguments.left:
        optimism = arguments.number("the optimism")
        if not 0.0 <= optimism <= 1.0:
            raise HonteError("syntax error: the optimism must be from 0 to 1")
    arguments.end()
    network = raw_network_of(engine.player.evaluator)
    if network is None:
        raise HonteError("kata-raw-nn needs a network: start honte gtp with --network FILE")
    state = engine.game.state_for(colour if colour is not None else engine.game.state.to_play)
    symmetries = list(range(8)) if symmetry is None else [symmetry]
    return "\n".join(_raw_text(network, state, symmetry, optimism) for symmetry in symmetries)


def _raw_text(network: RawNetwork, state: GoState, symmetry: int, optimism: float | None) -> str:
    raw = network.evaluate(state, symmetry, optimism)
    white = -1.0 if state.to_play == BLACK else 1.0
    win, loss = (raw.win, raw.loss) if white > 0 else (raw.loss, raw.win)
    policy = raw.policy[:-1].reshape(state.height, state.width)
    lines = [
        f"symmetry {symmetry}",
        f"whiteWin {win:.6f}",
        f"whiteLoss {loss:.6f}",
        f"noResult {raw.no_result:.6f}",
        f"whiteLead {white * raw.lead:.3f}",
        f"whiteScoreSelfplay {white * raw.score_mean:.3f}",
        f"whiteScoreSelfplaySq {raw.score_mean_square:.3f}",
        f"varTimeLeft {raw.variance_time_left:.3f}",
        f"shorttermWinlossError {raw.value_error:.3f}",
        f"shorttermScoreError {raw.score_error:.3f}",
        "policy",
        *(" ".join(_probability(float(p)) for p in row) for row in policy),
        f"policyPass {_probability(float(raw.policy[-1]))}",
        "whiteOwnership",
        *(
            " ".join(f"{value:.7f}" for value in row)
            for row in np.asarray(white * raw.ownership).tolist()
        ),
    ]
    return "\n".join(lines)


def _probability(value: float) -> str:
    return "NAN" if math.isnan(value) else f"{value:.6f}"
