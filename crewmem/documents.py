"""Records that facts and journal share: a text as search knows it, and how much of it is left."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

BREADCRUMB = " > "
"""Stands between the title of a text and its headings."""


class Document(NamedTuple):
    """A searchable text: a chunk, a fact, a journal entry or a turn of a session.

    Attributes:
        store: ``memory``, ``facts``, ``journal`` or ``sessions``.
        key: Row in the store's full text.
        ref: What people type: ``f_…``, ``j_…``, ``crew:harbor/topics/deploys.md:12-23``.
        at: When it was written or happened, as a stored time.
        owner: Crew or agent, as ``harbor`` or ``harbor/winch``.
        kind: Tier, fact kind, entry type, or role of a turn.
        group: Session, trace or file; texts of one group are neighbours in order.
        vector_key: Key of its vector; 0 when it is not embedded.
        labels: Names that stand for the whole text: titles, aliases, entities.
        superseded_by: Ref of the text that replaces it.
        repeats: Refs of texts that need not be shown beside it: it says the same.
        copy_of: Store that holds the present state of what it says; shown only where that is not
            searched.
        prior: Bounded preference between texts of similar relevance; 0 is neutral.
        extra: Further fields of the store, for JSON and display.
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
    extra: Mapping[str, Any] = MappingProxyType({})


def vector_key(text: str) -> int:
    """Return the key of a text's vector: a hash of it, positive and never 0."""
    return int.from_bytes(sha256(text.encode("utf-8", "replace")).digest()[:8], "big") >> 1 | 1


def embedding_input(title: str, heading: str, text: str) -> str:
    """Return the text that is embedded for a chunk: its breadcrumb and what it says."""
    return f"{title}{BREADCRUMB}{heading}\n{text}" if heading else f"{title}\n{text}"


GREEN, YELLOW = 0.7, 0.3
"""Retention above which a text is fresh, and above which it is fading."""


class Fading(NamedTuple):
    """How much of a fact or episode is remembered.

    Attributes:
        store: facts or journal.
        age_days: Since its creation.
        retention: Now, in [0, 1]; of an episode the share of its importance that is left.
        in_30_days: The same then, if nobody uses it until then.
        color: green, yellow or red.
        importance: Of an episode, now; null for facts.
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


def color_of(left: float) -> str:
    """Return green, yellow or red for a retention."""
    return "green" if left > GREEN else "yellow" if left > YELLOW else "red"
