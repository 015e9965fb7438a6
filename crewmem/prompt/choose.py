"""The sections of each tier in the order of what they have to do with a question. Pure.

Topics, learned rules and a workspace's files are listed in that order. Other sections
stand where they always do, and the question only decides which is cut last. What is
listed begins, where it has to be cut, with the passage that answers best.
"""

from __future__ import annotations

from crewmem.prompt.relevance import relevances

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.prompt.block import Block
    from crewmem.prompt.relevance import Relevance
    from crewmem.prompt.section import Section
    from crewmem.retrieval.words import Tokenize


def choose(
    sections: Mapping[Block, Sequence[Section]], query: str, tokenize: Tokenize
) -> dict[Block, list[Section]]:
    """Return *sections* with their relevance to *query*; those of a list ordered."""
    every = [each for block in sections.values() for each in block]
    scores = iter(relevances(every, query, tokenize))
    return {
        block: _ordered(_notes_in_order([_rated(e, next(scores)) for e in these]))
        for block, these in sections.items()
    }


def _rated(section: Section, relevance: Relevance) -> Section:
    start = relevance.start if section.is_listed else 0
    return section._replace(relevance=relevance.score, start=start)


def _ordered(sections: list[Section]) -> list[Section]:
    """Return *sections* with those of a list in the order of their relevance."""
    places = [at for at, each in enumerate(sections) if each.is_listed]
    best = sorted((sections[at] for at in places), key=lambda each: -each.relevance)
    for at, each in zip(places, best, strict=True):
        sections[at] = each
    return sections


def _notes_in_order(sections: list[Section]) -> list[Section]:
    """Return *sections*, of which today's notes are never cut before older ones."""
    notes = [at for at, each in enumerate(sections) if each.is_note]
    if len(notes) > 1:
        most = max(sections[at].relevance for at in notes)
        sections[notes[0]] = sections[notes[0]]._replace(relevance=most)
    return sections
