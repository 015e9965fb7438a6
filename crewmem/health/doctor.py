"""Doctor: runs the checks, and repairs what is safe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from crewmem import __version__
from crewmem.context import DATABASE_FILE, SESSIONS_FILE, VECTORS_FILE, Context
from crewmem.errors import CrewmemError, LockedError, UsageError, suggest
from crewmem.files.memory import INDEX_FILE

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
"""Modules of checks, in the order in which they run."""

MAX_NAMED = 3
"""Maximum number of examples that a finding names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a check.

    Attributes:
        id: Id of the check; the part before the dot is the category.
        status: pass, warn, fail or skip.
        fix: The command that repairs it; "" if nothing needs repair.
        where: The file or directory concerned; "" for none.
        _is_by_hand: Whether only a person can repair this finding.
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
    """What `--fix` did for a check, or would do with `--dry-run`."""

    id: str
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of doctor, and its repairs.

    Attributes:
        findings: In the order of the checks, as they are after the repairs.
        counts: Number of findings by status.
    """

    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    counts: dict[str, int]

    def exit_status(self, *, strict: bool) -> int:
        """Return 1 if a check failed, or with *strict* warned; else 0."""
        return 1 if self.counts[FAIL] or (strict and self.counts[WARN]) else 0


@dataclass(slots=True)
class HookEntry:
    """An entry of crewmem in an agent program's configuration, as `hooks.status` finds it.

    Attributes:
        place: The project; "" for all projects of the user.
        entry: The event of a hook, ``mcp``, or ``file`` for a file of ours.
        command: The command that the entry calls; "" for a file.
        problem: What is wrong; "" if it works.
        hint: The command that repairs it.
        seconds: Duration of a trial call; None if there was none.
    """

    program: str
    place: str
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
        user: The user's home directory, which holds those of agent programs.
        list_hooks: Tries the entries of agent programs and returns them; None if unavailable.
        is_dry: Whether nothing may be stored, not even scan results.
        is_repairing: Whether findings are repaired. A repair can invalidate a remembered pass.
        lock: The lock for which a check or repair waited in vain; None without one. After it
            nothing more is repaired.
    """

    home: Home
    error: CrewmemError | None = None
    settings_error: CrewmemError | None = None
    user: Path = field(default_factory=Path.home)
    list_hooks: Callable[[], Sequence[HookEntry]] | None = None
    is_dry: bool = False
    is_repairing: bool = False
    lock: LockedError | None = None

    @property
    def context(self) -> Context:
        """Of the home."""
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
    def reading(self) -> Home:
        """The home, opened so that reading it changes none of its files."""
        reads_in_place = not (self.is_tree or self.context.read_only)
        context = replace(self.context, read_only=True, reads_in_place=reads_in_place)
        if self.error is None and self.context.has_db:
            context.db = self.context.db
        if self.can_remember:
            context.verdicts = self.context.verdicts
        return self.home.with_context(context)

    @cached_property
    def system(self) -> Home:
        """The same home with full rights, for counts."""
        has_all = self.is_tree or self.context.access.is_operator
        return self.reading if has_all else self.reading.as_system()

    @cached_property
    def refreshed(self) -> RefreshReport:
        """Missing contents of the index of memory files, computed once."""
        return self.reading.memory.refresh()

    @cached_property
    def memory_status(self) -> MemoryStatus:
        """State of the memory files, computed once."""
        return self.reading.memory.status()

    @cached_property
    def embedder_status(self) -> EmbedderStatus:
        """State of the embedder, computed once."""
        return self.system.describe_embedder()

    @cached_property
    def missing_vectors(self) -> dict[str, set[int]]:
        """The keys of texts without a vector, by store, computed once."""
        home = self.system
        found = {}
        for store, source in home.text_sources.items():
            wanted = set(source.visible_vector_keys()) - {0}
            missing = wanted - home.vectors.keys((self.context.workspace, store))
            if missing:
                found[store] = missing
        return found

    def has_passed(self, check: str, *settings: str) -> bool:
        """Tell whether a check has found nothing in the present memory files.

        Args:
            check: Id of the check.
            settings: Other values that its result depends on.
        """
        return self.reading.memory.load_index().load_pass(check) == self._state(*settings)

    def remember_pass(self, check: str, *settings: str) -> None:
        """Store that a check found nothing, if there is an index to store it in."""
        may_remember = self.can_remember and not self.is_repairing
        if may_remember and (self.context.workspace_dir / INDEX_FILE).exists():
            self.home.memory.load_index().save_pass(check, self._state(*settings))

    def _state(self, *settings: str) -> str:
        files = self.reading.memory.load_index().get_state()
        return " ".join([files, __version__, str(self.context.access.actor), *settings])

    def forget_answers(self) -> None:
        """Discard computed values after a repair."""
        for name in (
            "reading", "system", "refreshed", "memory_status", "embedder_status", "missing_vectors"
        ):  # fmt: skip
            self.__dict__.pop(name, None)

    @property
    def can_remember(self) -> bool:
        """Tell whether scan results may be stored."""
        return not (self.is_dry or self.context.read_only or self.is_tree)

    def command(self, command: str, *arguments: str) -> str:
        """Return a command line that works as printed."""
        return self.context.command(command, *arguments)

    @cached_property
    def hooks(self) -> Sequence[HookEntry] | None:
        """Entries of agent programs, tried once; None if they cannot be listed."""
        return None if self.list_hooks is None else self.list_hooks()

    def find_obstacle(self, needs: str) -> str:
        """Return why a check is impossible here; "" if it is possible."""
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
"""Repairs, or only plans when the flag is set; returns a sentence for each change."""


