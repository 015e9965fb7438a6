"""Tuning: change one setting by one bounded step if that improves recall."""

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from crewmem.config import TUNED_FILE, Settings, load_settings, write_setting
from crewmem.context import Context
from crewmem.errors import ConflictError, NotFoundError
from crewmem.evaluation.metrics import CaseResult, Delta, aggregate, compare
from crewmem.evaluation.run import judge
from crewmem.evaluation.suite import Case, Suite
from crewmem.evaluation.system import Use
from crewmem.ids import new_id, resolve_prefix
from crewmem.protocols import EntryWriter
from crewmem.storage.filesystem import replace_file
from crewmem.storage.sqlite import transaction
from crewmem.times import day_start, format_time, local_day


class Parameter(NamedTuple):
    """A setting that tuning may change.

    Attributes:
        uses: The uses whose gates a step must pass.
    """

    setting: str
    step: float
    minimum: float
    maximum: float
    uses: tuple[Use, ...]


PARAMETERS = (
    Parameter("recall.min_relevance", 0.05, 0.0, 1.0, ("pull",)),
    Parameter("hooks.min_relevance", 0.05, 0.0, 1.0, ("push",)),
    Parameter("recall.limit", 1, 1, 10, ("pull", "push")),
    Parameter("hooks.max_bytes", 250, 500, 8000, ("push",)),
)


@dataclass(frozen=True, slots=True)
class TriedStep:
    """A step that was tried.

    Attributes:
        reason: Why it was not chosen; "" if it was.
    """

    parameter: str
    old: float
    new: float
    reason: str
    deltas: tuple[Delta, ...] = ()


@dataclass(frozen=True, slots=True)
class Tuning:
    """The result of tuning.

    Attributes:
        candidates: All steps that were tried.
        reason: Why no step was chosen or applied; "" otherwise.
    """

    suite: str
    chosen: TriedStep | None
    candidates: tuple[TriedStep, ...]
    applied: bool
    config_id: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AppliedConfig:
    """A configuration that tuning applied."""

    id: str
    ts: str
    parameter: str
    old_value: str
    new_value: str
    rolled_back_at: str | None


Evaluate = Callable[[Suite, Use, Settings], Sequence[CaseResult]]


def split_suite(suite: Suite) -> tuple[Suite, Suite]:
    """Split *suite* into a tuning half and a held-out half.

    The cases of each category alternate, in the order of the hashes of their ids. Both halves then
    measure a gate if a category has at least two cases of it.
    """
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in sorted(suite.cases, key=lambda case: sha256(case.id.encode()).digest()):
        groups.setdefault((case.kind, case.category), []).append(case)
    halves: tuple[list[Case], list[Case]] = ([], [])
    for group in groups.values():
        for index, case in enumerate(group):
            halves[index % 2].append(case)
    return Suite(suite.name, tuple(halves[0])), Suite(suite.name, tuple(halves[1]))


def list_steps(settings: Settings, seed: int) -> list[tuple[Parameter, float, float]]:
    """Return the possible steps as (parameter, old, new); *seed* determines their order.

    The pull threshold stays at or below the push threshold.
    """
    steps = []
    pull, push = settings["recall.min_relevance"], settings["hooks.min_relevance"]
    for parameter in PARAMETERS:
        old = float(settings[parameter.setting])
        low, high = parameter.minimum, parameter.maximum
        if parameter.setting == "recall.min_relevance":
            high = push
        if parameter.setting == "hooks.min_relevance":
            low = pull
        for new in (old - parameter.step, old + parameter.step):
            new = round(new, 4)
            if low <= new <= high:
                steps.append((parameter, old, new))
    random.Random(seed).shuffle(steps)  # noqa: S311 - not for secrets
    return steps


def try_steps(
    suite: Suite,
    settings: Settings,
    evaluate: Evaluate,
    *,
    rolled_back: Collection[tuple[str, float, float]] = (),
    seed: int = 0,
) -> tuple[TriedStep | None, list[TriedStep]]:
    """Try every step, on the tuning half and then on the held-out half.

    A step is chosen if, on both halves, the gates of its uses pass, no metric is significantly
    worse, and one is significantly better. Latency has only its gate; see `compare`.

    Args:
        rolled_back: Steps that somebody undid, as (setting, old, new): they are not tried again.

    Returns:
        The chosen step, which is the first such step or None, and all steps that were tried.
    """
    halves = dict(zip(("tuning", "held-out"), split_suite(suite), strict=True))
    steps: list[TriedStep] = []
    baselines: dict[tuple[str, Use], Sequence[CaseResult]] = {}
    for parameter, old, new in list_steps(settings, seed):
        if (parameter.setting, old, new) in rolled_back:
            steps.append(TriedStep(parameter.setting, old, new, "it was rolled back"))
            continue
        name = parameter.setting.replace(".", "__")
        changed = settings.replace(**{name: _convert_value(parameter, new)})
        reason, deltas = "", list[Delta]()
        for half, use in product(halves, parameter.uses):
            if (half, use) not in baselines:
                baselines[half, use] = evaluate(halves[half], use, settings)
            after = evaluate(halves[half], use, changed)
            reason, deltas = _judge_step(baselines[half, use], after, use, changed)
            if reason:
                reason = f"{reason} on the {half} half"
                break
        steps.append(TriedStep(parameter.setting, old, new, reason, tuple(deltas)))
        if not reason:
            return steps[-1], steps
    return None, steps


