"""Evaluation of a home: run, gate, compare, capture, tune (`home.evaluation`)."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from crewmem.config import Settings, get_setting, parse_value
from crewmem.errors import ConflictError, DamagedError, UsageError
from crewmem.evaluation.metrics import CaseResult, aggregate, aggregate_by_category
from crewmem.evaluation.run import (
    Run,
    RunStore,
    format_incident,
    judge,
    run_suite,
)
from crewmem.evaluation.suite import Suite
from crewmem.evaluation.system import HomeSystem, Use, open_system
from crewmem.evaluation.tune import ConfigStore, Tuning, try_steps
from crewmem.ids import new_id
from crewmem.storage.filesystem import make_directory, replace_file
from crewmem.storage.json_columns import load_texts
from crewmem.text.wording import count

if TYPE_CHECKING:
    from crewmem.home import Home

CAPTURED = "captured"
"""Name of the suite that `eval capture` makes."""


class Evaluation:
    """Measures and tunes the recall of a home.

    Attributes:
        runs: The store of runs and captured suites.
        configs: The store of configurations that tuning applied.
    """

    def __init__(self, home: Home) -> None:
        self._home, self._context = home, home.context
        self.runs = RunStore(home.context, home.journal)
        self.configs = ConfigStore(home.context, home.journal)

    def run(
        self,
        suite: str | Suite = "",
        *,
        use: Use = "push",
        k: int = 5,
        save: bool = True,
        config: Mapping[str, str] | None = None,
    ) -> Run:
        """Run a suite.

        Args:
            suite: ``sample``, a captured suite, or a file; "" for the suite of the settings. Or a
                loaded suite.
            use: The relevance threshold to apply.
            config: Settings that override those in force.
        """
        self._context.access.require_operator("evaluate recall")
        settings = self._override_settings(config or {})
        with self._open(suite) as (loaded, system):
            results = run_suite(loaded, system, use=use, k=k, settings=settings)
        metrics = aggregate(results)
        violations = tuple(ref for result in results for ref in result.violations)
        gates, verdict = judge(metrics, use, settings, violations)
        run = Run(
            id=new_id("e", self._context.random),
            ts=self._context.now_text,
            suite=loaded.name,
            suite_hash=loaded.hash,
            use=use,
            k=k,
            config=dict(config or {}),
            metrics=metrics,
            categories=aggregate_by_category(results),
            gates=gates,
            verdict=verdict,
            violations=violations,
            errors=loaded.errors,
            results=tuple(results),
        )
        if save:
            self.runs.save(run)
            self._write_incident(run)
        return run

    @contextlib.contextmanager
    def _open(self, suite: str | Suite) -> Iterator[tuple[Suite, HomeSystem]]:
        """Open a suite and the system to evaluate; warn about bad lines and missing answers.

        Raises:
            DamagedError: If there are bad lines and no cases.
        """
        loaded = self.load(suite)
        with open_system(self._home, loaded.corpus) as system:
            loaded = system.check(loaded)
            for line, reason in loaded.errors:
                self._context.warn("bad-line", f"line {line} of the suite is not a case: {reason}")
            for line, reason in system.bad_items:
                self._context.warn(
                    "bad-line", f"line {line} of the corpus is not an item: {reason}"
                )
            if missing := system.find_missing(loaded):
                line, ref = missing[0]
                self._context.warn(
                    "answer-missing",
                    f"the store does not have {count(len(missing), 'answer')} of the suite, such"
                    f" as {ref} in line {line}",
                )
            if loaded.errors and not loaded.cases:
                raise DamagedError(
                    f"no line of the suite {loaded.name} is a case: see line"
                    f" {loaded.errors[0].line}: {loaded.errors[0].reason}",
                    code="bad-suite",
                )
            yield loaded, system

    def load(self, suite: str | Suite = "") -> Suite:
        """Load a suite by name or file, unless it is loaded; by default that of the settings."""
        if isinstance(suite, Suite):
            return suite
        if suite:
            return self.runs.load_suite(suite)
        name, file = self._context.settings["eval.suite"], self._context.settings.file("eval.suite")
        if file is None:
            raise UsageError(
                "name the suite with --suite: the setting eval.suite is empty",
                code="suite-missing",
                hint=self._context.command("config set", "eval.suite", "sample"),
            )
        return self.runs.load_suite(name, file)

    def capture(self, *, limit: int = 200) -> tuple[str, list[dict[str, Any]]]:
        """Make cases from recalls and votes, and store them as the suite ``captured``.

        Recalled facts with more votes up than down are the answers to their query. A recall
        without hits becomes a query without answers.

        Returns:
            The name of the suite, and its cases.
        """
        self._context.access.require_operator("capture a suite")
        db = self._context.db
        votes = dict(
            db.all(
                "select fact_id, sum(vote) from votes where workspace_id = ? group by fact_id",
                (self._context.workspace,),
            )
        )
        cases: dict[str, dict[str, Any]] = {}
        rows = db.all(
            "select id, ts, actor, session, query, refs, injected from recalls"
            " where workspace_id = ? and use in ('pull', 'push') and query != ''"
            " order by ts desc limit ?",
            (self._context.workspace, limit * 5),
        )
        for identifier, ts, actor, session, query, refs_text, injected_text in rows:
            if query in cases or len(cases) == limit:
                continue
            refs = load_texts(refs_text)
            relevant = [ref for ref in refs if votes.get(ref, 0) > 0]
            if not relevant and (load_texts(injected_text) or refs):
                continue
            case = {
                "id": identifier,
                "query": query,
                "relevant": relevant,
                "should_inject": bool(relevant),
                "now": ts,
            }
            if actor.startswith(("agent:", "lead:")):
                case["agent"] = actor.partition(":")[2]
            if session:
                case["session"] = session  # with which it is forgotten
            cases[query] = case
        self.runs.save_suite(CAPTURED, [json.dumps(case) for case in cases.values()])
        return CAPTURED, list(cases.values())

    def tune(self, suite: str | Suite = "", *, apply: bool = False, seed: int = 0) -> Tuning:
        """Find one step of one setting that improves recall.

        Args:
            apply: Whether to apply it; at most one is applied a day.
        """
        self._context.access.require_operator("tune recall")
        if apply:
            try:
                self.configs.check_may_apply()
            except ConflictError as error:
                name = self.load(suite).name
                return Tuning(name, None, (), applied=False, reason=error.message)
        with self._open(suite) as (loaded, system):

            def evaluate(part: Suite, use: Use, settings: Settings) -> Sequence[CaseResult]:
                return run_suite(part, system, use=use, k=5, settings=settings)

            chosen, steps = try_steps(
                loaded,
                self._context.settings,
                evaluate,
                rolled_back=self.configs.list_rolled_back(),
                seed=seed,
            )
        if chosen is None or not apply:
            reason = "" if chosen else "no step is better on both halves"
            if steps and all("is not measured" in step.reason for step in steps):
                reason = "the suite has too few cases for the gates of every step"
            return Tuning(loaded.name, chosen, tuple(steps), applied=False, reason=reason)
        identifier = self.configs.apply(chosen)
        return Tuning(loaded.name, chosen, tuple(steps), applied=True, config_id=identifier)

    def _override_settings(self, config: Mapping[str, str]) -> Settings:
        changes = {
            name.replace(".", "__"): parse_value(get_setting(name), value, "--config: ")
            for name, value in config.items()
        }
        return self._context.settings.replace(**changes)

    def _write_incident(self, run: Run) -> None:
        reason = self.runs.find_incident(run)
        home = self._context.home
        if not reason or home is None:
            return
        make_directory(home / "incidents")
        configs = self.configs.list_configs()
        applied = [config for config in configs if config.rolled_back_at is None]
        if applied:
            newest, command = applied[0], self._context.command("eval rollback")
            remedy = (
                f"Tuning changed {newest.parameter} from {newest.old_value}. Undo it: {command}"
            )
        else:
            remedy = f"Nothing was tuned. Earlier runs: {self._context.command('eval show')}"
        text = format_incident(run, reason, remedy, self._context.now)
        replace_file(home / "incidents" / f"recall-{run.id}.md", text.encode())
        self._context.warn("incident", f"an incident was written: {reason}")