@dataclass(slots=True)
class Check:
    """A check.

    Attributes:
        needs: HOME, MEMORY, DATABASE, STORE, or "" for nothing.
        passes: Text to report if nothing is found.
        repair: Repairs the findings; None if only a person can.
        must_be_named: Whether it repairs only with ``--only ID``, because it changes what people
            wrote.
        in_trees: Whether it also repairs directories of memory files.
    """

    id: str
    find: FindFaults
    needs: str
    passes: str = ""
    repair: RepairFaults | None = None
    must_be_named: bool = False
    in_trees: bool = False

    def run(self, subject: ExaminedHome) -> list[Finding]:
        """Return its findings, each with its id and repair command."""
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
                _ = subject.refreshed  # first: it shows what the index lacked
            found = self.find(subject)
            if isinstance(found, Finding):
                return [found]
            return list(found) or [passed(self.passes)]
        except LockedError as error:
            subject.lock = error
            return [warned(f"it could not be checked: {error.message}", fix=error.hint)]
        except CrewmemError as error:
            remake = REMAKES.get(Path(error.details.get("file", "")).name)
            command = remake or error.command
            fix = subject.command(command) if command else error.hint
            return [failed(error.message, fix=fix)]
        except Exception as error:  # noqa: BLE001 - damaged data must not hide the other checks
            return [failed(f"it could not be checked: {type(error).__name__}: {error}")]

    def can_repair(self, subject: ExaminedHome) -> bool:
        """Tell whether it can repair its findings in *subject*."""
        return self.repair is not None and (self.in_trees or not subject.is_tree)

    def _fix(self, subject: ExaminedHome, finding: Finding) -> str:
        is_wrong = finding.status in (WARN, FAIL) and not finding._is_by_hand
        if not is_wrong or not self.can_repair(subject):
            return ""
        return subject.command("doctor --fix --only", self.id)


# Commands that rebuild a damaged derived file.
REMAKES = {
    INDEX_FILE: "memory reindex --full",
    SESSIONS_FILE: "sessions sync",
    VECTORS_FILE: "embedder reembed --yes",
}

CHECKS: dict[str, Check] = {}
"""All checks by id, in running order. Other packages may add theirs."""


def check(name: str, needs: str = "", *, passes: str = "") -> Callable[[FindFaults], Check]:
    """Register a function as the check *name*.

    It returns a finding, or yields one for each fault. If it yields none, *passes* is reported.
    """

    def register(find: FindFaults) -> Check:
        CHECKS[name] = Check(name, find, needs, passes)
        return CHECKS[name]

    return register


def repairs(
    check: Check, *, must_be_named: bool = False, in_trees: bool = False
) -> Callable[[RepairFaults], RepairFaults]:
    """Register a function as the repair of a check."""

    def register(repair: RepairFaults) -> RepairFaults:
        check.repair, check.must_be_named, check.in_trees = repair, must_be_named, in_trees
        return repair

    return register


def passed(observed: str, *, where: str = "") -> Finding:
    """Return the finding that nothing is wrong."""
    return Finding(PASS, observed, where=where)


def skipped(observed: str) -> Finding:
    """Return the finding that a check was skipped; *observed* is the reason."""
    return Finding(SKIP, observed)


def warned(observed: str, *, expected: str = "", fix: str = "", where: str = "") -> Finding:
    """Return the finding that something could be better."""
    return Finding(WARN, observed, expected, fix, where)


def failed(observed: str, *, expected: str = "", fix: str = "", where: str = "") -> Finding:
    """Return the finding that something is wrong."""
    return Finding(FAIL, observed, expected, fix, where)


def name_some(names: Iterable[str]) -> str:
    """Join names for a sentence, and count those beyond the first: ``a, b, c and 4 more``."""
    listed = list(names)
    shown = ", ".join(listed[:MAX_NAMED])
    rest = len(listed) - MAX_NAMED
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def load_checks() -> dict[str, Check]:
    """Import and return all checks."""
    for name in CATEGORIES:
        import_module(f"crewmem.health.checks.{name}")
    return CHECKS


def choose_checks(only: Collection[str]) -> list[Check]:
    """Return the checks of these ids; all when there are none.

    Raises:
        UsageError: If there is no such check.
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
    only: Collection[str] = (),
    fix: bool = False,
    dry_run: bool = False,
) -> Report:
    """Run checks, and repair what is safe when *fix* is set.

    Args:
        subject: The home or tree to examine.
        only: Ids of the checks to run; all by default.
        fix: Whether to repair findings.
        dry_run: Whether to plan repairs without making them.

    Raises:
        UsageError: If there is no check of that id.
    """
    findings: list[Finding] = []
    repaired: list[Repair] = []
    subject.is_dry = subject.is_dry or dry_run
    subject.is_repairing = fix
    for each in choose_checks(only):
        if each.needs == STORE and not only and subject.find_obstacle(STORE):
            continue  # few homes have one
        found = each.run(subject)
        is_wrong = any(finding.status in (WARN, FAIL) for finding in found)
        may_repair = each.can_repair(subject) and (not each.must_be_named or each.id in only)
        if fix and is_wrong and may_repair and each.repair is not None:
            try:
                if subject.lock is not None:  # wait for a locked database only once
                    raise subject.lock
                done = each.repair(subject, dry_run)
            except CrewmemError as error:
                if isinstance(error, LockedError):
                    subject.lock = error
                done = []
                reason = f"; it could not be repaired: {error.message}"
                found = [replace(one, observed=one.observed + reason) for one in found]
            if done:
                repaired.append(Repair(each.id, tuple(done)))
            if done and not dry_run:
                subject.forget_answers()
                found = each.run(subject)
        findings += found
    counts = {
        status: sum(finding.status == status for finding in findings)
        for status in (PASS, WARN, FAIL, SKIP)
    }
    return Report(tuple(findings), tuple(repaired), counts)
