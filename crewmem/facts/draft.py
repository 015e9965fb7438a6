"""A draft of a fact: its fields, and their allowed values."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypedDict

from crewmem.errors import RefusedError, UsageError
from crewmem.facts.fact import (
    BASE_QUALITY,
    MAX_CONTENT,
    SENSITIVITIES,
    SHARED_SCOPES,
    Owner,
    Time,
    dump_json,
    first_sentence,
    parse_kind,
    statement_text,
    stored_time,
)
from crewmem.storage.json_columns import is_deeper

MAX_METADATA = 64 << 10
"""Maximum bytes of metadata, as JSON."""

MAX_DEPTH = 64
"""Maximum nesting of metadata and spans."""

MAX_TITLE = 200

MAX_NAME = 200
"""Maximum characters of a tag, entity, session, project or issue."""

MAX_LABELS = 100
"""Maximum number of tags, and of entities."""

NOTE_LIFE = timedelta(hours=24)
"""Default lifetime of a session note."""


class FactFields(TypedDict, total=False):
    """Optional fields of a fact, besides text, kind and owner. None leaves a field unset.

    Attributes:
        title: By default the first clause of the text.
        subtype: A finer kind.
        importance: 1 to 5.
        confidence: 0 to 1.
        base_quality: Initial quality of a shared fact.
        sensitivity: public, internal or restricted.
        tags: Labels.
        entities: Names of people, services, files …
        topic_key: Such as ``deploys/day``; an owner has one fact a topic.
        valid_from: When it starts to be true.
        valid_until: When it expires.
        occurred_at: When it happened.
        session: Session where it was learned; owns a session note.
        project: Project where it holds.
        issue: Issue that it came from.
        spans: Quotes with their places.
        metadata: Further values.
    """

    title: str | None
    subtype: str | None
    importance: int | None
    confidence: float | None
    base_quality: float | None
    sensitivity: str | None
    tags: Iterable[str] | None
    entities: Iterable[str] | None
    topic_key: str | None
    valid_from: Time
    valid_until: Time
    occurred_at: Time
    session: str | None
    project: str | None
    issue: str | None
    spans: Sequence[Mapping[str, Any]] | None
    metadata: Mapping[str, Any] | None


@dataclass(slots=True)
class Draft:
    """A fact to be stored.

    Attributes:
        id: Its existing id; "" for a new one.
        sensitivity: "" keeps that of the revised fact; a new one gets internal.
        origin: The origin class, already decided.
    """

    content: str
    owner: Owner
    origin: str
    kind: str = "fact"
    subtype: str = ""
    title: str = ""
    tags: list[str] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    importance: int = 3
    confidence: float = 0.5
    base_quality: float | None = None
    sensitivity: str = ""
    topic_key: str | None = None
    occurred_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    session: str | None = None
    project: str | None = None
    issue: str | None = None
    spans: list[dict[str, Any]] = field(default_factory=list)
    id: str = ""

    def text(self) -> str:
        """Return its text, like `Fact.text`."""
        return statement_text(self.title, self.content)


def make_draft(
    content: str, owner: Owner, origin: str, kind: str, fields: Mapping[str, Any]
) -> Draft:
    """Return the draft of a fact from *fields*; see `FactFields`.

    Raises:
        UsageError: If a field does not allow its value.
    """
    kind, synonym = parse_kind(kind)
    given: dict[str, Any] = {"subtype": synonym}
    if owner.scope in SHARED_SCOPES:
        given["base_quality"] = BASE_QUALITY
    for name, value in fields.items():
        if value is not None:
            try:
                given[name] = _CONVERTERS.get(name, str)(value)
            except (TypeError, ValueError, OverflowError) as error:
                option = name.replace("_", "-")
                raise UsageError(
                    f"--{option} cannot be {str(value)[:80]!r}", code=f"bad-{option}"
                ) from error
    return Draft(content, owner, origin, kind, **given)


def _list_names(names: str | Iterable[Any]) -> list[str]:
    return [str(name) for name in (names.split(",") if isinstance(names, str) else names)]


_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "importance": int,
    "confidence": float,
    "base_quality": float,
    "tags": _list_names,
    "entities": _list_names,
    "valid_from": stored_time,
    "valid_until": stored_time,
    "occurred_at": stored_time,
    "spans": lambda spans: [dict(span) for span in spans],
    "metadata": dict,
}
"""Conversions of fields to their stored form, except text."""


def check_draft(draft: Draft) -> None:
    """Check that *draft* can be stored as a fact, and fill in its title.

    Raises:
        UsageError: If a value is out of its range; it names the option and the range.
        RefusedError: If the text is too long.
    """
    draft.content = draft.content.strip()
    if not draft.content:
        raise UsageError("a fact needs a text", code="empty-text")
    if "\0" in draft.content or "\0" in draft.title:
        raise UsageError("the text has a NUL character", code="bad-text")
    size = len(draft.content.encode("utf-8", "replace"))
    if size > MAX_CONTENT:
        raise RefusedError(
            f"the text has {size:,} bytes; a fact may have {MAX_CONTENT:,}",
            code="too-large",
            command="memory write",
        )
    draft.title = " ".join(draft.title.split()) or first_sentence(draft.content)
    if len(draft.title) > MAX_TITLE:
        raise UsageError(
            f"--title has {len(draft.title)} characters; at most {MAX_TITLE}", code="bad-title"
        )
    if not 1 <= draft.importance <= 5:
        raise UsageError(f"--importance is {draft.importance}; use 1 to 5", code="bad-importance")
    for name in ("confidence", "base_quality"):
        value = getattr(draft, name)
        if value is not None and not 0.0 <= value <= 1.0:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is {value}; use 0 to 1", code=f"bad-{name}")
    check_choice("sensitivity", draft.sensitivity or "internal", SENSITIVITIES)
    draft.tags = check_names("tags", draft.tags)
    draft.entities = check_names("entities", draft.entities)
    if draft.topic_key is not None and not re.fullmatch(r"[\w.][\w./-]{0,119}", draft.topic_key):
        raise UsageError(
            f"--topic-key '{draft.topic_key[:80]}' is not a key: use up to 120 letters, digits,"
            " dots, slashes and hyphens",
            code="bad-topic-key",
        )
    for name in ("session", "project", "issue"):
        value = getattr(draft, name)
        if value is not None:
            setattr(draft, name, check_names(name, [value])[0])
    if draft.owner.scope == "session" and not draft.session:
        raise UsageError("a session note needs --session", code="session-missing")
    if draft.valid_from and draft.valid_until and draft.valid_until <= draft.valid_from:
        raise UsageError("the expiry must be after --valid-from", code="bad-validity")
    for name, value in (("metadata", draft.metadata), ("spans", draft.spans)):
        if value and is_deeper(value, MAX_DEPTH):
            raise UsageError(f"--{name} is nested deeper than {MAX_DEPTH} levels", code="too-deep")
    if len(dump_json(draft.metadata)) > MAX_METADATA:
        raise RefusedError(f"--metadata holds {MAX_METADATA:,} bytes", code="too-large")


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise UsageError unless *value* is one of *choices*."""
    if value not in choices:
        raise UsageError(
            f"--{name} is '{value}'; use one of {', '.join(choices)}", code=f"bad-{name}"
        )


def check_names(option: str, names: list[str]) -> list[str]:
    """Return *names* stripped, without blanks and duplicates; each must be a short line."""
    if not names:
        return names
    cleaned = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    for name in cleaned:
        if len(name) > MAX_NAME or not name.isprintable():
            raise UsageError(
                f"--{option}: '{name[:40]}' is not a line of at most {MAX_NAME} characters",
                code=f"bad-{option}",
            )
    if len(cleaned) > MAX_LABELS:
        raise UsageError(
            f"--{option} has {len(cleaned)} names; at most {MAX_LABELS}", code="bad-labels"
        )
    return cleaned
