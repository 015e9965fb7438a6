"""Embedders: what turns texts into vectors, and how one of them is chosen.

Each is a module of this folder in the shape of `Kind`, imported when its name is
asked for, so that numpy and httpx load only where they are used. Choosing speaks to
no service and reads no weights: an embedder does that when it is first used.
"""

from __future__ import annotations

from importlib import import_module

from crewmem.records import NamedTuple
from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from crewmem.settings import Settings

    Vectors = NDArray[np.float32]

AUTO, NONE = "auto", "none"

EMBEDDERS = ("minilm", "ollama", "openai", "gemini")
"""Every embedder, each a module of this folder."""

UNNAMED = ("minilm", "ollama")
"""Those that `AUTO` may choose, best first: what takes a key is used only when it is
named, so that memory never leaves the machine by accident."""

SET = "crewmem config set embedder {}"

REEMBED = "crewmem episodes reembed"


class Embedder(Protocol):
    """What turns texts into vectors.

    Attributes:
        name: Which it is, as ``minilm``.
        model: The model's name. Vectors of two models are never compared.
    """

    name: str
    model: str

    @property
    def dim(self) -> int:
        """How many numbers a vector has; a service is asked if nobody knows."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the unit vectors of *texts*: (n, dim) float32, in their order.

        A text is read as far as `pieces` would cut it, and no further.

        Raises:
            UnreachableError: If a service does not answer, whatever it is asked, or
                leads elsewhere, or speaks of something else.
            RequestRefusedError: If it refuses these texts.
            BadAnswerError: If it answers with what are no vectors.
            ModelDamagedError: If a model's file is not the one that was published.
            BlankTextError: If a text is white space alone.
        """

    def pieces(self, text: str) -> list[str]:
        """Return what is embedded of *text*: itself, or pieces that overlap.

        There is at least one, and none is longer than the model reads.
        """

    def close(self) -> None:
        """Let go of connections; it is not used after that."""


class Means(NamedTuple):
    """What embedders are made from.

    Attributes:
        settings: The settings in force.
        home: The home, where installed weights are.
        environ: The environment, which may hold keys of services.
        notes: Whether the home may be written to, to note what was found to be whole.
    """

    settings: Settings
    home: str
    environ: Mapping[str, str]
    notes: bool = True


class Lack(NamedTuple):
    """Why an embedder, or a language model, cannot be used.

    Attributes:
        what: What is missing, as the end of a sentence on it.
        hint: The command that helps.
    """

    what: str
    hint: str


class About(NamedTuple):
    """What is known of an embedder without using it.

    Attributes:
        dim: How many numbers its vectors have; None if only the service knows.
        where: The directory of its weights, or the URL of its service, or "".
        keys: Where its keys come from.
    """

    dim: int | None
    where: str
    keys: Sequence[str] = ()


class Kind(Protocol):
    """What the module of an embedder holds.

    Attributes:
        NAME: What the setting calls it.
    """

    NAME: str

    def model(self, settings: Settings) -> str:
        """Return the model that it would use by itself."""

    def lack(self, means: Means) -> Lack | None:
        """Return what is missing to use it, None when nothing is."""

    def about(self, means: Means) -> About:
        """Return what is known of it."""

    def create(self, means: Means, model: str) -> Embedder:
        """Return the embedder of *model*; nothing is loaded or asked yet."""


class Choice(NamedTuple):
    """The embedder that was chosen, and why; or why there is none.

    Attributes:
        embedder: The embedder, None when recall goes on by words alone.
        why: The reason, a clause such as "it is present".
        hint: The command that gives a better embedder, or "".
    """

    embedder: Embedder | None
    why: str
    hint: str = ""


def kind(name: str) -> Kind:
    """Return the module of the embedder *name*, one of `EMBEDDERS`."""
    module: Kind = import_module(f"{__name__}.{name}")
    return module


def choose(means: Means, stored_model: str | None = None) -> Choice:
    """Choose the embedder that the settings ask for.

    Args:
        means: What it is made from.
        stored_model: The model of the vectors that the store has, None if it has
            none. Another model is not chosen while those exist.
    """
    wanted = means.settings.embedder
    if wanted == NONE:
        return Choice(None, "the setting embedder is none", SET.format(AUTO))
    if wanted == AUTO:
        return _of_store(means, stored_model) if stored_model else _present(means)
    model = kind(wanted).model(means.settings)
    if stored_model and stored_model != model:
        why = (
            f"there are vectors of {stored_model}, and {wanted} gives those of {model}"
        )
        return Choice(None, why, REEMBED)
    return _made(means, wanted, model, "the setting embedder names it")


def _of_store(means: Means, model: str) -> Choice:
    """Choose what gives vectors of *model*, which the store has."""
    why = f"there are vectors of {model}"
    first, *_ = EMBEDDERS
    if kind(first).model(means.settings) == model:  # the others are not even imported
        return _made(means, first, model, why)
    give = [name for name in EMBEDDERS if kind(name).model(means.settings) == model]
    if named := [name for name in give if name not in UNNAMED]:
        taken = f"{why}, and {named[0]} takes a key: it is used only when it is named"
        return Choice(None, taken, SET.format(named[0]))
    return _made(means, give[0] if give else "ollama", model, why)


def _present(means: Means) -> Choice:
    """Choose the best of what is here."""
    lacks = []
    for name in UNNAMED:
        each = kind(name)
        if not (lack := each.lack(means)):
            embedder = each.create(means, each.model(means.settings))
            return Choice(embedder, "it is the best of those that are here")
        lacks.append(lack)
    why = "; ".join(
        f"{name}: {lack.what}" for name, lack in zip(UNNAMED, lacks, strict=True)
    )
    return Choice(None, why, lacks[0].hint)


def _made(means: Means, name: str, model: str, why: str) -> Choice:
    if lack := kind(name).lack(means):
        return Choice(None, f"{why}, but {name}: {lack.what}", lack.hint)
    return Choice(kind(name).create(means, model), why)
