"""The tables of the papers, each a match with a question.

Every study is built from the same few options, so that it can be repeated with another network,
more visits or more games. What the texts say is stated beside what was measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from honte.errors import HonteError
from honte.lab.studies.katago import katago, katago_time
from honte.lab.studies.settings import BATCHES, C_PUCT, FIRST_PLAY_URGENCY, SWITCHES
from honte.lab.studies.study import USUAL_SIZE, Study, StudyOptions, study_name
from honte.lab.studies.systems import alphago_2016, selection, simulations

__all__ = ["STUDIES", "Study", "StudyOptions", "study", "study_name"]

STUDIES: dict[str, Callable[[StudyOptions], Study]] = {
    "c-puct": C_PUCT,
    "visits": simulations,
    "alphago-2016": alphago_2016,
    "selection": selection,
    "batches": BATCHES,
    "first-play-urgency": FIRST_PLAY_URGENCY,
    "switches": SWITCHES,
    "katago": katago,
    "katago-time": katago_time,
}


def study(name: str, options: StudyOptions) -> Study:
    """A study by its name. Raises HonteError that lists the names."""
    if name not in STUDIES:
        raise HonteError(f"There is no table {name!r}; there are {', '.join(STUDIES)}.")
    made = STUDIES[name](options)
    if options.size == USUAL_SIZE:
        return made
    return replace(made, title=f"{made.title}, {options.size} × {options.size}")
