"""Rules in and out of the RU property."""

import pytest

from honte.games.go import RULE_NAMES, HandicapBonus, Ko, Rules, Scoring, Tax
from honte.records import GameRecord, format_rules, loads, parse_rules


@pytest.mark.parametrize("name", RULE_NAMES)
def test_every_named_rule_set_comes_back(name):
    rules = Rules.named(name)
    assert parse_rules(format_rules(rules)) == rules
    record = GameRecord(rules=rules)
    assert loads(record.dumps()).rules == rules


def test_rules_without_a_name_come_back_as_json():
    rules = Rules(Ko.SITUATIONAL, Scoring.TERRITORY, True, Tax.ALL, HandicapBonus.N, False)
    assert rules.name is None
    assert loads(GameRecord(rules=rules).dumps()).rules == rules


@pytest.mark.parametrize(
    ("written", "name"),
    [("Chinese", "chinese"), ("chinese rules", "chinese"), ("中国", "chinese"),
     ("NZ", "new-zealand"),
     ("New Zealand", "new-zealand"), ("Japanese", "japanese"), ("日本", "japanese"),
     ("AGA", "aga"), ("Tromp-Taylor", "tromp-taylor"), ("tromp taylor", "tromp-taylor"),
     ("koPOSITIONALscoreAREAtaxNONEsui1", "tromp-taylor"),
     ("koSIMPLEscoreTERRITORYtaxSEKIsui0button0whb0fpok1", "japanese")],
)  # fmt: skip
def test_usual_spellings(written, name):
    assert parse_rules(written) == Rules.named(name)


def test_unknown_rules_are_none():
    assert parse_rules("house rules") is None
    assert loads("(;RU[house rules];B[pd])").rules is None
