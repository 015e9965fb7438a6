"""What is asked of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from crewmem.errors import UsageError, check_limit
from crewmem.search.relevance import RELATIVE_CUTOFF
from crewmem.times import format_time

STORES = ("memory", "facts", "journal", "sessions")
"""The stores in the order of equal hits, with the names that `--in` takes."""

ROLES = ("user", "assistant", "tool", "system")
"""Kinds of turns."""

MODES = ("hybrid", "dense", "sparse")

FILTERS = {
    "scope": STORES,
    "agent": STORES,
    "crew": ("memory", "facts", "journal"),
    "kinds": STORES,
    "tags": ("memory", "facts"),
    "project": ("facts", "sessions"),
    "session": ("facts", "journal", "sessions"),
    "since": STORES,
    "until": STORES,
    "tool": ("sessions",),
    "file": ("sessions",),
    "command": ("sessions",),
    "failed": ("sessions",),
    "deep": STORES,
    "include_restricted": STORES,
}
"""The stores that have hits with a filter; the other stores have none."""


class SearchOptions(TypedDict, total=False):
    """Optional settings of a search.

    Attributes:
        since, until: Only texts of that time.
        as_of: Texts as they were at that time.
        entity: Only texts that mention this name.
        mode: One of `MODES`; by default ``hybrid``.
        fusion: ``score``, the default, or ``rrf`` for fused ranks by words and by meaning.
        score: ``usual``, the default, or ``engram`` to order facts by Engram's composite.
        min_relevance: Replaces the relevance threshold.
        cutoff: Minimum relevance of a hit, as a share of the best hit's.
        include_all: Whether to show weak hits, and possible older versions of others.
        explain: Whether each hit explains its rank.
        deadline: Value of `time.perf_counter` after which words alone answer.
    """

    since: datetime | None
    until: datetime | None
    as_of: datetime | None
    entity: str
    mode: str
    fusion: str
    score: str
    min_relevance: float | None
    cutoff: float
    include_all: bool
    explain: bool
    deadline: float | None


class Request(NamedTuple):
    """The arguments of `Search.find` with their defaults."""

    stores: Sequence[str] = ()
    filters: Mapping[str, Any] | None = None
    limit: int = 10
    use: str = "pull"
    since: datetime | None = None
    until: datetime | None = None
    as_of: datetime | None = None
    entity: str = ""
    mode: str = "hybrid"
    fusion: str = "score"
    score: str = "usual"
    min_relevance: float | None = None
    cutoff: float = RELATIVE_CUTOFF
    include_all: bool = False
    explain: bool = False
    deadline: float | None = None

    @property
    def used_filters(self) -> list[str]:
        """Names of the filters that have a value."""
        return [name for name, value in (self.filters or {}).items() if value]

    @property
    def bound_filters(self) -> dict[str, Any]:
        """The filters of the stores, including times."""
        times = {"since": self.since, "until": self.until, "as_of": self.as_of}
        bound = {name: format_time(moment) for name, moment in times.items() if moment}
        return {**(self.filters or {}), **bound}

    def check(self) -> None:
        """Raise UsageError if a store, filter or mode is unknown, or the limit is below 1.

        A time or list of another type is a TypeError.
        """
        for name, moment in (("since", self.since), ("until", self.until), ("as_of", self.as_of)):
            if moment is not None and not isinstance(moment, datetime):
                raise TypeError(f"{name} must be a datetime, not {type(moment).__name__}")
        if isinstance(self.stores, str):
            raise TypeError("stores must be a list of names, not one name")
        if self.mode not in MODES:
            raise UsageError(
                f"there is no mode '{self.mode}'; it is one of {', '.join(MODES)}",
                code="unknown-mode",
            )
        for name in self.stores:
            if name not in STORES:
                raise UsageError(
                    f"there is no store '{name}'; stores are {', '.join(STORES)}",
                    code="unknown-store",
                )
        for name in self.used_filters:
            if name not in FILTERS:
                raise UsageError(
                    f"there is no filter '{name}'; filters are {', '.join(FILTERS)}",
                    code="unknown-filter",
                )
        check_limit(self.limit)
