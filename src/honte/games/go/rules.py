"""The rules of Go as independent choices, their names, and KataGo's JSON for them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from honte.errors import HonteError


class Ko(Enum):
    """What may not be repeated.

    Simple ko forbids retaking at once; under it the third identical situation without a pass in
    between ends the game without a result. Positional superko forbids every earlier board,
    situational superko every earlier board with the same player to move.
    """

    SIMPLE = "SIMPLE"
    POSITIONAL = "POSITIONAL"
    SITUATIONAL = "SITUATIONAL"


class Scoring(Enum):
    """Area (stones and surrounded points) or territory (surrounded points and prisoners)."""

    AREA = "AREA"
    TERRITORY = "TERRITORY"


class Tax(Enum):
    """What surrounded points do not count: none, those in seki, or also two for each group."""

    NONE = "NONE"
    SEKI = "SEKI"
    ALL = "ALL"


class HandicapBonus(Enum):
    """The points White gets for N handicap stones."""

    NONE = "0"
    N = "N"
    N_MINUS_ONE = "N-1"


_KO, _SCORING, _TAX, _BONUS = list(Ko), list(Scoring), list(Tax), list(HandicapBonus)


@dataclass(frozen=True)
class Rules:
    """One choice of rules; komi is the game's, not the rules'.

    ``suicide`` is of more than one stone (of a single stone it is never legal). ``friendly_pass``
    says that players may pass with dead stones on the board: stones inside the opponent's
    pass-alive territory are then scored as dead. Without it area scoring counts the board as it
    stands. With the ``button`` the first pass is worth half a point and does not count towards
    the two passes that end the game.
    """

    ko: Ko = Ko.SIMPLE
    scoring: Scoring = Scoring.AREA
    suicide: bool = False
    tax: Tax = Tax.NONE
    handicap_bonus: HandicapBonus = HandicapBonus.NONE
    friendly_pass: bool = True
    button: bool = False

    def __post_init__(self) -> None:
        if self.button and self.scoring is Scoring.TERRITORY:
            raise HonteError("The button goes with area scoring; drop it or score by area.")

    @classmethod
    def named(cls, name: str) -> Self:
        """The rules of this name, in any case: :data:`RULE_NAMES` lists them.

        Raises :class:`HonteError` for a name that is not known.
        """
        wanted = _plain(name)
        for known, rules in _NAMED.items():
            if wanted == _plain(known):
                return cls(**vars(rules))
        raise HonteError(
            f"There are no rules named {name!r}. The names are: {', '.join(RULE_NAMES)}."
        )

    @classmethod
    def parse(cls, text: str) -> Self:
        """The rules of a name, or of KataGo's JSON object, as ``kata-set-rules`` takes them.

        Keys that the object leaves out are Tromp-Taylor's (and the tax of territory scoring is
        seki's). A ``komi`` in it is not a matter of the rules and is left to the caller.
        """
        if not text.lstrip().startswith("{"):
            return cls.named(text)
        try:
            return cls.from_json(json.loads(text))
        except json.JSONDecodeError as error:
            raise HonteError(f"These rules are no JSON object: {text!r} ({error}).") from None

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The rules of KataGo's JSON object; both its long and its short keys are read."""
        found = dict(vars(_NAMED["tromp-taylor"]))
        for key, value in values.items():
            field = _FIELDS.get(key)
            if field is None:
                raise HonteError(f"Rules have no {key!r}; the keys are {', '.join(_FIELDS)}.")
            if field == "komi":
                continue
            found[field] = _value(key, field, value)
        if found["scoring"] is Scoring.TERRITORY and not values.keys() & {"tax", "taxRule"}:
            found["tax"] = Tax.SEKI
        return cls(**found)

    def to_json(self) -> dict[str, Any]:
        """KataGo's JSON object for these rules; :meth:`from_json` reads it back."""
        return {
            "koRule": self.ko.value,
            "scoringRule": self.scoring.value,
            "taxRule": self.tax.value,
            "multiStoneSuicideLegal": self.suicide,
            "hasButton": self.button,
            "whiteHandicapBonus": self.handicap_bonus.value,
            "friendlyPassOk": self.friendly_pass,
        }

    @property
    def name(self) -> str | None:
        """The first name of :data:`RULE_NAMES` that means these rules, if any does."""
        return next((name for name, rules in _NAMED.items() if rules == self), None)

    @property
    def default_komi(self) -> float:
        """The usual komi: 6.5 for territory, 7 with the button and in New Zealand, else 7.5."""
        if self.scoring is Scoring.TERRITORY:
            return 6.5
        return 7.0 if self.button or self == _NAMED["new-zealand"] else 7.5

    def to_native(self) -> tuple[int, int, bool, int, int, bool, bool]:
        """The numbers by which the native core knows these rules."""
        return (
            _KO.index(self.ko),
            _SCORING.index(self.scoring),
            self.suicide,
            _TAX.index(self.tax),
            _BONUS.index(self.handicap_bonus),
            self.friendly_pass,
            self.button,
        )

    @classmethod
    def from_native(cls, values: tuple[int, int, bool, int, int, bool, bool]) -> Self:
        """The inverse of :meth:`to_native`."""
        ko, scoring, suicide, tax, bonus, friendly_pass, button = values
        return cls(
            _KO[ko],
            _SCORING[scoring],
            suicide,
            _TAX[tax],
            _BONUS[bonus],
            friendly_pass,
            button,
        )


