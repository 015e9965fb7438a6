from datetime import UTC, datetime
from pathlib import Path

import pytest

import crewmem
from crewmem.home import create_home

SAMPLES = Path(__file__).with_name("samples")
NOW = datetime(2026, 5, 6, 12, 0, tzinfo=UTC)


@pytest.fixture
def home(tmp_path):
    create_home(tmp_path / "home", clock=lambda: NOW)
    opened = crewmem.open(tmp_path / "home", clock=lambda: NOW)
    opened.registry.add_crew("harbor", lead="ada")
    opened.registry.add_agent("ada", crew="harbor")
    yield opened
    opened.close()


@pytest.fixture
def root(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    return logs


@pytest.fixture
def put(root):
    """Copy a sample into the directory of logs."""

    def put(name, as_name=None):
        path = root / (as_name or name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((SAMPLES / name).read_bytes())
        return path

    return put
