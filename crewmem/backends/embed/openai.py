"""OpenAI, or any server that answers ``/v1/embeddings`` as it does."""

from __future__ import annotations

from crewmem.backends.embed import About, Lack
from crewmem.backends.embed.keys import keys
from crewmem.backends.embed.service import Service, known, listed
from crewmem.backends.http import Client
from crewmem.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.embed import Embedder, Means
    from crewmem.backends.embed.keys import Key
    from crewmem.settings import Settings

NAME = "openai"

VARIABLES = ("OPENAI_API_KEY",)


def model(settings: Settings) -> str:
    """Return the model that is set."""
    return settings.openai_model


def keys_of(means: Means) -> list[Key]:
    """Return the key, if there is one; further ones are not used."""
    file = means.settings.openai_key_file
    return keys(means.environ, VARIABLES, file)[:1]


def lack(means: Means) -> Lack | None:
    """Return what is missing: a key, which servers of one's own may do without."""
    is_own = means.settings.openai_url != SETTINGS["openai_url"].default
    if is_own or keys_of(means):
        return None
    hint = "Set OPENAI_API_KEY, or: crewmem config set openai_key_file FILE"
    return Lack("there is no key", hint)


def about(means: Means) -> About:
    """Return what is known of it."""
    dim = known(OpenAI, model(means.settings))
    return About(dim, means.settings.openai_url, [key.origin for key in keys_of(means)])


def create(means: Means, model: str) -> Embedder:
    """Return the embedder of *model*."""
    url, found = means.settings.openai_url, keys_of(means)
    client = Client(
        f"the embedding service at {url}",
        url,
        seconds=means.settings.embedder_timeout,
        secrets=[key.value for key in found],
    )
    return OpenAI(client, model, found)


class OpenAI(Service):
    """A model behind the API of OpenAI."""

    name = NAME
    dims = {  # noqa: RUF012 - of the class, and never changed
        "text-embedding-3-small": 1536,
        "text-embedding-3-large": 3072,
        "text-embedding-ada-002": 1536,
    }

    def __init__(self, client: Client, model: str, found: Sequence[Key]) -> None:
        """Ask *client* with the first key that was *found*, or with none."""
        super().__init__(client, model)
        bearer = [("authorization", f"Bearer {key.value}") for key in found[:1]]
        self._headers = dict(bearer)

    def _asked(self, texts: Sequence[str]) -> object:
        request = self._client.request(
            "/embeddings",
            {"model": self.model, "input": [*texts], "encoding_format": "float"},
        )
        answer = self._client.post(request, headers=self._headers)
        rows = listed(self._good(answer), "data")
        found = {
            row["index"]: row.get("embedding")
            for row in rows
            if isinstance(row, dict) and type(row.get("index")) is int
        }
        if len(found) != len(rows) or {*found} != {*range(len(found))}:
            raise self._bad("its vectors are not numbered from 0")
        return [found[i] for i in range(len(found))]
