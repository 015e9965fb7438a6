"""Doctor: runs the checks, and repairs what is safe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem import __version__
from crewmem.context import DATABASE_FILE, INDEX_FILE, SESSIONS_FILE, VECTORS_FILE, Context
from crewmem.errors import CrewmemError, LockedError, UsageError, suggest

if TYPE_CHECKING:
    from crewmem.embeddings.choose import EmbedderStatus
    from crewmem.files.index import RefreshReport
    from crewmem.files.status import MemoryStatus
    from crewmem.home import Home

PASS, WARN, FAIL, SKIP = "pass", "warn", "fail", "skip"

HOME, MEMORY, DATABASE, STORE = "home", "memory", "database", "store"
"""Requirements of a check: a working home, memory files, a readable crewmem.db, a shared store."""

CATEGORIES = (
    "environment",
    "databases",
    "files",
    "contents",
    "vectors",
    "work",
    "store",
)
"""Modules of `health.checks`, in the order in which their checks run."""

MAX_EXAMPLES = 3
"""Maximum number of examples in a finding."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check.

    Attributes:
        status: pass, warn, fail or skip.
        fix: The command that repairs it; "" for none.
        where: The file, line, directory or fact concerned; "" for none.
        id: Id of the check; the part before the dot is the category.
        _is_by_hand: Whether the check's repair cannot repair this finding.
    """

    status: str
    observed: str
    expected: str = ""
    fix: str = ""
    where: str = ""
    id: str = ""
    category: str = ""
    _is_by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Repair:
    """The repairs made for a check; with `--dry-run`, those that would be made."""

    id: str
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of doctor, and its repairs.

    Attributes:
        findings: Findings after the repairs, in the order of the checks.
        counts: Number of findings by status.
    """

    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    counts: dict[str, int]

    def exit_status(self, *, strict: bool) -> int:
        """Return 1 if a check failed or, with *strict*, warned; else 0."""
        return 1 if self.counts[FAIL] or (strict and self.counts[WARN]) else 0


@dataclass(slots=True)
class HookEntry:
    """A crewmem entry in the configuration of an agent program, as `hooks.status` finds it.

    Attributes:
        project: Directory of the project; "" for all projects of the user.
        entry: The event of a hook, ``mcp``, ``plugin``, ``file`` for a file that crewmem
            installed, or ``project`` if the directory of the project is gone.
        command: The command that the entry runs; "" for a plugin or a file.
        problem: What is wrong; "" if it works.
        hint: The command that repairs it.
        seconds: Duration of a trial run; None if there was none.
    """

    program: str
    project: str
    file: Path
    entry: str
    command: str
    problem: str
    hint: str = ""
    seconds: float | None = None


