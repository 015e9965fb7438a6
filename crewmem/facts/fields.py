"""The fields of a new fact, and their allowed values."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from crewmem.errors import RefusedError, UsageError, check_text
from crewmem.facts.fact import (
    BASE_QUALITY,
    MAX_CONTENT,
    SENSITIVITIES,
    SHARED_SCOPES,
    Fact,
    Owner,
    Time,
    content_hash,
    dump_json,
    first_sentence,
    stored_time,
)
from crewmem.facts.kinds import parse_kind
from crewmem.security.secrets import redact
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
        topic_key: Such as ``deploys/day``, stored in lower case; an owner has one fact a topic.
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


EMPTY_VALUES: dict[str, Any] = dict.fromkeys(Fact._fields) | {
    "id": "", "scope": "workspace", "kind": "fact", "subtype": "", "title": "", "content": "",
    "tags": [], "entities": [], "metadata": {}, "spans": [], "importance": 3, "confidence": 0.5,
    "sensitivity": "", "status": "active", "pin": "none", "state": "", "created_by": "",
    "created_at": "", "updated_at": "", "content_hash": "", "up": 0, "down": 0,
    "effective_confidence": 0.0,
}  # fmt: skip
"""Values that a new fact has by default. It gets an id, an author and times when it is stored;
without a sensitivity it gets that of the fact it revises, or internal."""


def new_fact(content: str, owner: Owner, origin: str, kind: str = "fact", **fields: Any) -> Fact:
    """Return a fact that can be stored.

    Args:
        origin: The origin class, already decided.
        fields: See `FactFields`; an import also sets other fields of a fact.

    Raises:
        UsageError: If a value is not allowed; it names the option and the range.
        RefusedError: If the text is too long.
    """
    check_text("text", content)
    kind, synonym = parse_kind(kind)
    values: dict[str, Any] = {
        **EMPTY_VALUES,
        "tags": [],
        "entities": [],
        "metadata": {},
        "spans": [],
        "scope": owner.scope,
        "agent": owner.agent,
        "crew": owner.crew,
        "session": owner.session,
        "content": content,
        "origin": origin,
        "kind": kind,
        "subtype": synonym,
    }
    if owner.scope in SHARED_SCOPES:
        values["base_quality"] = BASE_QUALITY
    if kind == "action_item":
        values["state"] = "open"
    for name, value in fields.items():
        if value is not None:
            try:
                values[name] = _CONVERTERS.get(name, str)(value)
            except (TypeError, ValueError, OverflowError) as error:
                option = name.replace("_", "-")
                raise UsageError(
                    f"--{option} cannot be {str(value)[:80]!r}", code=f"bad-{option}"
                ) from error
    if unknown := values.keys() - EMPTY_VALUES.keys():
        raise TypeError(f"a fact has no {', '.join(sorted(unknown))}")
    _check_values(values)
    return Fact(*values.values())  # in the order of its fields; names take three times as long


def check_fact(fact: Fact) -> Fact:
    """Return *fact* as `new_fact` would; its text was changed since.

    Raises:
        UsageError: If a value is not allowed.
    """
    values = fact._asdict()
    _check_values(values)
    return Fact(*values.values())


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


def _check_values(values: dict[str, Any]) -> None:
    """Check the values of a fact in place, and set those that follow from others."""
    content = values["content"] = values["content"].replace("\r\n", "\n").strip()
    title = " ".join(values["title"].split())
    if not content:
        raise UsageError("a fact needs a text", code="empty-text")
    if "\0" in content or "\0" in title:
        raise UsageError("the text has a NUL character", code="bad-text")
    size = len(content.encode("utf-8", "replace"))
    if size > MAX_CONTENT:
        raise RefusedError(
            f"the text has {size:,} bytes; a fact may have {MAX_CONTENT:,}",
            code="too-large",
            command="memory write",
        )
    title = values["title"] = title or first_sentence(content)
    if len(title) > MAX_TITLE:
        raise UsageError(
            f"--title has {len(title)} characters; at most {MAX_TITLE}", code="bad-title"
        )
    importance = values["importance"]
    if not 1 <= importance <= 5:
        raise UsageError(f"--importance is {importance}; use 1 to 5", code="bad-importance")
    for name in ("confidence", "base_quality"):
        value = values[name]
        if value is not None and not 0.0 <= value <= 1.0:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is {value}; use 0 to 1", code=f"bad-{name}")
    if values["sensitivity"]:
        check_choice("sensitivity", values["sensitivity"], SENSITIVITIES)
    values["tags"] = check_names("tags", values["tags"])
    values["entities"] = check_names("entities", values["entities"])
    topic = values["topic_key"] = values["topic_key"] and values["topic_key"].lower()
    if topic is not None and not re.fullmatch(r"[\w.][\w./-]{0,119}", topic):
        raise UsageError(
            f"--topic-key '{topic[:80]}' is not a key: use up to 120 letters, digits,"
            " dots, slashes and hyphens",
            code="bad-topic-key",
        )
    for name in ("session", "project", "issue"):
        if values[name] is not None:
            values[name] = check_names(name, [values[name]])[0]
    if values["scope"] == "session" and not values["session"]:
        raise UsageError("a session note needs --session", code="session-missing")
    since, until = values["valid_from"], values["valid_until"]
    if since and until and until <= since:
        raise UsageError("the expiry must be after --valid-from", code="bad-validity")
    for name in ("metadata", "spans"):
        if values[name] and is_deeper(values[name], MAX_DEPTH):
            raise UsageError(f"--{name} is nested deeper than {MAX_DEPTH} levels", code="too-deep")
    if values["metadata"] and len(dump_json(values["metadata"])) > MAX_METADATA:
        raise RefusedError(f"--metadata holds {MAX_METADATA:,} bytes", code="too-large")
    values["content_hash"] = content_hash(values["kind"], title, content)


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
                f"--{option}: '{redact(name)[:40]}' is not a line of at most {MAX_NAME} characters",
                code=f"bad-{option}",
            )
    if len(cleaned) > MAX_LABELS:
        raise UsageError(
            f"--{option} has {len(cleaned)} names; at most {MAX_LABELS}", code="bad-labels"
        )
    return cleaned
