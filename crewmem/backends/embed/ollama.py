"""Ollama, here or elsewhere: ``/api/embed``, or ``/api/embeddings`` of older ones."""

from __future__ import annotations

from crewmem.backends.embed import About, Lack
from crewmem.backends.embed.service import Service, known
from crewmem.backends.http import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.embed import Embedder, Means
    from crewmem.settings import Settings

NAME = "ollama"

OLD = frozenset({404, 405})
"""What an Ollama before 0.2.6 says to ``/api/embed``, which embeds many texts."""

WINDOW = 8_192
"""Tokens of context that are asked for: the usual is 2,048."""


def model(settings: Settings) -> str:
    """Return the model that is set."""
    return settings.ollama_model


def lack(means: Means) -> Lack | None:
    """Return what is missing: a URL."""
    if means.settings.ollama_url:
        return None
    hint = "crewmem config set ollama_url http://127.0.0.1:11434"
    return Lack("the setting ollama_url is empty", hint)


def about(means: Means) -> About:
    """Return what is known of it."""
    dim = known(Ollama, model(means.settings))
    return About(dim, means.settings.ollama_url)


def create(means: Means, model: str) -> Embedder:
    """Return the embedder of *model*."""
    url = means.settings.ollama_url
    seconds = means.settings.embedder_timeout
    return Ollama(Client(f"Ollama at {url}", url, seconds=seconds), model)


class Ollama(Service):
    """A model of Ollama."""

    name = NAME
    dims = {  # noqa: RUF012 - of the class, and never changed
        "all-minilm": 384,
        "bge-m3": 1024,
        "mxbai-embed-large": 1024,
        "nomic-embed-text": 768,
        "snowflake-arctic-embed": 1024,
    }
    reads = {  # noqa: RUF012 - of the class, and never changed
        "all-minilm": 200,
        "mxbai-embed-large": 400,
        "snowflake-arctic-embed": 400,
    }
    _is_old = False

    def _asked(self, texts: Sequence[str]) -> object:
        if not self._is_old:
            request = self._client.request(
                "/api/embed",
                {
                    "model": self.model,
                    "input": [*texts],
                    "truncate": False,  # a text that is too long is an error
                    "options": {"num_ctx": WINDOW},
                },
            )
            answer = self._client.post(request)
            if answer.status not in OLD:
                return self._good(answer).get("embeddings")
        rows = [self._asked_one(text) for text in texts]
        self._is_old = True
        return rows

    def _asked_one(self, text: str) -> object:
        request = self._client.request(
            "/api/embeddings",
            {"model": self.model, "prompt": text, "options": {"num_ctx": WINDOW}},
        )
        return self._good(self._client.post(request)).get("embedding")
