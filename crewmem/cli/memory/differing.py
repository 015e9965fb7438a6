"""How a difference between two versions of a memory file is shown."""

from __future__ import annotations

from crewmem.cli.memory.versions import as_it_stands, harmless
from crewmem.digests import sha256
from crewmem.files.diff import KEPT, PUT, TAKEN, Hunk, diff
from crewmem.files.version import GONE
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.app import App
    from crewmem.cli.memory.versions import Subject
    from crewmem.cli.output import Line
    from crewmem.files.version import Version

STYLES = {PUT: "good", TAKEN: "bad", KEPT: ""}

TAB = 8
"""Columns of a tab, where lines are coloured."""


class Side(NamedTuple):
    """One of two texts that are compared.

    Attributes:
        name: What it is called above the difference.
        version: None for the file as it stands.
        sha256: The hash of what it is.
        content: As much of it as is shown.
    """

    name: str
    version: Version | None
    sha256: str
    content: bytes


class Difference(NamedTuple):
    """How two texts of a memory file differ.

    Attributes:
        ref: The file.
        a: The id of the one version; null for the file as it stands.
        b: That of the other.
        differs: Whether they differ at all.
        added: Lines that only the other has.
        removed: Lines that only the one has.
        hunks: Where they differ, in order.
    """

    ref: str
    a: str | None
    b: str | None
    differs: bool
    added: int
    removed: int
    hunks: tuple[Hunk, ...]


def versioned(app: App, it: Subject, version: Version, *, raw: bool) -> Side:
    """Return what *version* kept, as a side of a comparison."""
    from crewmem import times

    at = times.to_text(version.written_at)
    gone = "" if version.sha256 else " (removed)"
    name = f"{it.ref}\t{version.id} {at}{gone}"
    content = harmless(app, it, it.content(version), raw=raw)
    return Side(name, version, version.sha256, content)


def standing(app: App, it: Subject, *, raw: bool) -> Side:
    """Return the file as it stands, as a side of a comparison."""
    content = as_it_stands(app, it)
    gone = " (not there)" if content is None else ""
    name = f"{it.ref}\tas it stands{gone}"
    if content is None:
        return Side(name, None, GONE, b"")
    return Side(name, None, sha256(content), harmless(app, it, content, raw=raw))


def difference(ref: str, a: Side, b: Side, *, context: int) -> Difference:
    """Return how *b* differs from *a*."""
    hunks = diff(a.content, b.content, context=context)
    signs = [line[0] for hunk in hunks for line in hunk.lines]
    return Difference(
        ref=ref,
        a=a.version.id if a.version else None,
        b=b.version.id if b.version else None,
        differs=a.sha256 != b.sha256,
        added=signs.count(PUT),
        removed=signs.count(TAKEN),
        hunks=tuple(hunks),
    )


def show_difference(app: App, found: Difference, a: Side, b: Side) -> None:
    """Answer with *found*: a unified diff, which on a pipe is as ``patch`` takes it."""
    if app.out.is_json or app.out.color:
        app.out.record(found, _coloured(found, a, b))
    else:
        lines = _plain(found, a, b)
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        if content:
            app.out.document(content, raw=False)
    if not found.differs:
        app.out.note("They are the same.")
    elif not found.hunks:
        app.out.note("They differ in what is not shown.")


def _plain(found: Difference, a: Side, b: Side) -> Iterator[str]:
    if found.hunks:
        yield f"--- {a.name}"
        yield f"+++ {b.name}"
    for hunk in found.hunks:
        yield hunk.header
        yield from hunk.lines


def _coloured(found: Difference, a: Side, b: Side) -> Iterator[Line]:
    if found.hunks:
        yield _styled("bold", f"--- {a.name}")
        yield _styled("bold", f"+++ {b.name}")
    for hunk in found.hunks:
        yield _styled("path", hunk.header)
        for line in hunk.lines:
            yield _styled(STYLES.get(line[0], "dim"), line)


def _styled(style: str, text: str) -> Sequence[tuple[str, str]]:
    return [(style, text.expandtabs(TAB))]
