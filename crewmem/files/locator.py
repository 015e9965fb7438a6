"""Finding memory files by reference, path, link or tier."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Unpack
from unicodedata import normalize

from crewmem.access import Scope
from crewmem.errors import NotFoundError, RefusedError, UsageError, suggest
from crewmem.files.directories import FileOwner, MemoryDirectory, Target, is_wanted
from crewmem.files.memory_index import MemoryIndex
from crewmem.files.references import Reference, parse_reference
from crewmem.files.tiers import (
    DATED_TIERS,
    TIERS,
    Tier,
    archive_name,
    check_file_name,
    file_name,
    find_tier,
    is_date,
    tier_of,
)
from crewmem.storage.filesystem import stat_file

if TYPE_CHECKING:  # for those that have a history
    from crewmem.files.versions import Versions

MAX_NAMED = 6
"""Maximum owners that an error lists."""


class Locator:
    """Finds files by reference, path, link or tier.

    Attributes:
        index: The index, with all memory directories, including those that the actor may not read.
    """

    def __init__(self, index: MemoryIndex) -> None:
        self.context = index.context
        self.index = index
        self._roots: dict[Path, Path] = {}

    def target(self, directory: MemoryDirectory, file: str) -> Target:
        """Return the target for a file of a directory."""
        root = self._roots.get(directory.path)
        if root is None:
            root = self._roots[directory.path] = self._find_root(directory)
        return Target(directory, file, directory.tier_of(file), root)

    def _find_root(self, directory: MemoryDirectory) -> Path:
        """Return the directory that confines the files of a memory directory."""
        if self.context.home is None or ":" not in directory.prefix:
            return directory.path
        root = self.context.workspace_dir
        return root if directory.path.is_relative_to(root) else Path(os.path.realpath(root))

    def resolve(
        self,
        text: str,
        *,
        must_exist: bool = True,
        history: Versions | None = None,
        authorized: bool = False,
        **owner: Unpack[FileOwner],
    ) -> Target:
        """Return the file that *text* names.

        A plain path is looked up in the actor's own directory, its crew's and the workspace's;
        then it is tried as a file name or alias of a note, except the path of a new ``.md`` file
        in a directory without tiers.

        Args:
            must_exist: Whether to refuse a reference to a missing file.
            history: Versions, to find deleted files as well.
            authorized: Whether the caller has checked access by its own rule.

        Raises:
            NotFoundError: If there is no such file that the actor may read.
            RefusedError: If *text* is a reference or absolute path that the actor may not read.
            UsageError: If *text* is ambiguous.
        """
        reference = self.parse(text)
        if reference.scope is not None:
            directory = self.find_directory(reference.scope, reference.crew, reference.agent)
            if not authorized:  # whether the file exists is no business of others
                self.check_read(self.target(directory, self._file_below(directory, reference)))
            if target := self._find_existing(
                directory, reference, must_exist=must_exist, history=history
            ):
                return target
            if must_exist:
                return self._resolve_title(reference, [directory], must_exist)
            return self._new_file(directory, reference)
        directories = [each for each in self.index.directories if is_wanted(each, **owner)]
        if reference.is_link:
            return self._resolve_title(reference, directories, must_exist)
        existing = [
            self._find_existing(directory, reference, must_exist=must_exist, history=history)
            for directory in directories
        ]
        found = [target for target in existing if target]
        if readable := [each for each in found if authorized or not self.read_rule(each)]:
            return self._choose(readable, reference.file)
        for target in found:
            if reference.file.startswith(("/", target.directory.prefix or "/")):
                self.check_read(target)
        if must_exist or len(directories) != 1 or directories[0].has_tiers:
            return self._resolve_title(reference, directories, must_exist)
        if not reference.file.lower().endswith(".md"):  # it may be the title of a note
            with contextlib.suppress(NotFoundError):
                return self._resolve_title(reference, directories, must_exist)
        return self._new_file(directories[0], reference)

    def parse(self, text: str) -> Reference:
        """Parse a reference, a path or a link; in a tree, a path may look like a reference."""
        return parse_reference(text, is_path=self._is_path_in_tree(text))

    def _is_path_in_tree(self, text: str) -> bool:
        """Return whether *text*, such as ``crew:web.md``, is the path of a file in a tree."""
        if self.context.tree is None or ":" not in text:
            return False
        path = parse_reference(text, is_path=True)
        return not path.is_link and any(
            self._find_existing(each, path) for each in self.index.directories
        )

    def _find_existing(
        self,
        directory: MemoryDirectory,
        reference: Reference,
        *,
        must_exist: bool = False,
        history: Versions | None = None,
    ) -> Target | None:
        """Return the file of *directory* that a plain path names; None if there is none."""
        file = self._file_below(directory, reference)
        names = [file] if file else []
        if must_exist and file.startswith("daily/"):  # evidence keeps the old name
            names.append(archive_name(file))
        targets = [self.target(directory, name) for name in names]
        for target in targets:
            if stat_file(directory.path, target.file) is not None:
                return target
        for target in targets:
            if history is not None and history.newest(target.reference) is not None:
                return target
        return None

    def find_directory(self, scope: Scope, crew: str = "", agent: str = "") -> MemoryDirectory:
        """Return the memory directory of a crew, an agent, or the workspace.

        Raises:
            NotFoundError: If there is none.
            RefusedError: If it is another's, and the actor is no member of the crew.
        """
        if not self.context.access.is_own(agent):
            self.context.access.require_member(crew)
        for directory in self._list_directories(
            lambda each: (each.scope, each.crew, each.agent) == (scope, crew, agent)
        ):
            return directory
        raise self._missing_directory_error(scope, crew, agent)

    def _list_directories(
        self, is_meant: Callable[[MemoryDirectory], bool]
    ) -> list[MemoryDirectory]:
        """Return the meant directories; if there are none, create the missing ones of the home."""
        found = [each for each in self.index.directories if is_meant(each)]
        if not found and self.index.restore_directories():
            found = [each for each in self.index.directories if is_meant(each)]
        return found

    def _missing_directory_error(self, scope: Scope, crew: str, agent: str) -> NotFoundError:
        """Return the error that names the missing directory, a similar name, and what to do."""
        tree = self.context.tree
        kind = "agent" if scope is Scope.AGENT else "crew"
        if scope is Scope.WORKSPACE:
            problem = "there is no memory directory of the workspace"
        elif not (agent or crew):
            problem = f"there is no {kind} yet"
            if tree is not None:
                problem = f"no {kind} has its memory in {tree}: name the file"
        elif scope is Scope.AGENT:
            in_crew = f" in crew '{crew}'" if crew else ""
            problem = f"there is no memory directory of the agent '{agent}'{in_crew}"
        else:
            problem = f"there is no memory directory of the crew '{crew}'"

        is_member = self.context.access.is_member  # other crews are no business of agents
        known = [each for each in self.index.directories if is_member(each.crew)]
        crews = {each.crew for each in known if each.crew}
        agents = {each.agent: each.crew for each in known if each.agent}
        is_crew_wrong = crew and crew not in crews and agent not in agents
        near = suggest(crew, crews) if is_crew_wrong else suggest(agent, agents)
        if near == agent:  # it is in another crew
            problem += f": its crew is '{agents[agent]}'"
        elif near:
            problem += f"; did you mean '{near}'?"

        if tree is not None:
            next_step = "memory write --file FILE TEXT"
        elif agents or (crews and kind == "crew"):
            next_step = f"{kind} list"
        else:
            next_step = "agent add NAME"
        return NotFoundError(
            problem, code="memory-directory-not-found", hint=self.context.command(next_step)
        )

    def choose_target(
        self,
        tier_name: str,
        key: str | None = None,
        *,
        scope: Scope | None = None,
        crew: str | None = None,
        agent: str | None = None,
        must_exist: bool = False,
    ) -> Target:
        """Return the file of a tier, by default the actor's own or its crew's.

        A file whose name differs from *key* only in case or in composed accents is that file.

        Args:
            must_exist: Whether to choose among directories that have the file, if there are any.

        Raises:
            UsageError: If several directories qualify.
            RefusedError: If the actor is no member of the crew.
        """
        self.context.access.require_member(crew)
        tier = find_tier(tier_name)
        file = file_name(tier, key, today=self.context.today)
        if not tier.scopes:
            return self.target(self._only_directory(tier_name), file)
        access = self.context.access
        own = None if access.is_operator else access.actor.name
        wanted = _choose_scope(tier, scope, has_only_crew=crew is not None and agent is None)
        owner = (agent or own) if wanted is Scope.AGENT else None
        found = self._list_directories(
            lambda each: (
                each.scope == wanted
                and crew in (None, each.crew)
                and (owner is None or each.agent in (owner, ""))
            )
        )
        own_crew = self._find_own_crew(wanted)
        if not found:
            raise self._missing_directory_error(wanted, crew or own_crew or "", owner or "")
        if crew is None and agent in (None, own):
            found = [each for each in found if each.crew == own_crew] or found
        if must_exist and len(found) > 1:
            found = [each for each in found if stat_file(each.path, file) is not None] or found
        if len(found) > 1:
            raise _ambiguous_tier_error(
                tier, found, by_agent=wanted is Scope.AGENT and owner is None, crew=crew
            )
        return self.target(found[0], _find_spelling(found[0], file) if key else file)

    def _find_own_crew(self, scope: Scope) -> str | None:
        """Return the actor's home crew; for files of a crew, the only one that a lead leads."""
        access = self.context.access
        led = access.led if access.actor.kind == "lead" else None
        if scope is Scope.CREW and led and len(led) == 1:
            return next(iter(led))
        return access.home_crew

    def _only_directory(self, tier: str) -> MemoryDirectory:
        if len(self.index.directories) == 1 and not self.index.directories[0].has_tiers:
            return self.index.directories[0]
        raise UsageError(f"files of the tier {tier} are named by their path", code="bad-tier")

    def read_rule(self, target: Target) -> str:
        """Return the rule that forbids reading a file, or ""."""
        return target.directory.read_rule(self.context.access, target.tier)

    def check_read(self, target: Target) -> None:
        """Raise RefusedError if the actor may not read a file."""
        self.context.access.enforce(self.read_rule(target), f"read {target.reference}")

    def list_readable(
        self, rows: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[Target, tuple[Any, ...]]]:
        """Yield the rows (directory, path, …) of the index that the actor may read, as targets."""
        directories = self.index.load().directories
        for row in rows:
            directory_id, path, *_ = row
            directory = directories.get(directory_id)
            if directory is not None:
                target = self.target(directory, path)
                if not self.read_rule(target):
                    yield target, row

    def _file_below(self, directory: MemoryDirectory, reference: Reference) -> str:
        """Return the path below *directory* for a plain path; "" if it is elsewhere."""
        file = reference.file
        if file.startswith("/"):
            path = Path(os.path.realpath(os.path.dirname(file)), os.path.basename(file))
            return (
                str(path.relative_to(directory.path)) if path.is_relative_to(directory.path) else ""
            )
        if reference.scope is None and directory.prefix and file.startswith(directory.prefix):
            file = file[len(directory.prefix) :]
        file = file.removeprefix("./")
        for part in file.split("/"):
            if part in ("", ".."):
                raise RefusedError(
                    f"'{reference.file}' is not a path below a memory directory",
                    code="bad-file-name",
                )
        check_file_name(file.rpartition("/")[2])
        return file

    def _new_file(self, directory: MemoryDirectory, reference: Reference) -> Target:
        """Return the target of a file of *directory* that is new, unless it is spelled otherwise.

        Raises:
            RefusedError: If its path is not below the directory.
        """
        file = self._file_below(directory, reference)
        if not file:
            raise RefusedError(
                f"'{reference.file}' is not a path below {directory.path}", code="bad-file-name"
            )
        return self.target(directory, _find_spelling(directory, file))

    def _choose(self, targets: Sequence[Target], name: str) -> Target:
        """Return one of several files: the actor's own, else its crew's, else the workspace's."""
        if len(targets) == 1:
            return targets[0]
        access = self.context.access
        if not access.is_operator:
            for is_preferred in (
                lambda each: access.is_own(each.agent, each.crew),
                lambda each: each.scope is Scope.CREW and each.crew == access.home_crew,
                lambda each: each.scope is Scope.WORKSPACE,
            ):
                for target in targets:
                    if is_preferred(target.directory):
                        return target
        references = [target.reference for target in targets]
        raise UsageError(
            f"'{name}' can mean {len(targets)} files: {', '.join(references[:4])}"
            + (" …" if len(references) > 4 else ""),
            code="ambiguous-file",
            details={"files": references},
        )

    def _resolve_title(
        self, reference: Reference, directories: Iterable[MemoryDirectory], must_exist: bool
    ) -> Target:
        """Find a note by file name or else by alias, ignoring case."""
        index = self.index.load()
        wanted = set(directories)
        name = reference.file.lower().removesuffix(".md")
        known = index.db.all("select directory_id, path from files")
        rows = [
            (directory_id, path)
            for directory_id, path in known
            if f"/{path.lower()}".endswith(f"/{name}.md")
        ]
        if not rows:
            rows = index.db.all(
                "select files.directory_id, files.path from labels join files"
                " on files.id = labels.file_id where labels.kind = 'alias' and labels.name = ?",
                (name,),
            )
        found = [each for each, _ in self.list_readable(rows) if each.directory in wanted]
        if found:
            return self._choose(found, reference.file)
        near = None
        if self.context.access.is_operator:
            paths = {PurePosixPath(path).stem.lower(): path for _, path in known}
            near = paths.get(suggest(PurePosixPath(name).name, paths) or "")
        raise NotFoundError(
            f"there is no memory file '{reference.name}'"
            + (f"; did you mean '{near}'?" if near else ""),
            code="file-not-found",
            hint=self.context.command("memory list")
            if must_exist or self.context.home is None
            else self._hint_at_tier(reference),
        )

    def _hint_at_tier(self, reference: Reference) -> str:
        """Return the command that writes the missing file."""
        file = reference.file.removesuffix(".md")
        tier = TIERS[tier_of(f"{file}.md", Scope.AGENT)]
        name = file.rpartition("/")[2]
        if not tier.scopes or (tier.name in DATED_TIERS and not is_date(name)):
            tier = TIERS["topic"]
        key = ("--key", name) if tier.file.endswith("/") else ()
        access = self.context.access
        is_own = Scope.AGENT in tier.scopes and not access.is_operator
        agent = ("--agent", access.actor.name) if is_own else ()
        return self.context.command("memory write --tier", tier.name, *key, *agent, "TEXT")


