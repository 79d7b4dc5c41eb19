"""honte's ``katago`` preset against the program it is named after, with the same network."""

from __future__ import annotations

import shlex

from honte.errors import HonteError
from honte.files import write_text
from honte.lab.reading import with_field
from honte.lab.schedule import RoundRobin
from honte.lab.specs import EnginePlayerSpec, SearchPlayerSpec
from honte.lab.studies.study import Study, StudyOptions, names_of, study_name
from honte.networks import shipped_networks

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


def katago(options: StudyOptions) -> Study:
    """honte's katago preset against KataGo, visit for visit."""
    base = options.base("katago", 100)
    visits = base.limits.visits
    return _against_katago(
        options,
        "katago",
        with_field(base, "alone", True, "honte"),
        limit=f"maxVisits = {visits}",
        threads=1,
        title="honte's katago preset against KataGo at equal visits",
        question="Is the preset as strong as the engine it is named after, visit for visit?",
        settings=f"The same network, {visits} visits a move, one search thread in KataGo, its "
        "quicker moves when winning switched off; honte with its default batches.",
        said="No text says; equal searches come out equal.",
    )


def katago_time(options: StudyOptions) -> Study:
    """honte's katago preset against KataGo, second for second."""
    base = with_field(options.base("katago", 100), "seconds", options.seconds, "honte")
    return _against_katago(
        options,
        "katago-time",
        with_field(base, "visits", None, "honte"),
        limit=f"maxVisits = 1000000\nmaxTime = {options.seconds}",
        threads=KATAGO_THREADS,
        title="honte's katago preset against KataGo at equal time",
        question="What is the faster search worth?",
        settings=f"The same network and processor, {options.seconds:g} s a move for both, one game "
        f"at a time; KataGo with {KATAGO_THREADS} search threads, its quicker moves when winning "
        "switched off.",
        said="No text says; a doubling of visits is worth some 60 to 100 Elo where visits are few.",
    )


def _against_katago(
    options: StudyOptions,
    name: str,
    ours: SearchPlayerSpec,
    *,
    limit: str,
    threads: int,
    title: str,
    question: str,
    settings: str,
    said: str,
) -> Study:
    """A search of honte's against KataGo with a limit in its own words."""
    name = study_name(name, options.size)
    players = (ours, _engine(options, name, limit, threads))
    return Study(
        name=name,
        title=title,
        question=question,
        settings=settings,
        players=players,
        schedule=RoundRobin(names_of(players), options.pairs or 10),
        game=options.game,
        said=said,
        anchor="KataGo",
    )


def _engine(options: StudyOptions, name: str, limit: str, threads: int) -> EnginePlayerSpec:
    """KataGo, its settings in a file beside the table."""
    if options.katago is None:
        raise HonteError("This table needs the program: give --katago PATH.")
    folder = options.folder.resolve()
    configuration = folder / f"{name}.cfg"
    log = folder / f"{name}.log"
    write_text(configuration, KATAGO_SETTINGS.format(log=log, limit=limit, threads=threads))
    model = shipped_networks().get(str(options.network), options.network)
    command = [options.katago, "gtp", "-model", str(model), "-config", str(configuration)]
    return EnginePlayerSpec(
        name="KataGo", command=shlex.join(command), timeout=120.0, start_timeout=300.0
    )
