"""How what was found is shown to a person."""

from __future__ import annotations

import os

from crewmem.retrieval.marked import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from crewmem.cli.output import Line, Output
    from crewmem.episodes.hit import Hit as Episode
    from crewmem.files.hit import Hit
    from crewmem.memories.hit import Hit as Memory


def hit_lines(
    out: Output, hits: Sequence[Hit], *, explain: bool = False
) -> Iterator[Line]:
    """Yield *hits* for a terminal, or as ``path:line: snippet`` that editors open.

    With *explain* each is followed by why it was found.
    """
    for number, hit in enumerate(hits):
        if out.format != "table":
            yield f"{shortened(hit.path)}:{hit.line}: {unmarked(hit)}"
            if explain:
                yield f"  {_why(hit)}"
            continue
        if number:
            yield ""
        lines = f"{hit.first_line}-{hit.last_line}"
        above = hit.heading.partition(" > ")[2]
        yield [
            ("path", f"{hit.file}:{lines}"),
            ("dim", f"  {hit.owner or hit.scope}"),
            ("bold", f"  {above}"),
        ]
        yield ["  ", *pieces(hit)]
        if explain:
            yield ["  ", ("dim", _why(hit))]


def _why(hit: Hit) -> str:
    """Say what the score of *hit* is made of, and what it holds of the query."""
    why = hit.why
    made = f"{why.words:g} words x {why.file:g} file x {why.prior:g} tier"
    if why.cosine is not None:
        # Each list is scaled by its own best and worst: there is no short formula.
        made = f"words and a cosine of {why.cosine:.3f} x {why.prior:g} tier"
    ranks = ", ".join(f"{rank} by {name}" for name, rank in why.ranks.items())
    return f"score {hit.score:g} = {made}; rank {ranks}; holds {', '.join(why.terms)}"


def pieces(hit: Hit | Episode | Memory) -> list[tuple[str, str]]:
    """Return the snippet of *hit* in pieces, with the style of each, without marks."""
    found: list[tuple[str, str]] = []
    at = 0
    for first, last in hit.matches:
        found.append(("", hit.snippet[at : first - len(MARK)]))
        found.append(("match", hit.snippet[first:last]))
        at = last + len(MARK)
    return [*found, ("", hit.snippet[at:])]


def unmarked(hit: Hit | Episode | Memory) -> str:
    """Return the snippet of *hit* without its marks."""
    return "".join(piece for _, piece in pieces(hit))


def shortened(path: Path) -> str:
    """Return *path* from here if it is below here, else whole."""
    text = os.fspath(path)
    try:
        here = f"{os.getcwd()}/"  # noqa: PTH109 - a text is all that is compared
    except FileNotFoundError:  # it was removed
        return text
    return text.removeprefix(here)
