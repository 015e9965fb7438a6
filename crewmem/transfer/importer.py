"""Imports: makes a plan, then applies it through the write path of each store."""

import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crewmem.access import Scope
from crewmem.errors import DamagedError, NotFoundError, RefusedError, UsageError
from crewmem.facts.records import set_origins
from crewmem.files.locations import parse_reference
from crewmem.files.write import PlannedFile
from crewmem.journal.listing import EntryFilter
from crewmem.origins import lowest_origin
from crewmem.review.handlers import Choice, Handler
from crewmem.review.store import ReviewItem
from crewmem.storage.json_lines import read_lines
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import rehearsal
from crewmem.text.wording import count
from crewmem.transfer.archive import Item, LeftOut, Source, open_source, open_stdin
from crewmem.transfer.contents import Contents, ImportOptions, Text
from crewmem.transfer.layouts import find_layout
from crewmem.transfer.members import ItemOwner, Recipients, add_members, find_new_members
from crewmem.transfer.plan import FilePlanner, PlannedWrite, Refused

if TYPE_CHECKING:
    from crewmem.home import Home


class PlannedStore(NamedTuple):
    """Records for a store.

    Attributes:
        records: Number in the source.
        added: Number added by the import; None before it.
        changed: Number changed by the import.
        unchanged: Number that exist already.
    """

    records: int
    added: int | None = None
    changed: int | None = None
    unchanged: int | None = None


NOTHING = PlannedStore(0)

AT_ONCE = 50
"""Files that are written together: few, so that other writers do not wait for long."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """The plan of an import, or its result.

    Attributes:
        layout: Format of the source.
        target: Agent or crew that gets the memory.
        origin: Highest origin class of the texts, and class of texts without one.
        files: Changes of memory files, in order.
        unchanged: Number of texts that exist already.
        bytes: Size of the texts to write.
        left_out: What is not imported, and why, by source file and line.
        registry: Crews and agents to add.
        applied: Whether it was applied.
        review: The review item in which a bundle waits to be trusted; "" for none.
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
    registry: tuple[str, ...] = ()
    facts: PlannedStore = NOTHING
    journal: PlannedStore = NOTHING
    versions: PlannedStore = NOTHING
    applied: bool = False
    review: str = ""
    _files: tuple[PlannedFile, ...] = ()
    _refused: tuple[Refused, ...] = ()
    _facts: tuple[Item, ...] = ()
    _versions: tuple[Mapping[str, Any], ...] = ()


