"""Extraction of facts from sessions.

A fact has the origin class of its turn, whoever runs the extraction; what an agent repeats from a
tool's output is external. A statement is extracted once, even if its fact was purged or rejected
since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.facts.fact import Fact
from crewmem.facts.remember import Added
from crewmem.review.contradictions import Contradiction, add_contradiction
from crewmem.search.entities import find_entities
from crewmem.sessions.index import LogRow, SessionIndex, SpokenTurn, read_last_speech, read_speech
from crewmem.sessions.llm_extraction import (
    ask_model,
    is_worth_asking,
    list_due,
    schedule_retry,
    split_windows,
)
from crewmem.sessions.reading_report import LearnedFact
from crewmem.sessions.takeaways import Takeaway, find_takeaways
from crewmem.sessions.turns import USER
from crewmem.storage.http import HTTPStatusError
from crewmem.storage.sqlite import transaction
from crewmem.text.repetition import SimilarTexts

if TYPE_CHECKING:
    from crewmem.home import Home

MAX_COMPARED = 500
"""Maximum facts of an owner, the newest, that a statement is compared with."""

IMPORTANT_KINDS = ("decision", "correction", "preference", "lesson")
"""Kinds that have importance 4 if a person says them. An agent's plain fact has 2, all others 3."""

CONTEXT_TURNS = 12
"""Number of earlier turns that are read again: new turns may answer or retract them."""

MIN_BATCH = 500
"""Minimum turns per transaction. A batch ends before a person's turn. A killed run repeats at most
one."""

MAX_ENTITIES = 8


UNUSABLE_ANSWER = ("bad-answer", "no-answer")
"""Codes of errors that are about one window; the model may answer about another one."""


class LogSource(NamedTuple):
    """A log, with the session that it belongs to."""

    log: LogRow
    session: str
    agent: str | None
    crew: str | None
    project: str

    @property
    def scope(self) -> str:
        """Scope of the facts learned from it."""
        return "agent" if self.agent else "workspace"


