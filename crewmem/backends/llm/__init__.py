"""Language models: what answers an instruction on some texts, and how it is chosen.

Each is a module of this folder in the shape of `Kind`, imported when its name is
asked for. `extractive` is one of them: it follows no instruction and needs nothing,
repeats the beginnings of what it was given, and never fails. It stands behind the
others, so that a job has one way: it asks the first that answers.
"""

from __future__ import annotations

from importlib import import_module

from crewmem.records import NamedTuple
from crewmem.typed import Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crewmem.backends.embed import Lack
    from crewmem.settings import Settings

    Material = Mapping[str, Sequence[str]]
    """Texts by the heading that they stand under, what matters most first. The first
    line of a text says what it is about."""

EXTRACTIVE = "extractive"

LLMS = (EXTRACTIVE, "command", "ollama", "openai", "anthropic")
"""Every language model, each a module of this folder."""

NONE = "none"
"""What the setting ``llm`` says for `EXTRACTIVE` alone."""


class LanguageModel(Protocol):
    """What answers an instruction.

    Attributes:
        name: Which it is, as ``command``.
        model: The name of the program, or of the service's model; "" for none.
        is_extract: Whether it repeats what it was given, whatever it is told: who
            wants anything but a summary of it need not ask.
    """

    name: str
    model: str
    is_extract: bool

    def answer(self, instruction: str, material: Material, /, *, most: int) -> str:
        """Return what it says to *instruction* on *material*, some text.

        The instruction is the caller's own; the material is anybody's, and cannot
        pose as instruction. What has no room is left out, from the end. The answer is
        untrusted as well: who uses it has it scanned.

        Args:
            instruction: What to do.
            material: On what; at least one text.
            most: Characters of the answer; of a longer one the last lines are cut.

        Raises:
            ProgramFailedError: If a program cannot be used.
            ModelUnreachableError: If a service cannot.
            RequestRefusedError: If a service refuses what it is asked.
            BadReplyError: If its answer is empty, over all bounds, cut off, or no
                text, or the model refuses to give one.
        """


class Means(NamedTuple):
    """What language models are made from.

    Attributes:
        settings: The settings in force.
        environ: The environment of programs.
    """

    settings: Settings
    environ: Mapping[str, str]


class About(NamedTuple):
    """What is known of a language model without asking it.

    Attributes:
        model: The name of the program, or of the service's model; "" for none.
        where: The URL of its service, or "".
        keys: Where its key comes from: a variable, or a file.
    """

    model: str = ""
    where: str = ""
    keys: Sequence[str] = ()


class Kind(Protocol):
    """What the module of a language model holds.

    Attributes:
        NAME: What the setting calls it.
    """

    NAME: str

    def lack(self, means: Means) -> Lack | None:
        """Return what is missing to use it, None when nothing is."""

    def about(self, means: Means) -> About:
        """Return what is known of it."""

    def trouble(self, means: Means) -> str:
        """Return why it could not be asked just now, "" if nothing is known of that.

        It lacks nothing. A service is asked, which writes nothing and takes seconds
        at most; no program is run.
        """

    def create(self, means: Means) -> LanguageModel:
        """Return the language model; nothing is run or asked yet."""


class Choice(NamedTuple):
    """The language models that are to be asked, and why not another.

    Attributes:
        model: The one that is asked first; `EXTRACTIVE` if no other is.
        otherwise: The one that answers where that fails: `EXTRACTIVE`.
        why: Why the one that is set is not asked, a sentence; "" if it is.
    """

    model: LanguageModel
    otherwise: LanguageModel
    why: str = ""


def kind(name: str) -> Kind:
    """Return the module of the language model *name*, one of `LLMS`."""
    module: Kind = import_module(f"{__name__}.{name}")
    return module


def choose(means: Means) -> Choice:
    """Choose the language model that the settings ask for."""
    extractive = kind(EXTRACTIVE).create(means)
    wanted = means.settings.llm
    if wanted == NONE:
        return Choice(extractive, extractive)
    if lack := kind(wanted).lack(means):
        why = f"the setting llm is {wanted}, but {lack.what}: {lack.hint}"
        return Choice(extractive, extractive, why)
    return Choice(kind(wanted).create(means), extractive)
