"""Turning texts into vectors, so that one that is refused costs no other."""

from __future__ import annotations

from crewmem.errors import BackendError, RefusedError
from crewmem.errors.backends import UnreachableError
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.backends.embed import Embedder, Vectors


class Embedded(NamedTuple):
    """What became of some texts.

    Attributes:
        vectors: By the key of the text, one of each piece.
        failures: Why the others have none.
    """

    vectors: dict[int, list[Vectors]]
    failures: dict[int, str]


def embedded(texts: Mapping[int, str], embedder: Embedder) -> Embedded:
    """Embed *texts* together; if that is refused, each alone, to see which is bad.

    Raises:
        UnreachableError: If the embedder does not answer; that is no text's fault.
    """
    pieces = {key: embedder.pieces(text) for key, text in texts.items()}
    flat = [piece for some in pieces.values() for piece in some]
    try:
        rows = iter(_kept(embedder, flat) if flat else ())
    except UnreachableError:
        raise
    except (BackendError, RefusedError) as error:
        if len(texts) == 1:
            return Embedded({}, {next(iter(texts)): str(error)})
        alone = [embedded({key: text}, embedder) for key, text in texts.items()]
        return Embedded(
            {key: rows for each in alone for key, rows in each.vectors.items()},
            {key: why for each in alone for key, why in each.failures.items()},
        )
    return Embedded(
        {key: [next(rows) for _ in some] for key, some in pieces.items()}, {}
    )


def _kept(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return the vectors of *texts*, if all of them can be kept.

    Raises:
        BadVectorError: If one cannot.
        BackendError: If the embedder fails; or another, as it may be.
    """
    from crewmem.retrieval.vectors import unit

    vectors = embedder.embed(texts)
    unit(vectors, embedder.dim)
    return vectors
