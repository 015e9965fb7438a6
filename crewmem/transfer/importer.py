"""Imports memory: makes a plan, then applies it through the write path of each store."""

import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.access import Scope
from crewmem.errors import DamagedError, NotFoundError, RefusedError, UsageError
from crewmem.facts.import_export import import_facts, set_origins
from crewmem.files.references import parse_reference
from crewmem.files.tiers import find_directory_cap
from crewmem.files.write import PlannedFile
from crewmem.journal.import_export import import_entries
from crewmem.journal.reading import EntryFilter
from crewmem.origins import lowest_origin
from crewmem.review.handlers import Choice, Handler
from crewmem.review.store import ReviewItem
from crewmem.security.secrets import redact
from crewmem.storage.json_lines import read_lines
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import rehearsal
from crewmem.text.wording import count
from crewmem.transfer.contents import Contents, ImportOptions, Text
from crewmem.transfer.import_source import LeftOut, Source, open_source, open_stdin
from crewmem.transfer.layouts import find_layout
from crewmem.transfer.members import ItemOwner, OwnerResolver, add_members, find_new_members
from crewmem.transfer.plan import FilePlanner, PlannedWrite, Refused
from crewmem.transfer.records import Item, Record

if TYPE_CHECKING:
    from crewmem.home import Home


class PlannedStore(NamedTuple):
    """Numbers of records for a store; all but *records* are None before the import.

    Attributes:
        records: Number in the source.
        added: Number added by the import.
        changed: Number changed by the import.
        unchanged: Number that existed before.
    """

    records: int
    added: int | None = None
    changed: int | None = None
    unchanged: int | None = None


BATCH_SIZE = 50
"""Number of files written at once; few, so that other writers do not wait long."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The plan of an import, or its result.

    Attributes:
        layout: Format of the source.
        target: Agent or crew that gets the memory.
        origin: Highest origin class of the texts, and the class of texts without one.
        merge: How to merge with existing files; see `ImportOptions`.
        files: Changes of memory files, in order.
        unchanged: Number of texts that exist already.
        bytes: Size of the texts to write.
        left_out: Parts of the source that are not imported, sorted by file and line.
        registry: Crews and agents to add, such as ``crew harbor``.
        applied: Whether the plan was applied.
        review: Id of the review item for trusting a bundle; "" for none.
    """

    source: str
    layout: str
    target: str
    origin: str
    merge: str
    files: tuple[PlannedWrite, ...]
    unchanged: int
    bytes: int
    left_out: tuple[LeftOut, ...]
    registry: tuple[str, ...]
    facts: PlannedStore
    journal: PlannedStore
    versions: PlannedStore
    applied: bool = False
    review: str = ""
    _files: tuple[PlannedFile, ...] = ()
    _refused: tuple[Refused, ...] = ()
    _facts: tuple[Item, ...] = ()
    _versions: tuple[Mapping[str, Any], ...] = ()