def _choose_scope(tier: Tier, scope: Scope | None, *, has_only_crew: bool) -> Scope:
    """Return the scope of the directories among which the file of *tier* is chosen.

    Args:
        has_only_crew: Whether the user named a crew and no agent.

    Raises:
        UsageError: If the tier does not have the scope that the user named.
    """
    if scope is None or scope is Scope.ALL:
        return Scope.CREW if has_only_crew and Scope.CREW in tier.scopes else tier.scopes[0]
    if scope in tier.scopes:
        return scope
    raise UsageError(
        f"the tier {tier.name} has the scope {' or '.join(tier.scopes)}, not {scope}",
        code="bad-scope",
    )


def _find_spelling(directory: MemoryDirectory, file: str) -> str:
    """Return the existing file of the same tier that differs from *file* only in its spelling.

    Case and the composition of accents are spelling: two such files would be one on a disk of macOS
    or Windows. Without such a file it is *file*.
    """
    folder, separator, name = file.rpartition("/")
    try:
        names = os.listdir(directory.path / folder)
    except OSError:
        return file
    same = [each for each in names if fold_name(each) == fold_name(name)]
    if name in same or len(same) != 1:
        return file
    spelled = f"{folder}{separator}{same[0]}"
    return spelled if directory.tier_of(spelled) == directory.tier_of(file) else file


def fold_name(name: str) -> str:
    """Return a name without differences of spelling: case, and the composition of accents."""
    return normalize("NFC", normalize("NFC", name).casefold())


def _ambiguous_tier_error(
    tier: Tier, directories: Sequence[MemoryDirectory], *, by_agent: bool, crew: str | None
) -> UsageError:
    """Return the error that lists the directories with a file of *tier*, and how to choose one.

    Args:
        by_agent: Whether the directories differ in their agents, not in their crews.
        crew: The crew that the user named.
    """
    option = "--agent SLUG" if by_agent else "--crew NAME"
    if by_agent and Scope.CREW in tier.scopes and crew is None:
        option += ", or a crew's with --crew NAME"
    names = sorted({each.agent if by_agent else each.crew for each in directories})
    listed = ", ".join(names[:MAX_NAMED]) + (" …" if len(names) > MAX_NAMED else "")
    return UsageError(
        f"{len(directories)} directories have a file of the tier {tier.name} ({listed}):"
        f" choose one with {option}",
        code="ambiguous-target",
    )
