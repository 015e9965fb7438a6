"""What language models that a service runs have in common."""

from __future__ import annotations

from contextlib import closing

from crewmem.backends.http import OK, SERVER_ERROR, Client
from crewmem.backends.said import message
from crewmem.errors.backends import (
    BadAnswerError,
    BadReplyError,
    ModelUnreachableError,
    RequestRefusedError,
    UnreachableError,
)
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from crewmem.backends.embed.keys import Key
    from crewmem.backends.http import Answer, Timing
    from crewmem.backends.llm import Material, Means
    from crewmem.backends.llm.prompt import Prompt

MOST_BYTES = 4 << 20
"""Bytes of an answer that are read: the longest that is asked for, each character
spelled as ``\\uXXXX``, and its thoughts."""

LETTERS = 4
"""Characters of a token, about; of Chinese, Japanese and Korean it is one or two."""

PROBE_SECONDS = 5.0
"""Most that it takes to see whether a service answers."""

KEYS_FAULT = frozenset({401, 403})
"""Statuses that are about who asks."""

BLAMED = frozenset({400, 413, 422})
"""Statuses that are about what was asked. All others would be the same for any."""

CUT = "it was cut off: the setting llm_answer_chars allows more"

FULL = "it was cut off: the setting llm_material_chars leaves more room for it"

REFUSED = "the model refused to answer"

ENDS = {
    "length": CUT,
    "max_tokens": CUT,
    "model_length": FULL,
    "model_context_window_exceeded": FULL,
    "content_filter": REFUSED,
    "refusal": REFUSED,
}
"""Why an answer is none, or not all of it, by what services call its end."""


class Access(NamedTuple):
    """A service, and how it is asked.

    Attributes:
        service: What messages call it.
        url: What every path is below.
        model: Which of its models.
        seconds: Most that one answer takes, all tries and waits together.
        given: Most characters of material.
        tokens: Most tokens of an answer.
        key: What it is asked with; None for none.
    """

    service: str
    url: str
    model: str
    seconds: float
    given: int
    tokens: int
    key: Key | None = None


def access(means: Means, service: str, url: str, key: Key | None = None) -> Access:
    """Return how the settings have *service* asked, at *url*."""
    settings = means.settings
    return Access(
        service=f"{service} at {url}",
        url=url,
        model=settings.llm_model,
        seconds=settings.llm_timeout,
        given=settings.llm_material_chars,
        tokens=settings.llm_answer_chars // LETTERS,
        key=key,
    )


