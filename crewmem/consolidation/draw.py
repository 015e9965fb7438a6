"""Having a language model draw rules from the journal, and believing what it proves.

It is told entries as data that is fenced, and what is poison is not told at all. An
answer that is useless costs itself: rules of what came again are drawn without it.
"""

from __future__ import annotations

from datetime import timedelta

from crewmem import times
from crewmem.answers import NotBelievedError
from crewmem.consolidation import inputs_store
from crewmem.consolidation.asking import asks_too_much
from crewmem.consolidation.groups import number
from crewmem.consolidation.item import RULE, Dropped, Evidence, Item, item_id
from crewmem.consolidation.normal import normal
from crewmem.consolidation.piece import ENTRY
from crewmem.consolidation.rule import (
    ANSWER_MOST,
    INSTRUCTION,
    claims,
    grounded,
)
from crewmem.consolidation.signals import GATE, Counted, passes, score
from crewmem.errors import BackendError
from crewmem.journal.payload_text import TooDeepError, payload_text
from crewmem.records import NamedTuple
from crewmem.threats.notice import gravest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from crewmem.backends.llm import LanguageModel
    from crewmem.consolidation.entries import Told
    from crewmem.consolidation.item import Score
    from crewmem.consolidation.normal import Reader
    from crewmem.consolidation.rule import Claim
    from crewmem.consolidation.sources import Asked, Sources
    from crewmem.consolidation.targets import Targets

LOOKED_BACK = timedelta(days=30)
"""How far back entries are told beside what is new: a rule has to cite two."""

TOLD_MOST, TEXT_MOST = 80, 1_200
"""Entries that a model is told, the latest, and characters of each."""

HEADING = "Entries of the journal"


class Drawn(NamedTuple):
    """What a model drew.

    Attributes:
        items: Rules that are worth keeping.
        dropped: What is not, and why.
        notices: Why there are none, where that is not the entries' fault.
    """

    items: tuple[Item, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notices: tuple[str, ...] = ()


def draw(
    sources: Sources,
    asked: Asked,
    new: Sequence[Told],
    reader: Reader,
    targets: Targets,
) -> Drawn:
    """Have the model of *sources* draw rules, if there are *new* entries."""
    model = sources.model
    if model is None or model.is_extract or not new:
        return Drawn()
    told = {each.id: each for each in _told(sources, asked, new)}
    texts = {each.id: _text(each) for each in told.values()}
    poison = [each for each, said in texts.items() if gravest(sources.scan(said))]
    for each in poison:
        del texts[each]
    notices = tuple(_untold(poison, new))
    if len(texts) < 2:  # noqa: PLR2004 - a rule has to cite two
        return Drawn(notices=notices)
    try:
        answer = _answer(model, told, texts)
    except BackendError as error:
        return Drawn(notices=(*notices, f"no rules were drawn by a model: {error}"))
    good, bad = claims(answer)
    drawing = _Drawing(sources, asked, reader, targets, told)
    found = [drawing.judged(each, texts) for each in good]
    return Drawn(
        tuple(each for each in found if isinstance(each, Item)),
        (
            *(Dropped("", f"a rule of the model: {why}") for why in bad),
            *(each for each in found if isinstance(each, Dropped)),
        ),
        notices,
    )


def _untold(poison: Collection[str], new: Sequence[Told]) -> Iterator[str]:
    """Say which *new* entries were not told, for what is in them."""
    for each in new:
        if each.id in poison:
            yield (
                f"{each.id} looks like hidden instructions or a secret: it was not told"
                " to the language model"
            )


def _told(sources: Sources, asked: Asked, new: Sequence[Told]) -> list[Told]:
    """Return what a model is told: what is new, and what was before, oldest first."""
    agents = sorted({each.agent for each in sources.places if each.agent})
    since = times.before(asked.now, LOOKED_BACK)
    found = inputs_store.since(sources.db, sources.workspace, asked.crew, agents, since)
    both = {each.id: each for each in (*found, *new)}
    inputs = [
        each
        for each in both.values()
        if each.is_input and each.agent not in sources.off
    ]
    return sorted(inputs, key=lambda each: (each.ts, each.seq))[-TOLD_MOST:]


def _text(told: Told) -> str:
    """Return what an entry says, as a model is told it."""
    try:
        more = payload_text(told.fields)
    except TooDeepError:
        more = ""
    return f"{told.summary}\n{more}".strip()[:TEXT_MOST]


def _answer(
    model: LanguageModel, told: Mapping[str, Told], texts: Mapping[str, str]
) -> str:
    lines = [
        f"{name} {told[name].entry_type} {told[name].ts[:10]}: {said}"
        for name, said in texts.items()
    ]
    lines.reverse()  # what has no room is left out from the end
    return model.answer(INSTRUCTION, {HEADING: lines}, most=ANSWER_MOST)


class _Drawing:
    """Judges the rules of one answer."""

    def __init__(
        self,
        sources: Sources,
        asked: Asked,
        reader: Reader,
        targets: Targets,
        told: Mapping[str, Told],
    ) -> None:
        self._sources, self._asked = sources, asked
        self._reader, self._targets, self._told = reader, targets, told

    def judged(self, claim: Claim, texts: Mapping[str, str]) -> Item | Dropped:
        """Return the item that a rule is, or why it is none."""
        if finding := gravest(self._sources.scan(f"{claim.pattern}\n{claim.action}")):
            why = f"the scanner found {finding.category} in it ({finding.rule})"
            return Dropped("", f"a rule of the model: {why}")
        try:
            quoted = grounded(claim, texts)
        except NotBelievedError as error:
            return Dropped(claim.pattern, f"a rule of the model: {error}")
        evidence = tuple(self._evidence(*each) for each in quoted.items())
        refs = tuple(each.ref for each in evidence)
        why = asks_too_much(f"{claim.pattern}\n{claim.action}")
        if len({(each.day, each.agent) for each in evidence}) == 1:
            why = "one agent said all of it on one day"
        workspace, crew = self._sources.workspace, self._asked.crew
        name = item_id(workspace, crew, "", RULE, normal(claim.pattern))
        verdict = self._targets.verdict(name, "", self._reader.form(claim.pattern))
        if why or verdict.why:
            return Dropped(claim.pattern, why or verdict.why, refs)
        total = self._score(claim, evidence, verdict.consolidated)
        if not passes(total):
            sure = f"the model was sure of it to {claim.confidence:.2f}"
            why = f"its score is {total.total:.2f}, of {GATE:.2f} at least; {sure}"
            return Dropped(claim.pattern, why, refs)
        said = (claim.pattern, claim.action, claim.confidence)
        return Item(name, RULE, crew, "", *said, total, evidence, verdict.against)

    def _score(
        self, claim: Claim, evidence: Sequence[Evidence], consolidated: int
    ) -> Score:
        days = sorted({each.day for each in evidence})
        counted = Counted(
            occurrences=len(evidence),
            recalls=0,
            days=len(days),
            sources=len({each.agent for each in evidence}),
            questions=0,
            age_days=number(self._asked.today) - number(days[-1]),
            consolidated=consolidated,
            kinds=len({each.kind for each in evidence}),
        )
        return score(claim.confidence, counted)

    def _evidence(self, name: str, quote: str) -> Evidence:
        told = self._told[name]
        day = times.day(times.from_text(told.ts), self._sources.zone).isoformat()
        kind, digest = told.entry_type, told.sha256
        return Evidence(name, ENTRY, kind, digest, day, told.agent, quote)
