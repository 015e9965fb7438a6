"""Selection of the embedder."""

from collections.abc import Callable, Sequence
from pathlib import Path
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
    """The embedder in use, and why it was chosen.

    Attributes:
        name: Name in the settings; ``none`` when search uses words only.
        reason: Why it was chosen.
        missing: Why no embedder works; "" when one works or none is wanted.
        hint: Command that solves it.
        stored: Models of the stored vectors. Only vectors of the model in use are compared.
    """

    setting: str
    name: str
    model: str
    dim: int
    reason: str
    missing: str
    hint: str
    stored: tuple[StoredModel, ...]


class EmbedderChoice:
    """Chooses the embedder by the settings, the stored vectors and the language of the texts.

    Args:
        vectors: The stored vectors.
        find_languages: Returns the languages of the texts, the most common first.
    """

    def __init__(
        self,
        context: Context,
        vectors: Vectors,
        find_languages: Callable[[], Sequence[str]] = list,
    ) -> None:
        self._context, self._vectors, self._find_languages = context, vectors, find_languages

    def find_model_directory(self) -> Path | None:
        """Return the directory of the model that runs in this process; None without one."""
        model = find_model(self._context)
        return model.path if model is not None else None

    def open(self, *, ignore_stored: bool = False) -> Embedder | None:
        """Open the embedder in use; None when search uses words only.

        With ``auto`` it is the model of the stored vectors. Without vectors it is the installed
        model that fits the language of the texts, or else Ollama if its address is set.

        Args:
            ignore_stored: Whether to choose as if no vectors were stored.

        Raises:
            NotFoundError: If the embedder that the settings name is not installed.
            ConflictError: If the stored vectors are of another model.
        """
        name = self._context.settings["embedder"]
        if name == "none":
            return None
        dimensions = {} if ignore_stored else dict(self._vectors.find_models())
        stored = set(dimensions)
        embedder = self._open_auto(stored) if name == "auto" else _open_named(self._context, name)
        if isinstance(embedder, ServiceEmbedder) and embedder.model in dimensions:
            embedder.dim = dimensions[embedder.model]  # it refuses answers of another length
        if embedder is not None and stored and embedder.model not in stored:
            raise ConflictError(
                f"the stored vectors were made by {', '.join(sorted(stored))},"
                f" not {embedder.model}",
                code="other-model",
                hint=self._context.command("embedder reembed", "--yes"),
            )
        return embedder

    def _open_auto(self, stored: set[str]) -> Embedder | None:
        """Open the embedder of ``auto``; *stored* has the models of the stored vectors."""
        context = self._context
        if multilingual.MODEL in stored:
            return MultilingualEmbedder(context)
        if SERVICES["ollama"].model in stored:  # the other services must be named in the settings
            return ServiceEmbedder(context, "ollama")
        for model in sorted(stored):
            if find_model(context, model) is not None or model == local.MINILM:
                return open_local(context, model)
        has_local = find_model(context) is not None and has_tokenizers()
        if not stored and multilingual.is_installed():
            if not has_local or suggest_model(self._find_languages()) == "multilingual":
                return MultilingualEmbedder(context)
        if has_local:
            return open_local(context)
        if context.settings["embedder_url"]:
            return ServiceEmbedder(context, "ollama")
        return None

    def explain_missing(self) -> tuple[str, str]:
        """Return why ``auto`` finds no embedder, and the command that installs one."""
        if not has_tokenizers():
            return "the library tokenizers is not installed", format_extra_command("minilm")
        return "no embedding model is installed", self._context.command("embedder install")

    def describe(self) -> EmbedderStatus:
        """Describe the embedder in use; a missing one is reported, not raised."""
        setting = self._context.settings["embedder"]
        stored = tuple(self._vectors.count_models())
        missing = hint = ""
        embedder: Embedder | None = None
        try:
            embedder = self.open()
            if embedder is None and setting != "none":
                missing, hint = self.explain_missing()
        except CrewmemError as error:
            missing, hint = error.message, error.hint
        if missing:
            reason = "no embedder works"
        elif setting != "auto":
            reason = "the setting embedder"
        elif stored:
            reason = "the model of the stored vectors"
        else:
            reason = "the best one that is installed"
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


def suggest_model(languages: Sequence[str]) -> str:
    """Return the best model for texts in *languages*: ``minilm`` or ``multilingual``."""
    if not languages or languages[0] in ("en", "?"):
        return "minilm"
    return "multilingual" if languages[0] in multilingual.LANGUAGES else "minilm"


def _open_named(context: Context, name: str) -> Embedder:
    if name == "minilm":
        return open_local(context)
    if name == "multilingual":
        return MultilingualEmbedder(context)
    return ServiceEmbedder(context, name)
