"""Learning facts from sessions: what persons and agents said that should outlive them.

A fact has the origin class of the turn that it rests on, whoever runs the extraction. What was
extracted once is not extracted again, also when its fact was purged or rejected since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from crewmem.errors import CrewmemError
from crewmem.facts.fact import Fact, first_sentence
from crewmem.facts.store import Facts
from crewmem.llm.client import LanguageModel
from crewmem.review.contradictions import Clash, add_clash
from crewmem.review.store import ReviewStore
from crewmem.search.entities import find_entities
from crewmem.sessions.index import LogRow, Said, SessionIndex, read_speech
from crewmem.sessions.model import (
    ask_model,
    cut_windows,
    is_worth_asking,
    list_due,
    put_off,
    settle,
)
from crewmem.sessions.reading_report import Learned
from crewmem.sessions.speech import (
    LONGEST,
    PATTERNS,
    find_places,
    is_speakable,
    read_said,
    skip_disputed,
)
from crewmem.sessions.turns import USER
from crewmem.storage.sqlite import transaction
from crewmem.text.judgement import Judgement, TurnPlace, is_asking, judge_speech
from crewmem.text.lasting import needs_context
from crewmem.text.opposites import SAME_CLAIM, is_contradiction, is_opposite
from crewmem.text.repetition import SimilarTexts
from crewmem.text.similarity import jaccard, token_set
from crewmem.text.statements import Statement, split_statement
from crewmem.text.tokens import stop_words

SAME = 0.6
"""Jaccard index from which two statements of a session say the same."""

RELATED, ALIKE = 0.25, 0.4
"""Jaccard index from which an earlier fact may be meant by a statement that says that it corrects
one, and by any other. At .25 ten real logs made seven contradictions of 238 facts, at .4 two."""

COMPARED = 500
"""Newest facts of an owner that a statement is compared with."""

WEIGHTY = ("decision", "correction", "preference", "lesson")
"""Kinds that have importance 4 where a person says them. All else has 3, but an agent's plain fact
2."""

EARLIER = 12
"""Turns before the new ones that are read for what they ask, and for what is taken back."""

TAKEN_BACK = 2
"""Turns of a person of whose lasting statements the next turn may take one back."""

TURNS = 500
"""Turns from which on the next word of a person begins a new transaction: who is killed in a long
log repeats one part of it."""

MAX_ENTITIES = 8


class SessionInfo(NamedTuple):
    """The session of a log, as far as extraction needs it."""

    id: str
    agent: str | None
    crew: str | None
    project: str


class Candidate(NamedTuple):
    """A statement that is worth keeping.

    Attributes:
        hash: By which it is known again.
        is_for_all: Whether it speaks to more than its session's agent.
        content: What is stored, where it is not the statement itself: a model's sentence, or the
            statement with what it needs to be understood.
        title: What a listing shows; by default the first clause of the text.
        replaces: Hash of the statement of this session that it takes back.
    """

    statement: Statement
    said: Said
    kind: str
    chance: float
    hash: str
    is_for_all: bool
    content: str = ""
    title: str = ""
    replaces: str = ""

    @property
    def text(self) -> str:
        """What is stored: a model's sentence, else the statement itself."""
        return self.content or self.statement.said