@dataclass
class ExaminedHome:
    """The home or tree that doctor examines.

    Attributes:
        home: The `Home` or `Tree`; its parts may be damaged.
        error: The error that opening the home raised; None if it opened.
        settings_error: The error that reading its settings raised.
        list_hooks: Tries and returns the entries in agent programs; None if unavailable.
        is_dry_run: Whether nothing may be stored, not even scan results.
        is_repairing: Whether findings are repaired. A repair can invalidate a stored pass.
        lock_error: The error of a check or repair that timed out waiting for a lock; None if
            none did. After it, nothing more is repaired.
    """

    home: Home
    error: CrewmemError | None = None
    settings_error: CrewmemError | None = None
    list_hooks: Callable[[], Sequence[HookEntry]] | None = None
    is_dry_run: bool = False
    is_repairing: bool = False
    lock_error: LockedError | None = None

    @property
    def context(self) -> Context:
        """The context of the home."""
        return self.home.context

    @property
    def path(self) -> Path:
        """The directory of the home or tree."""
        return self.context.place

    @property
    def is_tree(self) -> bool:
        """Whether the user named a directory with ``--path``."""
        return self.context.tree is not None

    @cached_property
    def view(self) -> Home:
        """The home, opened so that reading changes none of its files."""
        reads_in_place = not (self.is_tree or self.context.read_only)
        context = replace(self.context, read_only=True, reads_in_place=reads_in_place)
        if self.error is None and self.context.has_db:
            context.db = self.context.db
        if self.may_store_results:
            context.verdicts = self.context.verdicts
        return self.home.with_context(context)

    @cached_property
    def system(self) -> Home:
        """The view with full rights, for counts."""
        has_all = self.is_tree or self.context.access.is_operator
        return self.view if has_all else self.view.as_system()

    @cached_property
    def refresh_report(self) -> RefreshReport:
        """Differences between memory files and their index, computed once."""
        return self.view.memory_index.refresh()

    @cached_property
    def memory_status(self) -> MemoryStatus:
        """State of the memory files, computed once."""
        return self.view.memory_index.status()

    @cached_property
    def embedder_status(self) -> EmbedderStatus:
        """State of the embedder, computed once."""
        return self.system.describe_embedder()

    @cached_property
    def missing_vectors(self) -> dict[str, set[int]]:
        """Keys of the texts without a vector, by store, computed once."""
        home = self.system
        by_store = {}
        for store, source in home.text_sources.items():
            keys = set(source.visible_vector_keys()) - {0}
            missing = keys - home.vectors.keys((self.context.workspace, store))
            if missing:
                by_store[store] = missing
        return by_store

    def has_passed(self, check: str, *settings: str) -> bool:
        """Return whether a check passed before and nothing that it depends on has changed since.

        Args:
            check: Id of the check.
            settings: What its result depends on beside memory files, version and actor.
        """
        return self.view.memory_index.load().load_pass(check) == self._get_state(*settings)

    def save_pass(self, check: str, *settings: str) -> None:
        """Store that a check passed, if there is an index to store it in.

        A damaged or outdated index stays as it is, because it is a finding.
        """
        may_store = self.may_store_results and not self.is_repairing
        if may_store and self.view.memory_index.is_current:
            self.home.memory_index.load().save_pass(check, self._get_state(*settings))

    def _get_state(self, *settings: str) -> str:
        files = self.view.memory_index.load().get_state()
        return " ".join([files, __version__, str(self.context.access.actor), *settings])

    def clear_cache(self) -> None:
        """Discard computed values after a repair."""
        for name in (
            "view",
            "system",
            "refresh_report",
            "memory_status",
            "embedder_status",
            "missing_vectors",
        ):
            vars(self).pop(name, None)

    @property
    def may_store_results(self) -> bool:
        """Return whether scan results may be stored."""
        return not (self.is_dry_run or self.context.read_only or self.is_tree)

    def command(self, command: str, *arguments: str) -> str:
        """Return a command line that works as printed."""
        return self.context.command(command, *arguments)

    @cached_property
    def hooks(self) -> Sequence[HookEntry] | None:
        """Entries in agent programs, tried once; None if they cannot be listed."""
        return None if self.list_hooks is None else self.list_hooks()

    def find_obstacle(self, needs: str) -> str:
        """Return why a check with these requirements cannot run here; "" if it can."""
        if needs == "":
            return ""
        if needs == HOME and self.is_tree:
            return "it is a directory of memory files, not a home"
        if self.error is not None:
            return f"the home cannot be opened: {self.error.message}"
        if needs in (DATABASE, STORE) and not self.context.has_db:
            return f"there is no {DATABASE_FILE} here"
        if needs == STORE and self.context.db.shared is None:
            return "no shared store is set"
        return ""


FindFaults = Callable[[ExaminedHome], "Finding | Iterable[Finding]"]
RepairFaults = Callable[[ExaminedHome, bool], "list[str]"]
"""Makes repairs, or only plans them if the flag is true; returns a sentence for each change."""


@dataclass(slots=True)
class Check:
    """A check.

    Attributes:
        find: Returns or yields the findings.
        needs: HOME, MEMORY, DATABASE, STORE, or "" for nothing.
        passes: Text of the finding if *find* yields none.
        repair: Repairs the findings; None if only a person can.
        must_be_named: Whether the repair needs ``--only ID``, because it changes what people
            wrote.
        in_trees: Whether the repair also works in a directory named with ``--path``.
    """

    id: str
    find: FindFaults
    needs: str
    passes: str = ""
    repair: RepairFaults | None = None
    must_be_named: bool = False
    in_trees: bool = False

    def run(self, subject: ExaminedHome) -> list[Finding]:
        """Run the check; return its findings, with their id and repair command."""
        obstacle = subject.find_obstacle(self.needs)
        findings = [skipped(obstacle)] if obstacle else self._find(subject)
        category = self.id.partition(".")[0]
        return [
            replace(each, id=self.id, category=category, fix=each.fix or self._fix(subject, each))
            for each in findings
        ]

    def _find(self, subject: ExaminedHome) -> list[Finding]:
        try:
            if self.needs == MEMORY:
                _ = subject.refresh_report  # computed before the check updates the index
            findings = self.find(subject)
            if isinstance(findings, Finding):
                return [findings]
            return list(findings) or [passed(self.passes)]
        except LockedError as error:
            subject.lock_error = error
            return [warned(f"it could not be checked: {error.message}", fix=error.hint)]
        except CrewmemError as error:
            rebuild = REBUILD_COMMANDS.get(Path(error.details.get("file", "")).name)
            command = rebuild or error.command
            fix = subject.command(command) if command else error.hint
            return [failed(error.message, fix=fix)]
        except Exception as error:  # noqa: BLE001 - damaged data must not hide the other checks
            return [failed(f"it could not be checked: {type(error).__name__}: {error}")]

    def can_repair(self, subject: ExaminedHome) -> bool:
        """Return whether the check can repair its findings in *subject*."""
        return self.repair is not None and (self.in_trees or not subject.is_tree)

    def _fix(self, subject: ExaminedHome, finding: Finding) -> str:
        is_wrong = finding.status in (WARN, FAIL) and not finding._is_by_hand
        if not is_wrong or not self.can_repair(subject):
            return ""
        return subject.command("doctor --fix --only", self.id)


