"""Records that all stores share: a searchable text, the key of its vector, and its retention."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

BREADCRUMB = " > "
"""Separates the title of a text from its headings."""


class Document(NamedTuple):
    """A searchable text: a chunk, a fact, a journal entry or a turn of a session.

    Attributes:
        store: ``memory``, ``facts``, ``journal`` or ``sessions``.
        key: Row in the full-text table of the store.
        ref: What people type: ``f_…``, ``j_…``, ``crew:harbor/topics/deploys.md:12-23``.
        at: When it was written or happened, as a stored time.
        is_of_day: Whether it is about the day of *at*. A file is only if its name has the date.
        owner: Crew or agent, as ``harbor`` or ``harbor/winch``.
        kind: Tier, fact kind, entry type, or role of a turn.
        group: Session, trace or file; texts of one group are neighbours in order.
        vector_key: Key of its vector; 0 when it is not embedded.
        labels: Names that stand for the whole text: titles, aliases, entities.
        superseded_by: Ref of the text that replaces it.
        repeats: Refs of texts with the same statement, which need not be shown, too.
        copy_of: Store that holds the current version; the text is shown only if that store is
            not searched.
        prior: Bounded preference between texts of similar relevance; 0 is neutral.
        extra: Other fields of the store, for JSON and display.
    """

    store: str
    key: int
    ref: str
    title: str
    text: str
    at: str
    scope: str
    owner: str
    kind: str
    origin: str
    author: str = ""
    group: str = ""
    vector_key: int = 0
    labels: tuple[str, ...] = ()
    prior: float = 0.0
    importance: float = 0.5
    superseded_by: str = ""
    repeats: tuple[str, ...] = ()
    copy_of: str = ""
    topic_key: str = ""
    is_of_day: bool = True
    extra: Mapping[str, Any] = MappingProxyType({})


def vector_key(text: str) -> int:
    """Return the key of a text's vector: a positive hash, never 0."""
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8], "big") >> 1 | 1


def embedding_input(title: str, heading: str, text: str) -> str:
    """Return the text to embed for a chunk: its breadcrumb, then its text."""
    return f"{title}{BREADCRUMB}{heading}\n{text}" if heading else f"{title}\n{text}"


GREEN, YELLOW = 0.7, 0.3
"""Lower limits of retention for green (fresh) and yellow (fading)."""


class FadingItem(NamedTuple):
    """How much of a fact or episode is remembered.

    Attributes:
        store: facts or journal.
        age_days: Days since its creation.
        retention: Current value in [0, 1]; for an episode, the remaining share of its importance.
        in_30_days: Retention in 30 days if it is not used.
        color: green, yellow or red.
        importance: Current importance of an episode; null for facts.
        importance_in_30_days: Its importance in 30 days if it is not used.
    """

    store: str
    id: str
    title: str
    kind: str
    age_days: float
    uses: int
    retention: float
    in_30_days: float
    color: str
    importance: float | None = None
    importance_in_30_days: float | None = None


def retention_color(retention: float) -> str:
    """Return green, yellow or red."""
    return "green" if retention > GREEN else "yellow" if retention > YELLOW else "red"
