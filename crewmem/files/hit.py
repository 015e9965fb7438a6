"""What a search of memory files answers. Pure."""

from __future__ import annotations

from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from crewmem.scope import Scope


class Why(NamedTuple):
    """Why a chunk was found.

    By words alone its score is *words* times *file* times *prior*; where vectors were
    asked as well, that of both lists together, times *prior*.

    Attributes:
        ranks: Its place in each list that holds it, counted from 1, by list.
        terms: What of the query it holds, as typed.
        words: Its own bm25, counted over all directories searched.
        file: The factor of how well its whole file answers.
        prior: The factor of its tier.
        cosine: Of its vector and that of the query, in [-1, 1]; null where none were
            compared.
        coverage: The part of the query's weight that it holds, in [0, 1].
    """

    ranks: dict[str, int]
    terms: list[str]
    words: float
    file: float
    prior: float
    cosine: float | None
    coverage: float


class Hit(NamedTuple):
    """A chunk of a memory file that was found.

    Attributes:
        ref: Names the file and the lines, for ``memory read``.
        store: ``files``.
        scope: Agent, crew or workspace.
        owner: Whose it is, as ``crew/agent``; "" if unknown.
        title: The nearest heading, else the file.
        snippet: Around the match, in one line, matches between ``**``.
        matches: Where in the snippet they stand, as (first, after the last)
            character, marks not included: the text may hold ``**`` of its own.
        score: Higher is better; `why` says what it is made of.
        at: When the file was last changed.
        why: Why it was found.
        relevance: How likely it answers, in [0, 1]; comparable with other stores.
        path: The file on disk.
        file: The file below its memory directory.
        first_line: Counted from 1.
        last_line: Inclusive.
        line: That of the first match in the snippet, for editors; the chunk's first if
            only its headings match.
        heading: The file and the headings above the chunk, joined by `` > ``.
        tier: What kind of memory file it is.
        updated_at: When the file was last changed.
    """

    ref: str
    store: str
    scope: Scope
    owner: str
    title: str
    snippet: str
    matches: list[tuple[int, int]]
    score: float
    at: datetime
    why: Why
    relevance: float
    path: Path
    file: str
    first_line: int
    last_line: int
    line: int
    heading: str
    tier: str
    updated_at: datetime


class Answer(NamedTuple):
    """What a search found, and how it was asked.

    Attributes:
        mode: ``words``; ``hybrid`` when vectors were asked as well; ``syntax`` when
            operators were understood; ``fallback`` when they could not be, or found
            nothing, and plain words were asked for.
        hits: Best first.
        warnings: What a person should know of the search.
        details: How each directory came to answer, and how long that took.
    """

    mode: str
    hits: list[Hit]
    warnings: list[str]
    details: Sequence[str] = ()
