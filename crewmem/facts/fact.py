"""The record of a fact: its fields, statuses and limits. Pure."""

import json
import re
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple
from unicodedata import normalize

from crewmem.errors import ConflictError
from crewmem.origins import may_instruct
from crewmem.text.wording import cut_at_word
from crewmem.times import format_time, normalize_time

STATUSES = ("active", "warm", "stale", "superseded", "archived", "quarantined")
LIVE = ("active", "warm", "stale")
LIVE_SQL = str(LIVE)
"""Statuses of facts that hold, for SQL."""

TRANSITIONS = {
    "active": {"warm", "stale", "superseded", "archived"},
    "warm": {"archived", "superseded", "active"},
    "stale": {"archived", "superseded", "active"},
    "superseded": {"active"},
    "archived": {"active"},
    "quarantined": {"active", "archived"},
}
"""Allowed changes of status; to active by `fact restore`, review or an up vote."""

SCOPES = ("session", "agent", "crew", "workspace")
SHARED_SCOPES = ("crew", "workspace")
SENSITIVITIES = ("public", "internal", "restricted")
PINS = ("none", "pin", "high", "permanent")
STATES = ("open", "done", "dropped")
RELATIONS = (
    "derived_from",
    "supports",
    "contradicts",
    "part_of",
    "promoted_from",
)

BASE_QUALITY = 0.6
"""Initial quality of a shared fact."""

MAX_CONTENT = 64 << 10
"""Maximum bytes of a fact's content."""

JOINERS = "\u200c\u200d"
"""Invisible characters that Persian, Indic scripts and emoji need."""

SENTENCE_LENGTH = 80
"""Maximum characters of a title made from the content: a line of a listing."""

Time = datetime | str | None

COLUMN_OF = {
    "agent": "agent_id",
    "crew": "crew_id",
    "session": "source_session",
    "project": "source_project",
    "issue": "source_issue",
    "spans": "source_spans",
}
"""Columns of fields whose column has another name."""


class Owner(NamedTuple):
    """The owner of a fact: an agent, a crew, the workspace, or an agent in one session."""

    scope: str
    agent: str | None = None
    crew: str | None = None
    session: str | None = None

    def __str__(self) -> str:
        if self.scope == "session":
            return f"session {self.session}"
        name = self.agent if self.scope == "agent" else self.crew
        return f"{self.scope}:{name}" if name else self.scope


class Fact(NamedTuple):
    """A stored statement.

    Attributes:
        subtype: The word that was used for the kind, if it is a synonym.
        confidence: As written; *effective_confidence* includes the votes.
        base_quality: For shared facts; None for others.
        state: State of an action item: open, done or dropped.
        session: Session where it was learned, or to which a session note belongs.
        spans: Quotes, each with its place.
        up: Number of up votes.
        revised_at: When its text was last changed; None for never.
    """

    id: str
    scope: str
    agent: str | None
    crew: str | None
    kind: str
    subtype: str
    title: str
    content: str
    tags: list[str]
    entities: list[str]
    metadata: dict[str, Any]
    importance: int
    confidence: float
    base_quality: float | None
    sensitivity: str
    status: str
    pin: str
    state: str
    origin: str
    topic_key: str | None
    superseded_by: str | None
    occurred_at: str | None
    valid_from: str | None
    valid_until: str | None
    verified_at: str | None
    session: str | None
    project: str | None
    issue: str | None
    spans: list[dict[str, Any]]
    created_by: str
    created_at: str
    updated_at: str
    content_hash: str = ""
    up: int = 0
    down: int = 0
    revised_at: str | None = None
    effective_confidence: float = 0.0

    @property
    def owner(self) -> Owner:
        return Owner(
            self.scope, self.agent, self.crew, self.session if self.scope == "session" else None
        )

    @property
    def stated_at(self) -> str:
        """The time of its text: when it happened, was last changed, or was stored."""
        return self.occurred_at or self.revised_at or self.created_at

    @property
    def is_shared(self) -> bool:
        """Return whether it is a crew's or the workspace's."""
        return self.scope in SHARED_SCOPES

    @property
    def may_instruct(self) -> bool:
        """Whether it is supposed to hold instructions: a person stated it."""
        return may_instruct(self.origin)

    def find_invalidity(self, now: str) -> str:
        """Return why it does not hold at *now*, a stored time; "" if it holds.

        The reason is its status, ``expired`` or ``not yet valid``.
        """
        if self.status not in LIVE:
            return self.status
        if self.valid_until and self.valid_until <= now:
            return "expired"
        if self.valid_from and self.valid_from > now:
            return "not yet valid"
        return ""

    def text(self) -> str:
        """Return title and content, without a title that repeats the content."""
        return statement_text(self.title, self.content)

    def listed(self, name: str) -> list[Any]:
        """Return a list from its metadata; empty if the value is not a list."""
        value = self.metadata.get(name)
        return value if isinstance(value, list) else []


