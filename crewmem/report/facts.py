"""Facts on the page: cards with evidence, history, and the text that was valid on each day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from crewmem.consolidation.candidates import hash_text
from crewmem.errors import CrewmemError
from crewmem.facts.details import FactDetail, describe_facts
from crewmem.facts.fact import LIVE, STATUSES, Fact, statement_text
from crewmem.home import Home
from crewmem.report.texts import PageSubject, Texts, make_diff, strip_marks
from crewmem.search.dates import find_dates

MAX_FACTS = 10_000
"""Number of newest facts shown; a note says that others are left out."""

PAGE = 1_000
"""Facts that are loaded at once."""

CITED = re.compile(r"(.+\.md):(\d+)(?:@([0-9a-f]+))?")
"""A line of a memory file as evidence: ``crew:web/CREW.md:12@1f2e3d4c5b6a``."""

MAX_CITED = 6
"""Maximum lines of a statement in a file, which evidence cites by its first line."""


class Quote(NamedTuple):
    """A piece of evidence.

    Attributes:
        text: The quoted text; "" if its place no longer contains it or is not a text.
    """

    text: str
    place: str
    at: str


class Quotes:
    """Makes quotes of evidence, and reads the cited lines of memory files."""

    def __init__(self, home: Home, texts: Texts) -> None:
        self._home = home
        self._texts = texts
        self._files: dict[str, tuple[str, list[str]]] = {}

    def make(self, evidence: Any) -> Quote:
        """Convert evidence, a record with text and place or a bare place, to a quote."""
        clean = self._texts.clean
        if not isinstance(evidence, dict):
            cited = CITED.fullmatch(str(evidence))
            return self._cite(*cited.groups("")) if cited else Quote("", clean(str(evidence)), "")
        place = str(evidence.get("session") or evidence.get("ref") or evidence.get("file") or "")
        line = evidence.get("line") or evidence.get("first_line")
        text = str(evidence.get("quote") or evidence.get("text") or "")
        at = self._texts.local(str(evidence.get("at") or ""))
        return Quote(clean(text), clean(f"{place}:{line}" if place and line else place), at)

    def _cite(self, file: str, line: str, digest: str) -> Quote:
        """Quote the cited statement of a file; without text if it is gone or was changed."""
        if file not in self._files:
            try:
                content = self._home.memory.read(file)
                self._files[file] = (content.file, content.text.split("\n"))
            except CrewmemError:
                self._files[file] = (file, [])
        name, lines = self._files[file]
        place = self._texts.clean(f"{name}:{line}")
        for end in range(int(line), min(int(line) + MAX_CITED, len(lines) + 1)):
            text = "\n".join(lines[int(line) - 1 : end]).strip()
            if not digest or hash_text(text) == digest:
                first, newline, rest = text.partition("\n")
                text = strip_marks(first) + newline + rest
                return Quote(self._texts.clean(text), place, "")
        return Quote("", place, "")


class Period(NamedTuple):
    """A period in which a fact was valid, with its text in that period.

    Attributes:
        until: End; "" if the fact is still valid.
        title: None, like *text*, if both were the same as now.
        status: active, warm or stale.
    """

    since: str
    until: str
    title: str | None
    text: str | None
    status: str


@dataclass(slots=True)
class ShownChange:
    """A change of a fact or a file.

    Attributes:
        about: The change in a few words.
    """

    at: str
    by: str
    about: str
    reason: str
    diff: list[str]


def collect_facts(subject: PageSubject) -> list[dict[str, Any]]:
    """Return the facts that the actor may read, including those that are no longer valid."""
    home, texts = subject.home, subject.texts
    facts: list[Fact] = []
    for expired in (False, True):
        after: str | None = None
        while len(facts) < MAX_FACTS:
            page = home.facts.list(
                statuses=[status for status in STATUSES if status != "quarantined"],
                expired=expired,
                include_restricted=subject.selection.include_restricted,
                limit=PAGE,
                after=after,
            )
            facts += [fact for fact in page.facts if subject.is_about(fact.agent, fact.crew)]
            after = page.next
            if after is None:
                break
        if after is not None:
            command = home.context.command("fact list", "--limit", "1000")
            subject.notes.append(f"Only {MAX_FACTS:,} facts are shown. The others: {command}")
            break
    facts.sort(key=lambda fact: (fact.created_at, fact.id), reverse=True)
    details = describe_facts(home.facts.table, facts[:MAX_FACTS])
    quotes = Quotes(home, texts)
    titles = texts.clean_all([(detail.fact.title, detail.fact.id) for detail in details])
    contents = texts.clean_all([(detail.fact.content, detail.fact.id) for detail in details])
    return [
        _make_card(detail, title, content, texts, quotes)
        for detail, title, content in zip(details, titles, contents, strict=True)
    ]


def _make_card(
    detail: FactDetail, title: str, text: str, texts: Texts, quotes: Quotes
) -> dict[str, Any]:
    """Return the card of a fact, with local times."""
    fact = detail.fact
    periods, changes = _list_history(detail, texts, title, text)
    last = periods[-1] if periods else None
    until = last.until if last else texts.local(fact.updated_at)
    said = texts.local(fact.occurred_at or fact.created_at)
    return {
        "id": fact.id,
        "title": title,
        "text": "" if text == title else text,
        "kind": fact.kind,
        "topic": topic_of(fact),
        "topic_key": fact.topic_key or "",
        "owner": str(fact.owner),
        "agent": fact.agent or "",
        "crew": fact.crew or "",
        "status": fact.status,
        "state": fact.state,
        "pin": "" if fact.pin == "none" else fact.pin,
        "origin": fact.origin,
        "sensitivity": fact.sensitivity,
        "importance": fact.importance,
        "trust": round(fact.effective_confidence, 3),
        "retention": round(detail.retention, 3),
        "tags": [texts.clean(tag) for tag in fact.tags],
        "entities": [texts.clean(name) for name in fact.entities],
        "by": fact.created_by,
        "since": texts.local(fact.created_at),  # when it was stored
        "until": until,  # when it stopped being valid
        "said": said,  # when it was said or happened; if unknown, like since
        "valid_from": texts.local(fact.valid_from),
        # The date in an open action item.
        "due": find_due_day(f"{title}\n{text}", said) if fact.state == "open" else "",
        "superseded_by": fact.superseded_by or "",
        "up": fact.up,
        "down": fact.down,
        "uses": detail.uses.references,
        "session": fact.session or "",
        "quotes": [quotes.make(quote) for quote in [*fact.spans, *fact.listed("evidence")]],
        "periods": periods,
        "changes": changes,
        "votes": [
            (vote.actor, vote.vote, texts.clean(vote.reason), texts.local(vote.voted_at))
            for vote in detail.votes
        ],
        "relations": [
            (relation.relation, relation.other, relation.outgoing) for relation in detail.relations
        ],
    }


def topic_of(fact: Fact) -> str:
    """Return the topic of a fact: the first part of its topic key, or else its kind."""
    head = re.split(r"[/.]", fact.topic_key or "", maxsplit=1)[0]
    return head or fact.kind.replace("_", " ")


def find_due_day(text: str, said: str) -> str:
    """Return the first date in *text*; one without a year is the next such date after *said*.

    >>> find_due_day("Replace the key before noon on 22 June", "2026-03-23 09:00")
    '2026-06-22'
    """
    for date in find_dates(text):
        if date.month and date.day:
            day = f"{date.year or said[:4]}-{date.month:02}-{date.day:02}"
            if date.year is None and day < said[:10]:
                day = f"{int(said[:4]) + 1}{day[4:]}"
            return day
    return ""


class _State(NamedTuple):
    """What a fact says from a change to the next one, cleaned for the page.

    Attributes:
        start: Time of the change.
        end: Time of the next change; "" for none.
    """

    start: str
    end: str
    kind: str
    status: str
    title: str
    text: str
    valid_from: str | None
    valid_until: str | None

    def says_same(self, other: _State) -> bool:
        """Return whether both have the same title and text."""
        return (self.title, self.text) == (other.title, other.text)


def _list_history(
    detail: FactDetail, texts: Texts, title: str, text: str
) -> tuple[list[Period], list[ShownChange]]:
    """Return the periods in which a fact was valid, oldest first, and its changes, newest first."""
    fact = detail.fact
    state = _State(
        start=fact.created_at,
        end="",
        kind=fact.kind,
        status=fact.status,
        title=title,
        text=text,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
    )
    states: list[_State] = []  # newest first
    changes: list[ShownChange] = []
    for revision in sorted(detail.revisions, key=lambda each: each.number, reverse=True):
        after = state._replace(start=revision.changed_at)
        states.append(after)
        state = after._replace(
            start=fact.created_at,
            end=revision.changed_at,
            kind=revision.kind,
            status=revision.status,
            valid_from=revision.valid_from,
            valid_until=revision.valid_until,
        )
        if revision.content is not None:
            state = state._replace(
                title=texts.clean(revision.title or "", file=fact.id),
                text=texts.clean(revision.content, file=fact.id),
            )
        changes.append(
            ShownChange(
                texts.local(revision.changed_at),
                revision.changed_by,
                _describe_change(state, after),
                texts.clean(revision.reason),
                _diff_states(state, after),
            )
        )
    states.append(state)
    return _list_periods(states[::-1], texts), changes


def _list_periods(states: Sequence[_State], texts: Texts) -> list[Period]:
    """Return the periods in which a fact was valid; equal ones that follow each other are one."""
    periods: list[Period] = []
    for state in states:
        since = max(state.start, state.valid_from or "")
        until = min(filter(None, (state.end, state.valid_until)), default="")
        if state.status not in LIVE or (until and until <= since):
            continue
        period = Period(texts.local(since), texts.local(until), None, None, state.status)
        if not state.says_same(states[-1]):
            text = "" if state.text == state.title else state.text
            period = period._replace(title=state.title, text=text)
        last = periods[-1] if periods else None
        if last and last.until == period.since and last[2:] == period[2:]:  # all but the times
            periods[-1] = last._replace(until=period.until)
        else:
            periods.append(period)
    return periods


def _describe_change(before: _State, after: _State) -> str:
    """Describe a change of text, status or kind in a few words."""
    words = []
    if not before.says_same(after):
        words.append("revised")
    if before.status != after.status:
        words.append(f"{before.status} → {after.status}")
    if before.kind != after.kind:
        words.append(f"{before.kind} → {after.kind}")
    return ", ".join(words) or "changed"


def _diff_states(before: _State, after: _State) -> list[str]:
    """Return the difference of the texts; empty if there is none."""
    if before.says_same(after):
        return []
    return make_diff(
        statement_text(before.title, before.text), statement_text(after.title, after.text)
    )
