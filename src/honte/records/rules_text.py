"""The RU property: rules in and out of a record."""

from __future__ import annotations

import json
import re

from honte.errors import HonteError
from honte.games.go import Rules

# The names the standard or wide use gives to the rule sets of honte.games.go.
_WRITTEN = {
    "chinese": "Chinese",
    "chinese-ogs": "Chinese-OGS",
    "japanese": "Japanese",
    "korean": "Japanese",
    "aga": "AGA",
    "bga": "AGA",
    "aga-button": "AGA-Button",
    "new-zealand": "NZ",
    "tromp-taylor": "Tromp-Taylor",
    "stone-scoring": "Stone-Scoring",
    "cgos": "CGOS",
}
_SPOKEN = {
    "nz": "new-zealand",
    "cn": "chinese",
    "china": "chinese",
    "中国": "chinese",
    "中国规则": "chinese",
    "中國": "chinese",
    "jp": "japanese",
    "japan": "japanese",
    "日本": "japanese",
    "日本规则": "japanese",
    "日本ルール": "japanese",
    "kr": "korean",
    "korea": "korean",
    "한국": "korean",
    "tromptaylor": "tromp-taylor",
    "tt": "tromp-taylor",
    "ogs": "chinese-ogs",
    "kgs": "chinese-kgs",
    "british": "bga",
    "american": "aga",
}
# What KataGo writes into the records of its own games.
_KATAGO = re.compile(
    r"ko(SIMPLE|POSITIONAL|SITUATIONAL)score(AREA|TERRITORY)tax(NONE|SEKI|ALL)sui([01])"
    r"(?:button([01]))?(?:whb(0|N-1|N))?(?:fpok([01]))?"
)


def parse_rules(text: str) -> Rules | None:
    """The rules a record names, by name in any usual spelling, as KataGo's JSON or its short form.

    None where they are unknown to honte.
    """
    plain = text.strip()
    match = _KATAGO.fullmatch(plain)
    if match is not None:
        ko, scoring, tax, suicide, button, bonus, friendly = match.groups()
        plain = json.dumps(
            {
                "koRule": ko,
                "scoringRule": scoring,
                "taxRule": tax,
                "multiStoneSuicideLegal": suicide == "1",
                "hasButton": button == "1",
                "whiteHandicapBonus": bonus or "0",
                "friendlyPassOk": friendly == "1",
            }
        )
    elif not plain.startswith("{"):
        plain = re.sub(r"[\s_]+", "-", plain.lower()).removesuffix("-rules")
        plain = _SPOKEN.get(plain, plain)
    try:
        return Rules.parse(plain)
    except HonteError:
        return None


def format_rules(rules: Rules) -> str:
    """The value of RU that :func:`parse_rules` reads back as the same rules."""
    name = rules.name
    if name is None:
        return json.dumps(rules.to_json(), separators=(",", ":"))
    return _WRITTEN.get(name, name)
