"""Gemini, with a second key for when the first one fails, or in turn."""

from __future__ import annotations

from crewmem.backends.embed import About, Lack
from crewmem.backends.embed.keys import keys
from crewmem.backends.embed.service import Service, known, listed
from crewmem.backends.http import SERVER_ERROR, Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.backends.embed import Embedder, Means
    from crewmem.backends.embed.keys import Key
    from crewmem.backends.http import Answer
    from crewmem.settings import Settings

NAME = "gemini"

VARIABLES = ("GEMINI_API_KEY", "GEMINI_API_KEY_FALLBACK")

DIM = 1536
"""Numbers that are asked for: half of what the model can give, and nearly as good."""

KEYS_FAULT = frozenset({401, 403, 429, *range(SERVER_ERROR, 600)})
"""Statuses after which another key may fare better; no other status is about keys."""


def model(settings: Settings) -> str:
    """Return the model that is set."""
    return settings.gemini_model


def keys_of(means: Means) -> list[Key]:
    """Return the keys, the best first."""
    return keys(means.environ, VARIABLES, means.settings.gemini_key_file)


def lack(means: Means) -> Lack | None:
    """Return what is missing: a key."""
    if keys_of(means):
        return None
    hint = "Set GEMINI_API_KEY, or: crewmem config set gemini_key_file FILE"
    return Lack("there is no key", hint)


def about(means: Means) -> About:
    """Return what is known of it."""
    dim = known(Gemini, model(means.settings))
    return About(dim, means.settings.gemini_url, [key.origin for key in keys_of(means)])


def create(means: Means, model: str) -> Embedder:
    """Return the embedder of *model*."""
    url, found = means.settings.gemini_url, keys_of(means)
    client = Client(
        f"Gemini at {url}",
        url,
        seconds=means.settings.embedder_timeout,
        secrets=[key.value for key in found],
    )
    in_turn = means.settings.gemini_rotation == "round-robin"
    return Gemini(client, model, found, in_turn=in_turn)


class Gemini(Service):
    """A model of Gemini."""

    name = NAME
    dims = {"gemini-embedding-001": DIM}  # noqa: RUF012 - of the class, never changed
    reads = {"gemini-embedding-001": 2_000}  # noqa: RUF012 - of the class

    def __init__(
        self, client: Client, model: str, found: Sequence[Key], *, in_turn: bool
    ) -> None:
        """Ask *client* with the keys that were *found*.

        Each is used *in_turn*, or the first until it fails.
        """
        super().__init__(client, model)
        self._keys, self._in_turn, self._at = found, in_turn, 0

    def _asked(self, texts: Sequence[str]) -> object:
        path = f"models/{self.model}"
        asked = {"model": path, "outputDimensionality": DIM}
        document = {
            "requests": [
                {**asked, "content": {"parts": [{"text": text}]}} for text in texts
            ]
        }
        answer = self._answer(f"/{path}:batchEmbedContents", document)
        if self._in_turn:
            self._at += 1
        return [
            row.get("values") if isinstance(row, dict) else None
            for row in listed(self._good(answer), "embeddings")
        ]

    def _answer(self, path: str, document: Mapping[str, object]) -> Answer:
        """Ask with one key after the other, until one is not refused."""
        request = self._client.request(path, document)
        for left in reversed(range(len(self._keys))):
            key = self._keys[self._at % len(self._keys)]
            answer = self._client.post(
                request,
                headers={"x-goog-api-key": key.value},
                final=KEYS_FAULT if left else (),
            )
            if answer.status not in KEYS_FAULT or not request.tries:
                break
            if left:
                self._at += 1
        return answer
