"""Anthropic: ``/v1/messages``."""

from __future__ import annotations

from crewmem.backends.llm import About
from crewmem.backends.llm.account import Account, key, keys_of, no_key, no_model
from crewmem.backends.llm.service import Service, access, part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.backends.embed import Lack
    from crewmem.backends.llm import Means
    from crewmem.backends.llm.prompt import Prompt

NAME = "anthropic"

USUAL = "https://api.anthropic.com"

ACCOUNT = Account("ANTHROPIC_API_KEY", "anthropic_key_file")

VERSION = "2023-06-01"
"""Of the API: the only one that it has had since."""


def url(means: Means) -> str:
    """Return where it is asked."""
    return means.settings.llm_url or USUAL


def lack(means: Means) -> Lack | None:
    """Return what is missing: a model, or a key."""
    return no_model(means) or no_key(means, ACCOUNT)


def about(means: Means) -> About:
    """Return what is known of it."""
    return About(means.settings.llm_model, url(means), keys_of(means, ACCOUNT))


def trouble(means: Means) -> str:
    """Return why it could not be asked just now, "" if it could."""
    return create(means).trouble()


def create(means: Means) -> Anthropic:
    """Return the model that is set; nothing is asked yet."""
    return Anthropic(access(means, "Anthropic", url(means), key(means, ACCOUNT)))


class Anthropic(Service):
    """A model of Anthropic."""

    name = NAME

    def wishes(self) -> dict[str, object]:
        """Have it answer much the same again."""
        return {"temperature": 0}

    def _path(self) -> str:
        return self._below("/messages")

    def _probe(self) -> tuple[str, Mapping[str, object] | None]:
        return self._below("/models"), None

    def _below(self, path: str) -> str:
        """Return *path* as it is below the URL: some name the version, some do not."""
        has_version = self._access.url.rstrip("/").endswith("/v1")
        return path if has_version else f"/v1{path}"

    def _headers(self) -> Mapping[str, str]:
        key = self._access.key
        named = {"x-api-key": key.value} if key else {}
        return {"anthropic-version": VERSION, **named}

    def _document(self, asked: Prompt) -> dict[str, object]:
        return {
            "model": self.model,
            "system": asked.system,
            "messages": [{"role": "user", "content": asked.user}],
            "max_tokens": self._access.tokens,
            "stream": False,
        }

    def _said(self, document: Mapping[str, object]) -> str:
        blocks = document.get("content")
        texts = [
            part(each, "text")
            for each in (blocks if isinstance(blocks, list) else [])
            if part(each, "type") == "text"
        ]
        said = [each for each in texts if isinstance(each, str)]
        whole = "".join(said) if texts and len(said) == len(texts) else None
        return self._whole(whole, document.get("stop_reason"))
