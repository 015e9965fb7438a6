"""How episodes that were found are shown to a person."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crewmem.cli.output import Line, Output
    from crewmem.episodes.hit import Hit


def episode_lines(
    out: Output, hits: Sequence[Hit], *, explain: bool = False
) -> Iterator[Line]:
    """Yield *hits* for a terminal, or as ``id: snippet``.

    With *explain* each is followed by what its score is made of.
    """
    from crewmem.cli.hits import pieces, unmarked

    for number, hit in enumerate(hits):
        if out.format != "table":
            yield f"{hit.ref}: {unmarked(hit)}"
        else:
            if number:
                yield ""
            along = f"  like {hit.why.along}" if hit.why.along else ""
            yield [
                ("path", hit.ref),
                ("dim", f"  {hit.owner or hit.scope}  {hit.age}"),
                ("bold", f"  {hit.title}"),
                ("dim", along),
            ]
            yield ["  ", *pieces(hit)]
        if explain:
            yield from _explained(hit)


def _explained(hit: Hit) -> Iterator[Line]:
    cosine = "-" if hit.cosine is None else f"{hit.cosine:.3f}"
    yield [
        ("dim", f"    score {hit.score:.3f}  relevance {hit.relevance:.2f}  "),
        ("dim", f"cosine {cosine}  terms {', '.join(hit.why.terms) or '-'}"),
    ]
    parts = (
        f"{name} {value:.2f}: {share:+.3f}"
        for name, (value, share) in hit.why.features.items()
        if share
    )
    yield [("dim", f"    {'  '.join(parts)}")]
