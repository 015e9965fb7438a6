"""Names that memory mentions, where, and which of them occur together, for the page."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crewmem.report.facts import FactCard
from crewmem.report.files import FileCard
from crewmem.report.timeline import Event
from crewmem.search.entities import find_entities
from crewmem.search.names import entity_key

MOST = 300
"""Names that are shown, those mentioned most."""

MOST_MENTIONS = 60
"""Mentions of a name that are listed."""

LONGEST_MENTION = 240
"""Characters of a text that mentions a name."""

MOST_TOGETHER = 30
"""Names of one text up to which they count as occurring together."""

MOST_ENTRIES = 3_000
"""Journal entries in which names are looked for, the newest."""


class Mention(NamedTuple):
    """A place that mentions a name.

    Attributes:
        target: Where it is on the page; "" for none.
    """

    store: str
    target: str
    text: str
    at: str


@dataclass(slots=True)
class EntityCard:
    """A name and what mentions it.

    Attributes:
        together: Other names in the same texts, by key, with how often.
    """

    key: str
    name: str
    kind: str
    count: int
    mentions: list[Mention]
    together: list[tuple[str, int]]


def collect_entities(
    facts: Iterable[FactCard],
    files: Iterable[FileCard],
    events: Iterable[Event],
    notes: list[str],
) -> list[EntityCard]:
    """Return the names that the texts of the page mention, the commonest first."""
    names: dict[str, tuple[str, str]] = {}
    mentions: dict[str, list[Mention]] = {}
    together: Counter[tuple[str, str]] = Counter()
    for mention, text, declared in _list_texts(facts, files, events):
        found = {each.key: (each.name, each.kind) for each in find_entities(text)}
        for name in declared:
            found.setdefault(entity_key(name), (name, "name"))
        for key, described in found.items():
            names.setdefault(key, described)
            mentions.setdefault(key, []).append(mention)
        if len(found) <= MOST_TOGETHER:
            together.update(itertools.combinations(sorted(found), 2))
    ranked = sorted(mentions, key=lambda key: (-len(mentions[key]), key))
    shown = ranked[:MOST]
    if len(ranked) > MOST:
        notes.append(f"{MOST} of {len(ranked):,} names are shown, those mentioned most.")
    others: dict[str, list[tuple[str, int]]] = {key: [] for key in shown}
    for (first, second), number in together.items():
        if first in others and second in others:
            others[first].append((second, number))
            others[second].append((first, number))
    return [
        EntityCard(
            key,
            *names[key],
            len(mentions[key]),
            mentions[key][:MOST_MENTIONS],
            sorted(others[key], key=lambda other: (-other[1], other[0]))[:MOST_TOGETHER],
        )
        for key in shown
    ]


def shorten(text: str) -> str:
    """Return the beginning of a text, cut at a word."""
    if len(text) <= LONGEST_MENTION:
        return text
    return text[:LONGEST_MENTION].rpartition(" ")[0] + " …"


def _list_texts(
    facts: Iterable[FactCard], files: Iterable[FileCard], events: Iterable[Event]
) -> Iterator[tuple[Mention, str, list[str]]]:
    for card in facts:
        if not card.until:
            mention = Mention("fact", f"fact/{card.id}", card.title, card.since)
            yield mention, f"{card.title}\n{card.text}", card.entities
    for file in files:
        for block in file.blocks or ():
            if block[0] in ("paragraph", "item", "quote"):
                mention = Mention("file", f"file/{file.file}", shorten(block[2]), file.at)
                yield mention, block[2], []
    left = MOST_ENTRIES
    for event in events:
        if event.kind in ("journal", "session") and left:
            left -= 1
            yield Mention(event.kind, event.target, shorten(event.text), event.at), event.text, []
