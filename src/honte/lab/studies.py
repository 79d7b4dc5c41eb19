"""The tables of the papers, each a match with a question.

Every study is built from the same few options, so that it can be repeated with another network,
more visits or more games. What the texts say is stated beside what was measured.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from honte.errors import HonteError
from honte.lab.board_games import GameSpec
from honte.lab.plots import Published
from honte.lab.reading import parse_player, with_field
from honte.lab.schedule import Chain, Gauntlet, RoundRobin
from honte.lab.specs import (
    AlphaBetaPlayerSpec,
    EnginePlayerSpec,
    LeafValue,
    Limits,
    PlayerSpec,
    SearchPlayerSpec,
)
from honte.networks import shipped_networks


@dataclass(frozen=True, slots=True)
class StudyOptions:
    """What a study can be repeated with; None: the study's own default."""

    network: str | None = None
    visits: int | None = None
    pairs: int | None = None
    size: int = 9
    seconds: float = 0.05
    """Time a move, where players are compared at equal time."""
    katago: str | None = None
    """The program, for the study against it."""
    folder: Path = field(default_factory=Path)
    """Where the study's files go."""
    speed: Callable[[SearchPlayerSpec | AlphaBetaPlayerSpec], float] | None = None
    """Simulations, or positions, a CPU second of a player, where time is to be equal."""


@dataclass(frozen=True)
class Study:
    """A match, why it is played, and what the texts say."""

    name: str
    title: str
    question: str
    settings: str
    """In words: what all players share."""
    players: tuple[PlayerSpec, ...]
    schedule: RoundRobin | Gauntlet | Chain
    game: GameSpec
    said: str
    """What the papers and texts say."""
    anchor: str | None = None
    axis: dict[str, float] = field(default_factory=dict)
    """Players by a number to plot them over; empty: by name."""
    axis_label: str = ""
    logarithmic: bool = False
    published: Published | None = None


def _names(players: Sequence[PlayerSpec]) -> tuple[str, ...]:
    return tuple(player.name for player in players)


def _base(options: StudyOptions, system: str, visits: int) -> SearchPlayerSpec:
    if options.network is None:
        raise HonteError("This table needs a network: give --network FILE.")
    number = options.visits or visits
    player = parse_player(f"name=base;preset={system};visits={number}", network=options.network)
    assert isinstance(player, SearchPlayerSpec)
    return player


def c_puct(options: StudyOptions) -> Study:
    """c_puct at a fixed number of visits."""
    base = _base(options, "alphago_zero", 64)
    values = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)
    players = [with_field(base, "selection.c_puct", value, f"c_puct {value:g}") for value in values]
    return Study(
        name="c-puct",
        title="c_puct at a fixed number of visits",
        question="How much does the exploration constant of PUCT matter?",
        settings=f"AlphaGo Zero's search, {base.limits.visits} visits a move.",
        players=tuple(players),
        schedule=RoundRobin(_names(players), options.pairs or 12),
        game=GameSpec(size=options.size),
        said="Popular texts give −50, +20, 0, −10, −30 and −80 Elo for 0.5, 1, 1.5, 2, 3 and 5: a "
        "flat top, and both ends worse.",
        anchor="c_puct 1.5",
        axis=dict(zip(_names(players), values, strict=True)),
        axis_label="c_puct",
        published=Published(
            "popular texts",
            tuple(zip(values, (-50.0, 20.0, 0.0, -10.0, -30.0, -80.0), strict=True)),
        ),
    )


def simulations(options: StudyOptions) -> Study:
    """Strength against visits."""
    most = options.visits or 400
    base = _base(options, "alphago_zero", most)
    steps = [n for n in (2, 10, 30, 100, 400, 1600, 6400) if n <= most]
    alone = parse_player("name=policy alone;preset=policy_only;visits=1", network=options.network)
    players = [with_field(base, "visits", n, f"{n} visits") for n in steps]
    names = (alone.name, *_names(players))
    return Study(
        name="visits",
        title="The network alone, and with more and more search",
        question="What is search worth to this network, and what is a doubling?",
        settings="AlphaGo Zero's search; the policy alone plays its highest prior. Each meets the "
        "next and the one after it.",
        players=(alone, *players),
        schedule=Chain(names, options.pairs or 16, reach=2),
        game=GameSpec(size=options.size),
        said="AlphaGo Zero: the network alone about 3000, with a little search about 3500, with "
        "all of it about 4500 and more [Silver 2017]: a good network gains over 1000 Elo.",
        anchor=alone.name,
        axis={alone.name: 1.0, **dict(zip(_names(players), map(float, steps), strict=True))},
        axis_label="visits a move (1: the policy alone)",
        logarithmic=True,
    )


