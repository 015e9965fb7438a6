"""Ollama, here or elsewhere: ``/api/chat``."""

from __future__ import annotations

from crewmem.backends.embed.pieces import estimate
from crewmem.backends.llm import About
from crewmem.backends.llm.account import no_model
from crewmem.backends.llm.service import Service, access, chat, part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.backends.embed import Lack
    from crewmem.backends.llm import Means
    from crewmem.backends.llm.prompt import Prompt

NAME = "ollama"

USUAL = "http://127.0.0.1:11434"
"""Where it listens unless it is told otherwise."""

WINDOW = 8_192
"""Fewest tokens of context that are asked for. Without being asked Ollama reads 2,048
or 4,096, and drops what is over."""

SPARE = 256
"""Tokens around messages that a model's template adds."""


def url(means: Means) -> str:
    """Return where it is asked."""
    return means.settings.llm_url or means.settings.ollama_url or USUAL


def lack(means: Means) -> Lack | None:
    """Return what is missing: a model."""
    return no_model(means)


def about(means: Means) -> About:
    """Return what is known of it."""
    return About(means.settings.llm_model, url(means))


def trouble(means: Means) -> str:
    """Return why it could not be asked just now, "" if it could."""
    return create(means).trouble()


def create(means: Means) -> Ollama:
    """Return the model that is set; nothing is asked yet."""
    return Ollama(access(means, "Ollama", url(means)))


class Ollama(Service):
    """A model of Ollama."""

    name = NAME
    absent = frozenset({400, 404})

    def wishes(self) -> dict[str, object]:
        """Have it answer at once: what models think aloud takes minutes."""
        return {"think": False}

    def _path(self) -> str:
        return "/api/chat"

    def _probe(self) -> tuple[str, Mapping[str, object] | None]:
        return "/api/show", {"model": self.model}

    def _document(self, asked: Prompt) -> dict[str, object]:
        tokens = self._access.tokens
        return {
            "model": self.model,
            "messages": chat(asked),
            "stream": False,
            "truncate": False,  # what is too long is an error
            "shift": False,
            "options": {
                "temperature": 0,
                "seed": 0,
                "num_ctx": window(estimate(asked.text) + tokens + SPARE),
                "num_predict": tokens,
            },
        }

    def _said(self, document: Mapping[str, object]) -> str:
        if document.get("done") is not True:
            raise self._bad("it is not all of it")
        said = part(document.get("message"), "content")
        return self._whole(said, document.get("done_reason"))


def window(tokens: int) -> int:
    """Return how many tokens of context to ask for where *tokens* are needed.

    Another number has a model loaded anew, so there are few of them.
    """
    size = WINDOW
    while size < tokens:
        size *= 2
    return size
