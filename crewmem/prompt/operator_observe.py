"""Observing a person: what they said of how they work becomes lines of their card."""

from __future__ import annotations

from enum import StrEnum

from crewmem import times
from crewmem.errors.operators import OptedOutError
from crewmem.files.write import write
from crewmem.prompt.operator_card import Merged, fields_of, merged
from crewmem.prompt.operator_evidence import judged, speakable
from crewmem.prompt.operator_statements import statements
from crewmem.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from crewmem.files.target import Target
    from crewmem.files.written import Means, Written
    from crewmem.prompt.operator_fact import Extract, Fact, FactField, Refusal
    from crewmem.prompt.operator_store import OperatorStore
    from crewmem.prompt.operator_turn import BadLine, Turns
    from crewmem.scope import Scope

OPERATION = "observe"
"""What versions and the journal call it."""


class Person(NamedTuple):
    """Who is observed.

    Attributes:
        user: The name, as it was given; it is kept nowhere.
        slug: What stands for it.
    """

    user: str
    slug: str


class Became(StrEnum):
    """What became of a fact."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"
    DROPPED = "dropped"


class Taken(NamedTuple):
    """A fact that was observed.

    Attributes:
        field: What it is about.
        value: What is so.
        quote: What the person said, word for word.
        line: The line of the file on which the turn begins.
        became: Whether its line on the card is new, changed, the same, or dropped,
            for it did not fit.
    """

    field: FactField
    value: str
    quote: str
    line: int
    became: Became


class Observed(NamedTuple):
    """What observing a person came to.

    Attributes:
        slug: What stands for the person; it is the name of the card.
        ref: The card, whatever directory is asked.
        scope: crew for an operator model, agent for a peer card.
        owner: Whose it is, as crew or crew/agent.
        path: The card on disk.
        turns: How many turns are the person's own.
        others: How many are somebody else's.
        unnamed: Turns of persons whom the log does not name, though it names others.
        bad_lines: Lines that are no turns.
        facts: What was observed, in the order in which it was said.
        refused: What was not taken, and why.
        dropped: Fields that are no longer on the card, for they did not fit.
        changed: Whether the card says something else now.
        dry_run: Whether all of this is only what would become of it.
        bytes: Of the card.
        cap: Most bytes of it.
        usage: The bytes and the cap, as 900 of 1500 bytes, 60%.
        version: The id of its version; null where none was recorded.
        notes: What was not done, and why.
    """

    slug: str
    ref: str
    scope: Scope
    owner: str
    path: Path
    turns: int
    others: int
    unnamed: int
    bad_lines: tuple[BadLine, ...]
    facts: tuple[Taken, ...]
    refused: tuple[Refusal, ...]
    dropped: tuple[FactField, ...]
    changed: bool
    dry_run: bool
    bytes: int
    cap: int | None
    usage: str
    version: str | None
    notes: tuple[str, ...]


def observe(
    store: OperatorStore | None,
    person: Person,
    target: Target,
    turns: Turns,
    means: Means,
    *,
    extract: Extract = statements,
    dry_run: bool = False,
) -> Observed:
    """Take what *person* said of themselves in *turns* onto the card *target*.

    The same turns a second time change nothing. The caller sees to it that nobody is
    erased meanwhile.

    Args:
        store: Where evidence is kept; None if there is none yet, for a dry run.
        person: Who is observed.
        target: The card.
        turns: What was said, by whomever.
        means: What the card is written with.
        extract: Finds candidates among the person's own turns.
        dry_run: Whether nothing is written.

    Raises:
        OptedOutError: If the person does not want it.
        WriteRejectedError: If the scanner refuses what the card would say.
    """
    require_consent(store, person)
    found = extract(turns.own)
    done = judged(found.candidates, turns.turns, means.scan)
    change = _Change(done.facts, means.caps.files.get(target.tier))
    written = write(target, change, means, operation=OPERATION, dry_run=dry_run)
    if store and not dry_run:
        _keep(store, person, target, change, means)
    refused = speakable([*found.refused, *done.refused], means.scan)
    return _observed(person, turns, refused, change, written)


def require_consent(store: OperatorStore | None, person: Person) -> None:
    """Refuse to observe who does not want it.

    Raises:
        OptedOutError: If they said so.
    """
    consent = store.consent(person.slug) if store else None
    if consent and consent.opted_out:
        since = times.to_text(consent.opted_out_at or consent.updated_at)
        raise OptedOutError(person.user, since)


class _Change:
    """What observing makes of a card; it is told while the card is locked.

    Attributes:
        before: What the card said, by field.
        after: What it says now.
        merged: What became of it.
    """

    before: Mapping[FactField, str]
    after: Mapping[FactField, str]
    merged: Merged

    def __init__(self, facts: Sequence[Fact], cap: int | None) -> None:
        self.facts, self._cap = facts, cap

    def __call__(self, content: bytes) -> bytes:
        cap = self._cap if self._cap is not None else len(content) + (1 << 20)
        self.before = fields_of(content)
        self.merged = (
            merged(content, self.facts, cap) if self.facts else Merged(content, (), 0)
        )
        self.after = fields_of(self.merged.content)
        return self.merged.content

    def became(self, fact: Fact) -> Became:
        """Return what became of *fact*."""
        if self.after.get(fact.field) != fact.value:
            return Became.DROPPED
        if fact.field not in self.before:
            return Became.NEW
        is_same = self.before[fact.field] == fact.value
        return Became.SAME if is_same else Became.CHANGED


def _keep(
    store: OperatorStore, person: Person, target: Target, change: _Change, means: Means
) -> None:
    """Let the evidence be that of what the card says, and note who wrote it."""
    card, slug = target.ref, person.slug
    with store.transaction():
        known = {each.field: each for each in store.facts(slug) if each.card == card}
        stale = [
            field
            for field, each in known.items()
            if change.after.get(field) != each.value
        ]
        new = [
            fact
            for fact in change.facts
            if change.after.get(fact.field) == fact.value
            and (fact.field not in known or known[fact.field].value != fact.value)
        ]
        touched = {field for field in change.before if field not in change.after}
        touched |= {fact.field for fact in new}
        if not (stale or new):
            return
        store.drop(slug, card, stale)
        store.keep(slug, card, new, by=means.by, now=means.now)
        if store.consent(slug) is None:
            store.decide(slug, opted_out=False, now=means.now)
        store.note(
            slug,
            "write",
            actor=means.by,
            now=means.now,
            card=card,
            fields=sorted(touched | {*stale}),
        )


def _observed(
    person: Person,
    turns: Turns,
    refused: Sequence[Refusal],
    change: _Change,
    written: Written,
) -> Observed:
    own = len(turns.own)
    return Observed(
        slug=person.slug,
        ref=written.ref,
        scope=written.scope,
        owner=written.owner,
        path=written.path,
        turns=own,
        others=len(turns.turns) - own,
        unnamed=turns.unnamed,
        bad_lines=tuple(turns.bad),
        facts=tuple(
            Taken(each.field, each.value, each.quote, each.line, change.became(each))
            for each in change.facts
        ),
        refused=tuple(refused),
        dropped=change.merged.dropped,
        changed=written.changed,
        dry_run=written.dry_run,
        bytes=written.bytes,
        cap=written.cap,
        usage=written.usage,
        version=written.version,
        notes=written.notes,
    )
