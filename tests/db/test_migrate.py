"""Schemas that grow."""

import hashlib
import re
import stat
from contextlib import closing

import apsw
import pytest

from crewmem.db.connect import Mode, connect, connect_memory, fetch, fetch_one
from crewmem.db.migrate import TRUTH, _folder, migrate, newest, steps, version
from crewmem.errors.database import ForeignDatabaseError, SchemaTooNewError

LANDED = {
    "0001_registry.sql": "31f4d3f83bd142a4",
    "0002_journal.sql": "5fa664df6f27bddf",
    "0003_episodes.sql": "f5bee97d32cf645d",
    "0004_versions.sql": "c7d02074b1777ae9",
    "0005_operator.sql": "f88aca78d97119a1",
    "0006_nudges.sql": "2b5b392a1f730e56",
    "0007_memories.sql": "6894cbac53ea4968",
    "0008_sessions.sql": "0506fb34307ca9da",
    "0009_consolidation.sql": "6215bd5dd58f8f55",
    "0010_jobs.sql": "d75eecd755bee633",
    "0011_health.sql": "74b3e920188abb7c",
    "0012_memories_found.sql": "871efbde97bee6d8",
    "0013_transcripts.sql": "9f70a4f4cb824804",
    "0014_memories_of_topics.sql": "3c0b93d7d3d9f03b",
    "0015_evaluation.sql": "17a86a9905370b52",
}
"""Written once, when a step lands; databases out there have already run it."""

ONE = "create table a (x)"
TWO = "alter table a add column y; insert into a values (2, 2)"


def dump(db):
    """Return everything in *db* that a step can make."""
    tables = fetch(db, "select name from sqlite_schema where type = 'table'")
    return (
        fetch(db, "select type, name, tbl_name, sql from sqlite_schema order by 1, 2"),
        [(name, fetch(db, f"select * from {name}")) for (name,) in tables],  # noqa: S608 - a name of ours
        version(db),
    )


@pytest.fixture(name="path")
def _path(tmp_path, schema):
    """A database at the first of two steps, with a row."""
    path = tmp_path / "a.sqlite"
    with closing(connect(path, Mode.CREATE)) as db:
        migrate(db, schema(ONE))
        db.execute("insert into a values (1)")
    return path


def test_landed_steps_are_never_edited():
    """A step that databases have run stays as they ran it."""
    found = {
        name: hashlib.sha256(sql.encode()).hexdigest()[:16]
        for name, sql in steps(TRUTH)
    }
    assert found == LANDED