class Service:
    """A language model that a service runs: a subclass says how it is asked.

    Nothing is kept open between two answers: minutes may be between them.

    Attributes:
        name: What the setting calls it.
        model: The model's name.
    """

    name: str
    is_extract = False
    absent: frozenset[int] = frozenset()
    """Statuses of a model that is not there. Without any, a list of all models is
    asked for: servers of one's own may have none, and who may ask is told by it."""

    def __init__(self, access: Access, timing: Timing | None = None) -> None:
        """Ask the service of *access*; nothing is asked yet."""
        self.model = access.model
        self._access, self._timing = access, timing
        self._wanted = self.wishes()

    def answer(self, instruction: str, material: Material, /, *, most: int) -> str:
        """Return what the model says, its last lines cut where it is too much."""
        from crewmem.backends.llm.prompt import prompt
        from crewmem.backends.llm.reply import fit

        given = self._access.given
        asked = prompt(instruction, material, given=given, answer=most)
        said = self._said(self._answered(asked))
        return fit(said, asked, by=self.model, most=most)

    def trouble(self) -> str:
        """Return why it could not be asked just now, "" if it could.

        It is asked whether it is there and knows the model; it writes nothing.
        """
        client = self._client(min(PROBE_SECONDS, self._access.seconds))
        request = client.request(*self._probe())
        request.tries = 1
        try:
            with closing(client):
                answer = client.post(request, headers=self._headers())
        except (UnreachableError, BadAnswerError) as error:
            return str(error)
        if answer.status >= SERVER_ERROR or answer.status in KEYS_FAULT | self.absent:
            return f"{self._access.service}: {client.problem(answer)}"
        return ""

    def wishes(self) -> dict[str, object]:
        """Return what is asked for beside the answer, where the model can do it."""
        raise NotImplementedError

    def instead(self) -> Mapping[str, Mapping[str, object]]:
        """Return what is asked for where a model does not know a wish, by the wish."""
        return {}

    def _path(self) -> str:
        """Return where it is asked, below the service's URL."""
        raise NotImplementedError

    def _headers(self) -> Mapping[str, str]:
        """Return what goes with a request, such as authorisation."""
        return {}

    def _probe(self) -> tuple[str, Mapping[str, object] | None]:
        """Return where it says whether it has the model, and what is sent there."""
        raise NotImplementedError

    def _document(self, asked: Prompt) -> dict[str, object]:
        """Return how the service is told *asked*."""
        raise NotImplementedError

    def _said(self, document: Mapping[str, object]) -> str:
        """Return what the model says, by what the service answered.

        Raises:
            BadReplyError: If it says nothing, not all of it, or that it will not.
        """
        raise NotImplementedError

    def _whole(self, said: object, end: object) -> str:
        """Return what was *said*, if *end* does not say that it is not all.

        Raises:
            BadReplyError: If it does, or nothing was said.
        """
        if isinstance(end, str) and (reason := ENDS.get(end)):
            raise self._bad(reason)
        if not isinstance(said, str):
            raise self._bad("there is no text in it")
        return said

    def _bad(self, reason: str) -> BadReplyError:
        return BadReplyError(self.model, reason)

    def _answered(self, asked: Prompt) -> Mapping[str, object]:
        """Ask, and return what the service answers.

        Raises:
            RequestRefusedError: If it refuses what is asked.
            ModelUnreachableError: If there is no answer, or it refuses any request.
            BadReplyError: If what it answers is none.
        """
        client = self._client(self._access.seconds)
        try:
            with closing(client):
                return self._good(client, self._posted(client, asked))
        except UnreachableError as error:
            raise ModelUnreachableError(error.service, error.reason) from error
        except BadAnswerError as error:
            raise BadReplyError(error.service, error.reason) from error

    def _client(self, seconds: float) -> Client:
        key = self._access.key
        return Client(
            self._access.service,
            self._access.url,
            seconds=seconds,
            timing=self._timing,
            secrets=[key.value] if key else [],
            most=MOST_BYTES,
            is_slow=True,
        )

    def _posted(self, client: Client, asked: Prompt) -> Answer:
        """Send *asked*; what a model says that it cannot do is asked for no more."""
        document = self._document(asked)
        request = client.request(self._path(), document | self._wanted)
        while True:
            answer = client.post(request, headers=self._headers())
            if not request.tries or not self._is_adapted(answer):
                return answer
            request.document = document | self._wanted

    def _is_adapted(self, answer: Answer) -> bool:
        """Tell whether *answer* refuses a wish, which is given up then."""
        if answer.status not in BLAMED:
            return False
        told = complaint(answer.document)
        for wish in self._wanted:
            if wish in told:
                del self._wanted[wish]
                self._wanted |= self.instead().get(wish, {})
                return True
        return False

    def _good(self, client: Client, answer: Answer) -> Mapping[str, object]:
        reason = client.problem(answer)
        if answer.status == OK:
            if not isinstance(answer.document, dict):
                raise self._bad("it is no JSON, or no object of it")
            if answer.document.get("error"):  # gateways pass it on so
                raise ModelUnreachableError(self._access.service, reason)
            return answer.document
        if answer.status in BLAMED:
            raise RequestRefusedError(self._access.service, reason)
        raise ModelUnreachableError(self._access.service, reason)


def complaint(document: object) -> str:
    """Return what the error *document* is about: the parameter, or what it says."""
    named = part(part(document, "error"), "param") or part(document, "param")
    return named if isinstance(named, str) else message(document)


def chat(asked: Prompt) -> list[dict[str, str]]:
    """Return the messages that tell *asked*, as most services take them."""
    return [
        {"role": "system", "content": asked.system},
        {"role": "user", "content": asked.user},
    ]


def part(document: object, name: str) -> object:
    """Return what an object of JSON calls *name*; None of what is none."""
    return document.get(name) if isinstance(document, dict) else None