def alphago_2016(options: StudyOptions) -> Study:
    """Rollouts, value and policy: alone, in pairs, all three."""
    base = with_field(_base(options, "alphago_zero", 160), "rollout_policy", "patterns", "base")
    rows = (
        ("rollouts, value, policy (λ 0.5)", True, 0.5),
        ("value, policy (λ 0)", True, 0.0),
        ("rollouts, policy (λ 1)", True, 1.0),
        ("rollouts, value (λ 0.5)", False, 0.5),
        ("value (λ 0)", False, 0.0),
        ("rollouts (λ 1)", False, 1.0),
    )
    players: list[PlayerSpec] = []
    for name, policy, weight in rows:
        player = with_field(base, "policy", policy, name)
        players.append(with_field(player, "rollout_weight", weight, name))
    players.append(
        parse_player("name=policy alone;preset=policy_only;visits=1", network=options.network)
    )
    return Study(
        name="alphago-2016",
        title="AlphaGo 2016: rollouts, value and policy",
        question="What does each of AlphaGo's parts add?",
        settings=f"PUCT with c_puct 1.5, {base.limits.visits} visits a move for all that search. "
        "Rollouts follow a fast policy of patterns, as AlphaGo's did; the value and the policy are "
        "those of one network.",
        players=tuple(players),
        schedule=RoundRobin(_names(players), options.pairs or 5),
        game=GameSpec(size=options.size),
        said="Extended Data Table 7 of Silver 2016: all three 2890; rollouts and policy 2416; "
        "value and policy 2177; rollouts and value 2077; value 1655; policy alone 1517; rollouts "
        "1457. Each part adds, and all three are best.",
        anchor="policy alone",
    )


def selection(options: StudyOptions) -> Study:
    """UCT, RAVE, GRAVE, PUCT, Gumbel and alpha-beta at equal time."""
    if options.speed is None:
        raise HonteError("A study at equal time needs to measure the players' speeds.")
    if options.network is None:
        raise HonteError("This table needs a network: give --network FILE.")
    systems = {
        "UCT": ("uct", "none"),
        "RAVE": ("rave", "none"),
        "GRAVE": ("grave", "none"),
        "PUCT": ("alphago_zero", options.network),
        "Gumbel": ("gumbel_alphazero", options.network),
    }
    players: list[SearchPlayerSpec | AlphaBetaPlayerSpec] = []
    for name, (system, network) in systems.items():
        player = parse_player(
            f"name={name};preset={system};network={network};visits=100;keep_tree=false"
        )
        assert isinstance(player, SearchPlayerSpec)
        visits = max(2, round(options.speed(player) * options.seconds))
        players.append(with_field(player, "visits", visits, name))
    minimax = AlphaBetaPlayerSpec(
        name="alpha-beta", depth=8, leaf=LeafValue(network=options.network)
    )
    positions = Limits(visits=max(2, round(options.speed(minimax) * options.seconds)))
    players.append(minimax.model_copy(update={"limits": positions}))
    counts = ", ".join(f"{p.name} {p.limits.visits:,}" for p in players if p.limits)
    return Study(
        name="selection",
        title="UCT, RAVE, GRAVE, PUCT, Gumbel and alpha-beta at equal time",
        question="What are playouts, a network and minimax worth in the same time?",
        settings=f"{options.seconds * 1000:g} ms of processor time a move, turned into visits by "
        f"each one's measured speed: {counts}. UCT, RAVE and GRAVE use random rollouts, PUCT and "
        "Gumbel the network. Alpha-beta deepens step by step with the network's value at its "
        "depth, and always finishes the first. No tree is kept between moves.",
        players=tuple(players),
        schedule=RoundRobin(_names(players), options.pairs or 10),
        game=GameSpec(size=options.size),
        said="RAVE beats UCT clearly at few playouts [Gelly & Silver 2011], GRAVE beats RAVE "
        "[Cazenave 2015], and a network beats all rollouts; Gumbel gains on PUCT where simulations "
        "are few [Danihelka 2022]. Minimax never became strong at Go.",
        anchor="UCT",
    )


