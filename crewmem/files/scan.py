"""Looking through memory files for hidden instructions and secrets."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache

from crewmem import disk
from crewmem.errors import CrewmemError
from crewmem.files.folders import open_place
from crewmem.files.listing import ODD, unpack
from crewmem.files.screen import words
from crewmem.files.tiers import tier_of
from crewmem.files.walk import visible, walk
from crewmem.records import NamedTuple
from crewmem.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from crewmem.files.place import Place
    from crewmem.files.read import Document
    from crewmem.threats.rule import Finding, Scan

SHORT, KNOWN = 256, 10_000
"""Characters of a text that is worth remembering, and how many of them are: 27 years
of notes are called after their days in every directory."""


class Flagged(NamedTuple):
    """A place in a memory file that looks like an attack or a secret.

    Attributes:
        ref: Names the file, for ``memory read``; "-" is standard input, as are its
            path and file.
        scope: Agent, crew or workspace; None of standard input.
        owner: Whose it is, as ``crew/agent``; "" if unknown.
        path: The file on disk.
        file: The file below its memory directory.
        tier: What kind of memory file it is.
        first_line: Where it begins, counted from 1; 0 is the file's name.
        last_line: Where it ends.
        category: injection, exfiltration, persistence, obfuscation or secret.
        rule: What was recognised; behind a plus sign the disguise it was under.
        severity: high is refused by what writes and prompts, medium is a warning.
    """

    ref: str
    scope: Scope | None
    owner: str
    path: Path
    file: str
    tier: str
    first_line: int
    last_line: int
    category: str
    rule: str
    severity: str


class Source(NamedTuple):
    """A file, by the fields that `Flagged` has of it."""

    ref: str
    scope: Scope | None
    owner: str
    path: Path
    file: str
    tier: str


class Scanned(NamedTuple):
    """What was found.

    Attributes:
        flagged: By file and line.
        files: How many files were read.
        troubles: What could not be read, and why.
    """

    flagged: list[Flagged]
    files: int
    troubles: list[str]


def scan(
    place: Place,
    find: Scan,
    *,
    limit: int,
    tiers: Collection[str] = (),
    hidden: Collection[str] = (),
    tick: Callable[[], None] | None = None,
) -> Scanned:
    """Scan the files of *place*: of *tiers*, or all, but none of a *hidden* tier.

    *find* is what scans. Files of more than *limit* bytes are not read, and it is said.
    Of each that was scanned *tick* is called.
    """
    flagged: list[Flagged] = []
    troubles: list[str] = []
    files = 0
    with open_place(place) as root:
        for file, name in _listed(place, root, tiers, hidden, troubles):
            try:
                with disk.open_file(root, name) as opened:
                    content = opened.read(limit)
            except CrewmemError as error:
                troubles.append(f"{place.path / file} was not scanned: {error}")
                continue
            files += 1
            text = content.decode("utf-8", "replace")
            named, said = find(words(file)), find(text)
            if named or said:  # what it is called in answers takes a tenth of the time
                flagged += _flags(source_of(place, file), text, named, said)
            if tick:
                tick()
    return Scanned(flagged, files, troubles)


def once(find: Scan) -> Scan:
    """Return *find*, which looks at a short text once: of two places many are alike.

    They are the names of files, and pages that nobody has filled.
    """
    looked = lru_cache(KNOWN)(find)
    return lambda text: looked(text) if len(text) <= SHORT else find(text)


def _listed(
    place: Place,
    root: disk.Directory,
    tiers: Collection[str],
    hidden: Collection[str],
    troubles: list[str],
) -> Iterator[tuple[str, str]]:
    """Yield what is to be scanned, as it is shown and as it is opened, in order."""
    found: list[tuple[str, str]] = []
    for each in walk(root):
        if each.trouble:
            where = place.path / each.path
            troubles.append(f"{where} was not listed: {each.trouble}")
        for name, stamp in unpack(each.listing).items():
            file = f"{each.path}/{name}".lstrip("/")
            tier = tier_of(visible(file), workspace=place.scope is Scope.WORKSPACE)
            if tier in hidden or (tiers and tier not in tiers):
                continue
            if stamp[0] == ODD:
                where = place.path / visible(file)
                troubles.append(f"{where} was not scanned: it is no regular file")
            else:
                found.append((visible(file), file))
    yield from sorted(found)


def scan_document(document: Document, find: Scan) -> list[Flagged]:
    """Return what *find* finds in a *document* that was read."""
    source = Source(
        ref=document.ref,
        scope=document.scope,
        owner=document.owner,
        path=document.path,
        file=document.file,
        tier=document.tier,
    )
    return flags(source, document.text, find, document.first_line)


def scan_text(text: str, find: Scan) -> list[Flagged]:
    """Return what *find* finds in *text*, which is of no file."""
    from pathlib import Path

    name, tier = "-", tier_of("-")
    source = Source(name, None, owner="", path=Path(name), file=name, tier=tier)
    return flags(source, text, find)


def source_of(place: Place, file: str) -> Source:
    """Say which file of *place* it is."""
    return Source(
        ref=place.ref(file),
        scope=place.scope,
        owner=place.owner,
        path=place.path / file,
        file=file,
        tier=tier_of(file, workspace=place.scope is Scope.WORKSPACE),
    )


def flags(source: Source, text: str, find: Scan, first_line: int = 1) -> list[Flagged]:
    """Return what *find* finds in *text* of a file, and in the name of the file."""
    named, said = find(words(source.file)), find(text)
    return _flags(source, text, named, said, first_line)


def _flags(
    source: Source,
    text: str,
    named: Sequence[Finding],
    said: Sequence[Finding],
    first_line: int = 1,
) -> list[Flagged]:
    """Return what was found in the name of a file, and is *said* in its *text*."""
    flagged = [*dict.fromkeys(_flagged(source, each, 0, 0) for each in named)]
    ends = [each.start() for each in re.finditer("\n", text)] if said else []
    for each in said:
        first = bisect_right(ends, each.start - 1)
        last = max(bisect_right(ends, each.end - 2), first)
        flagged.append(_flagged(source, each, first + first_line, last + first_line))
    return flagged


def _flagged(source: Source, finding: Finding, first: int, last: int) -> Flagged:
    return Flagged(
        **source._asdict(),
        first_line=first,
        last_line=last,
        category=finding.category,
        rule=finding.rule,
        severity=finding.severity,
    )
