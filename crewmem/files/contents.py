"""Listing the files of a memory directory as they lie on disk."""

from __future__ import annotations

from datetime import UTC, date, datetime

from crewmem.files.caps import is_near
from crewmem.files.folders import open_place
from crewmem.files.listing import ODD, unpack
from crewmem.files.tiers import Tier, tier_of
from crewmem.files.walk import visible, walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from crewmem.files.listing import Stamp
    from crewmem.files.place import Place


class Entry(NamedTuple):
    """A memory file as it lies on disk.

    Attributes:
        ref: Names it, for ``memory read``.
        scope: Agent, crew or workspace.
        owner: Whose it is, as ``crew/agent``; "" if unknown.
        path: The file on disk.
        file: The file below its memory directory.
        tier: What kind of memory file it is.
        bytes: Its size.
        cap: Most bytes of a file of its tier; None if it has none.
        share: Of the cap, to four digits; *flags* say whether it is over. None without.
        updated_at: When it was last changed.
        flags: ``over-cap``, ``near-cap``, ``bad-name``, ``future``, ``odd``.
    """

    ref: str
    scope: Scope
    owner: str
    path: Path
    file: str
    tier: str
    bytes: int
    cap: int | None
    share: float | None
    updated_at: datetime
    flags: tuple[str, ...]


def contents(
    place: Place, *, caps: Mapping[str, int], today: date, hidden: Collection[str] = ()
) -> tuple[list[Entry], list[str]]:
    """Return the files of *place*, by path, and what could not be listed."""
    with open_place(place) as root:
        found = list(walk(root))
    entries = [
        _entry(place, f"{each.path}/{visible(name)}".lstrip("/"), stamp, caps, today)
        for each in found
        for name, stamp in unpack(each.listing).items()
    ]
    troubles = [
        f"{place.path / each.path} was not listed: {each.trouble}"
        for each in found
        if each.trouble
    ]
    shown = (entry for entry in entries if entry.tier not in hidden)
    return sorted(shown, key=lambda entry: entry.file), troubles


def _entry(
    place: Place, file: str, stamp: Stamp, caps: Mapping[str, int], today: date
) -> Entry:
    tier = tier_of(file, workspace=place.scope is Scope.WORKSPACE)
    size, cap = max(stamp[0], 0), caps.get(tier)
    share = round(size / cap, 4) if cap else None
    return Entry(
        ref=place.ref(file),
        scope=place.scope,
        owner=place.owner,
        path=place.path / file,
        file=file,
        tier=tier,
        bytes=size,
        cap=cap,
        share=share,
        updated_at=datetime.fromtimestamp(stamp[1] / 1e9, UTC),
        flags=tuple(_flags(file, tier, stamp, cap, today)),
    )


def _flags(
    file: str, tier: Tier, stamp: Stamp, cap: int | None, today: date
) -> list[str]:
    flags = []
    if cap and is_near(stamp[0], cap):
        flags.append("over-cap" if stamp[0] > cap else "near-cap")
    if stamp[0] == ODD:
        flags.append("odd")
    if tier in {Tier.DAILY, Tier.LEARNED}:
        day = day_of(file)
        if day is None:
            flags.append("bad-name")
        elif day > today:
            flags.append("future")
    return flags


def day_of(file: str) -> date | None:
    """Return the day that a note's name says, None if it is no real date."""
    stem = file.rpartition("/")[2][:-3]
    try:
        day = date.fromisoformat(stem)
    except ValueError:
        return None
    return day if day.isoformat() == stem else None
