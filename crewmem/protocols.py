"""Protocols through which layers of crewmem use each other."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Unpack, runtime_checkable

from crewmem.documents import Document

if TYPE_CHECKING:  # numpy takes longer to import than most commands take to run
    import numpy as np


class EntryFields(TypedDict, total=False):
    """Optional fields of a journal entry.

    Attributes:
        payload: Details.
        refs: What it refers to.
        severity: One of SEVERITIES; ``info`` by default.
        priority: One of PRIORITIES; ``normal`` by default.
        crew: The crew that it is about.
        agent: The agent that it is about.
        origin: An origin class lower than the actor's.
        trace_id: The session.
    """

    payload: Mapping[str, Any] | None
    refs: Mapping[str, Any] | None
    severity: str
    priority: str
    crew: str | None
    agent: str | None
    origin: str | None
    trace_id: str | None


class EntryWriter(Protocol):
    """Appends journal entries."""

    def append(self, entry_type: str, summary: str, **fields: Unpack[EntryFields]) -> str:
        """Append an entry, inside the open transaction if there is one; return its id."""
        ...

    def append_all(self, entries: Iterable[tuple[str, str, EntryFields]]) -> Sequence[str]:
        """Append entries, given as (type, summary, fields); return their ids."""
        ...


class EntryPurger(EntryWriter, Protocol):
    """Appends journal entries, and blanks entries that contain a purged text."""

    def find_entries_with(self, ref: str, value: str, texts: Collection[str] = ()) -> Sequence[str]:
        """Return the ids of entries that have the reference or repeat one of *texts*."""
        ...

    def purge_entries(self, entry_ids: Collection[str]) -> int:
        """Blank the text of entries and erase their vectors; return the number of entries."""
        ...


class ReviewWriter(Protocol):
    """Adds items to the review queue."""

    def add(
        self,
        kind: str,
        title: str,
        *,
        payload: Mapping[str, Any],
        crew: str | None = None,
        agent: str | None = None,
        fact_id: str | None = None,
        key: str = "",
    ) -> str:
        """Add an item and return its id.

        While an item with the same *key* is open, nothing is added and its id is returned.
        """
        ...

    def find_rejected(self, kind: str, key: str) -> str:
        """Return the id of the item of *kind* with *key* if it was rejected last, else ""."""
        ...

    def record_release(self, file: str, hashes: Sequence[str], rules: Sequence[str]) -> None:
        """Record passages of a file that an operator released; close items that wait for them."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name in the settings, such as ``minilm``."""
        ...

    @property
    def model(self) -> str:
        """Name of the model; vectors of different models are never compared."""
        ...

    @property
    def dim(self) -> int:
        """Length of a vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens of the longest text that the model reads whole."""
        ...

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return a unit vector, a float32 row, for each text.

        Args:
            texts: Not blank, and not longer than the model reads; see `split`.
            as_question: Whether they are questions, which some models embed differently.
        """
        ...

    def split(self, text: str) -> list[str]:
        """Return *text*, or split it into overlapping pieces that the model reads whole."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens. Many per word mean a language unknown to the model."""
        ...


@runtime_checkable
class LimitedEmbedder(Embedder, Protocol):
    """An embedder that tells which languages it knows."""

    @property
    def languages(self) -> frozenset[str]:
        """Languages that it knows, as `text.tokens.detect_language` names them."""
        ...


@runtime_checkable
class WordEmbedder(Embedder, Protocol):
    """An embedder that can also compare texts word by word."""

    def embed_words(self, texts: Sequence[str]) -> list["np.ndarray"]:
        """Return for each text a matrix with a unit vector, a row, for each piece of a word.

        Args:
            texts: At least one, none blank.
        """
        ...


class VectorSource(Protocol):
    """A store whose texts are embedded, and searched for mentions of names."""

    def vector_state(self) -> str:
        """Return a string that changes whenever a text to embed is added, changed or removed."""
        ...

    def visible_vector_keys(self, **filters: Any) -> Mapping[int, Any]:
        """Return the vector keys of all texts to embed, each with its row or rows."""
        ...

    def texts_of_vectors(self, vector_keys: Collection[int]) -> Iterable[tuple[int, str]]:
        """Yield (vector key, text) for the keys that exist."""
        ...

    def sample_texts(self, limit: int) -> Sequence[str]:
        """Return at most *limit* of the texts, to detect their language."""
        ...

    def names_of_vectors(self, vector_keys: Collection[int]) -> Mapping[int, Collection[str]]:
        """Return the names that people gave to some of these texts."""
        return {}


class SearchStore(Protocol):
    """A store that can be searched, within the actor's access filter.

    A row is identified by its key in the full-text table. Methods with a body here are optional.

    Filters: since, until, kinds, agent, crew, scope, tags, session, as_of, deep, project,
    include_restricted … A store uses the filters that it knows and ignores None.
    """

    def documents(self, keys: Sequence[int]) -> list[Document]:
        """Return the documents of *keys*, in any order, without deleted rows."""
        ...

    def match(self, expression: str, limit: int, **filters: Any) -> list[tuple[int, float]]:
        """Return (key, bm25) of rows that match an FTS5 expression, best first."""
        ...

    def newest(self, limit: int, *, of_day: bool = False, **filters: Any) -> Sequence[int]:
        """Return the newest rows.

        Args:
            of_day: Whether to return only rows about a day, for "what happened yesterday".
        """
        ...

    def frequencies(self, terms: Collection[str], **filters: Any) -> Mapping[str, int]:
        """Return how many rows in scope contain each stem of *terms*; a missing stem has 0."""
        ...

    def complete(self, beginning: str, limit: int) -> Sequence[str]:
        """Return at most *limit* stems that begin so, of rows in any scope.

        Only what `frequencies` counts may be shown.
        """
        ...

    def count(self, **filters: Any) -> int:
        """Return how many rows a search can find."""
        ...

    def count_all(self) -> int:
        """Return the number of rows behind `frequencies`; it may exceed `count`."""
        return 0

    def mean_words(self) -> float:
        """Return the mean number of stems of a row; 0 when unknown."""
        return 0.0

    def keys_of_vectors(
        self, vector_keys: Collection[int], **filters: Any
    ) -> Mapping[int, Sequence[int]]:
        """Return the visible rows of each of *vector_keys*; several rows may share a text."""
        return {}

    def keys_of_entity(self, **filters: Any) -> Sequence[int]:
        """Return the rows in scope that people labelled with the filter ``entity``."""
        return ()

    def neighbours(
        self, keys: Sequence[int], count: int = 3, **filters: Any
    ) -> Mapping[int, tuple[Sequence[int], Sequence[int]]]:
        """Return up to *count* rows before and after each row in its group, nearest first."""
        return {}

    def authors(self) -> Sequence[str]:
        """Return the authors of rows, for questions such as "what did Ada say about …"."""
        return ()
