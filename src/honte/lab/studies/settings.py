"""Studies of one setting: players that share a search and a number of visits, and differ in what
their names say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honte.lab.plots import Published
from honte.lab.schedule import Gauntlet, RoundRobin
from honte.lab.studies.study import Study, StudyOptions, names_of, study_name, with_fields


@dataclass(frozen=True)
class SettingStudy:
    """AlphaGo Zero's search with other values of some fields."""

    name: str
    title: str
    question: str
    settings: str
    """Where ``{visits}`` stands for their number."""
    said: str
    variants: Mapping[str, Mapping[str, Any]]
    """What each player differs in, by its name."""
    anchor: str
    visits: int = 64
    pairs: int = 12
    shared: Mapping[str, Any] = field(default_factory=dict)
    """Fields that differ from AlphaGo Zero's in all players."""
    everybody: bool = True
    """Whether all meet each other; otherwise the first meets the others."""
    numbers: tuple[float, ...] = ()
    """The players by a number to plot them over."""
    numbers_label: str = ""
    published: Published | None = None

    def __call__(self, options: StudyOptions) -> Study:
        """The study with its players. Raises HonteError without a network."""
        base = with_fields(options.base("alphago_zero", self.visits), self.shared, "base")
        players = tuple(with_fields(base, fields, name) for name, fields in self.variants.items())
        names = names_of(players)
        meeting = RoundRobin if self.everybody else Gauntlet
        return Study(
            name=study_name(self.name, options.size),
            title=self.title,
            question=self.question,
            settings=self.settings.format(visits=base.limits.visits),
            players=players,
            schedule=meeting(names, options.pairs or self.pairs),
            game=options.game,
            said=self.said,
            anchor=self.anchor,
            axis=dict(zip(names, self.numbers, strict=True)) if self.numbers else {},
            axis_label=self.numbers_label,
            published=self.published,
        )


_C_PUCT = {0.5: -50.0, 1.0: 20.0, 1.5: 0.0, 2.0: -10.0, 3.0: -30.0, 5.0: -80.0}
"""Elo of popular texts."""

C_PUCT = SettingStudy(
    name="c-puct",
    title="c_puct at a fixed number of visits",
    question="How much does the exploration constant of PUCT matter?",
    settings="AlphaGo Zero's search, {visits} visits a move.",
    said="Popular texts give −50, +20, 0, −10, −30 and −80 Elo for 0.5, 1, 1.5, 2, 3 and 5: a flat "
    "top, and both ends worse.",
    variants={f"c_puct {value:g}": {"selection.c_puct": value} for value in _C_PUCT},
    anchor="c_puct 1.5",
    numbers=tuple(_C_PUCT),
    numbers_label="c_puct",
    published=Published("popular texts", tuple(_C_PUCT.items())),
)

FIRST_PLAY_URGENCY = SettingStudy(
    name="first-play-urgency",
    title="First-play urgency",
    question="What should an action without visits be taken to be worth?",
    settings="PUCT with c_puct 1.5, {visits} visits a move; values in [−1, 1].",
    said="AlphaGo Zero takes zero; Leela Zero and KataGo the parent's value less a reduction that "
    "grows with the policy already visited.",
    variants={
        name: {"selection.first_play_urgency": {"rule": rule, "amount": amount}}
        for name, rule, amount in (
            ("zero", "constant", 0.0),
            ("a loss", "constant", -1.0),
            ("the parent's value", "parent", 0.0),
            ("parent − 0.25", "parent_minus_constant", 0.25),
            ("parent − 0.4 √ΣP", "parent_minus_visited_policy", 0.4),
        )
    },
    anchor="zero",
)

SWITCHES = SettingStudy(
    name="switches",
    title="Noise, symmetries, the tree between moves, and the cache",
    question="What does each switch do to strength at equal visits?",
    settings="AlphaGo Zero's search (one random symmetry a leaf, the tree kept, no noise, no "
    "cache), {visits} visits a move; each of the others differs in one thing.",
    said="Noise is for self-play and costs strength; averaging symmetries is worth some Elo a "
    "visit and costs eight evaluations; a kept tree gives visits for nothing only where the budget "
    "is new simulations.",
    variants={
        "as it is": {},
        "root noise": {"expansion.root_noise": {}},
        "no symmetry": {"expansion.symmetry": "identity"},
        "mean of 8 symmetries": {"expansion.symmetry": "mean"},
        "tree dropped": {"keep_tree": False},
        "cache": {"cache": 20_000},
    },
    anchor="as it is",
    pairs=16,
    everybody=False,
)


def _in_flight(size: int, flights: int, **more: Any) -> dict[str, Any]:
    return {
        "parallelism.batch_size": size,
        "parallelism.batches_in_flight": flights,
        **{f"backup.{name}": value for name, value in more.items()},
    }


BATCHES = SettingStudy(
    name="batches",
    title="Leaves in flight and virtual loss",
    question="What strength do batches cost at equal visits, and what speed do they win?",
    settings="{visits} visits a move; leaves a batch × batches in flight, one lost visit a leaf "
    "unless it says otherwise. No batch is shared with another game. The seconds a game are the "
    "player's own thinking time.",
    said="AlphaGo 2016 used n_vl 3 with many threads; WU-UCT's unobserved counts lose less "
    "[Liu 2020].",
    variants={
        "1 × 1": _in_flight(1, 1),
        "4 × 1": _in_flight(4, 1),
        "8 × 1": _in_flight(8, 1),
        "8 × 2": _in_flight(8, 2),
        "16 × 2": _in_flight(16, 2),
        "16 × 2, n_vl 3": _in_flight(16, 2, virtual_visits=3.0),
        "16 × 2, unobserved": _in_flight(16, 2, virtual_loss="unobserved"),
    },
    anchor="1 × 1",
    visits=100,
    shared={"alone": True},
    everybody=False,
)
