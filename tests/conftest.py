"""Fixtures of all tests. No test touches the user's own home, cache or settings."""

import os
import shutil
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import settings

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.home import Home, attach_store, create_home
from crewmem.registry.membership import find_access
from tests.running import run_crewmem
from tests.stores import (  # noqa: F401 - fixtures of all tests
    address,
    parametrize,
    postgres,
    shared_homes,
    shared_homes_or_not,
)

# No test measures time: how busy a machine is must not decide.
settings.register_profile("crewmem", deadline=None)
settings.load_profile("crewmem")

# A job in the background of a shell ignores ^C, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Programs that tests start would each compile the whole package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def use_memory_for_files() -> None:
    """Keep what tests write in memory, if there is room and programs may be run from there.

    Every write waits for the disk, several times in most tests: on a slow one the suite takes
    more than twice as long.
    """
    memory = Path("/dev/shm")
    if "TMPDIR" in os.environ or not memory.is_dir():
        return
    state = os.statvfs(memory)
    if state.f_bavail * state.f_frsize > 4 * 2**30 and not state.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(memory)


use_memory_for_files()

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def pytest_generate_tests(metafunc):
    parametrize(metafunc)


def use_private_places(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's directories and the environment's variables out of the tests."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(place / name.lower()))
    for name in ("CREWMEM_HOME", "CREWMEM_ACTOR", "CREWMEM_AGENT", "CLAUDECODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("USER", "kim")
    monkeypatch.setenv("CREWMEM_EVAL_MAX_LATENCY_MS", "60000")  # no gate measures a busy machine


@pytest.fixture(scope="session", autouse=True)
def private_places_of_fixtures(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_private_places(tmp_path_factory.mktemp("user"), monkeypatch)
        yield


@pytest.fixture(autouse=True)
def private_places(tmp_path_factory, monkeypatch):
    use_private_places(tmp_path_factory.mktemp("user"), monkeypatch)


@pytest.fixture
def clock():
    return lambda: NOW


@pytest.fixture(scope="session")
def home_template(tmp_path_factory) -> Path:
    """The home that tests copy."""
    path = tmp_path_factory.mktemp("template") / "home"
    create_home(path, clock=lambda: NOW)
    home = open_home(path, lambda: NOW)
    home.registry.add_crew("web", lead="ada")
    home.registry.add_agent("ada", crew="web")
    home.registry.add_agent("bob", crew="web")
    home.registry.add_crew("dock", lead="cleo")
    home.registry.add_agent("cleo", crew="dock")
    home.close()
    return path


@pytest.fixture
def home_path(tmp_path: Path, home_template: Path) -> Path:
    """A home with the crew web (lead ada; agent bob) and the crew dock (lead cleo)."""
    return Path(shutil.copytree(home_template, tmp_path / "home"))


@pytest.fixture(scope="session")
def sample_template(tmp_path_factory) -> Path:
    """The sample home that tests copy, or only read."""
    path = tmp_path_factory.mktemp("sample") / "home"
    result = run_crewmem("--home", path, "init", "--sample")
    assert result.status == 0, result.err
    return path


@pytest.fixture
def sample(tmp_path: Path, sample_template: Path) -> Path:
    """A home with the sample crew."""
    return Path(shutil.copytree(sample_template, tmp_path / "home", symlinks=True))


def open_home(path: Path, clock, actor: str = "operator:kim", **settings: str) -> Home:
    """Open a home as *actor*, in UTC, without an embedder unless one is named."""
    overrides = {"timezone": "UTC", "embedder": "none"}
    overrides |= {name.replace("__", "."): value for name, value in settings.items()}
    context = Context(
        home=path,
        workspace="default",
        access=Access(Actor.parse(actor), "default"),
        settings=load_settings(path, overrides=overrides),
        clock=clock,
        attach_store=attach_store,
    )
    context.access = find_access(context, Actor.parse(actor))
    return Home(context)


@pytest.fixture
def make_home(home_path, clock):
    """Return a function that opens the home as an actor."""
    opened: list[Home] = []

    def make(actor: str = "operator:kim", **settings: str) -> Home:
        opened.append(open_home(home_path, clock, actor, **settings))
        return opened[-1]

    yield make
    for home in opened:
        home.close()


@pytest.fixture
def home(make_home) -> Home:
    """The home as an operator sees it."""
    return make_home()