def _judge_step(
    before: Sequence[CaseResult], after: Sequence[CaseResult], use: Use, settings: Settings
) -> tuple[str, list[Delta]]:
    """Return why a step is rejected ("" if it is not), and the changes of the metrics."""
    deltas = compare(before, after)
    violations = [ref for result in after for ref in result.violations]
    gates, verdict = judge(aggregate(after), use, settings, violations)
    if verdict == "failed":
        missed = [gate.name for gate in gates if gate.verdict == "failed"]
        return f"the gate {missed[0] if missed else 'for access'} fails", deltas
    if verdict == "not-measured":
        missed = [gate.name for gate in gates if gate.verdict == "not-measured"]
        return f"the gate {missed[0]} is not measured", deltas
    significant = [delta for delta in deltas if delta.is_significant]
    worse = [delta.metric for delta in significant if not delta.is_better]
    if worse:
        return f"{worse[0]} is worse", deltas
    if not significant:
        return "no metric is significantly better", deltas
    return "", deltas


def _convert_value(parameter: Parameter, value: float) -> Any:
    return int(value) if parameter.step >= 1 else value


class ConfigStore:
    """The configurations that tuning applied in a home, whose workspaces share the settings."""

    def __init__(self, context: Context, journal: EntryWriter) -> None:
        self._context = context
        self._journal = journal

    @property
    def _path(self) -> Path:
        if self._context.home is None:
            raise NotFoundError("there is no home here", code="home-not-found")
        return self._context.home / TUNED_FILE

    def check_may_apply(self) -> None:
        """Raise ConflictError if a change was already applied today."""
        zone = self._context.zone
        today = day_start(local_day(self._context.now, zone), zone)
        applied = self._context.db.value(
            "select id from eval_configs where ts >= ? and rolled_back_at is null",
            (format_time(today),),
        )
        if applied:
            raise ConflictError(
                f"a change was already applied today ({applied}); at most one a day is allowed",
                code="tuned-today",
                hint=self._context.command("eval rollback"),
            )

    def apply(self, candidate: TriedStep) -> str:
        """Write the step to tuned.toml and record it; return the id of the configuration.

        If anything fails, the old file is restored.
        """
        path = self._path
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        parameter = next(p for p in PARAMETERS if p.setting == candidate.parameter)
        value = _convert_value(parameter, candidate.new)
        identifier = new_id("e", self._context.random)
        try:
            write_setting(path, candidate.parameter, str(value))
            load_settings(self._context.home)
            with transaction(self._context.db):
                self._context.db.execute(
                    "insert into eval_configs (id, workspace_id, ts, parameter, old_value,"
                    " new_value, before_toml, after_toml) values (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        identifier,
                        self._context.workspace,
                        self._context.now_text,
                        candidate.parameter,
                        str(_convert_value(parameter, candidate.old)),
                        str(value),
                        before,
                        path.read_text(encoding="utf-8"),
                    ),
                )
                self._journal.append(
                    "tune.applied",
                    f"{candidate.parameter}: {candidate.old:g} to {candidate.new:g}",
                    payload={"config": identifier, "parameter": candidate.parameter},
                )
        except BaseException:
            replace_file(path, before.encode())
            raise
        return identifier

    def list_configs(self) -> list[AppliedConfig]:
        """Return applied configurations, newest first."""
        rows = self._context.db.all(
            "select id, ts, parameter, old_value, new_value, rolled_back_at from eval_configs"
            " order by ts desc, id desc"
        )
        return [AppliedConfig(*row) for row in rows]

    def list_rolled_back(self) -> set[tuple[str, float, float]]:
        """Return the steps that were rolled back, as (setting, old, new)."""
        return {
            (config.parameter, float(config.old_value), float(config.new_value))
            for config in self.list_configs()
            if config.rolled_back_at is not None
        }

    def rollback(self, identifier: str | None = None) -> AppliedConfig:
        """Undo the newest configuration, or all that were applied after a given one.

        Args:
            identifier: The configuration to return to; None to undo the newest.

        Returns:
            The configuration that was undone, or the one that was returned to.

        Raises:
            NotFoundError: If no configuration is applied, or there is none with the id.
        """
        self._context.access.require_operator("roll back settings")
        configs = self.list_configs()
        active = [config for config in configs if config.rolled_back_at is None]
        db = self._context.db
        if identifier is None:
            if not active:
                raise NotFoundError("no configuration was applied", code="nothing-to-roll-back")
            config = active[0]
            text = db.value("select before_toml from eval_configs where id = ?", (config.id,))
            undone = [config]
        else:
            full_id = resolve_prefix(
                identifier,
                [c.id for c in configs if c.id.startswith(identifier)],
                "configuration",
                self._context.command("eval show"),
            )
            config = next(config for config in configs if config.id == full_id)
            text = db.value("select after_toml from eval_configs where id = ?", (full_id,))
            undone = [later for later in active if (later.ts, later.id) > (config.ts, config.id)]
        replace_file(self._path, text.encode())
        with transaction(db):
            if identifier is not None:
                self._mark_applied(config)
            db.executemany(
                "update eval_configs set rolled_back_at = ? where id = ?",
                [(self._context.now_text, each.id) for each in undone],
            )
            self._journal.append(
                "tune.rolled_back",
                f"Rolled back {', '.join(each.parameter for each in undone) or 'nothing'}",
                payload={"configs": [each.id for each in undone]},
            )
        return config

    def _mark_applied(self, config: AppliedConfig) -> None:
        """Mark a configuration as applied, and those that it was built on."""
        self._context.db.execute(
            "with recursive chain(id, ts, before_toml) as ("
            " select id, ts, before_toml from eval_configs where id = :id"
            " union select older.id, older.ts, older.before_toml from chain join eval_configs older"
            " on older.id = (select id from eval_configs where ts < chain.ts"
            "  and after_toml = chain.before_toml order by ts desc limit 1))"
            " update eval_configs set rolled_back_at = null where id in (select id from chain)",
            {"id": config.id},
        )
