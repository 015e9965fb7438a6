"""The rows of the table. A later part adds a module with ``rows`` and names it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.rows import (
    completion,
    consolidating,
    embedding,
    episodes,
    health,
    indexing,
    peers,
    prompting,
    remembering,
    scanning,
    searching,
    starting,
    timers,
    vectors,
    writing,
)

if TYPE_CHECKING:
    from tests.benchmarks.row import Group, Row, Sizes

GROUPS: tuple[Group, ...] = (
    starting,
    completion,
    searching,
    indexing,
    peers,
    vectors,
    embedding,
    episodes,
    writing,
    prompting,
    scanning,
    remembering,
    consolidating,
    health,
    timers,
)


def rows(sizes: Sizes) -> list[Row]:
    """Return all rows, in the order of the table."""
    return [row for group in GROUPS for row in group.rows(sizes)]
