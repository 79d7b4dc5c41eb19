"""KGS's own commands, beside its clocks and its cleanup."""

from __future__ import annotations

from honte.errors import HonteError
from honte.games.go import Rules
from honte.protocols.gtp.commands import Arguments, command
from honte.protocols.gtp.engine import Engine
from honte.protocols.gtp.katago import change_rules

_KGS_RULES = {
    "chinese": "chinese-kgs",
    "japanese": "japanese",
    "aga": "aga",
    "new_zealand": "new-zealand",
}


@command("kgs-rules")
def kgs_rules(engine: Engine, arguments: Arguments) -> str:
    """``chinese``, ``japanese``, ``aga`` or ``new_zealand``."""
    word = arguments.word("a rule set").lower()
    arguments.end()
    name = _KGS_RULES.get(word)
    if name is None:
        raise HonteError(f"unknown rules: KGS has {', '.join(_KGS_RULES)}")
    change_rules(engine, Rules.named(name))
    return ""
