"""Checks of crewmem.db, the hash chain of the journal, and the index of memory files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from crewmem.context import DATABASE_FILE, INDEX_FILE
from crewmem.errors import CrewmemError, DamagedError
from crewmem.files.index import stored_path
from crewmem.health.doctor import (
    DATABASE,
    HOME,
    MEMORY,
    ExaminedHome,
    Finding,
    check,
    failed,
    format_examples,
    passed,
    repairs,
    skipped,
    warned,
)
from crewmem.health.salvage import FILL_WORKSPACES, FULL_TEXTS, salvage
from crewmem.storage.sqlite import (
    HOME_SCHEMA,
    INDEX_SCHEMA,
    Database,
    Schema,
    has_own_tables,
    open_in_memory,
    open_unchecked,
    transaction,
)
from crewmem.text.wording import count

MAX_FAULTS = 20
"""Maximum number of faults that are read from SQLite."""

INDEX_FAULTS = ("missing from index", "wrong # of entries in index", "non-unique entry in index")
"""Messages of `pragma quick_check` about indexes that can be rebuilt from their tables."""

ORPHANS = {
    "fact_similarities": "src_id not in (select id from facts)"
    " or dst_id not in (select id from facts)",
    "fact_accesses": "fact_id not in (select id from facts)",
    "entry_similarities": "src_seq not in (select seq from episodes)"
    " or dst_seq not in (select seq from episodes)",
    "episodes": "seq not in (select seq from journal_entries)",
    "votes": "fact_id not in (select id from facts)",
    "fact_revisions": "fact_id not in (select id from facts)",
}
"""Conditions for rows that refer to a missing row, by table."""

JSON_COLUMNS = {
    "facts": ("tags", "entities", "metadata", "source_spans"),
    "journal_entries": ("payload", "refs"),
    "review_items": ("payload", "decision"),
    "consolidation_candidates": ("evidence",),
}
"""JSON columns, by table; damaged JSON reads as empty."""

TEXT_TABLES = (
    "crews", "agents", "facts", "fact_revisions", "votes", "journal_entries", "review_items",
)  # fmt: skip
"""Tables whose texts are checked: no command can read a row with text that is not UTF-8."""

DERIVED = ("fact_similarities", "fact_accesses", "entry_similarities", "episodes")
"""Tables of ORPHANS that jobs fill again, so that a repair may delete rows."""


@check("database.integrity", passes="pages, indexes and references are undamaged")
def check_integrity(subject: ExaminedHome) -> Iterator[Finding]:
    """Find damaged pages and indexes, and rows that refer to missing rows."""
    path = subject.path / DATABASE_FILE
    if not path.is_file():
        yield skipped(f"there is no {DATABASE_FILE} here")
        return
    faults = _quick_check(path, in_place=subject.view.context.reads_in_place)
    if faults:
        yield failed(
            f"{path} is damaged: {format_examples(faults)}",
            expected="an undamaged database; a backup from before the damage is better than a"
            " repair, which keeps only readable rows",
            where=str(path),
        )
        return
    if subject.error is not None:
        yield passed("all pages are undamaged")
        return
    db = subject.context.db
    for table, condition in ORPHANS.items():
        number = db.value(f"select count(*) from {table} where {condition}")
        if number:
            yield warned(
                f"{count(number, 'row')} of {table} {'refers' if number == 1 else 'refer'}"
                " to a row that is gone",
                expected="rows that refer to existing rows",
            )
    damaged = sorted({f"{column} of {table}" for table, column, *_ in _find_damaged_texts(db)})
    if damaged:
        yield failed(
            f"text that is not UTF-8 in {format_examples(damaged)}",
            expected="text in UTF-8; the repair replaces the bytes that cannot be read",
        )
        return  # damaged text cannot be read below
    for table, columns in JSON_COLUMNS.items():
        valid = " and ".join(f"json_valid({column})" for column in columns)
        ids = db.column(f"select id from {table} where not ({valid}) limit {MAX_FAULTS}")
        if ids:
            yield failed(
                f"{', '.join(columns)} of {table}: damaged JSON, which reads as empty:"
                f" {format_examples(ids)}",
                expected="a backup from before the damage",
            )


def _find_damaged_texts(db: Database) -> Iterator[tuple[str, str, int, bytes]]:
    """Yield the texts that are not UTF-8: table, column, row id, bytes."""
    for table in TEXT_TABLES:
        try:
            for _ in db.execute(f"select * from {table}"):
                pass  # most tables can be read, which is fast
            continue
        except DamagedError:
            columns = [row[1] for row in db.all(f"pragma table_info({table})") if row[2] == "TEXT"]
        blobs = ", ".join(f"cast({column} as blob)" for column in columns)
        for rowid, *values in db.all(f"select rowid, {blobs} from {table}"):
            for column, value in zip(columns, values, strict=True):
                try:
                    (value or b"").decode()
                except UnicodeDecodeError:
                    yield table, column, rowid, value


def _quick_check(path: Path, *, in_place: bool) -> list[str]:
    """Return the faults that SQLite finds in a database, without writing to it."""
    if not path.stat().st_size:
        return ["the file is empty"]
    try:
        db = open_unchecked(path, in_place=in_place)
        try:
            rows = db.column(f"pragma quick_check({MAX_FAULTS})")
        finally:
            db.close()
    except DamagedError as error:
        return [error.message]
    except apsw.Error as error:
        return [str(error)]
    faults = [str(text).strip().partition("\n")[2] or str(text) for text in rows]
    return [] if faults == ["ok"] else [fault for fault in faults if fault]


def _is_index_fault(faults: Sequence[str]) -> bool:
    return all(any(known in fault for known in INDEX_FAULTS) for fault in faults)


@repairs(check_integrity, must_be_named=True)
def repair_integrity(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Rebuild indexes and delete derived orphan rows; if pages are damaged, salvage the rows."""
    path = subject.path / DATABASE_FILE
    if not path.is_file():
        return []
    done = []
    faults = _quick_check(path, in_place=subject.view.context.reads_in_place)
    if faults and not _is_index_fault(faults):
        return _replace_damaged(subject, dry_run)
    if subject.error is not None:
        return []
    db = subject.context.db
    if faults:
        done.append(f"rebuilt the indexes of {DATABASE_FILE}")
        if not dry_run:
            db.execute("reindex")
    with transaction(db):
        for table, column, rowid, value in list(_find_damaged_texts(db)):
            done.append(f"replaced unreadable bytes in {column} of {table}, row {rowid}")
            if not dry_run:
                text = value.decode(errors="replace")
                db.execute(f"update {table} set {column} = ? where rowid = ?", (text, rowid))
        for table, condition in ORPHANS.items():
            number = db.value(f"select count(*) from {table} where {condition}")
            if number and (table in DERIVED or table == "votes"):
                done.append(f"deleted {count(number, 'row')} of {table}")
                if not dry_run:
                    db.execute(f"delete from {table} where {condition}")
    return done