class Importer:
    """Plans imports and applies the plans."""

    def __init__(
        self,
        home: "Home",
        options: ImportOptions,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Create an importer; *progress* is called with the number of written files and of all."""
        self._context, self._memory, self._fact_table = home.context, home.memory, home.fact_table
        self._journal, self._registry, self._review = home.journal, home.registry, home.review_items
        self._options = replace(options, workspace=self._context.workspace)
        self._progress = progress

    def run(self, path: Path, *, apply: bool = False, data: bytes | None = None) -> ImportPlan:
        """Plan an import; with *apply*, also carry it out.

        Args:
            path: A directory, a file, or an archive; ignored with *data*.
            data: Content of standard input.
        """
        self._context.access.require_operator("import memory")
        context = self._context
        with open_source(path) if data is None else open_stdin(data) as source:
            layout = find_layout(source)
            contents = layout.read(source, self._options)
            contents.left_out += source.skipped
            unread = {each.source for each in source.skipped}  # binary files have no text
            contents.texts = [
                each for each in contents.texts if each.text or each.source not in unread
            ]
            if apply:
                with lock(context.lock_path("import")):
                    return self._apply(contents, self._plan(contents, source, layout.name))
            plan = self._plan(contents, source, layout.name)
            if not plan._facts or context.read_only:
                return plan
            with rehearsal(context.db):
                facts, bad_facts = self._import_facts(contents, plan)
            return replace(plan, facts=facts, left_out=sort_left_out([*plan.left_out, *bad_facts]))

    # Plan

    def _plan(self, contents: Contents, source: Source, layout: str) -> ImportPlan:
        """Plan the import; nothing is written."""
        options = self._options
        crews = {each.name for each in self._registry.list_crews()}
        home_crews = {each.slug: each.crew for each in self._registry.list_agents()}
        self._check_target(crews, home_crews)
        new = find_new_members(self._registry, contents.registry)
        crews |= {each["name"] for each in new["crews"]}
        home_crews |= {each["slug"]: each["crew"] for each in new["agents"]}
        limit = self._find_limit(contents)
        fact_owners = [_find_fact_owner(each) for each in contents.facts]
        owners = self._make_resolver(contents.texts, fact_owners, source.name, crews, home_crews)
        left_out: list[LeftOut] = []
        owned = _assign_texts(contents.texts, owners, left_out)
        facts = _assign_facts(contents.facts, fact_owners, owners, left_out)
        versions = _choose_versions(contents.versions, owners, limit)
        planner = FilePlanner(
            self._context,
            self._load_existing({owner for _, owner in owned}),
            source=source.label,
            merge=options.merge,
            origin="agent" if contents.is_bundle else limit,
            limit=limit,
        )
        planner.add_all(owned)
        self._warn_of_full_directories(planner)
        entries = sum(1 for _ in read_lines(io.BytesIO(contents.journal or b"")))
        left_out = [*left_out, *planner.left_out, *contents.left_out]
        if not (any(each.text.strip() for each in contents.texts) or contents.has_records):
            raise nothing_to_import_error(source.name, left_out)
        return ImportPlan(
            source=source.name,
            layout=layout,
            target=_describe_target(options, [owner for _, owner in owned]),
            origin=limit,
            merge=options.merge,
            files=tuple(planner.writes),
            unchanged=planner.unchanged,
            bytes=sum(each.bytes for each in planner.writes),
            left_out=sort_left_out(left_out),
            registry=(
                *(f"crew {each['name']}" for each in new["crews"]),
                *(f"agent {each['slug']}" for each in new["agents"]),
            ),
            facts=PlannedStore(len(facts)),
            journal=PlannedStore(entries),
            versions=PlannedStore(len(versions)),
            _files=tuple(planner.list_files()),
            _refused=tuple(planner.refused),
            _facts=tuple(facts),
            _versions=tuple(versions),
        )

    def _make_resolver(
        self,
        texts: Sequence[Text],
        fact_owners: Sequence[ItemOwner],
        source: str,
        crews: set[str],
        home_crews: dict[str, str],
    ) -> OwnerResolver:
        """Return what finds the owner of each text and fact.

        Args:
            fact_owners: Owners that the source states for its facts.
            crews: Crews of the workspace, with those that the import adds.
            home_crews: Home crew of each agent, likewise.

        Raises:
            UsageError: If a text has no owner, and the options name none.
        """
        options = self._options
        needs_target = any(text.scope is None for text in texts)
        if needs_target and not (options.agent or options.crew):
            raise UsageError(
                f"{source} names no agent or crew: add --agent SLUG or --crew NAME",
                code="no-target",
                hint=self._context.command("agent list"),
            )
        stated: list[Text | ItemOwner] = [*texts, *fact_owners]
        return OwnerResolver(
            source_crews={each.crew for each in stated if each.crew and not each.agent},
            source_agents={each.agent for each in stated if each.agent},
            crew=options.crew,
            agent=options.agent,
            home_crews=home_crews,
            crews=crews,
        )

    def _find_limit(self, contents: Contents) -> str:
        """Return the highest origin class that an imported text may have."""
        origin = self._options.origin
        if origin is None and contents.digest:
            exports = self._journal.list(EntryFilter(types=("memory.exported",)), limit=1000)
            if any(each.payload.get("sha256") == contents.digest for each in exports.entries):
                origin = "agent"  # it is the home's own bundle
        return self._context.access.origin(origin or contents.origin)

    def _warn_of_full_directories(self, planner: FilePlanner) -> None:
        context, cap = self._context, find_directory_cap(self._context.settings)
        for prefix, size in sorted(planner.required_sizes.items()):
            if size > cap:
                scale = math.ceil(float(context.settings["files.cap_scale"]) * size / cap)
                context.warn(
                    "directory-full",
                    f"{prefix} may contain at most {cap:,} bytes, and the import needs {size:,}:"
                    " texts that do not fit are left out",
                    "import a part of it, or raise all caps: "
                    + context.command("config set", "files.cap_scale", str(scale)),
                )

    def _check_target(self, crews: Collection[str], agents: Collection[str]) -> None:
        """Raise NotFoundError if the crew or agent named by the user does not exist."""
        options = self._options
        for kind, name, names in (("crew", options.crew, crews), ("agent", options.agent, agents)):
            if name and name not in names:
                raise NotFoundError(
                    f"there is no {kind} '{name}' in workspace '{self._context.workspace}'",
                    code=f"{kind}-not-found",
                    hint=self._context.command(f"{kind} add", name),
                )

    def _load_existing(self, owners: set[ItemOwner]) -> dict[str, str]:
        """Return the texts of the owners' existing files, by reference."""
        texts = {}
        prefixes = tuple(owner.prefix for owner in owners)
        if prefixes:
            for target in self._memory.targets():
                if target.reference.startswith(prefixes):
                    try:
                        content = target.read()
                    except (NotFoundError, RefusedError):
                        continue  # `memory status` reports unreadable files
                    texts[target.reference] = content.decode("utf-8", "surrogateescape")
        return texts

    # Apply

    def _apply(self, contents: Contents, plan: ImportPlan) -> ImportPlan:
        """Carry out a plan. If interrupted, running it again completes it."""
        left_out = list(plan.left_out)
        if add_members(self._registry, contents.registry):
            self._memory.index.reload_directories()
        versions = self._import_versions(contents, plan)
        failed = self._write_files(plan)
        written = []
        for write in plan.files:
            if write.file in failed:
                left_out.append(LeftOut(write.source, failed[write.file]))
            else:
                written.append(write)
        facts, bad_facts = self._import_facts(contents, plan)
        journal = self._import_journal(contents, plan, left_out)
        result = replace(
            plan,
            files=tuple(written),
            bytes=sum(each.bytes for each in written),
            left_out=sort_left_out([*left_out, *bad_facts]),
            facts=facts,
            journal=journal,
            versions=versions,
            applied=True,
        )
        is_changed = any((written, facts.added, facts.changed, journal.added, versions.added))
        if not (is_changed or plan.unchanged or facts.unchanged or journal.unchanged) and bad_facts:
            raise nothing_to_import_error(plan.source, result.left_out)
        review = self._request_trust(contents, result) if is_changed else ""
        if is_changed:
            self._record(result)
        return replace(result, review=review)

    def _import_versions(self, contents: Contents, plan: ImportPlan) -> PlannedStore:
        """Import the versions of a bundle; return the numbers."""
        versions = self._memory.versions
        if not plan._versions or contents.load_content is None or versions is None:
            return plan.versions
        added = versions.import_versions(plan._versions, contents.load_content)
        total = len(plan._versions)
        return PlannedStore(total, added, 0, total - added)

    def _write_files(self, plan: ImportPlan) -> dict[str, str]:
        """Write the files, and put refused passages into review.

        Returns:
            The reason for each file that was not written, by reference.
        """
        for refused in plan._refused:
            where = f"import of {plan.source}: {refused.source}:{refused.line}"
            self._memory.keep_refused(refused.file, refused.text, refused.rules, where)
        failed: dict[str, str] = {}
        for start in range(0, len(plan._files), BATCH_SIZE):
            files = plan._files[start : start + BATCH_SIZE]
            failed |= self._memory.write_planned(files, operation="import")
            if self._progress is not None:
                self._progress(start + len(files), len(plan._files))
        return failed

    def _record(self, plan: ImportPlan) -> None:
        """Record a completed import in the journal."""
        files = len({write.file for write in plan.files})  # a file may have several writes
        facts, entries = plan.facts.added or 0, plan.journal.added or 0
        self._journal.append(
            "memory.imported",
            f"{plan.layout} imported from {plan.source}: {count(files, 'file')},"
            f" {count(facts, 'fact')}, {count(entries, 'entry', 'entries')}",
            payload={
                "source": plan.source,
                "layout": plan.layout,
                "target": plan.target,
                "files": files,
                "facts": facts,
                "entries": entries,
                "left_out": len(plan.left_out),
            },
            origin=plan.origin,
        )

    def _import_facts(
        self, contents: Contents, plan: ImportPlan
    ) -> tuple[PlannedStore, list[LeftOut]]:
        """Import the facts; return the numbers, and the facts that were refused or redacted."""
        if not plan._facts:
            return plan.facts, []
        crew, agent = self._options.crew, self._options.agent
        report = import_facts(
            self._fact_table,
            [record.value for record in plan._facts],
            keep_origin=contents.is_bundle,
            origin=plan.origin,
            agent=agent or None,
            crew=None if agent else crew or None,
        )
        left_out = []
        for problems, is_imported in (
            (report.bad, False),
            (report.quarantined, False),
            (report.redacted, True),
        ):
            for each in problems:
                record = plan._facts[each.number - 1]
                left_out.append(LeftOut(record.source, each.reason, record.line, is_imported))
        return (
            PlannedStore(len(plan._facts), report.created, report.updated, report.unchanged),
            left_out,
        )

    def _import_journal(
        self, contents: Contents, plan: ImportPlan, left_out: list[LeftOut]
    ) -> PlannedStore:
        if contents.journal is None:
            return plan.journal
        if self._options.agent or self._options.crew:
            left_out.append(LeftOut("journal.jsonl", "import it without --agent and --crew"))
            return plan.journal
        result = import_entries(
            self._journal,
            io.BytesIO(contents.journal),
            origin=plan.origin,
            keep_pins=plan.origin != "external",
        )
        left_out += (LeftOut("journal.jsonl", each.reason, each.number) for each in result.problems)
        return PlannedStore(result.lines, result.added, 0, result.known)

    def _request_trust(self, contents: Contents, plan: ImportPlan) -> str:
        """Add a review item for a foreign bundle, with the origin classes that it records.

        Returns its id, or "" if there is nothing to trust.
        """
        if not contents.is_bundle or plan.origin != "external":
            return ""
        origins = {text.source: text.origin for text in contents.texts}
        facts = {}
        for record in plan._facts:
            origin, pin = record.value.get("origin") or "agent", record.value.get("pin") or "none"
            if record.value.get("id") and (origin != "external" or pin != "none"):
                facts[str(record.value["id"])] = [origin, pin]
        files = {write.file: origins.get(write.source) or "agent" for write in plan.files}
        if not (files or facts):
            return ""
        counts = f"{count(len(files), 'file')}, {count(len(facts), 'fact')}"
        return self._review.add(
            "import",
            f"trust the bundle {plan.source}: {counts}",
            payload={"source": plan.source, "files": files, "facts": facts},
            key=contents.digest or plan.source,
        )


def nothing_to_import_error(source: str, left_out: Sequence[LeftOut]) -> DamagedError:
    """Return the error for a source of which nothing can be imported."""
    reasons = [f"{each.source}:{each.line}: {each.reason}" for each in left_out[:20]]
    return DamagedError(
        f"nothing in {source} can be imported" + (f"; {reasons[0]}" if reasons else ""),
        code="nothing-to-import",
        details={"left_out": reasons},
    )


def sort_left_out(left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Sort by source and line, without duplicates, and with secrets redacted."""
    shown = {each._replace(reason=redact(each.reason)) for each in left_out}
    return tuple(
        sorted(shown, key=lambda each: (_split_numbers(each.source), each.line, each.reason))
    )


def _split_numbers(name: str) -> list[str | int]:
    """Return the parts of a name, by which "memory 9" comes before "memory 10"."""
    parts = re.split(r"(\d{1,9})", name)
    return [int(part) if at % 2 else part for at, part in enumerate(parts)]


def _find_fact_owner(record: Item) -> ItemOwner:
    """Return the owner of a fact in its source."""
    agent, crew = str(record.value.get("agent") or ""), str(record.value.get("crew") or "")
    return ItemOwner(Scope.AGENT if agent else Scope.CREW if crew else Scope.WORKSPACE, crew, agent)


def _assign_texts(
    texts: Iterable[Text], owners: OwnerResolver, left_out: list[LeftOut]
) -> list[tuple[Text, ItemOwner]]:
    """Return the texts with their new owners; add those without one to *left_out*."""
    owned = []
    for text in texts:
        owner = owners.resolve(text.scope, text.crew, text.agent)
        if isinstance(owner, str):
            left_out.append(LeftOut(text.source, owner))
        else:
            owned.append((text, owner))
    return owned


def _assign_facts(
    facts: Iterable[Item],
    stated_owners: Iterable[ItemOwner],
    owners: OwnerResolver,
    left_out: list[LeftOut],
) -> list[Item]:
    """Return the facts with their new owners; add those without one to *left_out*.

    `import_facts` assigns facts that have no owner in the source.
    """
    assigned = []
    for item, stated in zip(facts, stated_owners, strict=True):
        if stated.scope is Scope.WORKSPACE or item.value.get("purged"):
            assigned.append(item)
            continue
        owner = owners.resolve(*stated)
        if isinstance(owner, str):
            left_out.append(LeftOut(item.source, owner, item.line))
            continue
        field = {"agent": owner.agent} if owner.agent else {"crew": owner.crew}
        assigned.append(item._replace(value=Record({**item.value, **field})))
    return assigned


def _choose_versions(
    versions: Iterable[Mapping[str, Any]], owners: OwnerResolver, limit: str
) -> list[Mapping[str, Any]]:
    """Return the versions whose file keeps its reference, with at most the origin *limit*."""
    chosen: list[Mapping[str, Any]] = []
    for version in versions:
        file = parse_reference(str(version["path"]))
        owner = (file.scope, file.crew, file.agent)
        if owners.resolve(*owner) == owner:
            origin = lowest_origin((str(version["origin"]), limit))
            chosen.append({**version, "origin": origin})
    return chosen


def _describe_target(options: ImportOptions, owners: Sequence[ItemOwner]) -> str:
    if options.agent:
        return f"agent {options.agent}"
    if options.crew:
        return f"crew {options.crew}"
    prefixes = sorted({owner.prefix for owner in owners})
    return ", ".join(prefixes[:5]) + (" …" if len(prefixes) > 5 else "") or "workspace"


class ImportHandler(Handler):
    """Review items for foreign bundles, whose texts are external until an operator trusts them."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Trust the bundle: its texts get the origin classes that it records.

        A file that changed after the import keeps its class.
        """
        memory, files = self.home.memory, []
        for file, origin in item.payload.get("files", {}).items():
            newest = memory.versions.newest(file) if memory.versions else None
            if newest and newest.operation == "import" and newest.origin == "external":
                content = memory.locator.resolve(file, must_exist=False).read()
                files.append(PlannedFile(file, content, content, origin))
        failed = memory.write_planned(files, operation="trust")
        done = [
            f"{each.file} now has the origin {each.origin}"
            for each in files
            if each.file not in failed
        ]
        number = set_origins(self.home.fact_table, item.payload.get("facts", {}))
        if number:
            done.append(f"{count(number, 'fact')} got the origin that the bundle records")
        return done or ["nothing was left to change"]

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        return [f"texts from {item.payload['source']} stay external"]

    def describe(self, item: ReviewItem) -> list[str]:
        """List the files, and the numbers of facts, with the origin that they would get."""
        files: Mapping[str, str] = item.payload.get("files", {})
        facts: Mapping[str, Sequence[str]] = item.payload.get("facts", {})
        lines = [f"+ {file}: {origin}" for file, origin in sorted(files.items())]
        for origin in sorted({each[0] for each in facts.values()}):
            number = sum(1 for each in facts.values() if each[0] == origin)
            lines.append(f"+ {number} facts: {origin}")
        return lines