class Importer:
    """Reads sources, plans, and applies plans."""

    def __init__(
        self,
        home: "Home",
        options: ImportOptions | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Import into *home*; *progress* gets the number of written files and the total."""
        self._context, self._memory, self._facts = home.context, home.memory, home.facts
        self._journal, self._registry, self._review = home.journal, home.registry, home.review_items
        self._options = replace(options or ImportOptions(), workspace=self._context.workspace)
        self._progress = progress

    def run(self, path: Path, *, apply: bool = False, data: bytes | None = None) -> ImportPlan:
        """Plan an import, and with *apply* carry it out.

        Args:
            path: A directory, a file, or an archive.
            data: The content, if it was read from standard input.
        """
        self._context.access.require_operator("import memory")
        with open_source(path) if data is None else open_stdin(data) as source:
            return self._run(source, apply)

    def _run(self, source: Source, apply: bool) -> ImportPlan:
        options = self._options
        layout = find_layout(source)
        contents = layout.read(source, options)
        contents.left_out += source.skipped
        if not apply:
            return self._rehearse_facts(contents, self._plan(contents, source, layout.NAME))
        with lock(self._context.lock_path("import")):
            return self._apply(contents, self._plan(contents, source, layout.NAME))

    # Plan

    def _plan(self, contents: Contents, source: Source, layout: str) -> ImportPlan:
        """Plan the import; nothing is written."""
        options = self._options
        crews = {each.name for each in self._registry.list_crews()}
        homes = {each.slug: each.crew for each in self._registry.list_agents()}
        self._check_aim(crews, homes)
        new = find_new_members(self._registry, contents.registry)
        crews |= {each["name"] for each in new["crews"]}
        homes |= {each["slug"]: each["crew"] for each in new["agents"]}
        limit = self._choose_origin(contents)
        needs_target = any(text.scope is None for text in contents.texts)
        if needs_target and not (options.agent or options.crew):
            raise UsageError(
                f"{source.name} names no agent or crew: add --agent SLUG or --crew NAME",
                code="no-target",
                hint=self._context.command("agent list"),
            )
        recipients = Recipients(
            [(each.crew, each.agent) for each in contents.texts]
            + [_find_fact_owner(each)[1:] for each in contents.facts],
            crew=options.crew, agent=options.agent, homes=homes, crews=crews,
        )  # fmt: skip
        owned: list[tuple[Text, ItemOwner]] = []
        left_out: list[LeftOut] = []
        for text in contents.texts:
            owner = recipients.find(text.scope, text.crew, text.agent)
            if isinstance(owner, str):
                left_out.append(LeftOut(text.source, owner))
            else:
                owned.append((text, owner))
        facts = []
        for record in contents.facts:
            addressed = _address(record, recipients)
            if isinstance(addressed, str):
                left_out.append(LeftOut(record.source, addressed, record.line))
            else:
                facts.append(addressed)
        versions = []
        for version in contents.versions:
            found = parse_reference(str(version["path"]))
            owner = recipients.find(found.scope, found.crew, found.agent)
            if owner == (found.scope, found.crew, found.agent):
                origin = lowest_origin((str(version["origin"]), limit))
                versions.append({**version, "origin": origin})
        planner = FilePlanner(
            self._context,
            self._load_present({owner for _, owner in owned}),
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
            raise nothing_to_import(source.name, left_out)
        return ImportPlan(
            source=source.name,
            layout=layout,
            target=_describe_target(options, [owner for _, owner in owned]),
            origin=limit,
            merge=options.merge,
            files=tuple(planner.writes),
            unchanged=len(planner.unchanged),
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

    def _warn_of_full_directories(self, planner: FilePlanner) -> None:
        context, cap = self._context, planner.directory_cap
        for prefix, size in sorted(planner.wanted.items()):
            if size > cap:
                scale = math.ceil(float(context.settings["files.cap_scale"]) * size / cap)
                context.warn(
                    "directory-full",
                    f"{prefix} may contain at most {cap:,} bytes, and would have {size:,}: what"
                    " does not fit is left out",
                    "import a part of it, or raise all caps: "
                    + context.command("config set", "files.cap_scale", str(scale)),
                )

    def _check_aim(self, crews: set[str], homes: Mapping[str, str]) -> None:
        options = self._options
        for what, name, known in (("crew", options.crew, crews), ("agent", options.agent, homes)):
            if name and name not in known:
                raise NotFoundError(
                    f"there is no {what} '{name}' in workspace '{self._context.workspace}'",
                    code=f"{what}-not-found",
                    hint=self._context.command(f"{what} add", name),
                )

    def _choose_origin(self, contents: Contents) -> str:
        """Return the highest origin class of the texts."""
        wanted = self._options.origin
        if wanted is None and contents.is_bundle and self._is_own(contents):
            wanted = "agent"
        return self._context.access.origin(wanted or contents.origin)

    def _is_own(self, contents: Contents) -> bool:
        """Tell whether a bundle was exported by this home."""
        exports = self._journal.list(EntryFilter(types=("memory.exported",)), limit=1000).entries
        return bool(contents.digest) and any(
            entry.payload.get("sha256") == contents.digest for entry in exports
        )

    def _load_present(self, owners: set[ItemOwner]) -> dict[str, str]:
        """Return the texts of the owners' existing files, by reference."""
        present = {}
        prefixes = tuple(owner.prefix for owner in owners)
        if prefixes:
            for target in self._memory.targets():
                if target.reference.startswith(prefixes):
                    try:
                        content = target.read()
                    except (NotFoundError, RefusedError):
                        continue  # `memory status` reports unreadable files
                    present[target.reference] = content.decode("utf-8", "surrogateescape")
        return present

    # Apply

    def _apply(self, contents: Contents, plan: ImportPlan) -> ImportPlan:
        """Carry out a plan. If it is interrupted, running it again gives the same result."""
        left_out = list(plan.left_out)
        if add_members(self._registry, contents.registry):
            self._memory.reload_directories()
        versions = self._import_versions(contents, plan)
        for refused in plan._refused:
            where = f"import of {plan.source}: {refused.source}:{refused.line}"
            self._memory.keep_refused(refused.file, refused.text, refused.rules, where)
        stay: dict[str, str] = {}
        for start in range(0, len(plan._files), AT_ONCE):
            files = plan._files[start : start + AT_ONCE]
            stay |= self._memory.write_planned(files, operation="import")
            if self._progress is not None:
                self._progress(start + len(files), len(plan._files))
        written = [write for write in plan.files if write.file not in stay]
        left_out += (
            LeftOut(write.source, stay[write.file]) for write in plan.files if write.file in stay
        )
        facts, bad = self._import_facts(contents, plan)
        journal = self._import_journal(contents, plan, left_out)
        done = replace(
            plan,
            files=tuple(written),
            bytes=sum(each.bytes for each in written),
            left_out=sort_left_out([*left_out, *bad]),
            facts=facts,
            journal=journal,
            versions=versions,
            applied=True,
        )
        is_changed = any((written, facts.added, facts.changed, journal.added, versions.added))
        if not (is_changed or plan.unchanged or facts.unchanged or journal.unchanged) and bad:
            raise nothing_to_import(plan.source, done.left_out)
        review = self._ask_for_trust(contents, done) if is_changed else ""
        if is_changed:
            files_written = len({write.file for write in written})  # several may go into one
            self._journal.append(
                "memory.imported",
                f"{plan.layout} imported from {plan.source}: {count(files_written, 'file')},"
                f" {count(facts.added or 0, 'fact')},"
                f" {count(journal.added or 0, 'entry', 'entries')}",
                payload={
                    "source": plan.source,
                    "layout": plan.layout,
                    "target": plan.target,
                    "files": files_written,
                    "facts": facts.added or 0,
                    "entries": journal.added or 0,
                    "left_out": len(done.left_out),
                },
                origin=plan.origin,
            )
        return replace(done, review=review)

    def _import_versions(self, contents: Contents, plan: ImportPlan) -> PlannedStore:
        if not plan._versions or contents.load_content is None or self._memory.versions is None:
            return plan.versions
        added = self._memory.versions.import_versions(plan._versions, contents.load_content)
        return PlannedStore(len(plan._versions), added, 0, len(plan._versions) - added)

    def _rehearse_facts(self, contents: Contents, plan: ImportPlan) -> ImportPlan:
        """Complete the plan with the result for facts, which only a rehearsal shows."""
        if not plan._facts or self._context.read_only:
            return plan
        with rehearsal(self._context.db):
            facts, bad = self._import_facts(contents, plan)
        return replace(plan, facts=facts, left_out=sort_left_out([*plan.left_out, *bad]))

    def _import_facts(
        self, contents: Contents, plan: ImportPlan
    ) -> tuple[PlannedStore, list[LeftOut]]:
        if not plan._facts:
            return plan.facts, []
        crew, agent = self._options.crew, self._options.agent
        report = self._facts.import_facts(
            [record.value for record in plan._facts],
            keep_origin=contents.is_bundle,
            origin=plan.origin,
            agent=agent or None,
            crew=None if agent else crew or None,
        )
        records = [
            (plan._facts[each.number - 1], each.reason)
            for each in (*report.bad, *report.quarantined)
        ]
        return (
            PlannedStore(len(plan._facts), report.created, report.updated, report.unchanged),
            [LeftOut(record.source, reason, record.line) for record, reason in records],
        )

    def _import_journal(
        self, contents: Contents, plan: ImportPlan, left_out: list[LeftOut]
    ) -> PlannedStore:
        if contents.journal is None:
            return plan.journal
        if self._options.agent or self._options.crew:
            left_out.append(LeftOut("journal.jsonl", "only possible without --agent and --crew"))
            return plan.journal
        result = self._journal.import_lines(
            io.BytesIO(contents.journal), origin=plan.origin, keep_pins=plan.origin != "external"
        )
        left_out += (LeftOut("journal.jsonl", each.reason, each.number) for each in result.problems)
        return PlannedStore(result.lines, result.added, 0, result.known)

    # Trust

    def _ask_for_trust(self, contents: Contents, plan: ImportPlan) -> str:
        """Put a foreign bundle into review, with the classes that it records."""
        if not contents.is_bundle or plan.origin != "external":
            return ""
        recorded = {text.source: text.origin for text in contents.texts}
        facts = {}
        for record in plan._facts:
            origin, pin = record.value.get("origin") or "agent", record.value.get("pin") or "none"
            if record.value.get("id") and (origin != "external" or pin != "none"):
                facts[str(record.value["id"])] = [origin, pin]
        files = {write.file: recorded.get(write.source) or "agent" for write in plan.files}
        if not (files or facts):
            return ""
        what = f"{count(len(files), 'file')}, {count(len(facts), 'fact')}"
        return self._review.add(
            "import",
            f"trust the bundle {plan.source}: {what}",
            payload={"source": plan.source, "files": files, "facts": facts},
            key=contents.digest or plan.source,
        )

    def trust(self, payload: Mapping[str, Any]) -> list[str]:
        """Give the texts of a bundle the origin classes that it records.

        A file that was changed since the import keeps its class.
        """
        versions, files = self._memory.versions, []
        for file, origin in payload.get("files", {}).items():
            newest = versions.newest(file) if versions else None
            if newest and newest.operation == "import" and newest.origin == "external":
                content = self._memory.locator.resolve(file, must_exist=False)[0].read()
                files.append(PlannedFile(file, content, content, origin))
        stay = self._memory.write_planned(files, operation="trust")
        done = [f"{each.file} is of class {each.origin}" for each in files if each.file not in stay]
        count = set_origins(self._facts.table, payload.get("facts", {}))
        if count:
            done.append(f"{count} facts have the classes that the bundle records")
        return done or ["nothing was left to change"]


def nothing_to_import(source: str, left_out: Sequence[LeftOut]) -> DamagedError:
    """Return the error for a source without anything that can be stored."""
    reasons = [f"{each.source}:{each.line}: {each.reason}" for each in left_out[:20]]
    return DamagedError(
        f"nothing in {source} can be imported" + "".join(f"; {reason}" for reason in reasons[:1]),
        code="nothing-to-import",
        details={"left_out": reasons},
    )


def sort_left_out(left_out: Sequence[LeftOut]) -> tuple[LeftOut, ...]:
    """Sort what is left out by source and line, without duplicates."""
    return tuple(sorted(set(left_out), key=lambda each: (each.source, each.line, each.reason)))


def _find_fact_owner(record: Item) -> ItemOwner:
    """Return the owner of a fact in its source."""
    agent, crew = str(record.value.get("agent") or ""), str(record.value.get("crew") or "")
    return ItemOwner(Scope.AGENT if agent else Scope.CREW if crew else Scope.WORKSPACE, crew, agent)


def _address(record: Item, recipients: Recipients) -> Item | str:
    """Return a fact with the agent or crew that gets it, or the reason why there is none.

    A fact without an owner, or a purged one, goes to the named agent or crew.
    """
    scope, crew, agent = _find_fact_owner(record)
    if scope is Scope.WORKSPACE or record.value.get("purged"):
        return record
    owner = recipients.find(scope, crew, agent)
    if isinstance(owner, str):
        return owner
    named = {"agent": owner.agent} if owner.agent else {"crew": owner.crew}
    return record._replace(value={**record.value, **named})


def _describe_target(options: ImportOptions, owners: Sequence[ItemOwner]) -> str:
    if options.agent:
        return f"agent {options.agent}"
    if options.crew:
        return f"crew {options.crew}"
    prefixes = sorted({owner.prefix for owner in owners})
    return ", ".join(prefixes[:5]) + (" …" if len(prefixes) > 5 else "") or "workspace"


class ImportHandler(Handler):
    """A foreign bundle, whose texts are external until it is trusted."""

    in_transaction = False

    def approve(self, item: ReviewItem, choice: Choice) -> Sequence[str]:
        """Trust the bundle: its texts get the origin classes that it records."""
        return Importer(self.home).trust(item.payload)

    def reject(self, item: ReviewItem, reason: str) -> Sequence[str]:
        return [f"texts from {item.payload['source']} stay external"]

    def describe(self, item: ReviewItem) -> list[str]:
        """Return the files and the number of facts, with the classes that they would get."""
        files: Mapping[str, str] = item.payload.get("files", {})
        facts: Mapping[str, Sequence[str]] = item.payload.get("facts", {})
        lines = [f"+ {file}: {origin}" for file, origin in sorted(files.items())]
        for origin in sorted({each[0] for each in facts.values()}):
            number = sum(1 for each in facts.values() if each[0] == origin)
            lines.append(f"+ {number} facts: {origin}")
        return lines
