"""Homes with a crew, to export from and import into."""

from datetime import UTC, datetime

import pytest

from crewmem.home import create_home
from crewmem.home import open as open_home
from crewmem.transfer.contents import ImportOptions
from crewmem.transfer.importer import Importer

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def make_home(path, *, members=True):
    create_home(path, clock=lambda: NOW)
    home = open_home(path, actor="operator:kim", settings={"timezone": "UTC"}, clock=lambda: NOW)
    if members:
        home.registry.add_crew("harbor", lead="winch")
        home.registry.add_agent("winch", crew="harbor")
        home.registry.add_agent("crane", crew="harbor")
    return home


@pytest.fixture
def home(tmp_path):
    with make_home(tmp_path / "home") as home:
        yield home


@pytest.fixture
def other(tmp_path):
    with make_home(tmp_path / "other", members=False) as home:
        yield home


@pytest.fixture
def tree(tmp_path):
    """Writes files below a directory and returns it."""

    def write(files, name="source"):
        for file, text in files.items():
            path = tmp_path / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


@pytest.fixture
def import_(home):
    """Imports a source into the home."""

    def run(path, *, apply=True, into=None, **options):
        if into is None and not options.keys() & {"agent", "crew"}:
            options["agent"] = "winch"
        return Importer(into or home, ImportOptions(**options)).run(path, apply=apply)

    return run


def files_of(home):
    """Return the text of each memory file by reference."""
    home.memory_index.refresh()
    return {t.reference: t.read().decode() for t in home.memory.targets()}


def contents_of(directory):
    """Return the bytes of each file below a directory."""
    found = sorted(each for each in directory.rglob("*") if each.is_file())
    return {str(each.relative_to(directory)): each.read_bytes() for each in found}