def test_steps_are_numbered():
    """Steps are numbered from one, without a gap, and say what they do."""
    names = [name for name, _ in steps(TRUTH)]
    assert [int(name[:4]) for name in names] == list(range(1, newest(TRUTH) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", name) for name in names)


@pytest.mark.parametrize("seen", range(newest(TRUTH) + 1))
def test_upgraded_is_fresh(tmp_path, seen):
    """A database that has seen some of the steps becomes as a new one is."""
    older = tmp_path / "older"
    older.mkdir()
    for name, sql in steps(TRUTH)[:seen]:
        (older / name).write_text(sql, "utf-8")
    with closing(connect_memory()) as upgraded, closing(connect_memory()) as fresh:
        migrate(upgraded, str(older))
        migrate(upgraded)
        migrate(fresh)
        assert dump(upgraded) == dump(fresh)
        assert version(fresh) == newest(TRUTH)


def test_migrating_twice_changes_nothing():
    """A database that is up to date is left as it is."""
    with closing(connect_memory()) as db:
        assert migrate(db) == [name for name, _ in steps(TRUTH)]
        once = dump(db)
        assert migrate(db) == []
        assert dump(db) == once


def test_only_new_steps_are_applied(path, schema):
    """What was applied is not applied again, and what is kept stays."""
    with closing(connect(path, Mode.WRITE)) as db:
        assert migrate(db, schema(ONE, TWO)) == ["0002_step.sql"]
        assert fetch(db, "select x, y from a") == [(1, None), (2, 2)]


def test_a_backup_is_made_before(path, schema):
    """Beside the database is one of before, for its owner's eyes alone."""
    with closing(connect(path, Mode.WRITE)) as db:
        migrate(db, schema(ONE, TWO))
    kept = path.with_name("a.sqlite.before-0002")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with closing(connect(kept, Mode.READ)) as db:
        assert version(db) == 1
        assert fetch(db, "select * from a") == [(1,)]


def test_a_new_database_needs_no_backup(tmp_path, path):
    """There is nothing to keep of a database that was empty."""
    assert list(tmp_path.iterdir()) == [path]


def test_a_step_that_fails_changes_nothing(path, schema):
    """All new steps are applied, or none is, and the next try begins as the first."""
    broken = schema(ONE, TWO, "create table b (x); insert into nowhere values (1)")
    with closing(connect(path, Mode.WRITE)) as db:
        before = dump(db)
        for _ in range(2):
            with pytest.raises(apsw.SQLError):
                migrate(db, broken)
            assert dump(db) == before
    with closing(connect(path.with_name("a.sqlite.before-0003"), Mode.READ)) as db:
        assert dump(db) == before


def test_every_statement_of_a_step_is_run(tmp_path, schema):
    """A statement that answers with rows does not end a step."""
    with closing(connect(tmp_path / "b.sqlite", Mode.CREATE)) as db:
        migrate(db, schema("create table a (x); select 1; create table b (x)"))
        assert fetch_one(db, "select count(*) from sqlite_schema") == (2,)


@pytest.mark.parametrize("before", [[], [ONE]])
def test_several_who_migrate_at_once_all_succeed(tmp_path, schema, beside, before):
    """One of them migrates, the others wait for it; the backup is of before."""
    path = tmp_path / "b.sqlite"
    with closing(connect(path, Mode.CREATE)) as db:
        db.execute("pragma journal_mode = wal").fetchall()
        migrate(db, schema(*before))
    both = schema(ONE, TWO)

    def upgrade():
        with closing(connect(path, Mode.WRITE)) as db:
            migrate(db, both)

    assert beside(*[upgrade] * 4) == [0] * 4
    with closing(connect(path, Mode.READ)) as db:
        assert version(db) == 2
        assert fetch(db, "select * from a") == [(2, 2)]
    if before:
        kept = connect(path.with_name("b.sqlite.before-0002"), Mode.READ)
        with closing(kept) as db:
            assert version(db) == 1


@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_database_that_is_made_meanwhile_is_ours(tmp_path, nth):
    """Whenever another process makes it, it is empty or made, and never foreign."""
    path = tmp_path / "b.sqlite"
    with (
        closing(connect(path, Mode.CREATE)) as db,
        closing(connect(path, Mode.WRITE)) as other,
    ):
        seen = []

        def before(_cursor, sql, _values):
            seen.append(sql)
            if len(seen) == nth:
                migrate(other)
            return True

        db.exec_trace = before
        assert version(db) in {0, newest(TRUTH)}
        db.exec_trace = None
        migrate(db)
        assert version(db) == newest(TRUTH)


def test_a_newer_database_is_refused(path, schema):
    """An old crewmem does not touch what a new one wrote."""
    with closing(connect(path, Mode.WRITE)) as db:
        migrate(db, schema(ONE, TWO))
        before = dump(db)
    older = _folder(schema(ONE, TWO))
    (older / "0002_step.sql").unlink()
    with (
        closing(connect(path, Mode.WRITE)) as db,
        pytest.raises(SchemaTooNewError, match="schema 2; this crewmem knows up to 1"),
    ):
        migrate(db, str(older))
    with closing(connect(path, Mode.READ)) as db:
        assert dump(db) == before


@pytest.mark.parametrize("mark", [0, 0x43524D4D])
def test_a_foreign_database_is_refused(tmp_path, mark):
    """Tables that another program made, or an index, are left alone."""
    path = tmp_path / "b.sqlite"
    with closing(apsw.Connection(str(path))) as db:
        db.execute(f"create table t (x); pragma application_id = {mark}")
        db.execute("pragma user_version = 1")
    before = path.read_bytes()
    with (
        closing(connect(path, Mode.WRITE)) as db,
        pytest.raises(ForeignDatabaseError, match="but not crewmem's"),
    ):
        migrate(db)
    assert path.read_bytes() == before


def test_what_a_newer_crewmem_moved_is_explained(path, schema):
    """SQL that fails on a newer schema is no bug; on ours it is."""
    with closing(connect(path, Mode.WRITE)) as db:
        with pytest.raises(apsw.SQLError):
            fetch(db, "select z from a")
        db.execute(f"pragma user_version = {newest(TRUTH) + 1}")
        with pytest.raises(SchemaTooNewError):
            fetch(db, "select z from a")
    assert schema(ONE)
