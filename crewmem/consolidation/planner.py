"""Make the plan of a run for one crew, from its inputs and the history of earlier runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from crewmem.consolidation import learned_rules, pins
from crewmem.consolidation.candidates import Candidate, Evidence, drop_templates
from crewmem.consolidation.cluster import (
    KnownMatches,
    MergedCandidates,
    find_known,
    merge_candidates,
)
from crewmem.consolidation.inputs import Inputs
from crewmem.consolidation.plan import (
    MAX_FILL,
    Change,
    Plan,
    make_contradiction,
    make_contradiction_with_known,
    plan_changes,
    select_candidates,
)
from crewmem.consolidation.score import has_sufficient_score
from crewmem.consolidation.sections import list_statements
from crewmem.consolidation.store import OPEN_SPAN, CandidateStore, History
from crewmem.errors import CrewmemError
from crewmem.files.tiers import find_cap
from crewmem.files.versions import Versions
from crewmem.origins import may_push
from crewmem.review.contradictions import Contradiction
from crewmem.text.statements import read_statements
from crewmem.times import parse_time

if TYPE_CHECKING:
    from crewmem.home import Home

ARCHIVE_AFTER = timedelta(days=30)
"""Minimum age of a note to archive it. An imported note also stays this long after its import."""

MAX_CONTRADICTIONS = 50
"""Maximum number of contradictions of a crew that one run puts into review, where a person decides
each of them."""


class Planner:
    """Makes the plan of a run for one crew. It reads, and changes nothing.

    Args:
        crew: Slug; "" for a directory without a home, which has no pins and no archive.
    """

    def __init__(
        self, home: Home, store: CandidateStore, crew: str, inputs: Inputs, history: History
    ) -> None:
        self._home, self._context, self._store = home, home.context, store
        self._inputs, self._history = inputs, history
        self._plan = Plan(
            crew,
            watermarks=inputs.watermarks,
            read=inputs.count,
            dropped=inputs.dropped,
            files=inputs.files,
        )

    def plan(self, *, is_whole_crew: bool = True) -> Plan:
        """Plan the changes of the run.

        Args:
            is_whole_crew: Whether all inputs of the crew were read.
        """
        plan, history = self._plan, self._history
        merged = merge_candidates(
            drop_templates(self._inputs.candidates),
            history.open,
            workspace=self._context.workspace,
            crew=plan.crew,
            embed=self._embed if self._context.has_db else None,
        )
        ids = {each.id for each in merged.candidates}
        plan.merged_ids = [each.id for each in history.open if each.id not in ids]

        known = _collect_known(merged.candidates, self._inputs, history)
        matches = find_known(merged.candidates, known)
        contradicting = self._plan_contradictions(merged, matches, known)
        new = self._select_new(merged.candidates, matches.same_as, contradicting)
        self._plan_promotions(new, known)
        since = (self._context.today - OPEN_SPAN).isoformat()
        plan.candidates += [each for each in new if each.target or each.last_day >= since]
        if plan.crew and is_whole_crew:
            self._plan_pins()
        if plan.crew:
            self._plan_archiving()
        for number, change in enumerate(plan.changes, 1):
            change.number = number
        return plan

    def _embed(self, texts: Sequence[str]) -> Any:
        """Return a vector for each text; None, after a warning, if the embedder fails."""
        try:
            embedder = self._home.embedder
            return None if embedder is None else embedder.embed(texts)
        except CrewmemError as error:
            message = f"statements are compared by words: {error.message}"
            self._context.warn("vector-degraded", message, error.hint)
            return None

    def _plan_contradictions(
        self, merged: MergedCandidates, matches: KnownMatches, known: Mapping[str, str]
    ) -> set[str]:
        """Add contradictions to the plan; return the ids of the candidates in them.

        A settled candidate needs new evidence, and what a person decided to hold both is none.
        """
        settled = self._history.settled
        contradicting: set[str] = set()
        by_text: dict[str, Contradiction] = {}

        def add(contradiction: Contradiction, *candidates: Candidate) -> None:
            is_settled = self._context.has_db and self._home.review_items.holds_both(
                contradiction.key
            )
            if not is_settled and any(is_new(each) for each in candidates):
                contradicting.update(each.id for each in candidates)
                by_text.setdefault(contradiction.text, contradiction)

        def is_new(each: Candidate) -> bool:
            return each.id not in settled or bool(_find_new_evidence(settled[each.id], each))

        for first, second in merged.contradictions:
            if first.id not in matches.same_as and second.id not in matches.same_as:
                add(make_contradiction(first, second), first, second)
        for candidate, ref in matches.contradictions:
            other = settled.get(ref)
            if other is None:
                add(make_contradiction_with_known(candidate, ref, known[ref]), candidate)
            elif other.status != "rejected":
                add(make_contradiction(candidate, other), candidate)
        self._plan.contradictions = self._choose_contradictions(list(by_text.values()))
        return contradicting

    def _choose_contradictions(self, found: Sequence[Contradiction]) -> list[Contradiction]:
        """Return those that review does not know yet, up to `MAX_CONTRADICTIONS`.

        A later run adds the others, as long as their candidates are open.
        """
        new = list(found)
        if self._context.has_db:
            review = self._home.review_items
            new = [
                each
                for each in new
                if not review.find_known("contradiction", each.key, each.payload)
            ]
        if len(new) > MAX_CONTRADICTIONS:
            self._context.warn(
                "contradictions-limited",
                f"a run puts {MAX_CONTRADICTIONS} contradictions of a crew into review;"
                f" {len(new) - MAX_CONTRADICTIONS} more were left out",
            )
        return new[:MAX_CONTRADICTIONS]

    def _select_new(
        self,
        candidates: Iterable[Candidate],
        same_as: Mapping[str, str],
        contradicting: Collection[str],
    ) -> list[Candidate]:
        """Return the new candidates; add the others to the plan, if anything of them changed.

        Args:
            same_as: Reference of the known statement that is the same, by candidate id.
            contradicting: Ids of the candidates in contradictions.
        """
        plan, settled = self._plan, self._history.settled
        files = self._inputs.files.values()
        promoted_lines = {text for file in files for text in list_statements(file)}
        new: list[Candidate] = []
        for each in candidates:
            ref = same_as.get(each.id, "")
            if not ref and each.id in settled:
                ref = each.id
            if each.id in contradicting:
                plan.waiting.append(each)
                plan.candidates.append(each)
            elif not ref or (ref not in settled and each.text in promoted_lines and each.recurs):
                new.append(each)  # if its line is there, an interrupted run did not record it
            elif ref in settled:
                if settled[ref].status == "applied" and _add_evidence(settled[ref], each):
                    plan.candidates.append(settled[ref])
                if each.id not in settled:
                    plan.merged_ids.append(each.id)
            else:
                each.status, each.target = "applied", ref
                plan.candidates.append(each)
                plan.dropped.append((each.text, f"known: {ref}"))
        return new

    def _plan_promotions(self, new: Sequence[Candidate], known: Mapping[str, str]) -> None:
        """Plan the promotion of new candidates; add the others to the waiting ones.

        Args:
            known: Texts of known statements, by reference.
        """
        plan, inputs = self._plan, self._inputs
        note_days = {
            agent: {note.day for note in inputs.notes if agent in ("", note.directory.agent)}
            for agent in {each.agent for each in new}
        }
        current: list[Candidate] = []
        outdated: list[Candidate] = []
        for each in new:
            if each.is_outdated_task(note_days[each.agent]):
                outdated.append(each)
            else:
                current.append(each)
        topics = Counter(each.topic for each in self._history.settled.values() if each.topic)
        selected, waiting = select_candidates(current, today=self._context.today, promoted=topics)
        # If the cap left a statement out, the next run reads its notes again.
        for each in waiting:
            if each.score and has_sufficient_score(each):
                for place in each.evidence:
                    plan.watermarks.pop((each.agent, place.document), None)
        plan.changes, without_room = plan_changes(
            [each for each in selected if not _is_journal_rule(each)],
            crew=plan.crew,
            files=inputs.files,
            settings=self._context.settings,
        )
        self._plan_rules([each for each in selected if _is_journal_rule(each)], known)
        plan.dropped += [
            (each.text, "no room: its files are near their caps") for each in without_room
        ]
        plan.waiting += waiting + outdated + without_room

    def _plan_rules(self, recurring: Sequence[Candidate], known: Mapping[str, str]) -> None:
        """Plan the rules that recur in the journal, and those that a language model suggests."""
        plan, entries = self._plan, self._inputs.entries
        day = self._context.today.isoformat()
        learned = learned_rules.plan_recurring_rules(recurring, plan.crew, day)
        plan.changes += learned
        model = self._home.llm if entries else None
        if model is None:
            return
        suggested, dropped = learned_rules.plan_suggested_rules(
            model,
            entries,
            self._context.scanner,
            known=[*known.values(), *(change.text for change in learned)],
            crew=plan.crew,
            day=day,
        )
        plan.changes += suggested
        plan.dropped += dropped

    def _plan_pins(self) -> None:
        """Plan the update of pins.md, unless the same update waits in review."""
        crew = self._plan.crew
        text = self._inputs.files.get(f"crew:{crew}/pins.md", "")
        entries = self._store.list_pinned_entries(crew)
        max_bytes = MAX_FILL * find_cap(self._context.settings, "pins")
        change = pins.plan_pins(entries, text, crew, self._context.zone, max_bytes)
        proposed = [each["lines"] for _, each in self._history.proposed_changes]
        if change and change.lines not in proposed:
            self._plan.changes.append(change)

    def _plan_archiving(self) -> None:
        """Plan to archive old notes that were consolidated, unless a candidate in them waits."""
        plan, history = self._plan, self._history
        today = self._context.today
        since = (today - ARCHIVE_AFTER).isoformat()
        blocked = {
            place.document
            for each in [*plan.waiting, *history.settled.values()]
            if each.status == "proposed" or (each.status == "open" and each.last_day >= since)
            for place in each.evidence
        }
        blocked |= {
            change["target"]
            for _, change in history.proposed_changes
            if change["action"] == "archive"
        }
        versions = Versions(self._context).newest_of([note.ref for note in self._inputs.notes])
        blocked |= {
            ref
            for ref, version in versions.items()
            if version.operation == "import"
            and self._context.now - parse_time(version.written_at) <= ARCHIVE_AFTER
        }
        watermarks = {**self._store.load_watermarks(plan.crew), **plan.watermarks}
        for note in self._inputs.notes:
            agent = note.directory.agent
            if (
                note.directory.has_tiers
                and today - note.day > ARCHIVE_AFTER
                and note.ref not in blocked
                and watermarks.get((agent, note.ref)) == note.hash
            ):
                plan.changes.append(
                    Change(
                        action="archive",
                        target=note.ref,
                        crew=plan.crew,
                        agent=agent,
                        digest=note.hash,
                    )
                )


def _collect_known(
    candidates: Iterable[Candidate], inputs: Inputs, history: History
) -> dict[str, str]:
    """Return the texts of known statements, by reference.

    These are settled candidates, statements of target files, facts that are not evidence of a
    candidate, and changes that wait in review.
    """
    known = {each.id: each.text for each in history.settled.values()}
    for file, text in inputs.files.items():
        for statement in list_statements(text):
            known[f"{file}#{statement[:40]}"] = statement
        for each in read_statements(text):
            known.setdefault(f"{file}:{each.first_line}", each.full_text)
    cited = {place.ref for candidate in candidates for place in candidate.evidence}
    known |= {ref: text for ref, text in history.facts.items() if ref not in cited}
    known |= {
        f"{item}#{change['number']}": change["text"]
        for item, change in history.proposed_changes
        if change["text"]
    }
    return known


def _is_journal_rule(candidate: Candidate) -> bool:
    """Return whether a candidate becomes a learned rule.

    All its evidence must be journal entries that may lead a prompt.
    """
    return all(each.source == "journal" and may_push(each.origin) for each in candidate.evidence)


def _find_new_evidence(settled: Candidate, candidate: Candidate) -> list[Evidence]:
    """Return the evidence of a candidate that the settled one does not have."""
    known = {(each.ref, each.hash) for each in settled.evidence}
    return [each for each in candidate.evidence if (each.ref, each.hash) not in known]


def _add_evidence(settled: Candidate, candidate: Candidate) -> bool:
    """Add the new evidence of a candidate to a settled one; return whether there is any."""
    new = _find_new_evidence(settled, candidate)
    settled.evidence = sorted([*settled.evidence, *new], key=lambda each: (each.day, each.ref))
    return bool(new)
