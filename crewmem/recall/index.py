"""What there is to remember, a line each: served when a session starts."""

from __future__ import annotations

import os

from crewmem import disk, times
from crewmem.errors import CrewmemError
from crewmem.files.chunks import iter_chunks
from crewmem.files.contents import contents, day_of
from crewmem.files.folders import open_place
from crewmem.files.tiers import PRIVATE, Tier
from crewmem.memories.scoring import weight
from crewmem.records import NamedTuple
from crewmem.retrieval.snippet import past_heading, snippet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, datetime, tzinfo

    from crewmem.files.chunks import Chunk
    from crewmem.files.contents import Entry
    from crewmem.files.place import Place
    from crewmem.journal.entry import Entry as Happening
    from crewmem.memories.held import Held

WEIGHTS = {
    Tier.PINS: 0.95,
    Tier.BRIEF: 0.92,
    Tier.AGENT: 0.90,
    Tier.CREW: 0.88,
    Tier.WORKSPACE: 0.75,
    Tier.PERSONA: 0.72,
    Tier.LESSONS: 0.70,
    Tier.TOPIC: 0.65,
    Tier.LEARNED: 0.60,
    Tier.DAILY: 0.80,
}
"""How important a file is by its tier, in [0, 1], beside an episode's importance: what
was pinned or is laid before every prompt comes before what mostly is looked for."""

FADING = frozenset({Tier.DAILY, Tier.LEARNED})
"""Notes of a day, which weigh less the older they are."""

FADED_DAYS = 7.0
"""Days after which a note of a day weighs half."""

OWN = 0.01
"""What one's own weighs more than what is as important."""

STEP = 0.01
"""What a pin weighs less than the one above it, so that others come between them."""

PINNED = {"none": 0.0, "pin": 0.80, "high": 0.85, "permanent": 0.95}
"""What a memory weighs at least, by its pin: the floors of episodes."""

OTHER = 0.40
"""Weight of a file that is of no tier."""

TITLE_CHARS = 120
"""Most characters of a line's title: what a terminal shows of it in two lines."""

READ_BYTES = 16 << 10
"""Bytes of a file that are read for its title."""


class Line(NamedTuple):
    """One thing there is to remember.

    Attributes:
        ref: Names it.
        store: ``files``, ``journal`` or ``memories``.
        scope: Agent, crew or workspace.
        owner: Whose it is, as ``crew/agent``; "" if it is the workspace's.
        kind: What kind of thing it is: the tier of a file, the type of an entry, the
            kind of a memory.
        title: What it is about.
        at: When it was last changed, or happened.
        weight: How important it is, in [0, 1].
    """

    ref: str
    store: str
    scope: str
    owner: str
    kind: str
    title: str
    at: datetime
    weight: float


class Listed(NamedTuple):
    """A file that was listed, and is read only if there is room for its line."""

    place: Place
    entry: Entry
    weight: float


def listed(
    places: Sequence[Place], *, now: datetime, zone: tzinfo, agent: str | None = None
) -> tuple[list[Listed], list[str]]:
    """Return the files in *places*, most important first, and what failed."""
    today, owners = times.day(now, zone), {agent} - {None}
    found: list[Listed] = []
    troubles: list[str] = []
    for place in places:
        try:
            files, unread = contents(place, caps={}, today=today, hidden=PRIVATE)
        except CrewmemError as error:
            troubles.append(str(error))
            continue
        troubles += unread
        found += (
            Listed(place, each, _weight(each, today, is_own=place.agent in owners))
            for each in files
            if "odd" not in each.flags and each.bytes
        )
    found.sort(
        key=lambda each: (
            -each.weight,
            -each.entry.updated_at.timestamp(),
            each.entry.ref,
        )
    )
    return found, troubles


def _weight(entry: Entry, today: date, *, is_own: bool) -> float:
    weight = WEIGHTS.get(Tier(entry.tier), OTHER) + OWN * is_own
    if entry.tier not in FADING:
        return weight
    day = day_of(entry.file)
    days = max(0, (today - day).days) if day else FADED_DAYS
    return weight / (1.0 + days / FADED_DAYS)


def of_file(file: Listed) -> list[Line]:
    """Return the line of *file*; of pins one each; none of a file that says nothing."""
    place, entry, weight = file
    try:
        with open_place(place) as root, disk.open_file(root, entry.file) as opened:
            content = os.read(opened, READ_BYTES)
    except (CrewmemError, OSError):
        return []
    text = content.decode("utf-8", "replace")
    is_list = entry.tier == Tier.PINS
    titles = _pinned(text) if is_list else [("", _title(text))]
    return [
        Line(
            ref=f"{entry.ref}{lines}",
            store="files",
            scope=entry.scope,
            owner=entry.owner,
            kind=entry.tier,
            title=snippet(title, (), width=TITLE_CHARS),
            at=entry.updated_at,
            weight=weight - STEP * at,
        )
        for at, (lines, title) in enumerate(titles)
        if title
    ]


def of_entry(entry: Happening, weight: float) -> Line:
    """Return the line of *entry*, an episode that weighs so much."""
    owner = "/".join(filter(None, (entry.crew_id, entry.agent_id)))
    return Line(
        ref=entry.id,
        store="journal",
        scope="agent" if entry.agent_id else "crew" if entry.crew_id else "workspace",
        owner=owner,
        kind=entry.entry_type,
        title=snippet(entry.summary, (), width=TITLE_CHARS),
        at=entry.ts,
        weight=weight,
    )


def of_memory(held: Held, *, is_own: bool) -> Line:
    """Return the line of a memory that is *held*."""
    memory = held.memory
    return Line(
        ref=memory.id,
        store="memories",
        scope=memory.scope,
        owner=memory.agent or memory.crew or "",
        kind=memory.kind,
        title=snippet(memory.title, (), width=TITLE_CHARS),
        at=memory.updated_at,
        weight=min(1.0, max(weight(held), PINNED[memory.pin]) + OWN * is_own),
    )


def _pinned(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines and the text of each entry of a list."""
    for chunk in iter_chunks(text, by_entry=True):
        body = _body(chunk)
        if body:
            yield f":{chunk.first}-{chunk.last}", body.lstrip("-*+ ")


def _title(text: str) -> str:
    """Say what a file is about: its headings that have text below, or how it begins.

    "" for one that says nothing, as the file that an agent begins with.
    """
    root, first, sections = "", "", list[str]()
    for chunk in iter_chunks(text):
        crumbs = chunk.heading.split(" > ")
        root = root or crumbs[0]
        body = _body(chunk)
        if not body:
            continue
        first = first or body
        if crumbs[-1] not in {root, *sections}:
            sections.append(crumbs[-1])
    if not first:
        return ""
    about = ", ".join(sections) or first
    return f"{root}: {about}" if root else about


def _body(chunk: Chunk) -> str:
    """Return what *chunk* says below its heading; "" for front matter."""
    text = chunk.text
    if text.startswith("---\n") and not chunk.heading:
        return ""
    body = text[past_heading(text) :].strip()
    is_heading = body.startswith("#") and "\n" not in body
    return "" if is_heading else body
