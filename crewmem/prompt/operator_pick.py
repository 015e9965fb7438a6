"""Having a language model pick what a person said of how they work.

What is stated directly is taken in any case; a model finds what no grammar does, and
proves it. It is told the person's own words and nobody else's, and of those nothing
that holds a secret or reads as an attack.
"""

from __future__ import annotations

from crewmem.errors import BackendError
from crewmem.prompt.operator_evidence import collapsed
from crewmem.prompt.operator_fact import Extraction, refusal
from crewmem.prompt.operator_picks import (
    ANSWER_MOST,
    HEADING,
    INSTRUCTION,
    doubtful,
    picks,
    placed,
)
from crewmem.prompt.operator_statements import statements
from crewmem.prompt.operator_turn import own_words
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from crewmem.backends.llm import LanguageModel
    from crewmem.prompt.operator_fact import Candidate, Refusal
    from crewmem.prompt.operator_turn import Turn
    from crewmem.threats.rule import Scan

TURNS_MOST = 200
"""Turns that a model is told, the newest."""


class Picker:
    """Finds candidates with a model.

    Attributes:
        notices: What the model did not do, and what it was not told.
    """

    def __init__(self, model: LanguageModel, scan: Scan) -> None:
        self._model, self._scan = model, scan
        self.notices: list[str] = []

    def __call__(self, turns: Sequence[Turn]) -> Extraction:
        """Return what is stated in *turns*, all of them a person's own."""
        direct = statements(turns)
        stated = [*direct.candidates]
        good, refused = self._picked(turns, stated)
        every = sorted([*stated, *good], key=lambda each: -each.line)
        known = {collapsed(each.quote) for each in direct.refused}
        more = [each for each in refused if each.quote not in known]
        return Extraction(every, [*direct.refused, *more])

    def _picked(
        self, turns: Sequence[Turn], stated: Sequence[Candidate]
    ) -> tuple[list[Candidate], list[Refusal]]:
        texts = self._told(turns)
        if not texts:
            return [], []
        try:
            answer = self._model.answer(INSTRUCTION, {HEADING: texts}, most=ANSWER_MOST)
        except BackendError as error:
            self.notices.append(f"only direct statements were taken: {error}")
            return [], []
        found = picks(answer)
        self.notices += [f"of what the model said: {each}" for each in found.troubles]
        good: list[Candidate] = []
        refused: list[Refusal] = []
        for each in found.candidates:
            pick = placed(each, turns)
            if any(_is_same(pick, other) for other in stated):
                continue
            if reason := doubtful(pick, turns):
                refused.append(refusal(reason, pick))
            else:
                good.append(pick)
        return good, refused

    def _told(self, turns: Sequence[Turn]) -> list[str]:
        """Return what the model is told, newest first."""
        own = [
            "".join(turn.text[begin:end] for begin, end in own_words(turn.text)).strip()
            for turn in turns[-TURNS_MOST:]
        ]
        said = [text for text in own if text]
        told = [text for text in said if not gravest(self._scan(text))]
        if withheld := len(said) - len(told):
            what = "1 turn" if withheld == 1 else f"{withheld:,} turns"
            self.notices.append(
                f"{what} with a secret or an attack not shown to the model"
            )
        return told[::-1]


def _is_same(pick: Candidate, stated: Candidate) -> bool:
    """Tell whether *pick* is what is *stated* directly already."""
    if pick.field != stated.field:
        return False
    return pick.quote in stated.quote or stated.quote in pick.quote
