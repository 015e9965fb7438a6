"""Where a text holds what was asked for. Pure."""

from __future__ import annotations

from crewmem.retrieval.words import located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crewmem.retrieval.terms import Term
    from crewmem.retrieval.words import Tokenize

    Match = tuple[int, int, str]
    """First character, the one after the last, and the `text` of the term found."""


def matches(text: str, terms: Iterable[Term], tokenize: Tokenize) -> list[Match]:
    """Return where *text* holds *terms*, in order; they may overlap.

    A term that does not count is not looked for: it stands there to be excluded.
    """
    wanted = [term for term in terms if term.weight]
    exact: dict[str, dict[tuple[str, ...], str]] = {}
    for term in wanted:
        if not term.prefix:
            exact.setdefault(term.stems[0], {})[term.stems] = term.text
    begun = [(term.stems, term.text) for term in wanted if term.prefix]
    tokens = located(text, tokenize)
    stems = tuple(stem for _, _, stem in tokens)
    found: list[Match] = []
    for at, stem in enumerate(stems):  # most stand in no term: one look, and on
        for row, name in exact.get(stem, {}).items():
            if len(row) == 1 or stems[at : at + len(row)] == row:
                found.append((tokens[at][0], tokens[at + len(row) - 1][1], name))
        for row, name in begun:
            if _begin(stems[at : at + len(row)], row):
                found.append((tokens[at][0], tokens[at + len(row) - 1][1], name))
    return sorted(found)


def _begin(row: Sequence[str], first: Sequence[str]) -> bool:
    """Tell whether *row* is *first*, whose last stem may go on."""
    is_row = len(row) == len(first) and row[:-1] == first[:-1]
    return is_row and row[-1].startswith(first[-1])