def _replace_damaged(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Replace a damaged database by a new one with its readable rows; keep the damaged file."""
    path = subject.path / DATABASE_FILE
    backup, new_path = path.with_name(f"{DATABASE_FILE}.damaged"), path.with_name("crewmem.new")
    if backup.exists():
        return [f"nothing was done: {backup} already exists; move it away"]
    if dry_run:
        return [f"would copy readable rows into a new {DATABASE_FILE}, and keep {backup.name}"]
    subject.home.close()
    context = subject.context
    salvaged = salvage(
        path, new_path, has_store=bool(context.settings["store"]), now=context.now_text
    )
    for suffix in ("", "-wal", "-shm"):
        part = Path(f"{path}{suffix}")
        if part.exists():
            part.rename(f"{backup}{suffix}")
    new_path.rename(path)
    subject.error = None
    done = "made an empty one: no row could be read"
    if salvaged.rows:
        done = f"copied {count(salvaged.rows, 'readable row')} into a new {DATABASE_FILE}"
        if salvaged.incomplete:
            done += f"; rows are missing in {format_examples(salvaged.incomplete)}"
    if salvaged.is_mirror:
        done += f"; to copy the shared rows from the store, run: {subject.command('init --store')}"
    return [f"{done}; kept {backup.name}"]


@check("database.schema")
def check_schema(subject: ExaminedHome) -> Finding:
    """Find a wrong schema version, missing tables, indexes or triggers, and foreign triggers."""
    path = subject.path / DATABASE_FILE
    if not path.is_file():
        return skipped(f"there is no {DATABASE_FILE} here")
    try:
        version, tables = _read_schema(subject, path)
    except CrewmemError as error:
        return skipped(error.message)
    expected = _list_tables(HOME_SCHEMA)
    missing = sorted(expected.keys() - tables.keys())
    if version != HOME_SCHEMA.version:
        has_tables = not missing
        return failed(
            f"{path} has schema {version}, and this crewmem reads schema {HOME_SCHEMA.version}",
            expected=f"schema {HOME_SCHEMA.version}, whose tables it has"
            if has_tables
            else "the version of crewmem that wrote it",
            where=str(path),
            by_hand=not has_tables,
        )
    if missing:
        return failed(
            f"{format_examples(missing)} {'is' if len(missing) == 1 else 'are'} missing",
            expected="all tables, indexes and triggers of the schema",
            where=str(path),
        )
    triggers = [name for name, kind in tables.items() if kind == "trigger" and name not in expected]
    if triggers:
        return failed(
            f"triggers that crewmem did not create: {format_examples(triggers)}",
            expected="no foreign trigger: it may change stored data",
            where=str(path),
        )
    return passed(f"schema {version}")


def _read_schema(subject: ExaminedHome, path: Path) -> tuple[int, dict[str, str]]:
    """Return the schema version, and the type of each table, index and trigger by name."""
    db = open_unchecked(path, in_place=subject.view.context.reads_in_place)
    try:
        version = db.value("pragma user_version")
        rows = db.execute("select name, type from sqlite_schema").fetchall()
    finally:
        db.close()
    return int(str(version)), {str(name): str(kind) for name, kind in rows}


def _list_tables(schema: Schema) -> dict[Any, Any]:
    db = open_in_memory(schema)
    try:
        return dict(db.all("select name, type from sqlite_schema"))
    finally:
        db.close()


@repairs(check_schema, must_be_named=True)
def repair_schema(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Set the version if all tables exist; add missing objects, drop foreign triggers."""
    path = subject.path / DATABASE_FILE
    if not path.is_file():
        return []
    version, tables = _read_schema(subject, path)
    model = open_in_memory(HOME_SCHEMA)
    kinds = dict(model.all("select name, type from sqlite_schema"))
    definitions = dict(
        model.all("select name, sql from sqlite_schema where sql is not null order by rowid")
    )
    model.close()
    missing = kinds.keys() - tables.keys()
    done: list[str] = []
    statements: list[str] = []
    if version != HOME_SCHEMA.version and not missing:
        done.append(f"set the schema version from {version} to {HOME_SCHEMA.version}")
        statements.append(f"pragma user_version = {HOME_SCHEMA.version}")
    shadow_prefixes = tuple(  # of tables that SQLite creates with a virtual table
        f"{name}_" for name, sql in definitions.items() if sql.upper().startswith("CREATE VIRTUAL")
    )
    for name in definitions if version == HOME_SCHEMA.version else ():
        if name in missing and not name.startswith(shadow_prefixes):
            is_empty = kinds[name] == "table" and name not in FULL_TEXTS
            done.append(f"added the {kinds[name]} {name}" + (", which is empty" * is_empty))
            statements.append(definitions[name])
            if name in FULL_TEXTS:
                statements.append(f"insert into {name} ({name}) values ('rebuild')")
    for name, kind in tables.items():
        if kind == "trigger" and name not in kinds and version == HOME_SCHEMA.version:
            done.append(f"dropped the foreign trigger {name}")
            statements.append('drop trigger "' + name.replace('"', '""') + '"')
    if not dry_run:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            for statement in statements:
                connection.execute(statement)
            if "workspaces" in missing:
                connection.execute(FILL_WORKSPACES, {"now": subject.context.now_text})
        finally:
            connection.close()
        if done and subject.error is not None and subject.error.code == "schema-version":
            subject.error = None
    return done


@check("database.fulltext", DATABASE, passes="the full-text indexes agree with their rows")
def check_fulltext(subject: ExaminedHome) -> Iterator[Finding]:
    """Find full-text indexes that differ from their source rows."""
    db = subject.context.db
    for name, (table, key, condition) in FULL_TEXTS.items():
        rows = db.value(f"select count(*) from {table}{condition}")
        indexed = db.value(f"select count(*) from {name}_docsize")
        orphans = db.value(
            f"select count(*) from {name}_docsize where id not in"
            f" (select {key} from {table}{condition})"
        )
        is_damaged = False
        if not db.read_only:
            try:
                db.execute(f"insert into {name} ({name}) values ('integrity-check')")
            except DamagedError as error:
                if error.code != "database-damaged":
                    raise
                is_damaged = True
        if rows != indexed or orphans or is_damaged:
            yield failed(
                f"the full-text index of {table} is damaged"
                if is_damaged
                else f"the full-text index of {table} has {count(indexed, 'row')}, not {rows:,}",
                expected="every row in the full-text index",
            )


@repairs(check_fulltext)
def rebuild_fulltext(subject: ExaminedHome, dry_run: bool) -> list[str]:
    """Rebuild the full-text indexes from their source rows."""
    if not dry_run:
        for name in FULL_TEXTS:
            subject.context.db.execute(f"insert into {name} ({name}) values ('rebuild')")
    return ["rebuilt the full-text indexes of facts and journal"]


@check("journal.chain", DATABASE)
def check_chain(subject: ExaminedHome) -> list[Finding]:
    """Find the first broken link of each hash chain."""
    reports = subject.system.journal.verify()
    broken = [
        failed(
            report.broken.message,
            expected="an unbroken chain; restore the changed entries from a backup",
            fix=subject.command("journal verify"),
        )
        for report in reports
        if report.broken is not None
    ]
    if broken or not subject.context.access.is_operator:
        return broken or [passed("the chain is intact")]
    entries = sum(report.entries for report in reports)
    return [passed(f"the chain is intact: {count(entries, 'entry', 'entries')}")]


@check("index.usable", HOME)
def check_index_usable(subject: ExaminedHome) -> Finding:
    """Find an index that is damaged, has another version, or belongs to another tree."""
    path = subject.context.workspace_dir / INDEX_FILE
    fix = subject.command("memory reindex", "--full")
    if not path.exists():
        return passed("there is no index yet; the first search creates it")
    if not path.is_file():
        return failed(
            f"{path} is not a file",
            expected="an index; remove it, and the next search creates a new one",
        )
    db = subject.view.context.open_database(path, INDEX_SCHEMA)
    try:
        if not has_own_tables(db):
            return failed(
                "its tables or triggers are not crewmem's",
                expected="an index created by crewmem",
                fix=fix,
                where=str(path),
            )
        faults = _quick_check(path, in_place=subject.view.context.reads_in_place)
        if faults:
            return failed(
                f"{path} is damaged: {format_examples(faults)}",
                expected="an undamaged index",
                fix=fix,
            )
        directories = subject.view.memory_index.directories
        known = {stored_path(each.path, path.parent) for each in directories}
        indexed = set(db.column("select path from directories"))
    finally:
        db.close()
    if indexed and known and not known & indexed:
        return warned(
            f"it indexes other directories: {format_examples(sorted(indexed))}",
            expected="an index of this home",
            fix=subject.command("memory reindex"),
            where=str(path),
        )
    return passed("the index is usable")


@check("index.fresh", MEMORY)
def check_index_fresh(subject: ExaminedHome) -> Finding:
    """Find files that changed since they were indexed."""
    if not subject.is_tree and not (subject.context.workspace_dir / INDEX_FILE).exists():
        number = subject.view.memory_index.load().report().files
        if not number:
            return passed("there is nothing to index")
        return warned(
            f"{count(number, 'file')} {'is' if number == 1 else 'are'} not indexed",
            expected="an index",
            fix=subject.command("memory reindex"),
        )
    report = subject.refresh_report
    changed = report.added + report.changed + report.removed
    if changed and not subject.is_tree:
        return warned(
            f"{count(changed, 'file')} changed since indexing",
            expected="an up-to-date index",
            fix=subject.command("memory reindex"),
        )
    return passed(f"{count(report.files, 'file')} indexed")
