"""One thing that somebody noted, and where it stands. Pure."""

from __future__ import annotations

import re

from crewmem.consolidation.item import Evidence
from crewmem.consolidation.observation import TEXT_MOST
from crewmem.digests import sha256
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crewmem.consolidation.normal import Form
    from crewmem.threats.rule import Finding, Scan

DAILY, ENTRY, LESSON = "daily", "journal", "lesson"
"""Where something was said."""

PLACE = re.compile(r"(.+):(\d+)(?:-(\d+))?")
"""A file and its lines."""


class Piece(NamedTuple):
    """One thing that somebody noted.

    Attributes:
        day: Of the operator's calendar: ``2026-04-14``.
        agent: Who noted it; "" for the crew.
        source: daily, journal or lesson.
        ref: The file that it stands in, or the id of the entry.
        first: The first line, counted from 1; 0 of an entry.
        last: The last one.
        kind: The heading above, or the entry's type.
        text: What it says.
        form: The same, apart from how it is worded.
        whole: All that was read with it: the note, or the entry.
        sha256: Of the lines, or of the entry; "" until somebody asks.
    """

    day: str
    agent: str
    source: str
    ref: str
    first: int
    last: int
    kind: str
    text: str
    form: Form
    whole: str
    sha256: str = ""

    @property
    def place(self) -> str:
        """Where it stands, with its lines, as search prints it."""
        if not self.first:
            return self.ref
        return place_of(self.ref, self.first, self.last)

    @property
    def origin(self) -> tuple[str, str]:
        """Who says it, and how: two of them are two sources."""
        return self.source, self.agent

    def evidence(self) -> Evidence:
        """Return it as evidence."""
        digest = self.sha256 or digest_of(
            said_of(lines(self.whole, self.first, self.last), self.text)
        )
        return Evidence(
            self.place, self.source, self.kind, digest, self.day, self.agent, self.text
        )


def place_of(ref: str, first: int, last: int) -> str:
    """Name lines of the file *ref*."""
    return f"{ref}:{first}" if first == last else f"{ref}:{first}-{last}"


def parted(place: str) -> tuple[str, int, int]:
    """Return the file and the lines that *place* names; of an entry, no lines."""
    found = PLACE.fullmatch(place)
    if found is None:
        return place, 0, 0
    return found[1], int(found[2]), int(found[3] or found[2])


def lines(text: str, first: int, last: int) -> str:
    """Return lines of *text*, which were counted from 1; all of it for 0."""
    return "\n".join(text.split("\n")[first - 1 : last]) if first else text


def said_of(line: str, text: str) -> str:
    """Return what is known again of a *line* that says *text*: of a long one that."""
    return line if len(line) <= TEXT_MOST else text


def digest_of(text: str) -> str:
    """Return the hash by which lines, or an entry, are known again."""
    return sha256(text.encode("utf-8", "replace"))


def known_again(evidence: Evidence, form: Form) -> Piece:
    """Return the piece that *evidence* was made of."""
    ref, first, last = parted(evidence.ref)
    return Piece(
        evidence.day,
        evidence.agent,
        evidence.source,
        ref,
        first,
        last,
        evidence.kind,
        evidence.quote,
        form,
        "",
        evidence.sha256,
    )


def in_order(piece: Piece) -> tuple[str, str, str, str, int]:
    """Return the place of *piece* among others: by day, then by where it stands."""
    return piece[:5]


def decoded(content: bytes) -> str:
    """Return a note as text, with the ends of lines that texts have here."""
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n") if "\r" in text else text


def stands(evidence: Evidence, content: bytes) -> bool:
    """Tell whether the file of *evidence*, which holds *content*, still says it."""
    _, first, last = parted(evidence.ref)
    line, quote = lines(decoded(content), first, last), evidence.quote
    if len(line) > TEXT_MOST and " ".join(quote.split()) not in " ".join(line.split()):
        return False
    return digest_of(said_of(line, quote)) == evidence.sha256


def poisoned(
    pieces: Iterable[Piece], scan: Scan, worst: Callable[[Iterable[Finding]], object]
) -> dict[str, str]:
    """Return the places of *pieces* that look like an attack or hold a secret, and why.

    Each note is looked at whole: what is parted over several lines is found, too.
    """
    by_ref: dict[str, list[Piece]] = {}
    for each in pieces:
        if each.whole:
            by_ref.setdefault(each.ref, []).append(each)
    found: dict[str, str] = {}
    for here in by_ref.values():
        whole = here[0].whole
        for finding in scan(whole):
            if worst([finding]) is None:
                continue
            first = whole.count("\n", 0, finding.start) + 1
            last = whole.count("\n", 0, max(finding.end - 1, 0)) + 1
            for each in here:
                if not each.first or (each.first <= last and first <= each.last):
                    found.setdefault(each.place, finding.rule)
    return found
