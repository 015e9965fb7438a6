"""What stands in for a language model: it repeats how each text begins."""

from __future__ import annotations

from crewmem.backends.llm import About
from crewmem.backends.llm.fitting import fitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from crewmem.backends.embed import Lack
    from crewmem.backends.llm import LanguageModel, Material, Means

NAME = "extractive"


def lack(_: Means) -> Lack | None:
    """Return what is missing: nothing ever."""
    return None


def about(_: Means) -> About:
    """Return what is known of it: there is no more to it than its name."""
    return About()


def trouble(_: Means) -> str:
    """Return why it could not be asked: there is nothing that could fail."""
    return ""


def create(_: Means) -> LanguageModel:
    """Return it."""
    return Extractive()


class Extractive:
    """Answers with the first lines of what it was given, each once, by heading.

    The same material has the same answer, and it never fails.
    """

    name = NAME
    model = ""
    is_extract = True

    def answer(self, _: str, material: Material, /, *, most: int) -> str:
        """Return the first line of each text, those of a heading below it."""
        lines: list[str] = []
        for heading, texts in material.items():
            firsts = (text.strip().partition("\n")[0].rstrip() for text in texts)
            lines += [f"{heading}:", *dict.fromkeys(f"- {each}" for each in firsts)]
        return fitted("\n".join(lines), most)
