"""How the full text of the journal cuts texts into words: by SQLite's own tokenizer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import apsw

    Located = Sequence[tuple[int, int, str]]

TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])
"""As in the schema."""

DOCUMENT = 4
"""What is cut, as SQLite has it: FTS5_TOKENIZE_DOCUMENT. A test compares."""


def tokenizer(db: apsw.Connection) -> Callable[[str], Located]:
    """Return SQLite's own tokenizer, as the journal uses it."""
    tokenize: Any = db.fts5_tokenizer(*TOKENIZER)

    def located(text: str) -> Located:
        found: Located = tokenize(
            text.encode("utf-8", "replace"),
            DOCUMENT,
            None,
            include_colocated=False,
        )
        return found

    return located


def stemmer(db: apsw.Connection) -> Callable[[str], Sequence[str]]:
    """Return what gives the stems of a text as `tokenizer` does, and nothing else."""
    tokenize: Any = db.fts5_tokenizer(*TOKENIZER)

    def stems(text: str) -> Sequence[str]:
        found: Sequence[str] = tokenize(
            text.encode("utf-8", "replace"),
            DOCUMENT,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return found

    return stems