class Extractor:
    """Extracts facts from indexed logs."""

    def __init__(self, index: SessionIndex, home: Home, *, is_dry: bool) -> None:
        """Extract from *index*.

        Args:
            home: The home as the system actor, so that a fact has the origin of its turn and not of
                the caller. Its language model, if any, replaces the classifier.
            is_dry: Whether to store nothing and call no model.
        """
        self.index, self.context, self.is_dry = index, home.context, is_dry
        self.facts, self.review = home.facts, home.review_items
        self.llm = None if is_dry else home.llm
        self._outage: CrewmemError | None = None

    def extract(self, log: LogRow) -> list[LearnedFact]:
        """Extract new facts from a log. The facts of a batch and the cursor are one transaction."""
        source = self._find_source(log)
        line = 0
        # All of a document is read: its messages may have changed.
        if not log.is_document:
            cursor = "select line from extraction_cursors where log_id = ?"
            line = self.context.db.value(cursor, (log.id,)) or 0
        earlier = read_last_speech(self.index.db, log.key, line, CONTEXT_TURNS) if line else []
        batches = _split_batches(read_speech(self.index.db, log.key, line))
        seen = SimilarTexts()
        learned: list[LearnedFact] = []
        for number, batch in enumerate(batches, 1):
            if self.llm:
                takeaways = self._find_with_model(batch, source)
            else:
                takeaways = find_takeaways(batch, earlier, seen)
            earlier = [*earlier, *batch][-CONTEXT_TURNS:]
            if self.is_dry:
                new = (each for each in takeaways if self._is_new(each, source))
                learned += [self._describe(each, source) for each in new]
                continue
            with transaction(self.context.db):
                learned += self._learn_all(takeaways, source)
                if number == len(batches):
                    self._move_cursor(log, log.line)
                elif not log.is_document:
                    self._move_cursor(log, batch[-1].line)
        return learned

    def _find_with_model(self, turns: list[SpokenTurn], source: LogSource) -> list[Takeaway]:
        """Ask the language model. If a call fails, use the classifier and schedule a retry."""
        found: list[Takeaway] = []
        for window in split_windows(turns):
            if not is_worth_asking(window):
                continue
            try:
                found += self._ask_model(window)
            except CrewmemError as error:
                self.context.warn("llm-failed", error.message, error.hint)
                found += find_takeaways(window)
                schedule_retry(self.context, source.log.id, source.session, window, error.message)
        return found

    def _ask_model(self, window: list[SpokenTurn]) -> list[Takeaway]:
        """Ask the language model, unless it did not answer earlier in this run.

        Each call may wait for minutes, and other runs wait for this one.

        Raises:
            CrewmemError: If it does not answer, or the answer cannot be used.
        """
        if self._outage is not None:
            raise self._outage
        assert self.llm is not None
        try:
            return ask_model(self.llm, window)
        except CrewmemError as error:
            may_answer_another = error.code in UNUSABLE_ANSWER or (
                isinstance(error, HTTPStatusError) and error.may_depend_on_text
            )
            if not may_answer_another:
                self._outage = error
            raise

    def retry(self) -> list[LearnedFact]:
        """Ask the language model again about the windows that are due."""
        learned: list[LearnedFact] = []
        if self.llm is None:
            return learned
        logs = {row.id: row for row in self.index.list_logs() if row.session}
        for due in list_due(self.context):
            if self._outage is not None:
                break
            takeaways: list[Takeaway] = []
            if log := logs.get(due.log_id):
                source = self._find_source(log)
                turns = read_speech(self.index.db, log.key, due.first_line - 1, until=due.last_line)
                try:
                    takeaways = self._ask_model(turns) if turns else []
                except CrewmemError as error:
                    schedule_retry(self.context, log.id, source.session, turns, error.message)
                    continue
            with transaction(self.context.db):
                if log:
                    learned += self._learn_all(takeaways, source)
                self.context.db.execute("delete from extraction_retries where id = ?", (due.id,))
        return learned

    def skip(self, log: LogRow) -> None:
        """Move the cursor to the end of a log without extracting anything."""
        with transaction(self.context.db):
            self._move_cursor(log, log.line)

    def _find_source(self, log: LogRow) -> LogSource:
        """Return a log that has turns with its session."""
        row = self.index.db.one(
            "select id, agent_id, crew_id, project from sessions where key = ?", (log.session,)
        )
        assert row is not None
        return LogSource(log, *row)

    def _is_new(self, takeaway: Takeaway, source: LogSource) -> bool:
        """Return whether a statement was never extracted from its session."""
        known = self.context.db.one(
            "select 1 from fact_evidence where workspace_id = ? and statement = ?"
            " and session_id = ?",
            (self.context.workspace, takeaway.hash, source.session),
        )
        return known is None

    def _describe(self, takeaway: Takeaway, source: LogSource) -> LearnedFact:
        turn, log = takeaway.turn, source.log
        importance, origin = 3, "operator"
        if turn.role == USER:
            importance = 4 if takeaway.kind in IMPORTANT_KINDS else 3
        else:
            importance = 2 if takeaway.kind == "fact" else 3
            assert log.session is not None
            is_repeated = self.index.repeats_tool_output(log.session, takeaway.statement.text)
            origin = "external" if is_repeated else "agent"
        certainty = 0.9 if turn.role == USER else 0.75
        return LearnedFact(
            text=takeaway.text,
            kind=takeaway.kind,
            evidence=[
                {
                    "file": log.path,
                    "line": turn.line,
                    "session": source.session,
                    "message_id": turn.message_id,
                    "at": turn.at,
                    "role": turn.role,
                    "quote": takeaway.statement.text,
                }
            ],
            origin=origin,
            importance=importance,
            confidence=round(certainty * min(takeaway.probability, 0.98), 2),
            entities=[each.name for each in find_entities(takeaway.text)][:MAX_ENTITIES],
            scope=source.scope,
        )

    def _learn_all(self, takeaways: Iterable[Takeaway], source: LogSource) -> list[LearnedFact]:
        """Store new takeaways, within the open transaction."""
        stored = [self._learn(each, source) for each in takeaways if self._is_new(each, source)]
        return [each for each in stored if each is not None]

    def _learn(self, takeaway: Takeaway, source: LogSource) -> LearnedFact | None:
        """Store a takeaway as a fact with its evidence; return None if the store refuses it."""
        learned = self._describe(takeaway, source)
        earlier = self._find_contradicted(takeaway, source)
        is_corrected = earlier is not None and _may_supersede(takeaway, learned, earlier)
        topic = earlier.topic_key if earlier is not None and is_corrected else None
        try:
            added = self._add_fact(takeaway, learned, source, topic)
        except CrewmemError as error:
            where = f"{source.log.path}:{takeaway.turn.line}"
            self.context.warn("fact-refused", f"{where}: {error.message}")
            return None
        self._add_evidence(takeaway, learned, source)
        if added is None:
            return learned
        fact = added.fact
        if added.action == "unchanged" and learned.evidence[0] not in fact.spans:
            spans = [*fact.spans, *learned.evidence]
            self.facts.table.update(fact, {"source_spans": spans}, reason="repeated in a session")
        if earlier is not None and topic is None and earlier.id != added.id:
            if is_corrected:
                self.facts.supersede(earlier.id, by=added.id, reason="corrected in a session")
                learned.action = "superseded"
            else:
                learned.review.append(self._add_contradiction(earlier, fact, learned, source))
        if takeaway.is_for_all and source.agent and source.crew and added.action == "created":
            item = self.review.add(
                "fact",
                fact.title,
                payload={"to": f"crew:{source.crew}", "content_hash": fact.content_hash},
                crew=source.crew,
                agent=source.agent,
                fact_id=fact.id,
                key=f"scope {fact.id}",
            )
            learned.review.append(item)
        return learned

    def _add_fact(
        self, takeaway: Takeaway, learned: LearnedFact, source: LogSource, topic: str | None
    ) -> Added | None:
        """Store the fact, and set its id in *learned*; return None if it is quarantined.

        Args:
            topic: Topic key of the fact that it revises.

        Raises:
            CrewmemError: If it cannot be stored.
        """
        try:
            added = self.facts.add(
                learned.text,
                kind=learned.kind,
                title=takeaway.title,
                importance=learned.importance,
                confidence=learned.confidence,
                origin=learned.origin,
                entities=learned.entities,
                occurred_at=takeaway.turn.at or None,
                session=source.session,
                project=source.project if 0 < len(source.project) <= 200 else None,
                metadata={"learned_from": "session"},
                topic_key=topic,
                scope=learned.scope,
                agent=source.agent,
                spans=learned.evidence,
            )
        except CrewmemError as error:
            if error.code != "quarantined":
                raise
            learned.id, learned.action = str(error.details.get("id", "")), "quarantined"
            return None
        learned.id, learned.action = added.id, added.action
        return added

    def _add_evidence(self, takeaway: Takeaway, learned: LearnedFact, source: LogSource) -> None:
        """Record which statement of which log a fact was learned from."""
        self.context.db.execute(
            "insert or ignore into fact_evidence (fact_id, session_id, log_id, line, part,"
            " statement, workspace_id) values (?, ?, ?, ?, ?, ?, ?)",
            (
                learned.id,
                source.session,
                source.log.id,
                takeaway.turn.line,
                takeaway.turn.part,
                takeaway.hash,
                self.context.workspace,
            ),
        )

    def _find_contradicted(self, takeaway: Takeaway, source: LogSource) -> Fact | None:
        """Return the earlier fact that a statement retracts or contradicts."""
        by_ids = self.facts.table.by_ids
        if takeaway.replaces:
            query = "select fact_id from fact_evidence where session_id = ? and statement = ?"
            rows = self.context.db.execute(query, (source.session, takeaway.replaces))
            return next((fact for (each,) in rows for fact in by_ids([each]).values()), None)
        latest = self.facts.list_texts(scope=source.scope, agent=source.agent, limit=MAX_COMPARED)
        for fact_id, text, project in latest:
            if _may_share_project(project or "", source.project) and takeaway.contradicts(text):
                return by_ids([fact_id])[fact_id]
        return None

    def _add_contradiction(
        self, earlier: Fact, fact: Fact, learned: LearnedFact, source: LogSource
    ) -> str:
        """Put two facts that contradict each other into review; return the id of the item."""
        a, b = (
            {"text": each.content, "title": each.title, "fact": each.id, "evidence": list(evidence)}
            for each, evidence in ((earlier, earlier.spans), (fact, learned.evidence))
        )
        contradiction = Contradiction(a, b, source.crew or "", source.agent or "")
        return add_contradiction(self.review, contradiction)

    def _move_cursor(self, log: LogRow, line: int) -> None:
        self.context.db.execute(
            "insert or replace into extraction_cursors"
            " (log_id, workspace_id, line, fingerprint, updated_at) values (?, ?, ?, ?, ?)",
            (log.id, self.context.workspace, line, log.fingerprint, self.context.now_text),
        )


def _may_supersede(takeaway: Takeaway, learned: LearnedFact, earlier: Fact) -> bool:
    """Return whether a statement may supersede an earlier fact that it contradicts.

    Its wording must say so, it must be later, and its speaker must be a person or of the same
    origin as the earlier fact.
    """
    if takeaway.replaces:
        return True
    has_authority = learned.origin == "operator" or earlier.origin == learned.origin
    is_later = not earlier.occurred_at or earlier.occurred_at <= (takeaway.turn.at or "~")
    return has_authority and is_later and takeaway.may_supersede


def _split_batches(turns: Sequence[SpokenTurn]) -> list[list[SpokenTurn]]:
    """Split the turns of a log into batches. There is at least one, which may be empty."""
    batches: list[list[SpokenTurn]] = [[]]
    for turn in turns:
        last = batches[-1]
        if len(last) >= MIN_BATCH and turn.role == USER and turn.line > last[-1].line:
            batches.append([])
        batches[-1].append(turn)
    return batches


def _may_share_project(a: str, b: str) -> bool:
    """Return whether one of two directories contains the other, or one is unknown."""
    return not a or not b or f"{a}/".startswith(f"{b}/") or f"{b}/".startswith(f"{a}/")
