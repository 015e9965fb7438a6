"""OpenAI, or any server that answers ``/v1/chat/completions`` as it does."""

from __future__ import annotations

from crewmem.backends.llm import About
from crewmem.backends.llm.account import Account, key, keys_of, no_key, no_model
from crewmem.backends.llm.service import REFUSED, Service, access, chat, part
from crewmem.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.backends.embed import Lack
    from crewmem.backends.llm import Means
    from crewmem.backends.llm.prompt import Prompt

NAME = "openai"

ACCOUNT = Account("OPENAI_API_KEY", "openai_key_file")

THOUGHTS = 16_000
"""Tokens beside the answer, for models that think first: they are counted as well."""


def url(means: Means) -> str:
    """Return where it is asked."""
    return means.settings.llm_url or means.settings.openai_url


def lack(means: Means) -> Lack | None:
    """Return what is missing: a model, or a key, which one's own server may lack."""
    is_own = url(means) != SETTINGS["openai_url"].default
    return no_model(means) or no_key(means, ACCOUNT, is_needed=not is_own)


def about(means: Means) -> About:
    """Return what is known of it."""
    return About(means.settings.llm_model, url(means), keys_of(means, ACCOUNT))


def trouble(means: Means) -> str:
    """Return why it could not be asked just now, "" if it could."""
    return create(means).trouble()


def create(means: Means) -> OpenAI:
    """Return the model that is set; nothing is asked yet."""
    service, found = "the language model service", key(means, ACCOUNT)
    return OpenAI(access(means, service, url(means), found))


class OpenAI(Service):
    """A model behind the API of OpenAI."""

    name = NAME

    def wishes(self) -> dict[str, object]:
        """Have it answer the same again, and not without end."""
        return {"temperature": 0, "max_tokens": self._access.tokens}

    def instead(self) -> Mapping[str, Mapping[str, object]]:
        """Return how models that think want to be told where to end."""
        tokens = self._access.tokens + THOUGHTS
        return {"max_tokens": {"max_completion_tokens": tokens}}

    def _path(self) -> str:
        return "/chat/completions"

    def _probe(self) -> tuple[str, Mapping[str, object] | None]:
        return "/models", None

    def _headers(self) -> Mapping[str, str]:
        key = self._access.key
        return {"authorization": f"Bearer {key.value}"} if key else {}

    def _document(self, asked: Prompt) -> dict[str, object]:
        return {"model": self.model, "messages": chat(asked), "stream": False}

    def _said(self, document: Mapping[str, object]) -> str:
        choices = document.get("choices")
        if not isinstance(choices, list) or not choices:
            raise self._bad("there is no text in it")
        message = part(choices[0], "message")
        if part(message, "refusal"):
            raise self._bad(REFUSED)
        return self._whole(part(message, "content"), part(choices[0], "finish_reason"))