class ChangedFact(NamedTuple):
    """The result of changing a fact, or of a vote.

    Attributes:
        action: The change, such as ``archived``; unchanged if there was none.
        before: The previous status, state or pin.
        fact: The fact after the change.
        review: Review item that waits for a decision; "" for none.
    """

    id: str
    action: str
    before: str
    fact: Fact
    review: str = ""


class Similar(NamedTuple):
    """A fact with nearly the same text."""

    id: str
    title: str
    similarity: float


def check_transition(fact: Fact, status: str) -> None:
    """Raise ConflictError unless *fact* may get *status*."""
    if status not in TRANSITIONS[fact.status]:
        raise ConflictError(
            f"{fact.id} is {fact.status} and cannot become {status}",
            code="bad-status-change",
            details={"id": fact.id, "from": fact.status, "to": status},
        )


def content_hash(kind: str, title: str, content: str) -> str:
    """Return the hash that is equal for facts with the same statement."""
    said = f"{_normalize(kind)}\0{_normalize(title)}\0{_normalize(content)}"
    return sha256(said.encode("utf-8", "replace")).hexdigest()


def _normalize(text: str) -> str:
    if not text.isascii():
        text = normalize("NFC", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.strip()


ABBREVIATIONS = (
    "St",
    "Dr",
    "Mr",
    "Mrs",
    "Fr",
    "Hr",
    "Sr",
    "Sra",
    "Mme",
    "Ms",
    "Jr",
    "Prof",
    "No",
    "Nr",
    "vs",
    "ca",
    "approx",
    "bzw",
)
"""Abbreviations whose full stop ends no sentence; numbers and single letters are similar."""

SENTENCE_END = (
    r"[.!?;\n。！？](?:(?<=[\n。！？])|(?<=[!?;])(?=\s|$)|(?<=\.)(?=\n|$)"
    r"|(?<=\.)(?=\s)(?<!\d\.)(?<!\b[^\W\d_]\.)"
    + "".join(rf"(?<!\b{word}\.)" for word in ABBREVIATIONS)
    + ")"
)
"""End of a sentence. It begins with a set, so that it is found fast. Compiled on first use, because
most commands do not need it."""


MARKERS = (
    *("todo", "fixme", "note", "nb", "fyi", "info", "tip", "hint", "rule", "fact", "decision"),
    *("lesson", "reminder", "warning", "important", "notiz", "hinweis", "achtung", "wichtig"),
    *("merke", "nota", "aviso", "remarque"),
)
"""Words that mark a statement, but say nothing about its subject."""

LABEL = rf"(?:[A-Za-z]{{1,8}}[.!?;]|(?i:{'|'.join(MARKERS)}):|\d{{1,3}}\\?[.)]|[-*+])\s+(?=\S)"


def first_sentence(text: str) -> str:
    r"""Return the first sentence of *text*, cut after a word to the length of a line.

    A marker before it, as in ``TODO: rotate the key``, a word as in ``Good. We keep it``, or a list
    mark is left out. Other words before a colon are what the sentence is about.

    >>> first_sentence("Deploys happen on Tuesdays. Nobody deploys on Fridays.")
    'Deploys happen on Tuesdays'
    >>> first_sentence(r"4\. Ask Kontor")
    'Ask Kontor'
    >>> first_sentence("Der Stimmer kommt am 4. Dezember nach St. Anna. Er bringt Saiten mit.")
    'Der Stimmer kommt am 4. Dezember nach St. Anna'
    """
    text = text.strip()
    label = re.match(LABEL, text)
    rest = text[label.end() :] if label else text
    clause = re.split(SENTENCE_END, rest, maxsplit=1)[0].rstrip(":")
    clause = " ".join(clause.split())
    if not clause.isprintable():
        clause = "".join(c if c.isprintable() or c in JOINERS else " " for c in clause)
    if not clause.strip():
        clause = " ".join(text.split())
    return cut_at_word(clause, SENTENCE_LENGTH)


def statement_text(title: str, content: str) -> str:
    """Return title and content; a title that the content contains is left out."""
    if title.removesuffix("…").casefold() in content.casefold() or title == first_sentence(content):
        return content
    return f"{title}\n{content}"


def dump_json(value: dict[str, Any] | list[Any]) -> str:
    """Return *value* as JSON; equal values give equal text."""
    if not value:  # most lists and objects of facts are empty
        return "{}" if isinstance(value, dict) else "[]"
    return _encoder.encode(value)


_encoder = json.JSONEncoder(ensure_ascii=False, sort_keys=True, default=str)


def stored_time(moment: Time) -> str | None:
    """Return a time in the stored format."""
    if moment is None or moment == "":
        return None
    return format_time(moment) if isinstance(moment, datetime) else normalize_time(str(moment))
