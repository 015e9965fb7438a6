"""Run consolidation: read the inputs, plan, and apply the plan.

The order makes it safe to interrupt a run. First files are written. Then one transaction records
what was written, with its journal entries and the status of its candidates. Watermarks come last,
so the next run reads the same inputs again. It knows what was recorded, and it records a line that
an interrupted run only wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crewmem.consolidation.apply import PlanApplier, list_documents, read_target
from crewmem.consolidation.inputs import (
    Inputs,
    has_notes,
    read_directory,
    read_entries,
    read_pending,
    read_session_facts,
)
from crewmem.consolidation.plan import FACT, Change, Plan, diff_changes
from crewmem.consolidation.planner import Planner
from crewmem.consolidation.report import ConsolidationRun, add_file_changes, add_plan
from crewmem.consolidation.skills import find_skills, propose_skills
from crewmem.consolidation.store import CandidateStore, History
from crewmem.errors import LockedError
from crewmem.files.directories import find_home_directories
from crewmem.files.tree import find_tree_directories
from crewmem.review.contradictions import add_contradiction
from crewmem.sessions.procedures import find_procedures
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import transaction
from crewmem.text.wording import count
from crewmem.times import format_time, local_day

if TYPE_CHECKING:
    from crewmem.home import Home


class Consolidation:
    """Consolidates the notes of crews, and applies approved plans."""

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
            crew: Only this crew; by default all crews that the actor may consolidate.
            agent: Only the notes of this agent.
            since: Also read notes of this time and later again.
            policy: auto or review; by default the setting of each crew.
            dry_run: Return the plan without applying it.
            path: A directory of markdown instead of the home; only with *dry_run*.

        Raises:
            RefusedError: If the actor is neither an operator nor the lead of the crew.
        """
        context = self._context
        if path is not None:
            return self._plan_tree(path, since)
        crews = self._choose_crews(crew, agent)
        if dry_run:
            result = ConsolidationRun(crews=crews)
            for plan in self._plan_crews(crews, agent, since):
                if plan.changes or plan.contradictions:
                    result.status = "planned"
                add_plan(result, plan, waits=self._waits_for_review(plan, policy))
                add_file_changes(result, plan.changes, plan.files)
            return result
        try:
            with lock(context.lock_path(f"consolidate-{context.workspace}"), wait=0):
                return self._run_crews(crews, agent, since, policy)
        except LockedError:
            return ConsolidationRun(status="skipped-locked", crews=crews)

    def apply_changes(self, changes: Sequence[Mapping[str, Any]]) -> list[Change]:
        """Apply changes of a plan in review; return the applied ones."""
        planned = [Change(**change) for change in changes]
        return PlanApplier(self._home, self._store).apply(planned)

    def describe_changes(self, changes: Sequence[Mapping[str, Any]]) -> list[str]:
        """Return diffs of the files that changes edit, and the facts that they add, by number."""
        planned = [Change(**change) for change in changes]
        files, lines = {}, []
        for change in planned:
            if change.action == "line":
                content = read_target(self._home.memory, change.target) or b""
                files[change.target] = content.decode("utf-8", "replace")
                lines.append(f"  {change.number}. {change.text} -> {change.target}")
        lines += [line for diff in diff_changes(planned, files).values() for line in diff]
        for change in planned:
            if change.action == "fact":
                lines.append(f"+ {change.number}. {change.kind}: {change.text}")
            elif change.action == "archive":
                lines.append(f"  {change.number}. archive {change.target}")
            elif change.action != "line":
                lines.append(f"  {change.number}. {change.target}")
                lines += [f"+ {line}" for line in change.lines]
        return lines

    def settle(self, candidates: Collection[str], status: str) -> None:
        """Set the status of candidates: applied or rejected."""
        with transaction(self._context.db):
            self._store.set_status(candidates, status)

    def propose_skills(self, *, dry_run: bool = False) -> dict[str, str]:
        """Put new skill candidates into review.

        Returns:
            The id of each new review item, by name of the candidate; "" with *dry_run*. A candidate
            that waits already, or was decided on the same evidence, is not included.
        """
        procedures = find_procedures(
            self._home.sessions.open_index(), self._context.access.sessions()
        )
        candidates = find_skills(procedures, self._context.scanner)
        return propose_skills(candidates, self._home.review_items, dry_run=dry_run)

    # Read and plan

    def _choose_crews(self, crew: str | None, agent: str | None) -> list[str]:
        """Return the crews to consolidate. Raise RefusedError if the actor may consolidate none."""
        access = self._context.access
        if agent is not None and crew is None:
            crew = self._home.registry.get_agent(agent).crew
        if crew is not None:
            self._home.registry.get_crew(crew)
            access.require_lead(crew, f"consolidate {crew}")
            return [crew]
        crews = [each.name for each in self._home.registry.list_crews()]
        allowed = [each for each in crews if access.is_operator or access.leads(each)]
        if crews and not allowed:
            access.require_lead(access.home_crew, "consolidate")
        return allowed

    def _plan_crews(
        self, crews: list[str], agent: str | None, since: datetime | None
    ) -> list[Plan]:
        """Read and plan each crew."""
        plans = []
        for crew in crews:
            inputs = self._read(crew, agent, since)
            history = self._store.load_history(crew, self._context.today)
            planner = Planner(self._home, self._store, crew, inputs, history)
            plans.append(planner.plan(is_whole_crew=agent is None))
        return plans

    def _plan_tree(self, path: Path, since: datetime | None) -> ConsolidationRun:
        """Plan for a directory of markdown without a home. It has no history."""
        context = self._context
        inputs = Inputs()
        for directory in find_tree_directories(path, workspace=context.workspace):
            if has_notes(directory):
                read_directory(
                    inputs,
                    directory,
                    watermarks={},
                    since=local_day(since, context.zone) if since else None,
                    context=context,
                )
        read_pending(inputs, self._home.memory)
        plan = Planner(self._home, self._store, "", inputs, History()).plan()
        has_news = plan.changes or plan.contradictions
        result = ConsolidationRun(status="planned" if has_news else "nothing-new")
        add_plan(result, plan)
        add_file_changes(result, plan.changes, plan.files)
        return result

    def _read(self, crew: str, agent: str | None, since: datetime | None) -> Inputs:
        """Read the inputs of a crew, or of one of its agents."""
        context = self._context
        inputs = Inputs()
        watermarks = self._store.load_watermarks(crew)
        first_day = local_day(since, context.zone) if since else None
        has_memory = {each.slug: each.memory for each in self._home.registry.list_agents(crew=crew)}
        for directory in find_home_directories(context.workspace_dir):
            if directory.crew != crew or not has_notes(directory):
                continue
            if directory.agent and not has_memory.get(directory.agent, True):
                continue
            if agent is not None and directory.agent not in ("", agent):
                continue
            read_directory(
                inputs,
                directory,
                watermarks=watermarks,
                since=first_day,
                context=context,
                # For one agent, the files of its crew are possible targets, but not inputs.
                targets_only=agent is not None and not directory.agent,
            )
        read_pending(inputs, self._home.memory)

        start = format_time(since) if since else ""

        def first_position(source: str) -> str:
            position = watermarks.get(("", source), "")
            return min(position, start) if since else position

        entries = self._store.list_entries(crew, first_position("journal"), agent)
        read_entries(inputs, entries, crew, context)
        facts = self._store.list_session_facts(crew, first_position("facts"), agent)
        read_session_facts(inputs, facts, crew, context)
        for source, rows in (("journal", entries), ("facts", facts)):
            if rows and agent is None:
                position = f"{rows[-1].ts} {rows[-1].id}"
                inputs.watermarks["", source] = max(watermarks.get(("", source), ""), position)
        return inputs

    def _waits_for_review(self, plan: Plan, policy: str | None) -> bool:
        """Return whether review decides about a plan: by *policy*, or else the crew's setting."""
        return (policy or self._home.registry.get_crew(plan.crew).consolidation) == "review"

    # Apply

    def _run_crews(
        self, crews: list[str], agent: str | None, since: datetime | None, policy: str | None
    ) -> ConsolidationRun:
        """Plan each crew, and apply its plan or put it into review."""
        context = self._context
        result, plans = ConsolidationRun(crews=crews), self._plan_crews(crews, agent, since)
        if not any(plan.changes or plan.contradictions or plan.watermarks for plan in plans):
            with transaction(context.db):
                for crew in crews:
                    self._store.delete_expired(crew, context.today)
            for plan in plans:
                add_plan(result, plan)
            return result

        started = self._home.journal.append(
            "system.consolidation_triggered",
            f"Consolidation of {', '.join(crews)} started",
            payload={"crews": crews, "reason": context.access.actor.kind},
        )
        result.status = "ok"
        paths: list[str] = []
        for plan in plans:
            if self._waits_for_review(plan, policy):
                self._put_into_review(plan, result)
            else:
                paths += self._apply(plan, result)
            result.review += self._add_contradictions(plan)
        self._record(result, paths, started)
        if any(each.target == FACT for each in result.learned):
            self._home.embed_new_facts()
        self._home.health.measure_all(crews)
        return result

    def _put_into_review(self, plan: Plan, result: ConsolidationRun) -> None:
        """Propose the changes of a plan."""
        self._store_candidates(plan, proposed={each.candidate for each in plan.changes})
        if plan.changes:
            result.review.append(self._propose(plan))
            result.status = "review"
        add_plan(result, plan, waits=True)
        self._finish(plan)

    def _apply(self, plan: Plan, result: ConsolidationRun) -> list[str]:
        """Apply a plan; return the files that it changed."""
        self._store_candidates(plan)
        applier = PlanApplier(self._home, self._store)
        applied = applier.apply(plan.changes)
        add_plan(result, plan, refused=applier.refused)
        add_file_changes(result, applied, plan.files)
        archived = {each.target for each in plan.changes if each.action == "archive"}
        self._finish(plan, without=archived | list_documents(applier.postponed))
        return list(dict.fromkeys(each.target for each in applied if each.action != "fact"))

    def _record(self, result: ConsolidationRun, paths: Sequence[str], started: str) -> None:
        """Record a run in the journal.

        Args:
            paths: Files that it changed.
            started: Id of the entry about its start.
        """
        facts = sum(each.target == FACT for each in result.learned)
        self._home.journal.append(
            "system.consolidation_completed",
            f"Consolidation: {len(result.learned)} learned ({count(facts, 'fact')},"
            f" {count(len(result.learned) - facts, 'line')} in files),"
            f" {len(result.proposed)} proposed, {result.waiting_count} not frequent enough yet",
            payload={
                "status": result.status,
                "crews": result.crews,
                "read": result.read,
                "learned": len(result.learned),
                "proposed": len(result.proposed),
                "waiting": result.waiting_count,
                "contradictions": len(result.contradictions),
                "archived": len(result.archived),
                "paths": paths,
            },
            refs={"triggered_by": started},
        )

    def _store_candidates(self, plan: Plan, *, proposed: Collection[str] = ()) -> None:
        """Store the candidates of a plan before it is applied or proposed.

        Args:
            proposed: Ids of candidates whose changes are put into review.
        """
        merged_ids = set(plan.merged_ids)
        with transaction(self._context.db):
            self._store.delete(merged_ids)
            for each in plan.candidates:
                if each.id in proposed:
                    each.status = "proposed"
            self._store.save(each for each in plan.candidates if each.id not in merged_ids)

    def _propose(self, plan: Plan) -> str:
        """Put a plan into review without applying it; return the id of its item."""
        with transaction(self._context.db):
            statements = sum(each.action != "archive" for each in plan.changes)
            item_id = self._home.review_items.add(
                "plan",
                f"Consolidation of {plan.crew}: {count(statements, 'statement')}",
                payload={"changes": [asdict(each) for each in plan.changes]},
                crew=plan.crew,
                key=",".join(sorted(each.candidate or each.target for each in plan.changes))[:2000],
            )
            self._home.journal.append(
                "memory.consolidation_proposed",
                f"A plan of {count(len(plan.changes), 'change')} waits for review",
                payload={"review": item_id, "changes": len(plan.changes)},
                crew=plan.crew,
            )
        return item_id

    def _add_contradictions(self, plan: Plan) -> list[str]:
        """Put the contradictions of a plan into review; return the ids of the new items."""
        items = self._home.review_items.list_items(kind="contradiction", status="")
        known = {item.id for item in items}
        with transaction(self._context.db):
            added = [
                add_contradiction(self._home.review_items, each) for each in plan.contradictions
            ]
        return [item_id for item_id in added if item_id not in known]

    def _finish(self, plan: Plan, *, without: Collection[str] = ()) -> None:
        """Store the watermarks, except those of some files, and delete expired candidates."""
        watermarks = {
            (agent, source): position
            for (agent, source), position in plan.watermarks.items()
            if source not in without
        }
        with transaction(self._context.db):
            self._store.delete_expired(plan.crew, self._context.today)
            self._store.save_watermarks(plan.crew, watermarks)
