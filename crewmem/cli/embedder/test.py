"""``crewmem embedder test``."""

from __future__ import annotations

import click

from crewmem.cli.app import App, pass_app
from crewmem.cli.command import argument, verb
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.output import Line

SAMPLE = "Where is the deploy key?"
"""Embedded if no text is given."""

MOST = 2
"""Texts that are compared."""


class Tested(NamedTuple):
    """What an embedder did with a text or two.

    Attributes:
        name: The embedder.
        model: Its model.
        dim: How many numbers a vector has.
        pieces: In how many pieces each text is embedded.
        milliseconds: How long it took, loading included.
        cosine: How alike two texts are, in [-1, 1]; null of one text. Of a text in
            pieces the first counts.
    """

    name: str
    model: str
    dim: int
    pieces: list[int]
    milliseconds: float
    cosine: float | None


@verb
@argument("texts", nargs=-1, metavar="[TEXT [TEXT]]", help="What to embed.")
@pass_app
def test_command(app: App, *, texts: tuple[str, ...]) -> None:
    """Embed a text, to see whether the embedder works, and how fast.

    Of two texts it says how alike they are. - is standard input.
    """
    from time import perf_counter

    from crewmem.backends.embed import AUTO
    from crewmem.cli.embedding import choice, stored_model
    from crewmem.errors.backends import NoEmbedderError

    if len(texts) > MOST:
        raise click.UsageError("Give one TEXT or two; quote what has spaces.")
    # What is named is tested, also while the store has vectors of another.
    stored = stored_model(app) if app.settings.embedder == AUTO else None
    chosen = choice(app, stored_model=stored)
    if chosen.embedder is None:
        raise NoEmbedderError(chosen.why, chosen.hint)
    embedder = chosen.embedder
    begun = perf_counter()
    pieces = [embedder.pieces(_read(app, text)) for text in texts or [SAMPLE]]
    vectors = embedder.embed([some[0] for some in pieces])
    taken = perf_counter() - begun
    tested = Tested(
        name=embedder.name,
        model=embedder.model,
        dim=vectors.shape[1],
        pieces=[len(some) for some in pieces],
        milliseconds=round(1000 * taken, 1),
        cosine=round(float(vectors[0] @ vectors[1]), 4) if len(texts) > 1 else None,
    )
    app.out.record(tested, _lines(tested))


def _read(app: App, text: str) -> str:
    if text != "-":
        return text
    from crewmem.cli.typed import read_text

    return read_text(app)


def _lines(tested: Tested) -> Iterator[Line]:
    yield (
        f"{tested.name}: {tested.model}, {tested.dim:,} numbers a vector,"
        f" {tested.milliseconds:g} ms"
    )
    for i, pieces in enumerate(tested.pieces, 1):
        if pieces > 1:
            yield f"Text {i} is embedded in {pieces} pieces; this was the first."
    if tested.cosine is not None:
        yield f"cosine {tested.cosine:.4f}"
