"""Comparing a few texts by their meaning, where something embeds."""

from __future__ import annotations

from crewmem.errors import BackendError, DataError, NotFoundError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.cli.app import App

FAILURES = (BackendError, DataError, NotFoundError, RefusedError)
"""What may be wrong with an embedder: words are compared all the same."""


def cosines(app: App, text: str, others: Sequence[str]) -> list[float] | None:
    """Return how near each of *others* is to *text*; None where nothing tells.

    Of a long text its beginning is compared, as of a question.
    """
    from crewmem.cli.embedding import choice, is_none, stored_model

    if not others or is_none(app):
        return None
    chosen = choice(app, stored_model=stored_model(app))
    if chosen.embedder is None:
        return None
    firsts = [chosen.embedder.pieces(each)[0] for each in (text, *others)]
    try:
        vectors = chosen.embedder.embed(firsts)
    except FAILURES as error:
        app.out.warn(f"compared by words alone: {error}")
        return None
    return [min(1.0, max(0.0, float(vectors[0] @ each))) for each in vectors[1:]]
