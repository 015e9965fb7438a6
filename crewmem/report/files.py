"""Memory files on the page: size and cap, text and versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crewmem.errors import CrewmemError
from crewmem.files.reading import FileInfo
from crewmem.files.versions import Version
from crewmem.home import Home
from crewmem.report.facts import ShownChange
from crewmem.report.texts import PageSubject, Texts, cut_diff, make_blocks
from crewmem.text.markdown import OWN_COMMENT

MAX_FILES = 1_000
"""Number of most recently changed files shown with their text; others are only listed."""

MAX_VERSIONS = 20
"""Number of newest versions listed per file."""

MAX_DIFFS = 5
"""Number of newest versions per file whose changes are shown."""


OPERATIONS = {
    "outside": "changed outside crewmem",
    "import": "imported",
    "consolidate": "consolidated",
    "append": "appended",
    "replace": "replaced",
    "note": "noted",
    "restore": "restored",
    "release": "released",
    "archive": "archived",
    "repair": "renamed",
    "undo": "could not be written",
}
"""Verbs for the operations of versions, to show after the name of a file."""

FIRST_SEEN = "first seen"
"""Label of the first version of a file that crewmem did not write. The file may be older."""


def collect_files(subject: PageSubject) -> list[dict[str, Any]]:
    """Return the memory files that the actor may read."""
    home, texts = subject.home, subject.texts
    infos = [
        info
        for info in home.memory.list_files()
        if subject.is_about(_agent_of(info), info.owner if info.scope == "crew" else None)
    ]
    shown = {
        info.file for info in sorted(infos, key=lambda info: info.at, reverse=True)[:MAX_FILES]
    }
    if len(infos) > MAX_FILES:
        subject.notes.append(f"Only the {MAX_FILES:,} files that changed last have their text.")
    return [_make_card(home, info, texts, is_shown=info.file in shown) for info in infos]


def _agent_of(info: FileInfo) -> str:
    return info.owner.rpartition("/")[2] if info.scope == "agent" else ""


def _make_card(home: Home, info: FileInfo, texts: Texts, *, is_shown: bool) -> dict[str, Any]:
    """Return the card of a file, with its text and newest changes if *is_shown*."""
    card: dict[str, Any] = {
        "file": info.file,
        "tier": info.tier,
        "owner": info.owner,
        "agent": _agent_of(info),
        "bytes": info.bytes,
        "cap": info.cap,
        "share": round(info.share, 4),
        "at": texts.local(info.at),
        "origin": "",
        "flags": list(info.flags),
        "problem": info.skipped,
        "blocks": None,
        "lines": [],
        "versions": 0,
        "changes": [],
    }
    if not is_shown:
        return card
    try:
        content = home.memory.read(info.file)
    except CrewmemError as error:  # the file is listed without text
        return card | {"problem": error.message}
    card["origin"] = content.origin
    card["blocks"] = make_blocks(texts.cut(content.text))
    card["lines"] = sorted({finding.first_line for finding in content.suspicious})
    if home.context.has_db:
        versions = home.memory.log(info.file, limit=MAX_VERSIONS)
        card["versions"] = versions[0].number if versions else 0
        card["changes"] = _list_changes(home, info, versions, texts)
    return card


def _list_changes(
    home: Home, info: FileInfo, versions: Sequence[Version], texts: Texts
) -> list[ShownChange]:
    changes = [
        ShownChange(
            texts.local(version.written_at),
            version.written_by,
            FIRST_SEEN
            if (version.operation, version.number) == ("outside", 1)
            else OPERATIONS.get(version.operation, version.operation),
            "",
            [],
        )
        for version in versions
    ]
    for change, newer, older in zip(changes[:MAX_DIFFS], versions, versions[1:], strict=False):
        try:
            lines = home.memory.diff(info.file, older.id, newer.id)[2:]
        except CrewmemError as error:  # the content of a version may have been pruned
            change.reason = error.message
            continue
        shown = cut_diff([line.rstrip() for line in lines if not OWN_COMMENT.match(line[1:])])
        change.diff = texts.cut("\n".join(shown)).split("\n") if shown else []
    return changes