def batches(options: StudyOptions) -> Study:
    """Leaves in flight and virtual loss: what they cost and what they win."""
    base = with_field(_base(options, "alphago_zero", 100), "alone", True, "base")
    players = []
    for size, flights in ((1, 1), (4, 1), (8, 1), (8, 2), (16, 2)):
        name = f"{size} × {flights}"
        player = with_field(base, "parallelism.batch_size", size, name)
        players.append(with_field(player, "parallelism.batches_in_flight", flights, name))
    most = players[-1]
    players.append(with_field(most, "backup.virtual_visits", 3.0, f"{most.name}, n_vl 3"))
    players.append(
        with_field(most, "backup.virtual_loss", "unobserved", f"{most.name}, unobserved")
    )
    return Study(
        name="batches",
        title="Leaves in flight and virtual loss",
        question="What strength do batches cost at equal visits, and what speed do they win?",
        settings=f"{base.limits.visits} visits a move; leaves a batch × batches in flight, one "
        "lost visit a leaf unless it says otherwise. No batch is shared with another game. The "
        "seconds a game are the player's own thinking time.",
        players=tuple(players),
        schedule=Gauntlet(_names(players), options.pairs or 12),
        game=GameSpec(size=options.size),
        said="AlphaGo 2016 used n_vl 3 with many threads; WU-UCT's unobserved counts lose less "
        "[Liu 2020].",
        anchor="1 × 1",
    )


def first_play_urgency(options: StudyOptions) -> Study:
    """What an unvisited action is taken to be worth."""
    base = _base(options, "alphago_zero", 64)
    rules = (
        ("zero", "constant", 0.0),
        ("a loss", "constant", -1.0),
        ("the parent's value", "parent", 0.0),
        ("parent − 0.25", "parent_minus_constant", 0.25),
        ("parent − 0.4 √ΣP", "parent_minus_visited_policy", 0.4),
    )
    players = [
        with_field(base, "selection.first_play_urgency", {"rule": rule, "amount": amount}, name)
        for name, rule, amount in rules
    ]
    return Study(
        name="first-play-urgency",
        title="First-play urgency",
        question="What should an action without visits be taken to be worth?",
        settings=f"PUCT with c_puct 1.5, {base.limits.visits} visits a move; values in [−1, 1].",
        players=tuple(players),
        schedule=RoundRobin(_names(players), options.pairs or 12),
        game=GameSpec(size=options.size),
        said="AlphaGo Zero takes zero; Leela Zero and KataGo the parent's value less a reduction "
        "that grows with the policy already visited.",
        anchor="zero",
    )


def switches(options: StudyOptions) -> Study:
    """Noise, symmetries, tree reuse, cache: on and off."""
    base = with_field(
        _base(options, "alphago_zero", 64), "visits", options.visits or 64, "as it is"
    )
    players = [
        base,
        with_field(base, "expansion.root_noise", {}, "root noise"),
        with_field(base, "expansion.symmetry", "identity", "no symmetry"),
        with_field(base, "expansion.symmetry", "mean", "mean of 8 symmetries"),
        with_field(base, "keep_tree", False, "tree dropped"),
        with_field(base, "cache", 20_000, "cache"),
    ]
    return Study(
        name="switches",
        title="Noise, symmetries, the tree between moves, and the cache",
        question="What does each switch do to strength at equal visits?",
        settings=f"AlphaGo Zero's search (one random symmetry a leaf, the tree kept, no noise, no "
        f"cache), {base.limits.visits} visits a move; each of the others differs in one thing.",
        players=tuple(players),
        schedule=Gauntlet(_names(players), options.pairs or 16),
        game=GameSpec(size=options.size),
        said="Noise is for self-play and costs strength; averaging symmetries is worth some Elo a "
        "visit and costs eight evaluations; a kept tree gives visits for nothing only where the "
        "budget is new simulations.",
        anchor="as it is",
    )


