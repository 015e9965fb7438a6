"""Any program that reads a prompt on standard input and answers on standard output."""

from __future__ import annotations

import os
import time

from crewmem.backends.embed import Lack
from crewmem.backends.llm import About
from crewmem.errors.backends import BadReplyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crewmem.backends.llm import LanguageModel, Material, Means

NAME = "command"

CHARACTER = 4
"""Bytes of a character, at most."""


def lack(means: Means) -> Lack | None:
    """Return what is missing: the command, or its program."""
    hint = "crewmem config set llm_command 'PROGRAM ARG'"
    if not (said := words(means.settings.llm_command)):
        return Lack("there is no command", hint)
    if not _is_there(said[0], means.environ):
        return Lack(f"there is no program {said[0]!r} that can be run", hint)
    return None


def about(means: Means) -> About:
    """Return what is known of it: the program, by its name."""
    said = words(means.settings.llm_command)
    return About(_name(said[0])) if said else About()


def trouble(_: Means) -> str:
    """Return nothing: only by running it could more be known, and it may cost."""
    return ""


def create(means: Means) -> LanguageModel:
    """Return the program that is set; it is not run yet."""
    settings = means.settings
    return Command(
        words(settings.llm_command),
        means.environ,
        settings.llm_timeout,
        given=settings.llm_material_chars,
        written=settings.llm_answer_chars,
    )


def words(command: str) -> list[str]:
    """Return the program of *command* and its arguments, quoted as in a shell.

    Raises:
        ValueError: If a quote is not closed.
    """
    import shlex

    return shlex.split(command)


def _name(program: str) -> str:
    return program.rpartition("/")[2] or program


def _is_there(program: str, environ: Mapping[str, str]) -> bool:
    """Tell whether *program* is a file that can be run, in ``PATH`` if need be."""
    from pathlib import Path

    places = [""] if "/" in program else environ.get("PATH", os.defpath).split(":")
    files = [Path(each, program) for each in places]
    return any(each.is_file() and os.access(each, os.X_OK) for each in files)


class Command:
    """A program with its arguments; no shell reads them."""

    name = NAME
    is_extract = False

    def __init__(
        self,
        words: Sequence[str],
        environ: Mapping[str, str],
        seconds: float,
        *,
        given: int,
        written: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask the program *words*.

        Args:
            words: The program and its arguments.
            environ: Its environment.
            seconds: How long it may take, each time.
            given: Most characters of material.
            written: Most characters of what it prints.
            clock: Seconds, of a clock that never goes back.
        """
        self.model = _name(words[0])
        self._words, self._environ = words, environ
        self._seconds, self._clock = seconds, clock
        self._given, self._written = given, written

    def answer(self, instruction: str, material: Material, /, *, most: int) -> str:
        """Return what the program says, its last lines cut where it is too much."""
        from crewmem.backends.llm.prompt import prompt
        from crewmem.backends.llm.reply import fit
        from crewmem.backends.process import run

        asked = prompt(instruction, material, given=self._given, answer=most)
        said = run(
            self._words,
            asked.text.encode(),
            name=self.model,
            seconds=self._seconds,
            most=CHARACTER * self._written,
            environ=self._environ,
            clock=self._clock,
        )
        try:
            text = said.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadReplyError(self.model, "it is not UTF-8") from error
        return fit(text, asked, by=self.model, most=most)
