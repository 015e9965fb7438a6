"""Facts for the page: cards with evidence, history and the text held on each day."""

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
"""Maximum number of facts shown, the newest; the page reports how many are left out."""

PAGE = 1_000


CITED = re.compile(r"(.+\.md):(\d+)(?:@([0-9a-f]+))?")
"""A line of a memory file as evidence: ``crew:web/CREW.md:12@1f2e3d4c5b6a``."""

MAX_CITED = 6
"""Maximum lines of a statement that evidence cites by its first line."""


class Quote(NamedTuple):
    """Evidence: what was said, where, and when.

    Attributes:
        text: "" if the place no longer contains it, or is not a text.
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
        """Convert evidence to a quote: it has a text and a place, or only a place."""
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
        """Return the cited statement of a file; "" if it is gone or has changed."""
        if file not in self._files:
            try:
                found = self._home.memory.read(file)
                self._files[file] = (found.file, found.text.split("\n"))
            except CrewmemError:
                self._files[file] = (file, [])
        name, lines = self._files[file]
        place = self._texts.clean(f"{name}:{line}")
        for end in range(int(line), min(int(line) + MAX_CITED, len(lines) + 1)):
            text = "\n".join(lines[int(line) - 1 : end]).strip()
            if not digest or hash_text(text) == digest:
                first, newline, rest = text.partition("\n")
                said = strip_marks(first) + newline + rest
                return Quote(self._texts.clean(said), place, "")
        return Quote("", place, "")


class Period(NamedTuple):
    """A time in which a fact was held.

    Attributes:
        until: End; "" if it is still held.
        title: None, like *text*, if it was the same as now.
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
    """Return the facts that the actor may read, including those that no longer hold."""
    home, texts = subject.home, subject.texts
    found: list[Fact] = []
    for expired in (False, True):
        after: str | None = None
        while len(found) < MAX_FACTS:
            page = home.facts.list(
                statuses=[status for status in STATUSES if status != "quarantined"],
                expired=expired,
                include_restricted=subject.selection.include_restricted,
                limit=PAGE,
                after=after,
            )
            found += [each for each in page.facts if subject.is_about(each.agent, each.crew)]
            after = page.next
            if after is None:
                break
        if after is not None:
            command = home.context.command("fact list", "--limit", "1000")
            subject.notes.append(f"Only {MAX_FACTS:,} facts are shown. The others: {command}")
            break
    found.sort(key=lambda fact: (fact.created_at, fact.id), reverse=True)
    details = describe_facts(home.facts.table, found[:MAX_FACTS])
    quotes = Quotes(home, texts)
    titles = texts.clean_all([(detail.fact.title, detail.fact.id) for detail in details])
    contents = texts.clean_all([(detail.fact.content, detail.fact.id) for detail in details])
    return [
        _make_card(*shown, texts, quotes) for shown in zip(details, titles, contents, strict=True)
    ]


def _make_card(
    detail: FactDetail, title: str, text: str, texts: Texts, quotes: Quotes
) -> dict[str, Any]:
    """Return a fact as the page shows it, with local times."""
    fact = detail.fact
    periods, changes = _trace(detail, texts, title, text)
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
        "until": until,  # when it ceased to hold
        "said": said,  # when it was said or happened; if unknown, as since
        "valid_from": texts.local(fact.valid_from),
        # The day that an open action item names.
        "due": find_due_day(f"{title}\n{text}", said) if fact.state == "open" else "",
        "superseded_by": fact.superseded_by or "",
        "up": fact.up,
        "down": fact.down,
        "uses": detail.uses.references if detail.uses else 0,
        "session": fact.session or "",
        "quotes": [quotes.make(quote) for quote in [*fact.spans, *fact.listed("evidence")]],
        "periods": periods,
        "changes": changes,
        "votes": [
            (vote.actor, vote.vote, texts.clean(vote.reason), texts.local(vote.voted_at))
            for vote in detail.votes
        ],
        "relations": [(each.relation, each.other, each.outgoing) for each in detail.relations],
    }


def topic_of(fact: Fact) -> str:
    """Return the topic under which to show a fact.

    It is the first part of its topic key, ``deploys`` of ``deploys/key``, or else its kind.
    """
    head = re.split(r"[/.]", fact.topic_key or "", maxsplit=1)[0]
    return head or fact.kind.replace("_", " ")


def find_due_day(text: str, said: str) -> str:
    """Return the first day in a text; without a year, the first such day after *said*.

    >>> find_due_day("Replace the key before noon on 22 June", "2026-03-23 09:00")
    '2026-06-22'
    """
    for named in find_dates(text):
        if named.month and named.day:
            day = f"{named.year or said[:4]}-{named.month:02}-{named.day:02}"
            if named.year is None and day < said[:10]:
                day = f"{int(said[:4]) + 1}{day[4:]}"
            return day
    return ""


def _trace(
    detail: FactDetail, texts: Texts, title: str, text: str
) -> tuple[list[Period], list[ShownChange]]:
    """Return the periods in which a fact was held, and its changes, the newest first."""
    fact = detail.fact
    changes: list[ShownChange] = []
    states = []
    later = (fact.kind, fact.status, title, text)
    end, valid = "", (fact.valid_from, fact.valid_until)
    for revision in sorted(detail.revisions, key=lambda each: each.number, reverse=True):
        states.append((revision.changed_at, end, later[1], later[2], later[3], *valid))
        kept = revision.content is None
        now = (
            revision.kind,
            revision.status,
            later[2] if kept else texts.clean(revision.title or "", file=fact.id),
            later[3] if kept else texts.clean(revision.content or "", file=fact.id),
        )
        changes.append(
            ShownChange(
                texts.local(revision.changed_at),
                revision.changed_by,
                _describe_change(now, later),
                texts.clean(revision.reason),
                []
                if now[2:] == later[2:]
                else make_diff(statement_text(*now[2:]), statement_text(*later[2:])),
            )
        )
        later, end = now, revision.changed_at
        valid = (revision.valid_from, revision.valid_until)
    states.append((fact.created_at, end, later[1], later[2], later[3], *valid))

    periods: list[Period] = []
    for start, end, status, old_title, old_text, valid_from, valid_until in reversed(states):
        since = max(start, valid_from or "")
        until = min(filter(None, (end, valid_until)), default="")
        if status not in LIVE or (until and until <= since):
            continue
        says_same = (old_title, old_text) == (title, text)
        period = Period(
            texts.local(since),
            texts.local(until),
            None if says_same else old_title,
            None if says_same else "" if old_text == old_title else old_text,
            status,
        )
        before = periods[-1] if periods else None
        if before and before.until == period.since and before[2:] == period[2:]:
            periods[-1] = before._replace(until=period.until)
        else:
            periods.append(period)
    return periods, changes


def _describe_change(before: Sequence[str], after: Sequence[str]) -> str:
    """Describe a change in a few words: the text, the status, the kind, or the rest."""
    words = []
    if before[2:] != after[2:]:
        words.append("revised")
    if before[1] != after[1]:
        words.append(f"{before[1]} → {after[1]}")
    if before[0] != after[0]:
        words.append(f"{before[0]} → {after[0]}")
    return ", ".join(words) or "changed"