_FIELDS = {
    "ko": "ko",
    "koRule": "ko",
    "scoring": "scoring",
    "score": "scoring",
    "scoringRule": "scoring",
    "tax": "tax",
    "taxRule": "tax",
    "suicide": "suicide",
    "multiStoneSuicideLegal": "suicide",
    "hasButton": "button",
    "whiteHandicapBonus": "handicap_bonus",
    "friendlyPassOk": "friendly_pass",
    "komi": "komi",
}
_ENUMS: dict[str, type[Enum]] = {
    "ko": Ko,
    "scoring": Scoring,
    "tax": Tax,
    "handicap_bonus": HandicapBonus,
}


def _value(key: str, field: str, value: object) -> object:
    kind = _ENUMS.get(field)
    if kind is None:
        if not isinstance(value, bool):
            raise HonteError(f"{key} in rules is true or false, not {value!r}.")
        return value
    for member in kind:
        if str(value).upper() == member.value:
            return member
    values = ", ".join(str(member.value) for member in kind)
    raise HonteError(f"{key} in rules is one of {values}, not {value!r}.")


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


_CHINESE = Rules(handicap_bonus=HandicapBonus.N)
_CHINESE_SUPERKO = Rules(Ko.POSITIONAL, handicap_bonus=HandicapBonus.N)
_JAPANESE = Rules(scoring=Scoring.TERRITORY, tax=Tax.SEKI)
_AGA = Rules(Ko.SITUATIONAL, handicap_bonus=HandicapBonus.N_MINUS_ONE)
_NAMED = {
    "tromp-taylor": Rules(Ko.POSITIONAL, suicide=True, friendly_pass=False),
    "chinese": _CHINESE,
    "chinese-ogs": _CHINESE_SUPERKO,
    "chinese-kgs": _CHINESE_SUPERKO,
    "japanese": _JAPANESE,
    "korean": _JAPANESE,
    "aga": _AGA,
    "bga": _AGA,
    "aga-button": Rules(Ko.SITUATIONAL, handicap_bonus=HandicapBonus.N_MINUS_ONE, button=True),
    "new-zealand": Rules(Ko.SITUATIONAL, suicide=True),
    "stone-scoring": Rules(tax=Tax.ALL),
    "cgos": Rules(Ko.POSITIONAL, friendly_pass=False),
}

RULE_NAMES = tuple(_NAMED)
"""The names that :meth:`Rules.named` knows."""
