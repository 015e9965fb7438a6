"""One memory directory at a glance: one walk of stamps, and one look at its index."""

from __future__ import annotations

import os

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.listing import sizes, unpack
from crewmem.files.status import standing
from crewmem.files.tiers import tier_of
from crewmem.files.walk import walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from crewmem.files.place import Place
    from crewmem.files.status import Standing
    from crewmem.files.walk import Found
    from crewmem.scope import Sight

QUARANTINE = ".quarantine"
"""As in files/quarantine.py; a test compares."""

SOFT = 80
"""As in files/caps.py, which this does without; a test compares."""


class Glance(NamedTuple):
    """One memory directory at a glance.

    Attributes:
        standing: How it and its index stand, vectors not counted; None if it cannot be
            read.
        trouble: Why it cannot be read, else "".
        over: Files over their cap, by path below it.
        near: How many are near it.
        heals: Whether the next search brings its index up to date, and keeps it.
        refused: Texts that were refused, and wait for an operator; 0 for others.
    """

    place: Place
    standing: Standing | None
    trouble: str
    over: tuple[str, ...]
    near: int
    heals: bool
    refused: int = 0


def glance(
    place: Place,
    sight: Sight,
    *,
    caps: Mapping[str, int],
    directory_cap: int,
    busy_timeout: float,
    embeds: Callable[[str], bool] | None = None,
) -> Glance:
    """Look at *place* once; nothing is written.

    *embeds* tells whether there is an embedder for vectors of a model.
    """
    hidden = place.hidden_tiers(sight)
    try:
        with open_place(place) as root:
            found = list(walk(root))
            stands = standing(
                place,
                cap=directory_cap,
                hidden=hidden,
                busy_timeout=busy_timeout,
                found=found,
                embeds=embeds,
                root=root,
                counted=False,
            )
    except CrewmemError as error:
        return Glance(place, None, str(error), (), 0, heals=False)
    over, near = _capped(found, caps, hidden, workspace=place.scope is Scope.WORKSPACE)
    heals = place.kept and disk.is_writable(place.path)
    trouble = next((each.trouble for each in found if each.trouble), "")
    told = f"{place.path}: {trouble}" if trouble else ""
    refused = _refused(place) if sight.actor.is_operator else 0
    return Glance(place, stands, told, over, near, heals=heals, refused=refused)


def _refused(place: Place) -> int:
    """Count what is in quarantine, by names alone."""
    try:
        names = os.listdir(f"{place.path}/{QUARANTINE}")  # noqa: PTH208 - names
    except OSError:
        return 0
    return sum(name[0] != "." and name.endswith(".md") for name in names)


def _capped(
    found: Sequence[Found],
    caps: Mapping[str, int],
    hidden: Collection[str],
    *,
    workspace: bool,
) -> tuple[tuple[str, ...], int]:
    """Return the files over their cap, and how many are near it."""
    over, near = [], 0
    for each in found:
        if each.path:  # all files in a folder are of one tier
            cap = _cap(f"{each.path}/x", caps, hidden, workspace=workspace)
            if not cap or 100 * max(sizes(each.listing), default=0) < SOFT * cap:
                continue
        for name, stamp in unpack(each.listing).items():
            file = f"{each.path}/{name}" if each.path else name
            cap = _cap(file, caps, hidden, workspace=workspace)
            if cap and stamp[0] > cap:
                over.append(file)
            elif cap and 100 * stamp[0] >= SOFT * cap:
                near += 1
    return tuple(sorted(over)), near


def _cap(
    file: str, caps: Mapping[str, int], hidden: Collection[str], *, workspace: bool
) -> int:
    """Return the cap of *file*; 0 if it has none, or is not shown."""
    tier = tier_of(file, workspace=workspace)
    return 0 if tier in hidden else caps.get(tier, 0)
