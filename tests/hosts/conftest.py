"""Homes that have joined one store."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

psycopg = pytest.importorskip("psycopg")

from crewmem.home import create_home  # noqa: E402 - after the skip
from tests.conftest import open_home  # noqa: E402
from tests.hosts.network import Proxy  # noqa: E402
from tests.running import run_crewmem  # noqa: E402


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


@pytest.fixture
def proxy(address, monkeypatch):
    """The network between a home and the server. After a cut a home asks the server at once."""
    monkeypatch.setattr("crewmem.hosts.connection.UNREACHABLE_SECONDS", 0)
    with tempfile.TemporaryDirectory(prefix="net") as directory:  # short: it names a socket
        found = Proxy(address, Path(directory))
        yield found
        found.close()


def start(home, address, *words):
    """Start a command line on a home with the store at *address*."""
    environment = {**os.environ, "CREWMEM_STORE": address, "CREWMEM_EMBEDDER": "none"}
    return subprocess.Popen(
        [sys.executable, "-m", "crewmem", "--home", str(home), *words],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def run(home, address, *words, stdin=b""):
    """Run a command line on a home with the store at *address*, in this process."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("CREWMEM_STORE", address)
        monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
        return run_crewmem("--home", home, *words, stdin=stdin)
