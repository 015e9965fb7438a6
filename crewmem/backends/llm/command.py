"""Any program that reads a prompt on standard input and answers on standard output."""

from __future__ import annotations

import time

from crewmem.backends.embed import Lack
from crewmem.backends.llm.fitting import fitted
from crewmem.errors.backends import BadReplyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crewmem.backends.llm import LanguageModel, Material, Means

NAME = "command"

GIVEN_MOST = 100_000
"""Characters of material: some 25,000 tokens, which any model of today reads."""

ANSWER_MOST = 1 << 20
"""Bytes of an answer that are read: what is more is no answer."""


def lack(means: Means) -> Lack | None:
    """Return what is missing: the command."""
    if words(means.settings.llm_command):
        return None
    return Lack("there is no command", "crewmem config set llm_command 'PROGRAM ARG'")


def create(means: Means) -> LanguageModel:
    """Return the program that is set; it is not run yet."""
    return Command(
        words(means.settings.llm_command), means.environ, means.settings.llm_timeout
    )


def words(command: str) -> list[str]:
    """Return the program of *command* and its arguments, quoted as in a shell.

    Raises:
        ValueError: If a quote is not closed.
    """
    import shlex

    return shlex.split(command)


class Command:
    """A program with its arguments; no shell reads them."""

    name = NAME
    is_extract = False

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask the program *words*, each time for *seconds* at most."""
        self.model = words[0].rpartition("/")[2] or words[0]
        self._words, self._environ = words, environ
        self._seconds, self._clock = seconds, clock

    def answer(self, instruction: str, material: Material, /, *, most: int) -> str:
        """Return what the program says, its last lines cut where it is too much."""
        from crewmem.backends.llm.prompt import prompt
        from crewmem.backends.process import run

        asked = prompt(instruction, material, GIVEN_MOST)
        said = run(
            self._words,
            asked.text.encode(),
            name=self.model,
            seconds=self._seconds,
            most=ANSWER_MOST,
            environ=self._environ,
            clock=self._clock,
        )
        text = self._text(said)
        if asked.mark in text:
            raise BadReplyError(self.model, "it repeats what it was asked")
        return fitted(text, most)

    def _text(self, said: bytes) -> str:
        """Return what was *said* as text, all ends of lines alike."""
        try:
            text = said.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadReplyError(self.model, "it is not UTF-8") from error
        text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        if not text:
            raise BadReplyError(self.model, "it is empty")
        if any(map(_is_control, text)):
            raise BadReplyError(self.model, "it holds control characters")
        return text


def _is_control(character: str) -> bool:
    is_first = character < " " and character not in "\n\t"
    return is_first or "\x7f" <= character < "\xa0"