def find_candidates(
    turns: Iterable[Said], earlier: Sequence[Said] = (), seen: SimilarTexts | None = None
) -> list[Candidate]:
    """Return what is worth keeping of the turns of a session, in order.

    Of statements that say the same the first stays: a plan is often written several times. What a
    person takes back at once is kept together with what takes it back.

    Args:
        turns: Those that were not looked at yet.
        earlier: Those before, of which only is read what was asked, and what is taken back.
        seen: What was found in the session before; what is found now is added.
    """
    found: list[Candidate] = []
    seen = SimilarTexts(SAME) if seen is None else seen
    read = [(said, read_said(said.text, said.role)) for said in (*earlier, *turns)]
    places = find_places(
        [(said.role, statements) for said, statements in read], has_begun=bool(earlier)
    )
    said_before: list[list[Candidate]] = []  # by the person, a list a turn
    for number, ((said, statements), place) in enumerate(zip(read, places, strict=True)):
        is_new = number >= len(earlier)
        if said.role != USER and not is_new:
            continue
        kept: list[Candidate] = []
        recent = [each for turn in said_before[-TAKEN_BACK:] for each in turn]
        if is_new and (changed := _take_back(said, statements, place, recent)):
            seen.add(changed.statement.said)
            kept.append(changed)
        for before, statement, judged in _find_lasting(statements, said.role, place):
            text = statement.said
            if is_new and (len(token_set(text)) < 2 or not seen.add(text)):
                continue
            context = _add_context(statement, before)
            if context and kept and kept[-1].statement == before:
                kept.pop()  # the new one says it, too
            kept.append(
                Candidate(
                    statement=statement,
                    said=said,
                    kind=judged.kind,
                    chance=judged.chance,
                    hash=hash_statement(text, said.role),
                    is_for_all=said.role == USER and PATTERNS["for_all"].search(text) is not None,
                    content=context or trim_opening(text),
                    title=_choose_title(statement, said.role, bool(context)),
                )
            )
        if said.role == USER:
            said_before.append(kept)
        if is_new:
            found += kept
    return found


def _take_back(
    said: Said, statements: Sequence[Statement], place: TurnPlace, recent: Sequence[Candidate]
) -> Candidate | None:
    """Return the change of something a person said lately that a turn begins with.

    It stands behind what it changes, without which it is seldom understood ("actually make it
    3"), unless it lasts by itself and denies what was said.
    """
    if said.role != USER or not statements:
        return None
    statement = statements[0]
    opening = PATTERNS["taking_back"].search(statement.text)
    if opening is None or is_asking(statement.text[opening.end() :].lstrip(" ,.!")):
        return None
    words = token_set(statement.text) - _stop_stems()
    shared = {each.hash: len(words & token_set(each.text)) for each in recent}
    changed = max(reversed(recent), key=lambda each: shared[each.hash], default=None)
    if changed is None or not shared[changed.hash]:
        return None
    is_whole = (
        judge_speech(statement, USER, place).is_lasting
        and jaccard(token_set(changed.text), token_set(statement.text)) >= RELATED
        and is_opposite(changed.text, statement.text)
    )
    before = "" if is_whole else f"{changed.text.rstrip(' .')}; "
    text = before + statement.said if before else trim_opening(statement.said)
    if len(text) > LONGEST:
        return None
    return changed._replace(
        statement=statement,
        said=said,
        hash=hash_statement(statement.said, said.role),
        content=text,
        title=first_sentence(statement.text),
        replaces=changed.hash,
    )


@cache
def _stop_stems() -> frozenset[str]:
    return token_set(" ".join(stop_words()))


def _find_lasting(
    statements: Sequence[Statement], role: str, place: TurnPlace
) -> Iterator[tuple[Statement | None, Statement, Judgement]]:
    """Yield the statements of a turn that last, behind the one before each.

    Of what a person says in one breath the sentences that last by themselves are enough. Only of
    the first one it matters that it begins the session, which mostly asks for work.
    """
    later = place._replace(is_first=False)
    if role == USER:
        statements = skip_disputed(statements)
    for before, statement in zip([None, *statements], statements, strict=False):
        found = []
        sentences = split_statement(statement) if role == USER else []
        sentences = [each for each in sentences if is_speakable(each)]
        if sentences != [statement]:
            for previous, sentence in zip([None, *sentences], sentences, strict=False):
                judged = judge_speech(sentence, role, later if previous else place)
                found.append((previous, sentence, judged))
        if not any(judged.is_lasting for _, _, judged in found):
            found = [(before, statement, judge_speech(statement, role, place))]
        yield from (each for each in found if each[2].is_lasting)


def _add_context(statement: Statement, before: Statement | None) -> str:
    """Return a statement behind the sentence that says what it means; "" when it needs none."""
    if before is None or statement.form == "item" or not needs_context(statement.text):
        return ""
    if before.form == "item" or before.lead != statement.lead or before.text.endswith("?"):
        return ""
    text = f"{trim_opening(before.said.rstrip())} {statement.said}"
    return text if len(text) <= LONGEST else ""


