"""A simulation of hosts: processes with homes of their own on one PostgreSQL, without fsync."""

import io
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from crewmem.home import Home, create_home
from crewmem.home import open as open_home
from crewmem.hosts.changes import load_tables, read_local, sum_digests
from crewmem.hosts.joining import join_store, push_all_to_store
from crewmem.hosts.store import get_store
from crewmem.journal.import_export import import_entries
from tests.benchmarks import data
from tests.benchmarks.measure import CREWMEM, ENVIRONMENT, PYTHON, Row, run_once
from tests.stores import Server

HOSTS, WRITES, CHANGES, ENTRIES = 8, 20, 1_000, 1_000_000

WRITER = """
import sys
from crewmem import open
path, number = sys.argv[1:]
open(path).facts.add(f"Writer {number} was here, and this is what it has to say.")
"""


class Store:
    """An empty store, and homes that join it."""

    def __init__(self, address: str, place: Path) -> None:
        self._address, self._place = address, place

    def make_home(self, name: str) -> Path:
        """Make a home whose settings name the store."""
        path = self._place / name
        create_home(path)
        settings = f'store = "{self._address}"\nembedder = "none"\ntimezone = "UTC"\n'
        (path / "config.toml").write_text(settings)
        return path

    def join(self, name: str) -> Home:
        """Make a home that is a mirror."""
        home = open_home(self.make_home(name))
        join_store(home.context)
        return home


@contextmanager
def open_store(place: Path) -> Iterator[Store]:
    """Start a server with an empty store; homes are made below *place*, and deleted."""
    place = place / "hosts"
    place.mkdir()
    server = Server()
    try:
        yield Store(server.create_database(), place)
    finally:
        server.stop()
        shutil.rmtree(place)


def pull(home: Home) -> int:
    """Bring a mirror up to date; return how many changes there were."""
    store = get_store(home.context)
    assert store is not None
    return store.bring_up_to_date()


def hash_rows(home: Home) -> list[tuple[int, str]]:
    """Return a hash of each shared table."""
    tables = load_tables(home.context.db).values()
    return [sum_digests(read_local(home.context.db, table)) for table in tables]


def measure_writers(place: Path) -> Row:
    """Count what many writers at once cost: failures, facts that a mirror lacks, broken chains."""
    with open_store(place) as store:
        homes = [store.join(f"host{number}") for number in range(HOSTS)]
        writers = [
            subprocess.Popen(
                [PYTHON, "-c", WRITER, str(home.context.home), f"{host}-{number}"],
                env=ENVIRONMENT,
                stderr=subprocess.DEVNULL,
            )
            for number in range(WRITES)
            for host, home in enumerate(homes)
        ]
        lost = sum(writer.wait() != 0 for writer in writers)
        for home in homes:
            pull(home)
            lost += HOSTS * WRITES - home.context.db.value("select count(*) from facts")
            lost += sum(report.broken is not None for report in home.journal.verify())
        lost += sum(hash_rows(home) != hash_rows(homes[0]) for home in homes)
        close(homes)
    return Row("hosts-writers", lost, None, None, None, 0, "faults of 8 x 20 writes at once")


def measure_pull(place: Path) -> Row:
    """Measure how long a mirror takes to apply a thousand changes."""
    with open_store(place) as store:
        writer, reader = store.join("writer"), store.join("reader")
        for sentence in data.make_sentences(CHANGES):
            writer.facts.add(sentence)
        started = time.perf_counter()
        changes = pull(reader)
        seconds = time.perf_counter() - started
        if changes < CHANGES:
            raise RuntimeError(f"only {changes} changes were pulled")
        close([writer, reader])
    return Row("hosts-pull", seconds, None, None, None, 0.5, "s for 1,000 changes")


def measure_read(place: Path, runs: int) -> Row:
    """Compare a read on an up-to-date mirror with one without a store, psycopg apart."""
    with open_store(place) as store:
        home = store.join("mirror")
        for sentence in data.make_sentences(200):
            home.facts.add(sentence)
        path = home.context.home
        assert path is not None
        home.close()
        alone = path.with_name("alone")
        shutil.copytree(path, alone)
        (alone / "config.toml").write_text('embedder = "none"\ntimezone = "UTC"\n')
        read = ["search", "--in", "facts", "deploy vault"]
        imports = "import gc; gc.disable(); import crewmem.cli.search, crewmem.search.search"
        commands = (
            [*CREWMEM, "--home", str(path), *read],
            [*CREWMEM, "--home", str(alone), *read],
            [PYTHON, "-c", f"{imports}, psycopg"],
            [PYTHON, "-c", imports],
        )
        for command in commands:
            run_once(command)
        rounds = [[run_once(command) for command in commands] for _ in range(runs)]
        mirror, plain, with_psycopg, without = (
            statistics.median(cost.cpu for cost in costs) for costs in zip(*rounds, strict=True)
        )
        ours = mirror - (with_psycopg - without)
    return Row("hosts-read", ours, plain, ours / plain, None, 1.3)


def measure_bootstrap(place: Path) -> Row:
    """Measure how long a new host takes to get a million entries."""
    with open_store(place) as store:
        full = data.make_home(place / "hosts" / "full")
        import_entries(full.journal, io.BytesIO(data.make_entries(ENTRIES)))
        full.close()
        settings = (store.make_home("settings") / "config.toml").read_text()
        (place / "hosts" / "full" / "config.toml").write_text(settings)
        full = open_home(place / "hosts" / "full")
        push_all_to_store(full.context)
        started = time.perf_counter()
        home = store.join("new")
        seconds = time.perf_counter() - started
        if hash_rows(home) != hash_rows(full):
            raise RuntimeError("the new mirror differs")
        close([full, home])
    return Row("hosts-bootstrap", seconds, None, None, None, 60, "s for 1,000,000 entries")


def close(homes: Sequence[Home]) -> None:
    """Close homes."""
    for home in homes:
        home.close()
