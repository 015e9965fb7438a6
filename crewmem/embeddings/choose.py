"""Which embedder is used."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from crewmem.context import Context
from crewmem.embeddings import local, multilingual
from crewmem.embeddings.local import find_model, has_tokenizers, open_local
from crewmem.embeddings.multilingual import MultilingualEmbedder
from crewmem.embeddings.services import SERVICES, ServiceEmbedder
from crewmem.embeddings.store import StoredModel, Vectors
from crewmem.errors import ConflictError, CrewmemError
from crewmem.protocols import Embedder
from crewmem.storage.installer import format_extra_command


class EmbedderStatus(NamedTuple):
    """Which embedder is used, and why.

    Attributes:
        name: Of the embedder in use; ``none`` when words alone are searched.
        reason: Why it is this one.
        missing: What keeps a named embedder from working; "" when nothing does.
        hint: The command that helps.
        stored: Models of the vectors that are stored. Those of another model than the one in use
            are counted here and never compared.
    """

    setting: str
    name: str
    model: str
    dim: int
    reason: str
    missing: str
    hint: str
    stored: tuple[StoredModel, ...]


def open_embedder(
    context: Context,
    vectors: Vectors,
    *,
    find_languages: Callable[[], Sequence[str]] = list,
    anew: bool = False,
) -> Embedder | None:
    """Open the embedder in use; None when words alone are searched.

    With ``auto`` it is the model of the stored vectors; while there are none, the one that
    fits the store's language, then Ollama when its address is set.

    Args:
        context: Of the home.
        vectors: Those that are stored.
        find_languages: Returns the languages of the texts, the commonest first.
        anew: Whether to choose as if no vectors were stored.

    Raises:
        NotFoundError: If an embedder that is named in the settings is not installed.
        ConflictError: If vectors of another model are stored.
    """
    name = context.settings["embedder"]
    if name == "none":
        return None
    embedder: Embedder | None
    dimensions = {} if anew else dict(vectors.find_models())
    stored = set(dimensions)
    embedder = (
        _open_auto(context, stored, find_languages) if name == "auto" else _open(context, name)
    )
    if isinstance(embedder, ServiceEmbedder) and embedder.model in dimensions:
        embedder.dim = dimensions[embedder.model]  # what answers otherwise is refused
    if embedder is not None and stored and embedder.model not in stored:
        raise ConflictError(
            f"the stored vectors are of {', '.join(sorted(stored))}, not of {embedder.model}",
            code="other-model",
            hint=context.command("embedder reembed", "--yes"),
        )
    return embedder


def describe_embedder(
    context: Context, vectors: Vectors, *, find_languages: Callable[[], Sequence[str]] = list
) -> EmbedderStatus:
    """Return which embedder is used, and why; never raises for one that is missing."""
    setting = context.settings["embedder"]
    stored = tuple(vectors.count_models())
    missing = hint = ""
    embedder: Embedder | None = None
    try:
        embedder = open_embedder(context, vectors, find_languages=find_languages)
        if embedder is None and setting != "none":
            missing, hint = explain_missing(context)
    except CrewmemError as error:
        missing, hint = error.message, error.hint
    if missing:
        reason = "no embedder works"
    elif setting != "auto":
        reason = "the setting embedder"
    else:
        reason = "the model of the stored vectors" if stored else "the best one that is installed"
    return EmbedderStatus(
        setting=setting,
        name=embedder.name if embedder else "none",
        model=embedder.model if embedder else "",
        dim=embedder.dim if embedder else 0,
        reason=reason,
        missing=missing,
        hint=hint,
        stored=stored,
    )


def explain_missing(context: Context) -> tuple[str, str]:
    """Return what ``auto`` would need to find a model, and the command that brings it."""
    if not has_tokenizers():
        return "the library tokenizers is not installed", format_extra_command("minilm")
    return "no embedding model is installed", context.command("embedder install")


def suggest_model(languages: Sequence[str]) -> str:
    """Return the model that fits texts in *languages* best: ``minilm`` or ``multilingual``."""
    if not languages or languages[0] in ("en", "?"):
        return "minilm"
    return "multilingual" if languages[0] in multilingual.LANGUAGES else "minilm"


def _open(context: Context, name: str) -> Embedder:
    if name == "minilm":
        return open_local(context)
    if name == "multilingual":
        return MultilingualEmbedder(context)
    return ServiceEmbedder(context, name)


def _open_auto(
    context: Context, stored: set[str], find_languages: Callable[[], Sequence[str]]
) -> Embedder | None:
    if multilingual.MODEL in stored:
        return MultilingualEmbedder(context)
    if SERVICES["ollama"].model in stored:  # the others take a key: they must be named
        return ServiceEmbedder(context, "ollama")
    for model in sorted(stored):
        if find_model(context, model) is not None or model == local.MINILM:
            return open_local(context, model)
    has_local = find_model(context) is not None and has_tokenizers()
    if not stored and multilingual.is_installed():
        if not has_local or suggest_model(find_languages()) == "multilingual":
            return MultilingualEmbedder(context)
    if has_local:
        return open_local(context)
    if context.settings["embedder_url"]:
        return ServiceEmbedder(context, "ollama")
    return None
