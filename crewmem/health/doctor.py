"""Doctor: runs the checks, and repairs what is safe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

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

HOME, MEMORY, DATABASE = "home", "memory", "database"
"""What a check needs: a home that works, memory files, or a crewmem.db that can be read."""

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

MOST_NAMED = 3
"""Examples that a finding names."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found.

    Attributes:
        id: Of the check; its part before the dot is the category.
        status: pass, warn, fail or skip.
        fix: The command that repairs it; "" when there is nothing to repair.
        where: File or directory that it is about; "" for none.
        _is_by_hand: Whether the repair of its check leaves it to a person.
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
    """What `--fix` did for a check, or with `--dry-run` would do."""

    id: str
    done: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """What doctor found, and what it repaired.

    Attributes:
        findings: In the order of the checks; after repairs, as it is now.
        counts: Of findings by status.
    """

    findings: tuple[Finding, ...]
    repairs: tuple[Repair, ...]
    counts: dict[str, int]

    def exit_status(self, *, strict: bool) -> int:
        """Return 1 when a check failed, or with *strict* warned."""
        return 1 if self.counts[FAIL] or (strict and self.counts[WARN]) else 0


class HookEntry(Protocol):
    """An entry in an agent program's configuration; see `hooks.status.EntryStatus`."""

    @property
    def program(self) -> str: ...
    @property
    def file(self) -> Path: ...
    @property
    def entry(self) -> str: ...
    @property
    def problem(self) -> str: ...
    @property
    def hint(self) -> str: ...


@dataclass
class Subject:
    """What doctor examines.

    Attributes:
        home: The `Home` or `Tree`; its parts may be damaged.
        error: Why the home cannot be opened; None when it can.
        settings_error: Why its settings cannot be read.
        user: The person's home directory, where agent programs keep theirs.
        list_hooks: Returns the entries of agent programs, each tried; None where nobody can.
        is_dry: Whether not even what doctor remembers of texts may be stored.
        is_mending: Whether findings are repaired: what passes before a repair may not after it.
        lock: Why a check or a repair had to wait in vain; None while none had to. Nothing is
            repaired after that.
    """

    home: Home
    error: CrewmemError | None = None
    settings_error: CrewmemError | None = None
    user: Path = field(default_factory=Path.home)
    list_hooks: Callable[[], Sequence[HookEntry]] | None = None
    is_dry: bool = False
    is_mending: bool = False
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
        """Whether it was named with ``--path``."""
        return self.context.tree is not None

    @cached_property
    def reading(self) -> Home:
        """The home, opened so that looking at it changes none of its files."""
        reads_in_place = not (self.is_tree or self.context.read_only)
        context = replace(self.context, read_only=True, reads_in_place=reads_in_place)
        if self.error is None and self.context.has_db:
            context.db = self.context.db
        if self.can_remember:
            context.verdicts = self.context.verdicts
        return self.home.with_context(context)

    @cached_property
    def system(self) -> Home:
        """The same with full rights, for counts."""
        has_all = self.is_tree or self.context.access.is_operator
        return self.reading if has_all else self.reading.as_system()

    @cached_property
    def refreshed(self) -> RefreshReport:
        """What the index of memory files lacked, found out once."""
        return self.reading.memory.refresh()

    @cached_property
    def memory_status(self) -> MemoryStatus:
        """State of the memory files, found out once."""
        return self.reading.memory.status()

    @cached_property
    def embedder_status(self) -> EmbedderStatus:
        """Which embedder is used, found out once."""
        return self.system.describe_embedder()

    @cached_property
    def missing_vectors(self) -> dict[str, set[int]]:
        """The keys of texts without a vector, by store, found out once."""
        home = self.system
        found = {}
        for store, source in home.text_sources.items():
            wanted = set(source.visible_vector_keys()) - {0}
            missing = wanted - home.vectors.keys((self.context.workspace, store))
            if missing:
                found[store] = missing
        return found

    def has_passed(self, check: str, *settings: str) -> bool:
        """Tell whether a check found nothing in the memory files as they are.

        Args:
            check: Its id.
            settings: What else its result depends on.
        """
        return self.reading.memory.load_index().load_pass(check) == self._state(*settings)

    def remember_pass(self, check: str, *settings: str) -> None:
        """Remember that a check found nothing, where there is an index that can hold it."""
        may_remember = self.can_remember and not self.is_mending
        if may_remember and (self.context.workspace_dir / INDEX_FILE).exists():
            self.home.memory.load_index().save_pass(check, self._state(*settings))

    def _state(self, *settings: str) -> str:
        files = self.reading.memory.load_index().get_state()
        return " ".join([files, __version__, str(self.context.access.actor), *settings])

    def forget_answers(self) -> None:
        """Forget what was found out once: something was repaired."""
        for name in (
            "reading", "system", "refreshed", "memory_status", "embedder_status", "missing_vectors"
        ):  # fmt: skip
            self.__dict__.pop(name, None)

    @property
    def can_remember(self) -> bool:
        """Tell whether it may be stored that a text was scanned."""
        return not (self.is_dry or self.context.read_only or self.is_tree)

    def command(self, command: str, *arguments: str) -> str:
        """Return a command line that works as printed."""
        return self.context.command(command, *arguments)

    @cached_property
    def hooks(self) -> Sequence[HookEntry] | None:
        """Entries of agent programs, tried once; None where nobody can list them."""
        return None if self.list_hooks is None else self.list_hooks()

    def find_obstacle(self, needs: str) -> str:
        """Return why a check cannot be made here; "" when it can."""
        if needs == "":
            return ""
        if needs == HOME and self.is_tree:
            return "it is a directory of memory files, not a home"
        if self.error is not None:
            return f"the home cannot be opened: {self.error.message}"
        if needs == DATABASE and not self.context.has_db:
            return f"there is no {DATABASE_FILE} here"
        return ""


