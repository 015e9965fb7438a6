"""The jobs there are, in the order in which they are run. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple
from crewmem.settings.whens import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.settings import Settings
    from crewmem.settings.whens import When


class Job(NamedTuple):
    """Something that is done again and again without anybody asking.

    Attributes:
        name: What ``timers run`` calls it.
        about: What it does, for a description.
        low: Whether it may take its time: a sweep is short, and others wait for it.
    """

    name: str
    about: str
    low: bool = True


JOBS = (
    Job("sweep", "embed and index what is new", low=False),
    Job("extract", "learn from agents' session logs"),
    Job("housekeeping", "drop what expired, and retry what failed"),
    Job("rollup", "sum up days and weeks"),
    Job("consolidate", "learn from daily notes and the journal"),
    Job("condense", "make one memory of those that say the same"),
    Job("nightly", "compact, fade, promote, measure and prune"),
    Job("eval", "measure recall, where there is a suite"),
    Job("tune", "tune recall, once it passed its gates"),
    Job("backup", "export each workspace to backup_dir"),
)
"""All jobs. What is summed up and learned stands on what was swept, and is what the
night looks after, and is what recall is measured on; a backup holds all of it."""

NAMES = tuple(each.name for each in JOBS)

BACKUP = "backup"
"""The job that needs a place to be named."""


def find(name: str) -> Job:
    """Return the job called *name*, which is one of `NAMES`."""
    return next(each for each in JOBS if each.name == name)


def planned(settings: Settings) -> dict[str, When]:
    """Return when each job is due that *settings* want, in the order of `JOBS`."""
    spelled = {
        name: str(getattr(settings, f"timers_{name}"))
        for name in NAMES
        if name != BACKUP or settings.backup_dir
    }
    found = {name: read(text) for name, text in spelled.items()}
    return {name: when for name, when in found.items() if when is not None}
