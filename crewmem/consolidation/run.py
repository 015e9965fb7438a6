"""A run of consolidation: read, find candidates, plan, apply.

Order makes a run safe to kill. Files are written first, then one transaction records what was
written with its entries and the new state of its candidates; watermarks come last. A killed run
is read again from the old watermarks: what it recorded is known then, and a line that it wrote
without recording it is found in its section and only recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.consolidation import learned_rules, pins
from crewmem.consolidation.apply import PlanApplier, read_target
from crewmem.consolidation.candidates import Candidate, drop_templates
from crewmem.consolidation.cluster import Embed, find_known, make_candidates
from crewmem.consolidation.inputs import (
    Inputs,
    is_promotable_scope,
    observe_pending,
    read_directory,
    read_entries,
    read_session_facts,
)
from crewmem.consolidation.plan import (
    Change,
    Plan,
    diff_changes,
    make_contradiction,
    plan_changes,
    select_candidates,
)
from crewmem.consolidation.report import ConsolidationRun, add_plan, leave_out_refused
from crewmem.consolidation.score import passes
from crewmem.consolidation.sections import statements_of_section
from crewmem.consolidation.skills import find_skills, propose_skills
from crewmem.consolidation.store import OPEN_SPAN, CandidateStore, Past
from crewmem.errors import CrewmemError, LockedError
from crewmem.files.locations import find_home_directories
from crewmem.files.tree import find_tree_directories
from crewmem.files.versions import Versions
from crewmem.origins import may_push
from crewmem.review.contradictions import add_contradiction
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import transaction
from crewmem.text.statements import read_statements
from crewmem.text.wording import count
from crewmem.times import format_time, local_day, parse_time

if TYPE_CHECKING:
    from crewmem.home import Home

ARCHIVE_AFTER = timedelta(days=30)
"""Age from which a note is archived once everything in it is settled, and time that an imported
one stays where it was put, however old it is."""


MAX_CONTRADICTIONS = 50
"""Most contradictions of a crew that one run puts into review: a person decides them one by one."""


class Consolidation:
    """Consolidates the notes of crews, and applies plans that were approved."""

    def __init__(self, home: Home) -> None:
        self._home, self._context = home, home.context
        self._store = CandidateStore(home.context)

    def run(
        self,
        *,
        crew: str | None = None,
        agent: str | None = None,
        since: datetime | None = None,
        policy: str | None = None,
        dry_run: bool = False,
        path: Path | None = None,
    ) -> ConsolidationRun:
        """Consolidate what is new.

        Args:
            crew: Only this crew; by default every crew that the actor may consolidate.
            agent: Only this agent's notes.
            since: Also reads notes of this time and later again.
            policy: auto or review, instead of the crew's own.
            dry_run: Stop after the plan.
            path: A directory of markdown instead of the home; only with *dry_run*.

        Raises:
            RefusedError: The actor is neither operator nor the crew's lead.
        """
        context = self._context
        if path is not None:
            return self._run_tree(path, since)
        crews = self._choose_crews(crew, agent)
        if dry_run:
            return self._run_crews(crews, agent, since, policy, dry_run=True)
        try:
            with lock(context.lock_path(f"consolidate-{context.workspace}"), wait=0):
                return self._run_crews(crews, agent, since, policy, dry_run=False)
        except LockedError:
            context.warn("consolidation-running", "another consolidation is running")
            return ConsolidationRun(status="skipped-locked", crews=crews)

    def apply_payload(self, changes: Sequence[Mapping[str, Any]]) -> list[Change]:
        """Apply changes of a plan that waited in review; return those that hold now."""
        planned = [Change(**change) for change in changes]
        return PlanApplier(self._home, self._store).apply(planned)

    def describe_payload(self, changes: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return diffs of the files that changes edit, and the facts that they add."""
        planned = [Change(**change) for change in changes]
        texts = {
            each.target: (read_target(self._home.memory, each.target) or b"").decode(
                "utf-8", "replace"
            )
            for each in planned
            if each.action == "line"
        }
        lines = [line for diff in diff_changes(planned, texts).values() for line in diff]
        for each in planned:
            if each.action == "fact":
                lines.append(f"+ {each.number}. {each.kind}: {each.text}")
            elif each.action == "archive":
                lines.append(f"  {each.number}. archive {each.target}")
            elif each.action != "line":
                lines += [f"  {each.number}. {each.target}", *(f"+ {x}" for x in each.lines)]
        return lines

    def settle(self, candidates: Collection[str], status: str) -> None:
        """Give candidates a status: applied or rejected."""
        with transaction(self._context.db):
            self._store.set_status(candidates, status)

    def propose_skills(self, *, dry_run: bool = False) -> dict[str, str]:
        """Put procedures that sessions repeat with success into review, as skill candidates.

        Returns:
            The review item of each new candidate, by name; "" with *dry_run*. Candidates that wait
            already or were decided on the same evidence are left out.
        """
        found = find_skills(self._home.sessions.find_procedures(), self._context.scanner)
        if dry_run:
            return {each.name: "" for each in found}
        return propose_skills(found, self._home.review_items)

    # One run

    def _choose_crews(self, crew: str | None, agent: str | None) -> list[str]:
        access = self._context.access
        if agent is not None and crew is None:
            crew = self._home.registry.get_agent(agent).crew
        if crew is not None:
            self._home.registry.get_crew(crew)
            access.require_lead(crew, "consolidate it")
            return [crew]
        crews = [each.name for each in self._home.registry.list_crews()]
        allowed = [each for each in crews if access.is_operator or access.leads(each)]
        if crews and not allowed:
            access.require_lead(access.home_crew, "consolidate")
        return allowed

    def _run_crews(
        self,
        crews: list[str],
        agent: str | None,
        since: datetime | None,
        policy: str | None,
        *,
        dry_run: bool,
    ) -> ConsolidationRun:
        context = self._context
        result = ConsolidationRun(crews=crews)
        plans = []
        for crew in crews:
            inputs = self._read(crew, agent, since)
            past = self._store.load_past(crew, self._today)
            plan = self._plan(crew, inputs, past, whole=agent is None)
            plans.append((crew, inputs, plan))
        for _, inputs, plan in plans:
            add_plan(result, plan, inputs.files)
        if dry_run:
            result.status = "planned" if result.learned or result.edits else "nothing-new"
            return result
        if not any(plan.changes or plan.contradictions or plan.watermarks for _, _, plan in plans):
            with transaction(context.db):
                for crew in crews:
                    self._store.expire(crew, self._today)
            return result

        trigger = self._home.journal.append(
            "system.consolidation_triggered",
            f"Consolidation of {', '.join(crews)} started",
            payload={"crews": crews, "reason": context.access.actor.kind},
        )
        paths: list[str] = []
        status = "ok"
        for crew, _, plan in plans:
            chosen = policy or self._home.registry.get_crew(crew).consolidation
            self._store_candidates(plan, proposed=chosen == "review")
            if chosen == "review":
                waits = self._propose(crew, plan)
                result.review += waits
                status = "review" if waits else status
            else:
                applier = PlanApplier(self._home, self._store)
                applied = applier.apply(plan.changes)
                leave_out_refused(result, applier.refused)
                paths += dict.fromkeys(each.target for each in applied if each.action != "fact")
            self._finish(crew, plan, proposed=chosen == "review")
            result.review += self._add_contradictions(plan)
        result.status = status
        lines = sum(each.target.endswith(".md") for each in result.learned)
        facts = len(result.learned) - lines
        self._home.journal.append(
            "system.consolidation_completed",
            f"Consolidation: {len(result.learned)} learned ({count(facts, 'fact')},"
            f" {count(lines, 'line')} of files), {result.waiting_count} seen too seldom",
            payload={
                "status": status,
                "crews": crews,
                "read": result.read,
                "learned": len(result.learned),
                "waiting": result.waiting_count,
                "contradictions": len(result.contradictions),
                "archived": len(result.archived),
                "paths": paths,
            },
            refs={"triggered_by": trigger},
        )
        return result

    @property
    def _today(self) -> date:
        return self._context.today

    def _find_embed(self) -> Embed | None:
        """Return what embeds texts; None, with a warning, where words alone have to do."""

        def warn(error: CrewmemError) -> None:
            message = f"statements are compared by words: {error.message}"
            self._context.warn("vector-degraded", message, error.hint)

        try:
            embedder = self._home.embedder if self._context.has_db else None
        except CrewmemError as error:
            warn(error)
            return None
        if embedder is None:
            return None

        def embed(texts: Sequence[str]) -> Any:
            try:
                return embedder.embed(texts)
            except CrewmemError as error:
                warn(error)
                return None

        return embed

    def _read(self, crew: str, agent: str | None, since: datetime | None) -> Inputs:
        context = self._context
        inputs = Inputs()
        watermarks = self._store.watermarks(crew)
        first_day = local_day(since, context.zone) if since else None
        members = {each.slug: each.memory for each in self._home.registry.list_agents(crew=crew)}
        for directory in find_home_directories(context.workspace_dir):
            if directory.crew != crew or not is_promotable_scope(directory):
                continue
            if directory.agent and not members.get(directory.agent, True):
                continue
            if agent is not None and directory.agent not in ("", agent):
                continue
            read_directory(
                inputs,
                directory,
                watermarks=watermarks,
                since=first_day,
                context=context,
                # The crew's files are targets; its notes are not the agent's.
                targets_only=agent is not None and not directory.agent,
            )
        observe_pending(inputs, self._home.memory)
        start = format_time(since) if since else ""
        for source, list_new, read in (
            ("journal", self._store.entries, read_entries),
            ("facts", self._store.session_facts, read_session_facts),
        ):
            position = watermarks.get(("", source), "")
            rows = list_new(crew, min(position, start) if since else position, agent)
            read(inputs, rows, crew, context)
            if rows and agent is None:
                inputs.watermarks["", source] = max(position, f"{rows[-1][1]} {rows[-1][0]}")
        return inputs

    def _plan(self, crew: str, inputs: Inputs, past: Past, *, whole: bool = True) -> Plan:
        """Plan what becomes of inputs.

        Args:
            crew: Whose they are; "" for a tree, whose pins and notes stay as they are.
            past: What earlier runs left.
            whole: Whether all inputs of the crew were read.
        """
        plan = Plan(crew, watermarks=inputs.watermarks, read=inputs.read, dropped=inputs.dropped)
        candidates, contradictions = make_candidates(
            drop_templates(inputs.observed),
            past.open,
            workspace=self._context.workspace,
            crew=crew,
            embed=self._find_embed(),
        )
        made = {each.id for each in candidates}
        plan.merged = [each.id for each in past.open if each.id not in made]

        cited = {place.ref for each in candidates for place in each.evidence}
        known = {each.id: each.text for each in past.settled.values()}
        known |= _known_statements(inputs.files)
        known |= {fact: text for fact, text in past.facts.items() if fact not in cited}
        known |= {
            f"{item}#{each['number']}": each["text"] for item, each in past.waiting if each["text"]
        }
        said, against = find_known(candidates, known)
        contradicting = _plan_contradictions(
            plan, contradictions, said, against, known, past.settled
        )
        self._limit_contradictions(plan)
        fresh, changed = _sort_candidates(
            plan, candidates, said, contradicting, past.settled, inputs
        )
        self._plan_promotions(plan, fresh, past, inputs, known)
        since = (self._today - OPEN_SPAN).isoformat()
        kept = [each for each in fresh if each.target or each.last_day >= since]
        plan.candidates = [*kept, *changed]
        if crew and whole:
            pin_change = pins.plan_pins(
                self._store.pinned_entries(crew), inputs.files.get(f"crew:{crew}/pins.md", ""), crew
            )
            lines_waiting = [each["lines"] for _, each in past.waiting]
            if pin_change and pin_change.lines not in lines_waiting:
                plan.changes.append(pin_change)
        if crew:
            self._plan_archiving(plan, inputs, past)
        for number, change in enumerate(plan.changes, 1):
            change.number = number
        return plan

    def _limit_contradictions(self, plan: Plan) -> None:
        """Leave at most `MAX_CONTRADICTIONS` contradictions that do not wait in review already.

        The others come with a later run, as long as their candidates are open.
        """
        waiting = set()
        if self._context.has_db:
            items = self._home.review_items.list_items(kind="contradiction", limit=0)
            waiting = {item.key for item in items}
        new = [each for each in plan.contradictions if each.key not in waiting]
        plan.contradictions = new[:MAX_CONTRADICTIONS]
        if len(new) > MAX_CONTRADICTIONS:
            self._context.warn(
                "contradictions-limited",
                f"a run puts {MAX_CONTRADICTIONS} contradictions of a crew into review;"
                f" {len(new) - MAX_CONTRADICTIONS} more were left out",
            )

    def _plan_promotions(
        self,
        plan: Plan,
        fresh: Sequence[Candidate],
        past: Past,
        inputs: Inputs,
        known: Mapping[str, str],
    ) -> None:
        """Choose new candidates; those for which the evidence or the room is too small wait."""
        note_days = {
            agent: {note.day for note in inputs.notes if agent in ("", note.directory.agent)}
            for agent in {each.agent for each in fresh}
        }
        current: list[Candidate] = []
        overtaken: list[Candidate] = []
        for each in fresh:
            is_overtaken = each.is_overtaken(note_days[each.agent])
            (overtaken if is_overtaken else current).append(each)
        topics = Counter(each.topic for each in past.settled.values() if each.topic)
        chosen, left = select_candidates(current, today=self._today, promoted=topics)
        # Notes of which a cap left something out are read again by the next run.
        for each in left:
            if each.score and passes(each):
                for place in each.evidence:
                    plan.watermarks.pop((each.agent, place.document), None)
        plan.changes, without_room = plan_changes(
            [each for each in chosen if not _is_journal_rule(each)],
            crew=plan.crew,
            files=inputs.files,
        )
        plan.changes += learned_rules.plan_rules(
            [each for each in chosen if _is_journal_rule(each)],
            self._home.llm if inputs.entries else None,
            inputs.entries,
            self._context.scanner,
            known=list(known.values()),
            crew=plan.crew,
            day=self._today.isoformat(),
            dropped=plan.dropped,
        )
        plan.dropped += [
            (each.text, "no room: its files are near their caps") for each in without_room
        ]
        plan.waiting += left + overtaken + without_room

    def _plan_archiving(self, plan: Plan, inputs: Inputs, past: Past) -> None:
        """Archive old notes that were consolidated, unless something that waits is from them."""
        today = self._today
        since = (today - ARCHIVE_AFTER).isoformat()
        blocked = {
            place.document
            for each in [*plan.waiting, *past.settled.values()]
            if each.status == "proposed" or (each.status == "open" and each.last_day >= since)
            for place in each.evidence
        }
        blocked |= {each["target"] for _, each in past.waiting if each["action"] == "archive"}
        versions = Versions(self._context).newest_of([note.ref for note in inputs.notes])
        blocked |= {
            ref
            for ref, version in versions.items()
            if version.operation == "import"  # what came in lately is not old here
            and self._context.now - parse_time(version.written_at) <= ARCHIVE_AFTER
        }
        consolidated = {**self._store.watermarks(plan.crew), **plan.watermarks}
        for note in inputs.notes:
            agent = note.directory.agent
            if (
                note.directory.has_tiers
                and today - note.day > ARCHIVE_AFTER
                and note.ref not in blocked
                and consolidated.get((agent, note.ref)) == note.hash
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

    def _propose(self, crew: str, plan: Plan) -> list[str]:
        """Put a plan into review; nothing is written."""
        if not plan.changes:
            return []
        context = self._context
        with transaction(context.db):
            lines = sum(each.action != "archive" for each in plan.changes)
            item = self._home.review_items.add(
                "plan",
                f"Consolidation of {crew}: {lines} statements",
                payload={"changes": [asdict(each) for each in plan.changes]},
                crew=crew,
                key=",".join(sorted(each.candidate or each.target for each in plan.changes))[:2000],
            )
            self._home.journal.append(
                "memory.consolidation_proposed",
                f"A plan of {count(len(plan.changes), 'change')} waits for review",
                payload={"review": item, "changes": len(plan.changes)},
                crew=crew,
            )
        return [item]

    def _add_contradictions(self, plan: Plan) -> list[str]:
        """Put contradictions into review; return the items that were not there."""
        items = self._home.review_items.list_items(kind="contradiction", status="", limit=0)
        known = {item.id for item in items}
        with transaction(self._context.db):
            added = [
                add_contradiction(self._home.review_items, each) for each in plan.contradictions
            ]
        return [item for item in added if item not in known]

    def _store_candidates(self, plan: Plan, *, proposed: bool) -> None:
        """Store candidates before anything is applied, so that what was applied is recorded."""
        chosen = {each.candidate for each in plan.changes if proposed and each.candidate}
        merged = set(plan.merged)
        with transaction(self._context.db):
            self._store.remove(merged)
            for each in plan.candidates:
                if each.id in chosen:
                    each.status = "proposed"
            self._store.save(each for each in plan.candidates if each.id not in merged)

    def _finish(self, crew: str, plan: Plan, *, proposed: bool) -> None:
        """Set the watermarks: the run is done."""
        gone = {each.target for each in plan.changes if each.action == "archive" and not proposed}
        with transaction(self._context.db):
            self._store.expire(crew, self._today)
            self._store.set_watermarks(
                crew,
                {
                    (agent, source): position
                    for (agent, source), position in plan.watermarks.items()
                    if source not in gone
                },
            )

    def _run_tree(self, path: Path, since: datetime | None) -> ConsolidationRun:
        """Plan for a directory of markdown without a home; nothing is known of earlier runs."""
        context = self._context
        inputs = Inputs()
        for directory in find_tree_directories(path, workspace=context.workspace):
            if is_promotable_scope(directory):
                read_directory(
                    inputs,
                    directory,
                    watermarks={},
                    since=local_day(since, context.zone) if since else None,
                    context=context,
                )
        observe_pending(inputs, self._home.memory)
        plan = self._plan("", inputs, Past())
        result = ConsolidationRun(status="planned" if plan.changes else "nothing-new")
        add_plan(result, plan, inputs.files)
        return result


def _known_statements(files: Mapping[str, str]) -> dict[str, str]:
    """Return what target files say already, by file and line."""
    known = {}
    for file, text in files.items():
        for said in statements_of_section(text):
            known[f"{file}#{said[:40]}"] = said
        for each in read_statements(text):
            known.setdefault(f"{file}:{each.first_line}", each.full_text)
    return known


def _plan_contradictions(
    plan: Plan,
    contradictions: Iterable[tuple[Candidate, Candidate]],
    said: Mapping[str, str],
    against: Iterable[tuple[Candidate, str]],
    known: Mapping[str, str],
    settled: Mapping[str, Candidate],
) -> set[str]:
    """Plan the contradictions; return the ids of the candidates that are in one.

    Args:
        contradictions: Candidates that contradict each other.
        said: What is known already, by the id of the candidate that says it.
        against: Candidates with the key of what they contradict in *known*.
    """
    contradicting: set[str] = set()
    seen: set[str] = set()
    for first, second in contradictions:
        if first.id not in said and second.id not in said:
            contradicting |= {first.id, second.id}
            plan.contradictions.append(make_contradiction(first, second))
            seen.add(plan.contradictions[-1].text)
    for candidate, ref in against:
        other = settled.get(ref)
        if other is not None and other.status == "rejected":
            continue
        contradicting.add(candidate.id)
        contradiction = make_contradiction(candidate, other or (ref, known[ref]))
        if contradiction.text not in seen:
            seen.add(contradiction.text)
            plan.contradictions.append(contradiction)
    return contradicting


def _sort_candidates(
    plan: Plan,
    candidates: Iterable[Candidate],
    said: Mapping[str, str],
    contradicting: Collection[str],
    settled: Mapping[str, Candidate],
    inputs: Inputs,
) -> tuple[list[Candidate], list[Candidate]]:
    """Return the candidates that are new, and those that changed and are decided already."""
    fresh: list[Candidate] = []
    changed: list[Candidate] = []
    written = {text for file in inputs.files.values() for text in statements_of_section(file)}
    for each in candidates:
        ref = said.get(each.id, each.id if each.id in settled else "")
        if each.id in contradicting:
            plan.waiting.append(each)
            changed.append(each)
        elif not ref or (ref not in settled and each.text in written and each.recurs):
            fresh.append(each)  # a killed run wrote the line and did not record it
        elif ref in settled:
            if settled[ref].status == "applied" and _add_evidence(settled[ref], each):
                changed.append(settled[ref])
            if each.id not in settled:
                plan.merged.append(each.id)
        else:
            each.status, each.target = "applied", ref
            changed.append(each)
            plan.dropped.append((each.text, f"known: {ref}"))
    return fresh, changed


def _is_journal_rule(candidate: Candidate) -> bool:
    """Return whether a candidate becomes a learned rule: only entries that may lead support it."""
    return all(each.source == "journal" and may_push(each.origin) for each in candidate.evidence)


def _add_evidence(known: Candidate, again: Candidate) -> bool:
    """Add new places of a statement that was promoted before; tell whether there are any."""
    seen = {(each.ref, each.hash) for each in known.evidence}
    new = [each for each in again.evidence if (each.ref, each.hash) not in seen]
    known.evidence = sorted([*known.evidence, *new], key=lambda each: (each.day, each.ref))
    return bool(new)
