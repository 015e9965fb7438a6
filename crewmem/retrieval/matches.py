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
    exact = {term.stems: term.text for term in wanted if not term.prefix}
    begun = [(term.stems, term.text) for term in wanted if term.prefix]
    lengths = {len(row) for row in exact} | {len(row) for row, _ in begun}
    tokens = located(text, tokenize)
    stems = tuple(stem for _, _, stem in tokens)
    found: list[Match] = []
    for at, (begin, _, _) in enumerate(tokens):
        for row in {stems[at : at + length] for length in lengths}:
            end = tokens[at + len(row) - 1][1]
            if row in exact:
                found.append((begin, end, exact[row]))
            found += ((begin, end, name) for first, name in begun if _begin(row, first))
    return sorted(found)


def _begin(row: Sequence[str], first: Sequence[str]) -> bool:
    """Tell whether *row* is *first*, whose last stem may go on."""
    is_row = len(row) == len(first) and row[:-1] == first[:-1]
    return is_row and row[-1].startswith(first[-1])