def _choose_title(statement: Statement, role: str, has_context: bool) -> str:
    """Return the sentence that lasts the most of a statement of several; "" of a single one."""
    sentences = split_statement(statement) if role == USER else [statement]
    if len(sentences) < 2:
        return first_sentence(statement.text) if has_context else ""
    best = max(
        sentences, key=lambda each: (not each.text.endswith("?"), judge_speech(each, role).chance)
    )
    return first_sentence(trim_opening(best.text))


def trim_opening(text: str) -> str:
    """Return a statement without the words that only join it to what was said before.

    >>> trim_opening("And one more thing: invoices are numbered by year.")
    'Invoices are numbered by year.'
    >>> trim_opening("right. btw don't use moment, it is not maintained any more")
    "Don't use moment, it is not maintained any more"
    """
    rest = PATTERNS["opening"].sub("", text)
    return rest[:1].upper() + rest[1:] if len(rest) < len(text) else text


def hash_statement(text: str, role: str) -> str:
    """Return by what a statement is known again, however it is spaced."""
    normal = " ".join(re.findall(r"\w+", text.lower()))
    return sha256(f"{role}\0{normal}".encode("utf-8", "replace")).hexdigest()[:24]


class Extractor:
    """Extracts facts from indexed logs."""

    def __init__(
        self,
        index: SessionIndex,
        facts: Facts,
        review: ReviewStore,
        llm: LanguageModel | None = None,
        *,
        is_dry: bool = False,
    ) -> None:
        """Extract with these stores.

        Args:
            index: Of the logs.
            facts: As the system sees them, so that a fact has the class of its turn and not of
                who runs this.
            review: Where contradictions and facts for all wait.
            llm: Asked instead of the phrases.
            is_dry: Whether nothing is stored.
        """
        self.context = facts.context
        self.index, self.facts, self.review = index, facts, review
        self.llm, self.is_dry = llm, is_dry

    def extract(self, log: LogRow) -> list[Learned]:
        """Extract what is new in a log; the facts of a part and the cursor are one transaction."""
        session = self._get_session(log)
        if session is None:
            return []
        line = 0
        # A document is looked at whole: its messages may have changed.
        if not log.is_document:
            cursor = "select line from extraction_cursors where log_id = ?"
            line = self.context.db.value(cursor, (log.id,)) or 0
        earlier = read_speech(self.index.db, log.key, until=line, last=EARLIER) if line else []
        parts = _cut_parts(read_speech(self.index.db, log.key, line))
        seen = SimilarTexts(SAME)
        learned: list[Learned] = []
        for number, part in enumerate(parts, 1):
            if self.llm:
                candidates = self._ask(part, log, session)
            else:
                candidates = find_candidates(part, earlier, seen)
            earlier = [*earlier, *part][-EARLIER:]
            if self.is_dry:
                new = (each for each in candidates if self._is_new(each, session))
                learned += [self._describe(each, log, session) for each in new]
                continue
            with transaction(self.context.db):
                learned += self._learn_all(candidates, log, session)
                if number == len(parts):
                    self._move_cursor(log, log.line)
                elif not log.is_document:
                    self._move_cursor(log, part[-1].line)
        return learned

    def _ask(self, turns: list[Said], log: LogRow, session: SessionInfo) -> list[Candidate]:
        """Ask the language model; where it fails, phrases tell, and the window waits."""
        found: list[Candidate] = []
        for window in cut_windows(turns):
            if not is_worth_asking(window):
                continue
            try:
                found += self._ask_window(window)
            except CrewmemError as error:
                self.context.warn("llm-failed", error.message, error.hint)
                found += find_candidates(window)
                put_off(self.context, log.id, session.id, window, error.message)
        return found

    def _ask_window(self, window: list[Said]) -> list[Candidate]:
        assert self.llm is not None
        return [
            Candidate(
                statement=Statement(quoted.quote),
                said=quoted.turn,
                kind=quoted.kind,
                chance=0.9,
                hash=hash_statement(quoted.quote, quoted.turn.role),
                is_for_all=PATTERNS["for_all"].search(quoted.quote) is not None,
                content=quoted.content,
            )
            for quoted in ask_model(self.llm, window)
        ]

    def retry(self) -> list[Learned]:
        """Ask again about windows that waited."""
        learned: list[Learned] = []
        if self.is_dry or self.llm is None:
            return learned
        logs = {row.id: row for row in self.index.list_logs()}
        for due in list_due(self.context):
            log = logs.get(due.log_id)
            session = self._get_session(log) if log is not None else None
            if log is None or session is None:
                settle(self.context, due)
                continue
            turns = read_speech(self.index.db, log.key, due.first_line - 1)
            window = [turn for turn in turns if turn.line <= due.last_line]
            try:
                candidates = self._ask_window(window) if window else []
            except CrewmemError as error:
                put_off(self.context, log.id, session.id, window, error.message)
                continue
            with transaction(self.context.db):
                learned += self._learn_all(candidates, log, session)
                settle(self.context, due)
        return learned

    def skip(self, log: LogRow) -> None:
        """Note that a log was looked at, without extracting anything."""
        with transaction(self.context.db):
            self._move_cursor(log, log.line)

    def _get_session(self, log: LogRow) -> SessionInfo | None:
        row = self.index.db.one(
            "select id, agent_id, crew_id, project from sessions where key = ?",
            (log.session,),
        )
        return None if row is None else SessionInfo(*row)

    def _is_new(self, candidate: Candidate, session: SessionInfo) -> bool:
        """Tell whether a statement was not extracted from its session yet."""
        known = self.context.db.one(
            "select 1 from fact_evidence where workspace_id = ? and statement = ?"
            " and session_id = ?",
            (self.context.workspace, candidate.hash, session.id),
        )
        return known is None

    def _describe(self, candidate: Candidate, log: LogRow, session: SessionInfo) -> Learned:
        said = candidate.said
        is_person = said.role == USER
        importance = 4 if is_person and candidate.kind in WEIGHTY else 3
        if not is_person and candidate.kind == "fact":
            importance = 2
        return Learned(
            text=candidate.text,
            kind=candidate.kind,
            evidence=[
                {
                    "file": log.path,
                    "line": said.line,
                    "session": session.id,
                    "message_id": said.message_id,
                    "at": said.at,
                    "role": said.role,
                    "quote": candidate.statement.text,
                }
            ],
            origin="operator" if is_person else "agent",
            importance=importance,
            confidence=round((0.9 if is_person else 0.75) * min(candidate.chance, 0.98), 2),
            entities=[each.name for each in find_entities(candidate.text)][:MAX_ENTITIES],
            scope="agent" if session.agent else "workspace",
        )

    def _learn_all(
        self, candidates: Iterable[Candidate], log: LogRow, session: SessionInfo
    ) -> list[Learned]:
        """Store what is new of candidates; inside the open transaction."""
        stored = (self._learn(c, log, session) for c in candidates if self._is_new(c, session))
        return [each for each in stored if each is not None]

    def _learn(self, candidate: Candidate, log: LogRow, session: SessionInfo) -> Learned | None:
        """Store a candidate as a fact with its evidence."""
        learned = self._describe(candidate, log, session)
        earlier, is_correction = self._find_contradicted(candidate, learned, session)
        topic = earlier.topic_key if earlier is not None and is_correction else None
        try:
            added = self.facts.add(
                learned.text,
                kind=learned.kind,
                title=candidate.title,
                importance=learned.importance,
                confidence=learned.confidence,
                origin=learned.origin,
                entities=learned.entities,
                occurred_at=candidate.said.at or None,
                session=session.id,
                project=session.project if 0 < len(session.project) <= 200 else None,
                metadata={"learned_from": "session"},
                topic_key=topic,
                scope=learned.scope,
                agent=session.agent,
                spans=learned.evidence,
            )
        except CrewmemError as error:
            if error.code != "quarantined":
                self.context.warn(
                    "fact-refused", f"{log.path}:{candidate.said.line}: {error.message}"
                )
                return None
            learned.id, learned.action = str(error.details.get("id", "")), "quarantined"
            self._keep_evidence(learned.id, candidate, log, session)
            return learned
        learned.id, learned.action = added.id, added.action
        self._keep_evidence(added.id, candidate, log, session)
        if added.action == "unchanged" and learned.evidence[0] not in added.fact.spans:
            spans = [*added.fact.spans, *learned.evidence]
            self.facts.table.update(added.fact, {"source_spans": spans}, reason="said again")
        if earlier is not None and topic is None and earlier.id != added.id:
            if is_correction:
                self.facts.supersede(earlier.id, by=added.id, reason="corrected in a session")
                learned.action = "superseded"
            else:
                a = describe_side(earlier, earlier.spans)
                b = describe_side(added.fact, learned.evidence)
                clash = Clash(a, b, session.crew or "", session.agent or "")
                learned.review = add_clash(self.review, clash)
        if candidate.is_for_all and session.agent and session.crew and added.action == "created":
            learned.review = self.review.add(
                "fact",
                added.fact.title,
                payload={"to": f"crew:{session.crew}"},
                crew=session.crew,
                agent=session.agent,
                fact_id=added.id,
                key=f"scope {added.id}",
            )
        return learned

    def _find_contradicted(
        self, candidate: Candidate, learned: Learned, session: SessionInfo
    ) -> tuple[Fact | None, bool]:
        """Return the earlier fact that a statement cannot hold beside, and whether it says so.

        Only the same speaker, or a person over an agent, corrects.
        """
        if candidate.replaces:
            query = "select fact_id from fact_evidence where session_id = ? and statement = ?"
            for (fact_id,) in self.context.db.execute(query, (session.id, candidate.replaces)):
                if fact := self.facts.table.by_ids([fact_id]).get(fact_id):
                    return fact, True
            return None, False
        text = candidate.text
        tokens = token_set(text)
        latest = self.facts.list_texts(
            scope=learned.scope, agent=session.agent, limit=COMPARED, statuses=()
        )
        is_correction = candidate.kind == "correction"
        said_so = is_correction or PATTERNS["correcting"].search(candidate.statement.text)
        corrects = said_so or PATTERNS["forbidding"].search(candidate.statement.text)
        for fact_id, content, project in latest:
            if not _may_share_project(project or "", session.project):
                continue
            likeness = jaccard(tokens, token_set(content))
            if likeness < (RELATED if said_so else ALIKE):
                continue
            # "No, the tide table is in local time" names no opposite of "… is in UTC".
            is_named = is_correction and likeness >= ALIKE
            if not (
                is_named
                or is_contradiction(content, text)
                or (said_so and is_opposite(content, text, SAME_CLAIM))
            ):
                continue
            fact = self.facts.table.by_ids([fact_id])[fact_id]
            may_correct = learned.origin == "operator" or fact.origin == learned.origin
            is_later = not fact.occurred_at or fact.occurred_at <= (candidate.said.at or "~")
            return fact, bool(corrects and may_correct and is_later)
        return None, False

    def _keep_evidence(
        self, fact_id: str, candidate: Candidate, log: LogRow, session: SessionInfo
    ) -> None:
        self.context.db.execute(
            "insert or ignore into fact_evidence (fact_id, session_id, log_id, line, part,"
            " statement, workspace_id) values (?, ?, ?, ?, ?, ?, ?)",
            (
                fact_id,
                session.id,
                log.id,
                candidate.said.line,
                candidate.said.part,
                candidate.hash,
                self.context.workspace,
            ),
        )

    def _move_cursor(self, log: LogRow, line: int) -> None:
        self.context.db.execute(
            "insert into extraction_cursors (log_id, workspace_id, line, fingerprint, updated_at)"
            " values (?, ?, ?, ?, ?) on conflict (log_id) do update set line = excluded.line,"
            " fingerprint = excluded.fingerprint, updated_at = excluded.updated_at",
            (log.id, self.context.workspace, line, log.fingerprint, self.context.now_text),
        )


def describe_side(fact: Fact, evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a fact as a statement of a contradiction."""
    return {
        "text": fact.content,
        "title": fact.title,
        "fact": fact.id,
        "evidence": list(evidence),
    }


def _cut_parts(turns: Sequence[Said]) -> list[list[Said]]:
    """Return the parts of a log that are extracted at once; one, maybe empty, of a short log."""
    parts: list[list[Said]] = [[]]
    for turn in turns:
        last = parts[-1]
        if len(last) >= TURNS and turn.role == USER and turn.line > last[-1].line:
            parts.append([])
        parts[-1].append(turn)
    return parts


def _may_share_project(a: str, b: str) -> bool:
    """Tell whether one of two directories holds the other, or one is not known."""
    return not a or not b or f"{a}/".startswith(f"{b}/") or f"{b}/".startswith(f"{a}/")
