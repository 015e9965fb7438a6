"""Runs of suites: their metrics, gates and verdicts, and the store of runs."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from io import BytesIO
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.config import Settings
from crewmem.context import Context
from crewmem.errors import NotFoundError
from crewmem.evaluation.metrics import (
    CaseResult,
    Delta,
    Metric,
    compare,
    measure_recall,
)
from crewmem.evaluation.suite import Case, LineError, Suite, parse_suite
from crewmem.evaluation.system import HomeSystem, Use
from crewmem.ids import HAS_PREFIX, resolve_prefix
from crewmem.protocols import EntryWriter
from crewmem.storage.sqlite import transaction
from crewmem.text.tokens import estimate_tokens
from crewmem.transfer.sample import SAMPLE

RUN_FIELDS = "id, ts, suite, suite_hash, use, k, config, metrics, gates, verdict"

INCIDENT_FAILURES = 3
"""Number of consecutive failed runs after which an incident file is written."""

INCIDENT_LATENCY = 1.25
"""Ratio of p95 latency to the median of earlier runs. If two consecutive runs exceed it, an
incident file is written."""


class Gate(NamedTuple):
    """A limit of a metric.

    Attributes:
        is_most: Whether the limit is a maximum; otherwise it is a minimum.
        verdict: ``passed``, ``failed`` or ``not-measured``.
    """

    name: str
    limit: float
    is_most: bool
    value: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a suite.

    Attributes:
        verdict: ``passed``, ``failed``, or ``not-measured`` if a gate has no cases.
        violations: Refs that were shown to actors who may not read them.
        errors: Lines of the suite that are not cases.
    """

    id: str
    ts: str
    suite: str
    suite_hash: str
    use: str
    k: int
    config: dict[str, Any]
    metrics: dict[str, Metric]
    categories: dict[str, dict[str, Metric]]
    gates: tuple[Gate, ...]
    verdict: str
    violations: tuple[str, ...] = ()
    errors: tuple[LineError, ...] = ()
    results: tuple[CaseResult, ...] = field(default=())

    @property
    def outcome(self) -> str:
        """The verdict in words."""
        return self.verdict.replace("-", " ")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side."""

    before: str
    after: str
    deltas: tuple[Delta, ...]


def run_suite(
    suite: Suite, system: HomeSystem, *, use: Use, k: int, settings: Settings
) -> list[CaseResult]:
    """Run every case of *suite* on *system*."""
    return [_run_case(case, system, use, k, settings) for case in suite.cases]


def _run_case(case: Case, system: HomeSystem, use: Use, k: int, settings: Settings) -> CaseResult:
    if case.kind == "recovery":
        block = system.recover(case)
        is_complete = all(text.lower() in block.lower() for text in case.expect)
        measures = {"compaction_recovery_success_rate": float(is_complete)}
        return CaseResult(case.id, case.kind, case.category, "", (), measures=measures)
    if case.kind == "promotion":
        promoted = [ref for ref in system.find_promoted(case) if ref in case.relevant]
        correct = float(len(promoted)) if case.should else 0.0
        measures = {"promoted": float(len(promoted)), "promoted_right": correct}
        return CaseResult(case.id, case.kind, case.category, "", tuple(promoted), measures=measures)
    shown = system.retrieve(case, use, settings)
    tokens = estimate_tokens(shown.text)
    measures = measure_recall(case, shown.refs, k=k, tokens=tokens, latency_ms=shown.latency_ms)
    return CaseResult(
        id=case.id,
        kind=case.kind,
        category=case.category,
        query=case.query,
        shown=shown.refs,
        measures=measures,
        violations=shown.violations,
    )


def judge(
    metrics: Mapping[str, Metric], use: Use, settings: Settings, violations: Sequence[str]
) -> tuple[tuple[Gate, ...], str]:
    """Judge metrics by the gates of a use.

    Returns:
        The gates, and the verdict of the run. A run with *violations* always fails.
    """
    if use == "push":
        budget = settings["hooks.max_bytes"] / 4
        limits = [
            ("false_injection_rate", settings["eval.max_false_injection"], True),
            ("injected_precision", settings["eval.min_precision"], False),
            ("compaction_recovery_success_rate", settings["eval.min_recovery"], False),
            ("p95_recall_latency_ms", settings["eval.max_latency_ms"], True),
            ("avg_injected_tokens", budget, True),
        ]
    else:
        limits = [
            ("false_far_rate", settings["eval.max_false_far"], True),
            ("false_chatter_rate", settings["eval.max_false_chatter"], True),
            ("injected_precision", settings["eval.min_pull_precision"], False),
        ]
    gates = []
    for name, limit, is_most in limits:
        value = metrics[name].value
        if value is None:
            verdict = "not-measured"
        else:
            verdict = "passed" if (value <= limit if is_most else value >= limit) else "failed"
        gates.append(Gate(name, limit, is_most, value, verdict))
    verdicts = {gate.verdict for gate in gates}
    if violations or "failed" in verdicts:
        return tuple(gates), "failed"
    return tuple(gates), "not-measured" if "not-measured" in verdicts else "passed"


class RunStore:
    """Runs and captured suites of a workspace."""

    def __init__(self, context: Context, journal: EntryWriter) -> None:
        self._context = context
        self._journal = journal

    def load_suite(self, name: str, file: Path | None = None) -> Suite:
        """Load a suite: ``sample``, a captured suite by name, or a file.

        Args:
            file: The file; by default the one that *name* names.

        Raises:
            NotFoundError: If there is no such suite.
        """
        if name == "sample":
            return parse_suite(name, BytesIO((SAMPLE / "suite.jsonl").read_bytes()))
        content = self._context.db.value(
            "select content from eval_suites where workspace_id = ? and name = ?",
            (self._context.workspace, name),
        )
        if content is not None:
            return parse_suite(name, BytesIO(content.encode()))
        path = file or Path(name).expanduser()
        if not path.is_file():
            hint = ""
            if name == "captured":
                hint = self._context.command("eval capture")
            elif file:
                hint = self._context.command("config set", "eval.suite", "sample")
            raise NotFoundError(
                f"there is no suite '{path}': use a file, `sample` or `captured`",
                code="suite-not-found",
                hint=hint,
            )
        with path.open("rb") as stream:
            suite = parse_suite(str(path), stream)
        corpus = path.with_name("corpus.jsonl")
        if not suite.corpus and corpus.is_file():
            return replace(suite, corpus=str(corpus))
        if suite.corpus and suite.corpus != "sample":
            return replace(suite, corpus=str(path.parent / suite.corpus))
        return suite

    def save_suite(self, name: str, lines: Iterable[str]) -> None:
        """Store a captured suite."""
        with transaction(self._context.db):
            self._context.db.execute(
                "insert into eval_suites (workspace_id, name, content, updated_at)"
                " values (?, ?, ?, ?) on conflict (workspace_id, name)"
                " do update set content = excluded.content, updated_at = excluded.updated_at",
                (self._context.workspace, name, "\n".join(lines), self._context.now_text),
            )

    def save(self, run: Run) -> None:
        """Store a run and append a journal entry."""
        db = self._context.db
        with transaction(db):
            db.execute(
                f"insert into eval_runs (workspace_id, {RUN_FIELDS})"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._context.workspace,
                    run.id,
                    run.ts,
                    run.suite,
                    run.suite_hash,
                    run.use,
                    run.k,
                    json.dumps(run.config),
                    json.dumps([run.metrics, run.categories]),
                    json.dumps(run.gates),
                    run.verdict,
                ),
            )
            db.executemany(
                "insert into eval_cases (run_id, case_id, result) values (?, ?, ?)",
                [(run.id, result.id, json.dumps(asdict(result))) for result in run.results],
            )
            self._journal.append(
                "eval.run",
                f"Evaluated {run.suite} ({run.use}): {run.verdict}",
                payload={"run": run.id, "suite": run.suite, "verdict": run.verdict},
            )
            if run.verdict == "failed" and self._was_passing(run):
                missed = [gate.name for gate in run.gates if gate.verdict == "failed"]
                self._journal.append(
                    "eval.regression_detected",
                    f"{run.suite} no longer passes: {', '.join(missed) or 'scope violation'}",
                    payload={"run": run.id, "gates": missed},
                    severity="warn",
                )

    def list_runs(self, *, limit: int = 20) -> list[Run]:
        """Return stored runs, newest first, without their cases."""
        rows = self._context.db.all(
            f"select {RUN_FIELDS} from eval_runs where workspace_id = ?"
            " order by ts desc, id desc limit ?",
            (self._context.workspace, limit),
        )
        return [_load_run(row) for row in rows]

    def get_run(self, identifier: str) -> Run:
        """Return a stored run with its cases.

        Raises:
            NotFoundError: If there is no such run.
        """
        db = self._context.db
        candidates = db.column(
            f"select id from eval_runs where workspace_id = :workspace and {HAS_PREFIX}",
            {"workspace": self._context.workspace, "prefix": identifier},
        )
        hint = self._context.command("eval show")
        run_id = resolve_prefix(identifier, candidates, "run", hint)
        (row,) = db.all(f"select {RUN_FIELDS} from eval_runs where id = ?", (run_id,))
        cases = db.column(
            "select result from eval_cases where run_id = ? order by case_id", (run_id,)
        )
        return _load_run(row, tuple(map(_load_result, cases)))

    def compare(self, before: str, after: str) -> Comparison:
        """Compare two stored runs."""
        first, second = self.get_run(before), self.get_run(after)
        return Comparison(first.id, second.id, tuple(compare(first.results, second.results)))

    def find_incident(self, run: Run) -> str:
        """Return why the stored *run* is an incident; "" if it is not."""
        if run.violations:
            return "a hit was shown to an actor that may not read it"
        runs = [r for r in self.list_runs(limit=50) if (r.suite, r.use) == (run.suite, run.use)]
        failures = len(list(takewhile(lambda r: r.verdict == "failed", runs)))
        if failures == INCIDENT_FAILURES:  # the next failure belongs to the same incident
            return f"{INCIDENT_FAILURES} runs in a row failed"
        latencies = [r.metrics["p95_recall_latency_ms"].value for r in runs]
        earlier = [value for value in latencies[2:12] if value]
        if len(earlier) >= 3 and all(latencies[:2]):
            median = statistics.median(earlier)
            if all((value or 0) > INCIDENT_LATENCY * median for value in latencies[:2]):
                return "p95 latency was more than 25 % worse in two consecutive runs"
        return ""

    def _was_passing(self, run: Run) -> bool:
        verdict = self._context.db.value(
            "select verdict from eval_runs where workspace_id = ? and suite = ? and use = ?"
            " and id != ? order by ts desc, id desc limit 1",
            (self._context.workspace, run.suite, run.use, run.id),
        )
        return bool(verdict == "passed")


def format_incident(run: Run, reason: str, remedy: str, now: datetime) -> str:
    """Return the text of an incident file.

    Args:
        remedy: The last change of the configuration, and the command that undoes it.
    """
    lines = [
        f"# Recall incident, {now:%Y-%m-%d %H:%M} UTC",
        "",
        f"Run {run.id} of the suite {run.suite} ({run.use}): {reason}.",
        "",
        *(
            f"- {gate.name}: {'n/a' if gate.value is None else f'{gate.value:.3f}'}"
            f" (gate {'at most' if gate.is_most else 'at least'} {gate.limit:g}): {gate.verdict}"
            for gate in run.gates
        ),
        "",
        f"Settings of the run: {json.dumps(run.config) if run.config else 'those in force'}",
        remedy,
        "",
    ]
    return "\n".join(lines)


def _load_result(text: str) -> CaseResult:
    lists = ("shown", "violations")
    values: dict[str, Any] = json.loads(text)
    return CaseResult(**values | {name: tuple(values[name]) for name in lists})


def _load_run(row: Sequence[Any], results: tuple[CaseResult, ...] = ()) -> Run:
    identifier, ts, suite, suite_hash, use, k, config, measured, gates, verdict = row
    metrics, categories = json.loads(measured)
    return Run(
        id=identifier,
        ts=ts,
        suite=suite,
        suite_hash=suite_hash,
        use=use,
        k=k,
        config=json.loads(config),
        metrics={name: Metric(*values) for name, values in metrics.items()},
        categories={
            category: {name: Metric(*values) for name, values in group.items()}
            for category, group in categories.items()
        },
        gates=tuple(Gate(*values) for values in json.loads(gates)),
        verdict=verdict,
        violations=tuple(ref for result in results for ref in result.violations),
        results=results,
    )