REBUILD_COMMANDS = {
    INDEX_FILE: "memory reindex --full",
    SESSIONS_FILE: "sessions sync",
    VECTORS_FILE: "embedder reembed --yes",
}
"""Commands that rebuild a damaged derived file, by file name."""

CHECKS: dict[str, Check] = {}
"""The registered checks by id, in the order in which they run."""


def check(name: str, needs: str = "", *, passes: str = "") -> Callable[[FindFaults], Check]:
    """Register a function as the check with the id *name*.

    The function returns a finding, or yields one for each fault. If it yields none, the check
    passes with the text *passes*.
    """

    def register(find: FindFaults) -> Check:
        CHECKS[name] = Check(name, find, needs, passes)
        return CHECKS[name]

    return register


def repairs(
    check: Check, *, must_be_named: bool = False, in_trees: bool = False
) -> Callable[[RepairFaults], RepairFaults]:
    """Register a function as the repair of *check*; see `Check` for the flags."""

    def register(repair: RepairFaults) -> RepairFaults:
        check.repair, check.must_be_named, check.in_trees = repair, must_be_named, in_trees
        return repair

    return register


def make_finding(
    status: str,
    observed: str,
    *,
    expected: str = "",
    fix: str = "",
    where: str = "",
    by_hand: bool = False,
) -> Finding:
    """Return a finding; *by_hand*: no repair of the check helps."""
    return Finding(status, observed, expected, fix, where, _is_by_hand=by_hand)


passed, skipped = partial(make_finding, PASS), partial(make_finding, SKIP)
warned, failed = partial(make_finding, WARN), partial(make_finding, FAIL)
"""Return a finding: nothing is wrong, the check was skipped, something could be better, something
is wrong."""


def format_examples(names: Iterable[str]) -> str:
    """Join the first names and count the others: ``a, b, c and 4 more``."""
    all_names = list(names)
    shown = ", ".join(all_names[:MAX_EXAMPLES])
    rest = len(all_names) - MAX_EXAMPLES
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def load_checks() -> dict[str, Check]:
    """Import all checks and return them by id."""
    for name in CATEGORIES:
        import_module(f"crewmem.health.checks.{name}")
    return CHECKS


def choose_checks(only: Collection[str]) -> list[Check]:
    """Return the checks with the ids *only*; all checks if it is empty.

    Raises:
        UsageError: If an id is unknown.
    """
    known = load_checks()
    for id_ in only:
        if id_ not in known:
            similar = suggest(id_, known)
            raise UsageError(
                f"there is no check '{id_}'" + (f"; did you mean '{similar}'?" if similar else ""),
                code="unknown-check",
                command="doctor --verbose",
            )
    return [each for each in known.values() if not only or each.id in only]


def examine(
    subject: ExaminedHome,
    *,
    only: Collection[str],
    fix: bool,
    dry_run: bool,
) -> Report:
    """Run checks; with *fix*, make the repairs that are safe.

    Args:
        only: Ids of the checks to run; all if empty.
        dry_run: Whether to plan repairs without making them.

    Raises:
        UsageError: If an id is unknown.
    """
    findings: list[Finding] = []
    repaired: list[Repair] = []
    subject.is_dry_run = dry_run
    subject.is_repairing = fix
    for each in choose_checks(only):
        if each.needs == STORE and not only and subject.find_obstacle(STORE):
            continue  # not reported as skipped, because few homes have a shared store
        results = each.run(subject)
        is_wrong = any(finding.status in (WARN, FAIL) for finding in results)
        is_meant = not each.must_be_named or each.id in only
        if fix and is_wrong and is_meant and each.repair and each.can_repair(subject):
            try:
                done = _repair(subject, each.repair)
            except CrewmemError as error:
                reason = f"; it could not be repaired: {error.message}"
                results = [replace(one, observed=one.observed + reason) for one in results]
            else:
                if done:
                    repaired.append(Repair(each.id, tuple(done)))
                if done and not dry_run:
                    subject.clear_cache()
                    results = each.run(subject)
        findings += results
    counts = {
        status: sum(finding.status == status for finding in findings)
        for status in (PASS, WARN, FAIL, SKIP)
    }
    return Report(tuple(findings), tuple(repaired), counts)


def _repair(subject: ExaminedHome, repair: RepairFaults) -> list[str]:
    """Repair, unless an earlier repair waited in vain for a locked database."""
    if subject.lock_error is not None:
        raise subject.lock_error
    try:
        return repair(subject, subject.is_dry_run)
    except LockedError as error:
        subject.lock_error = error
        raise
