"""Embedding services: Ollama, OpenAI-compatible ones, Gemini.

Texts leave the machine only if a setting names the service.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import ServiceError, SettingsError
from crewmem.storage.http import TRIES, HTTPStatusError, post_json
from crewmem.text.tokens import estimate_tokens

if TYPE_CHECKING:
    import numpy as np

BATCH = 64
"""Maximum texts of a request."""

MAX_TOKENS = 8000
PIECE_TOKENS = 1000
"""Maximum tokens of a piece of a long text, as `estimate_tokens` counts."""

OVERLAP = 5
"""Consecutive pieces of a long text share 1/OVERLAP of their characters."""

ROTATION_STATUSES = (401, 403, 429, 500, 502, 503, 504)
"""HTTP statuses after which the next key is tried."""


class Service(NamedTuple):
    """A kind of service.

    Attributes:
        model: The default model.
        dim: Dimensions of the default model's vectors.
        url: The default address.
        ask: Sends texts with a key, and returns their vectors.
    """

    model: str
    dim: int
    url: str
    needs_key: bool
    ask: Callable[["ServiceEmbedder", Sequence[str], str], list[Any]]


class ServiceEmbedder:
    """An embedder that is asked over HTTP."""

    max_tokens = MAX_TOKENS

    def __init__(self, context: Context, name: str, *, deadline: float = 60.0) -> None:
        service = SERVICES[name]
        settings = context.settings
        is_named = settings["embedder"] == name
        self.name = name
        self.model = (settings["embedder_model"] if is_named else "") or service.model
        self.dim = service.dim if self.model == service.model else 0
        self.url = (settings["embedder_url"] or service.url).rstrip("/")
        self.deadline = deadline
        self._service = service
        self._context = context
        self._keys: tuple[str, ...] = settings["embedder_keys"]
        self.tries = 1 if len(self._keys) > 1 else TRIES  # the next try takes the next key
        if service.needs_key and not self._keys:
            raise SettingsError(
                f"the embedder {name} needs a key",
                code="key-missing",
                hint="set the variable CREWMEM_EMBEDDER_KEYS",
            )

    def embed(self, texts: Sequence[str], *, as_question: bool = False) -> "np.ndarray":
        """Return a unit vector, a float32 row, for each text. Attacks and secrets are not sent.

        Raises:
            ServiceError: If the service fails, or its answer is not a vector for each text.
        """
        import numpy as np  # takes longer to import than most commands take to run

        rows: list[Any] = []
        for first in range(0, len(texts), BATCH):
            batch = [self._context.make_safe(text) for text in texts[first : first + BATCH]]
            answer = self._ask_with_keys(batch, advance=not as_question)
            if len(answer) != len(batch):
                raise self._bad_answer(f"{len(answer)} vectors for {len(batch)} texts")
            rows += answer
        try:
            vectors = np.array(rows, dtype=np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._bad_answer("something other than numbers") from error
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise self._bad_answer("vectors of different lengths")
        if self.dim and vectors.shape[1] != self.dim:
            raise self._bad_answer(f"{vectors.shape[1]} dimensions instead of {self.dim}")
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise self._bad_answer("a vector that is zero or not finite")
        self.dim = int(vectors.shape[1])
        return np.ascontiguousarray(vectors / lengths, dtype=np.float32)

    def split(self, text: str) -> list[str]:
        """Return *text*, or split it into overlapping pieces."""
        tokens = estimate_tokens(text)
        if tokens <= PIECE_TOKENS:
            return [text]
        size = max(1, len(text) * PIECE_TOKENS // tokens)
        overlap = size // OVERLAP
        return [text[i : i + size] for i in range(0, len(text) - overlap, size - overlap)]

    def count_tokens(self, text: str) -> int:
        """Estimate the number of tokens of *text*."""
        return estimate_tokens(text)

    def _ask_with_keys(self, texts: Sequence[str], *, advance: bool) -> list[Any]:
        """Ask with one key after another until one works."""
        keys = self._order_keys(advance=advance)
        failure: HTTPStatusError | None = None
        for key in keys:
            try:
                return self._service.ask(self, texts, key)
            except HTTPStatusError as error:
                if error.http_status not in ROTATION_STATUSES or len(keys) == 1:
                    raise
                failure = error
        raise failure or ServiceError(f"{self.name} has no key", code="key-missing")

    def _order_keys(self, *, advance: bool) -> list[str]:
        """Return the keys in the order to try them.

        With ``round-robin`` the processes share a position in the list.

        Args:
            advance: Whether to move the position; a question does not, as it must not wait to
                write.
        """
        keys = list(self._keys) or [""]
        if len(keys) == 1 or self._context.settings["embedder_rotation"] != "round-robin":
            return keys
        first = 0
        if self._context.has_db:
            if advance and not self._context.read_only:
                rows = self._context.db.all(
                    "insert into key_rotation (service, position) values (?, 1)"
                    " on conflict (service) do update set position = position + 1"
                    " returning position - 1",
                    (self.name,),
                )
            else:
                rows = self._context.db.all(
                    "select position from key_rotation where service = ?", (self.name,)
                )
            first = rows[0][0] % len(keys) if rows else 0
        return keys[first:] + keys[:first]

    def _bad_answer(self, answer: str) -> ServiceError:
        return ServiceError(
            f"the embedder {self.name} ({self.model}) returned {answer}",
            code="bad-embedding",
            hint=self._context.command("embedder test"),
        )


def _ask_ollama(embedder: ServiceEmbedder, texts: Sequence[str], key: str) -> list[Any]:
    """Ask Ollama through its batch API, or text by text through the older API."""
    body = {"model": embedder.model, "input": list(texts), "truncate": False}
    try:
        answer = post_json(f"{embedder.url}/api/embed", body, deadline=embedder.deadline)
        return _list_at(answer, "embeddings")
    except HTTPStatusError as error:
        if error.http_status != 404:
            raise
    vectors = []
    for text in texts:
        body = {"model": embedder.model, "prompt": text}
        answer = post_json(f"{embedder.url}/api/embeddings", body, deadline=embedder.deadline)
        vectors.append(_list_at(answer, "embedding"))
    return vectors


def _ask_openai(embedder: ServiceEmbedder, texts: Sequence[str], key: str) -> list[Any]:
    answer = post_json(
        f"{embedder.url}/embeddings",
        {"model": embedder.model, "input": list(texts), "encoding_format": "float"},
        headers={"Authorization": f"Bearer {key}"} if key else {},
        deadline=embedder.deadline,
        tries=embedder.tries,
    )
    rows = _list_at(answer, "data")
    if not all(isinstance(row, dict) for row in rows):
        raise ServiceError("the embedder openai returned no vectors", code="bad-embedding")
    if all(isinstance(row.get("index"), int) for row in rows):
        rows.sort(key=lambda row: row["index"])
    return [row.get("embedding") for row in rows]


def _ask_gemini(embedder: ServiceEmbedder, texts: Sequence[str], key: str) -> list[Any]:
    model = f"models/{embedder.model}"
    requests = [
        {
            "model": model,
            "content": {"parts": [{"text": text}]},
            "outputDimensionality": embedder.dim or SERVICES["gemini"].dim,
        }
        for text in texts
    ]
    answer = post_json(
        f"{embedder.url}/{model}:batchEmbedContents",
        {"requests": requests},
        headers={"x-goog-api-key": key},
        deadline=embedder.deadline,
        tries=embedder.tries,
    )
    rows = _list_at(answer, "embeddings")
    return [row.get("values") if isinstance(row, dict) else None for row in rows]


def _list_at(answer: Any, name: str) -> list[Any]:
    items = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(items, list):
        raise ServiceError("the embedder returned no vectors", code="bad-embedding")
    return items


SERVICES = {
    "ollama": Service("nomic-embed-text", 768, "http://localhost:11434", False, _ask_ollama),
    "openai": Service(
        "text-embedding-3-small", 1536, "https://api.openai.com/v1", False, _ask_openai
    ),
    "gemini": Service(
        "gemini-embedding-001",
        1536,
        "https://generativelanguage.googleapis.com/v1beta",
        True,
        _ask_gemini,
    ),
}
