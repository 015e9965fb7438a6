"""What memories say together: by a language model if there is one, else by titles.

What a model says is as untrusted as what it was told. It is scanned, it is short, and
it becomes the text of a summary: nothing that it says is ever done.
"""

from __future__ import annotations

from collections import Counter

from crewmem.errors import BackendError
from crewmem.errors.backends import BadReplyError
from crewmem.memories.material import material
from crewmem.memories.patience import Patience
from crewmem.memories.similar import text_of
from crewmem.memories.view import RESTRICTED
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.llm import LanguageModel
    from crewmem.memories.memory import Memory
    from crewmem.memories.remember import Scan
    from crewmem.threats.rule import Finding

MOST = 4_000
"""Characters of a summary: what is longer is read by nobody."""

INSTRUCTION = f"""\
Write a summary of the notes below, for colleagues who were not there.
- Begin with what was decided, then what is open, then lessons and errors, then more.
- Say what the notes say and nothing else. Keep names, numbers, dates and commands as
  they are written. Where notes contradict each other, say both.
- Say once what several of them say. Leave out what will not matter in a month.
- Plain text in short lines, in the language of the notes, at most {MOST:,} characters.
  No introduction, and no remark on the notes or on this task."""
"""What is said to a model; `Summariser` reads the answer."""


class Told(NamedTuple):
    """A summary.

    Attributes:
        text: What it says.
        made_by: What made it: ``extractive``, or the kind of language model.
        model: The model's name; "" for none.
    """

    text: str
    made_by: str
    model: str

    @property
    def metadata(self) -> dict[str, object]:
        """What is noted of it beside the memory."""
        model = {"model": self.model} if self.model else {}
        return {"made_by": self.made_by, **model}


class Summariser:
    """Writes summaries, of a run.

    A model may take minutes for each, so it is asked outside of any transaction.
    """

    def __init__(
        self, model: LanguageModel, otherwise: LanguageModel, scan: Scan
    ) -> None:
        """Ask *model*, and where it fails *otherwise*, which does not."""
        self._model, self._otherwise, self._scan = model, otherwise, scan
        self._failures: Counter[str] = Counter()
        self._patience = Patience()
        self._left_out = self._cut = 0

    @property
    def is_quick(self) -> bool:
        """Tell whether no model is asked, or none any more: a summary takes no time."""
        return self._model.is_extract or self._patience.is_over

    @property
    def warnings(self) -> list[str]:
        """What did not go as it should, a sentence each."""
        found = [
            f"{counted(count, 'summary was', 'summaries were')} made of titles: {why}"
            for why, count in self._failures.items()
        ]
        if self._left_out:
            what = counted(self._left_out, "memory was", "memories were")
            found.append(f"{what} not told to the language model, for what is in it")
        if self._cut:
            what = counted(self._cut, "summary lacks titles", "summaries lack titles")
            found.append(f"{what} that the scanner would not let pass")
        return found

    def told(self, memories: Sequence[Memory]) -> Told:
        """Return what *memories* say, by the model if it can."""
        # What is restricted is its owner's alone: it is told to no model.
        may_leave = all(each.sensitivity != RESTRICTED for each in memories)
        if may_leave and not self._model.is_extract:
            try:
                text = self._patience.asked(lambda: self._answer(memories))
                return Told(text, self._model.name, self._model.model)
            except BackendError as error:
                self._failures[str(error)] += 1
        return self.extract(memories)

    def extract(self, memories: Sequence[Memory]) -> Told:
        """Return what *memories* say by their titles, at once.

        Titles that are harmless one by one may be an attack together: then it says no
        more than how many there are, so that the period has its summary all the same.
        """
        text = self._titles(memories)
        if self._worst(text):
            self._cut += 1
            clean = [each for each in memories if not self._worst(each.title)]
            text = self._titles(clean) if clean else ""
            if not text or self._worst(text):
                text = "\n".join(
                    f"{heading}: {len(texts)}"
                    for heading, texts in material(memories).items()
                )
        return Told(text, self._otherwise.name, self._otherwise.model)

    def _titles(self, memories: Sequence[Memory]) -> str:
        return self._otherwise.answer(INSTRUCTION, material(memories), most=MOST)

    def _answer(self, memories: Sequence[Memory]) -> str:
        clean = [each for each in memories if not self._worst(text_of(each))]
        self._left_out += len(memories) - len(clean)
        if not clean:
            raise BadReplyError(self._model.model, "there was nothing to ask it")
        text = self._model.answer(INSTRUCTION, material(clean), most=MOST)
        if finding := self._worst(text):
            reason = f"the scanner found {finding.category} in it ({finding.rule})"
            raise BadReplyError(self._model.model, reason)
        return text

    def _worst(self, text: str) -> Finding | None:
        return gravest(self._scan(text))


def counted(count: int, one: str, more: str) -> str:
    """Return *count* and what it counts."""
    return f"{count:,} {one if count == 1 else more}"
