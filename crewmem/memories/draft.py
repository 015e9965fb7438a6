"""What somebody wants to have remembered: the draft of a memory. Pure."""

from __future__ import annotations

import re
from math import isfinite

from crewmem.digests import sha256
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.memories import BlankMemoryError
from crewmem.errors.values import BadMemoryError
from crewmem.memories.memory import SENSITIVITIES
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from crewmem.memories.memory import Owner

CONTENT_MOST = 64 << 10
"""Most bytes of what a memory says."""

TITLE_MOST = 200
"""Most characters of a title."""

NAME_MOST = 200
"""Most characters of a tag, an entity, and of what names a session or a project."""

LABELS_MOST = 100
"""Most tags, and most entities: a memory that has more is about nothing."""

METADATA_MOST = 64 << 10
"""Most bytes of metadata, as JSON."""

TOPIC = r"[\w.][\w./-]{0,119}"
"""Of a topic key: letters of any script, digits, dots, slashes, hyphens."""

CLAUSE = r"[.!?;:](?=\s|$)|\s[—-]\s|\n|[。！？]"  # noqa: RUF001 - Chinese
"""Where the first clause of a text ends; compiled when it is asked for."""

CLAUSE_MOST = 80
"""Most characters of a title that nobody wrote: a line of a listing."""


class Draft(NamedTuple):
    """What somebody wants to have remembered.

    Attributes:
        owner: Whose it is to be.
        subtype: The word that was used, where the kind has another name.
        title: "" for the first clause of the content.
        importance: 1 to 5.
        confidence: In [0, 1].
        occurred_at: When it happened, if that is not now.
        expires_at: When it stops to be true.
        base_quality: In [0, 1], of what is shared.
        sensitivity: None for that of what is rewritten; of what is new, internal.
        session: In which it was learned; the next two are the project and the issue.
        spans: Where it was said: a file, bytes in it, and the message.
    """

    content: str
    owner: Owner
    kind: str = "fact"
    subtype: str | None = None
    title: str = ""
    importance: int = 3
    confidence: float = 0.5
    base_quality: float | None = None
    sensitivity: str | None = "internal"
    tags: Sequence[str] = ()
    entities: Sequence[str] = ()
    topic_key: str | None = None
    metadata: Mapping[str, object] = {}
    occurred_at: datetime | None = None
    expires_at: datetime | None = None
    session: str | None = None
    project: str | None = None
    issue: str | None = None
    origin: str = "cli"
    spans: Sequence[Mapping[str, object]] = ()


def require_valid(draft: Draft) -> None:
    """Refuse a draft that cannot be a memory.

    Raises:
        BadMemoryError: If a value is out of its range.
        BlankMemoryError: If it says nothing.
        InputTooLargeError: If it, or its title, says too much.
    """
    if not draft.content.strip():
        raise BlankMemoryError
    size = len(draft.content.encode("utf-8", "replace"))
    if size > CONTENT_MOST:
        raise InputTooLargeError("the memory", size, CONTENT_MOST)
    if "\0" in draft.content:
        raise BadMemoryError("content", "a NUL character", "text")
    _require_range("importance", draft.importance, 1, 5)
    _require_range("confidence", draft.confidence, 0, 1)
    if draft.sensitivity is not None:
        _require_one_of("sensitivity", draft.sensitivity, SENSITIVITIES)
    if len(draft.title) > TITLE_MOST:
        size = len(draft.title)
        raise InputTooLargeError("the title", size, TITLE_MOST, "characters")
    if draft.topic_key is not None and not is_topic(draft.topic_key):
        wanted = "letters, digits, dots, slashes and hyphens, at most 120"
        raise BadMemoryError("topic_key", draft.topic_key, wanted)
    for name in ("tags", "entities"):
        _require_labels(name, getattr(draft, name))
    for name in ("title", "session", "project", "issue"):
        text = getattr(draft, name)
        if text and not _is_line(text):
            raise BadMemoryError(name, text, "one line of text")


def is_topic(text: str) -> bool:
    """Tell whether *text* can be a topic key."""
    return bool(re.fullmatch(TOPIC, text))


def _require_range(name: str, value: float, least: int, most: int) -> None:
    if not (isfinite(value) and least <= value <= most):
        raise BadMemoryError(name, str(value), f"from {least} to {most}")


def _require_one_of(name: str, text: str, choices: tuple[str, ...]) -> None:
    if text not in choices:
        raise BadMemoryError(name, text, f"one of {', '.join(choices)}")


def _require_labels(name: str, labels: Sequence[str]) -> None:
    if len(labels) > LABELS_MOST:
        raise BadMemoryError(name, f"{len(labels)} of them", f"at most {LABELS_MOST}")
    for label in labels:
        if not _is_line(label) or len(label) > NAME_MOST:
            wanted = f"names of at most {NAME_MOST} characters, in one line"
            raise BadMemoryError(name, label, wanted)


def _is_line(text: str) -> bool:
    return bool(text.strip()) and text.isprintable() and len(text) <= TITLE_MOST


def settled(draft: Draft) -> Draft:
    """Return *draft* as it is kept: with a title, its labels in order and once each.

    What it says is kept as it is, to the byte.
    """
    return draft._replace(
        title=draft.title.strip() or first_clause(draft.content),
        tags=_each_once(draft.tags),
        entities=_each_once(draft.entities),
    )


def _each_once(labels: Sequence[str]) -> list[str]:
    return [*dict.fromkeys(label.strip() for label in labels)]


def first_clause(text: str) -> str:
    """Return how *text* begins, up to the end of its first clause, in one line."""
    start = text.strip().lstrip("#>*- \t") or text.strip()
    found = re.compile(CLAUSE).search(start, 12)
    line = " ".join((start[: found.start()] if found else start).split())
    line = "".join(each if each.isprintable() else " " for each in line).strip()
    if len(line) <= CLAUSE_MOST:
        return line or "untitled"
    cut = line[: CLAUSE_MOST - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def content_hash(kind: str, title: str, content: str) -> str:
    """Return what two memories have in common that say the same.

    It is sha256 of the three with NUL between them, in NFC, without white space
    around them, all ends of lines alike.
    """
    from unicodedata import normalize

    parts = [
        normalize("NFC", each.replace("\r\n", "\n").replace("\r", "\n").strip())
        for each in (kind, title, content)
    ]
    return sha256("\0".join(parts).encode("utf-8", "replace"))


def importance_of(priority: int) -> int:
    """Return the importance that stands for Engram's *priority*, 1 to 10.

    Raises:
        BadMemoryError: If it is not within that.
    """
    _require_range("priority", priority, 1, 10)
    return -(-priority // 2)