KATAGO_SETTINGS = """\
logFile = {log}
logAllGTPCommunication = false
logSearchInfo = false
rules = tromp-taylor
allowResignation = false
resignThreshold = -0.99
resignConsecTurns = 99
ponderingEnabled = false
{limit}
numSearchThreads = {threads}
nnRandomize = true
lagBuffer = 0
searchFactorAfterOnePass = 1.0
searchFactorAfterTwoPass = 1.0
searchFactorWhenWinning = 1.0
searchFactorWhenWinningThreshold = 0.99
"""
"""Every move with all its visits or all its time, whoever is winning."""

KATAGO_THREADS = 4
"""With which KataGo is fastest on two cores: `benchmarks/against_katago.py` looks for it."""


def _katago_engine(options: StudyOptions, name: str, limit: str, threads: int) -> EnginePlayerSpec:
    """KataGo with a limit in its own words, its settings in a file beside the table."""
    if options.katago is None:
        raise HonteError("This table needs the program: give --katago PATH.")
    folder = options.folder.resolve()
    configuration = folder / f"{name}.cfg"
    configuration.write_text(
        KATAGO_SETTINGS.format(log=folder / f"{name}.log", limit=limit, threads=threads),
        encoding="utf-8",
    )
    model = shipped_networks().get(str(options.network), options.network)
    command = [options.katago, "gtp", "-model", str(model), "-config", str(configuration)]
    return EnginePlayerSpec(
        name="KataGo", command=shlex.join(command), timeout=120.0, start_timeout=300.0
    )


def katago(options: StudyOptions) -> Study:
    """honte's katago preset against KataGo, visit for visit."""
    base = _base(options, "katago", 100)
    visits = base.limits.visits
    ours = with_field(base, "alone", True, "honte")
    theirs = _katago_engine(options, "katago", f"maxVisits = {visits}", threads=1)
    return Study(
        name="katago",
        title="honte's katago preset against KataGo at equal visits",
        question="Is the preset as strong as the engine it is named after, visit for visit?",
        settings=f"The same network, {visits} visits a move, one search thread in KataGo, its "
        "quicker moves when winning switched off; honte with its default batches.",
        players=(ours, theirs),
        schedule=RoundRobin((ours.name, theirs.name), options.pairs or 10),
        game=GameSpec(size=options.size),
        said="No text says; equal searches come out equal.",
        anchor="KataGo",
    )


def katago_time(options: StudyOptions) -> Study:
    """honte's katago preset against KataGo, second for second."""
    base = with_field(_base(options, "katago", 100), "seconds", options.seconds, "honte")
    ours = with_field(base, "visits", None, "honte")
    limit = f"maxVisits = 1000000\nmaxTime = {options.seconds}"
    theirs = _katago_engine(options, "katago-time", limit, threads=KATAGO_THREADS)
    return Study(
        name="katago-time",
        title="honte's katago preset against KataGo at equal time",
        question="What is the faster search worth?",
        settings=f"The same network and processor, {options.seconds:g} s a move for both, one game "
        f"at a time; KataGo with {KATAGO_THREADS} search threads, its quicker moves when winning "
        "switched off.",
        players=(ours, theirs),
        schedule=RoundRobin((ours.name, theirs.name), options.pairs or 10),
        game=GameSpec(size=options.size),
        said="No text says; a doubling of visits is worth some 60 to 100 Elo where visits are few.",
        anchor="KataGo",
    )


STUDIES: dict[str, Callable[[StudyOptions], Study]] = {
    "c-puct": c_puct,
    "visits": simulations,
    "alphago-2016": alphago_2016,
    "selection": selection,
    "batches": batches,
    "first-play-urgency": first_play_urgency,
    "switches": switches,
    "katago": katago,
    "katago-time": katago_time,
}


def study(name: str, options: StudyOptions) -> Study:
    """A study by its name. Raises HonteError that lists the names."""
    if name not in STUDIES:
        raise HonteError(f"There is no table {name!r}; there are {', '.join(STUDIES)}.")
    return STUDIES[name](options)