Look = Callable[[Subject], "Finding | Iterable[Finding]"]
Mend = Callable[[Subject, bool], "list[str]"]
"""Repairs; the flag says that nothing may be changed. Returns what it did, a sentence each."""


@dataclass(slots=True)
class Check:
    """A check.

    Attributes:
        needs: HOME, MEMORY, DATABASE, or "" for nothing.
        passes: What is reported where nothing is found.
        mend: Repairs what it found; None where only a person can.
        must_be_named: Whether it repairs only with ``--only ID``: it changes what people wrote.
        in_trees: Whether it repairs a directory of memory files, too, and not only a home.
    """

    id: str
    look: Look
    needs: str
    passes: str = ""
    mend: Mend | None = None
    must_be_named: bool = False
    in_trees: bool = False

    def run(self, subject: Subject) -> list[Finding]:
        """Return its findings, each with its id and the command that repairs it."""
        obstacle = subject.find_obstacle(self.needs)
        findings = [skipped(obstacle)] if obstacle else self._look(subject)
        category = self.id.partition(".")[0]
        return [
            replace(each, id=self.id, category=category, fix=each.fix or self._fix(subject, each))
            for each in findings
        ]

    def _look(self, subject: Subject) -> list[Finding]:
        try:
            if self.needs == MEMORY:
                _ = subject.refreshed  # first, so that the index knows what it lacked
            found = self.look(subject)
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

    def can_mend(self, subject: Subject) -> bool:
        """Tell whether it repairs what it finds there."""
        return self.mend is not None and (self.in_trees or not subject.is_tree)

    def _fix(self, subject: Subject, finding: Finding) -> str:
        is_wrong = finding.status in (WARN, FAIL) and not finding._is_by_hand
        if not is_wrong or not self.can_mend(subject):
            return ""
        return subject.command("doctor --fix --only", self.id)


# The command that makes a damaged file anew from what it was derived from.
REMAKES = {
    INDEX_FILE: "memory reindex --full",
    SESSIONS_FILE: "sessions sync",
    VECTORS_FILE: "embedder reembed --yes",
}

CHECKS: dict[str, Check] = {}
"""All checks by id, in the order in which they run. Other packages may add theirs."""


def check(name: str, needs: str = "", *, passes: str = "") -> Callable[[Look], Check]:
    """Register a function as the check *name*.

    It returns a finding, or yields one for each fault; *passes* is reported where it yields none.
    """

    def register(look: Look) -> Check:
        CHECKS[name] = Check(name, look, needs, passes)
        return CHECKS[name]

    return register


def repairs(
    check: Check, *, must_be_named: bool = False, in_trees: bool = False
) -> Callable[[Mend], Mend]:
    """Register a function as the repair of a check."""

    def register(mend: Mend) -> Mend:
        check.mend, check.must_be_named, check.in_trees = mend, must_be_named, in_trees
        return mend

    return register


def passed(observed: str, *, where: str = "") -> Finding:
    """Return that nothing is wrong."""
    return Finding(PASS, observed, where=where)


def skipped(observed: str) -> Finding:
    """Return that it was not checked, and why."""
    return Finding(SKIP, observed)


def warned(observed: str, *, expected: str = "", fix: str = "", where: str = "") -> Finding:
    """Return what could be better."""
    return Finding(WARN, observed, expected, fix, where)


def failed(observed: str, *, expected: str = "", fix: str = "", where: str = "") -> Finding:
    """Return what is wrong."""
    return Finding(FAIL, observed, expected, fix, where)


def name_some(names: Iterable[str]) -> str:
    """Return the first names as a list for a sentence: ``a, b, c and 4 more``."""
    listed = list(names)
    shown = ", ".join(listed[:MOST_NAMED])
    rest = len(listed) - MOST_NAMED
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
    subject: Subject,
    *,
    only: Collection[str] = (),
    fix: bool = False,
    dry_run: bool = False,
) -> Report:
    """Run checks, and repair what is safe when *fix* is set.

    Args:
        subject: What is examined.
        only: Ids of the checks to run; all by default.
        fix: Whether findings are repaired.
        dry_run: Whether repairs are only planned.

    Raises:
        UsageError: If there is no check of that id.
    """
    findings: list[Finding] = []
    repaired: list[Repair] = []
    subject.is_dry = subject.is_dry or dry_run
    subject.is_mending = fix
    for each in choose_checks(only):
        found = each.run(subject)
        is_wrong = any(finding.status in (WARN, FAIL) for finding in found)
        may_mend = each.can_mend(subject) and (not each.must_be_named or each.id in only)
        if fix and is_wrong and may_mend and each.mend is not None:
            try:
                if subject.lock is not None:  # whoever holds a database is waited for once
                    raise subject.lock
                done = each.mend(subject, dry_run)
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
