"""What commands load before they answer: startup is a feature."""

import os
import subprocess
import sys

import pytest

from crewmem.cli.manual.answers import ANSWERS

HEAVY = {
    "asyncio",
    "concurrent",
    "email",
    "html",
    "http",
    "httpx",
    "importlib.metadata",
    "importlib.resources",
    "inspect",
    "logging",
    "multiprocessing",
    "numpy",
    "platformdirs",
    "pydoc",
    "rich",
    "sqlite3",
    "ssl",
    "subprocess",
    "tomllib",
    "typing",
    "unittest",
    "urllib.request",
    "xml",
    "zoneinfo",
}
"""What no command that answers in JSON needs, with a home that is named."""

UNUSED = {
    "apsw",
    "csv",
    "difflib",
    "hashlib",
    "json",
    "pathlib",
    "pickle",
    "random",
    "shlex",
    "tempfile",
    "traceback",
    "zlib",
}
"""What a command that looks at no memory has no need of, either."""

BARE = {
    "crewmem",
    "crewmem.__main__",
    "crewmem.cli",
    "crewmem.cli.app",
    "crewmem.cli.command",
    "crewmem.cli.late",
    "crewmem.cli.output",
    "crewmem.cli.root",
    "crewmem.cli.table",
    "crewmem.cli.text",
    "crewmem.errors",
    "crewmem.records",
}
"""All of crewmem that is loaded before a command is known."""


@pytest.fixture(name="environ", scope="module")
def _environ(tmp_path_factory):
    """A home with one file that says something, indexed."""
    home = tmp_path_factory.mktemp("home")
    memory = home / "workspaces/default/crews/harbor/agents/mira/.memory"
    memory.mkdir(parents=True)
    (memory / "AGENT.md").write_text("# Mira\n\nThe deploy key is in the vault.\n")
    environ = {"CREWMEM_HOME": str(home), "HOME": str(home), "PATH": os.defpath}
    loaded(environ, "memory", "reindex")
    return environ


PROGRAM = """
import os, sys
def end(status, end=os._exit):
    late = {name for name, each in sys.modules.items() if "Late" in type(each).__name__}
    sys.stderr.write("\\n".join(set(sys.modules) - late))
    sys.stderr.flush()
    end(status)
os._exit = end
from crewmem.__main__ import main
main()
"""
"""Tells at its end which modules there are; one that would load late is none yet."""


def loaded(environ, *argv):
    """Return the names of the modules that a command line loads."""
    ran = subprocess.run(
        [sys.executable, "-I", "-c", PROGRAM, *argv],
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return {*ran.stderr.split()}


def within(names, loaded):
    """Return those of *loaded* that are of *names*, or below one of them."""
    return {
        each for each in loaded if any(f"{each}.".startswith(f"{n}.") for n in names)
    }


@pytest.mark.parametrize(
    "argv",
    [
        ["--version"],
        ["--help"],
        ["memory", "--help"],
        ["memory", "search", "--help"],
        ["memory", "search", "deploy", "--json"],
        ["memory", "search", "deploy"],
        ["memory", "read", "AGENT.md"],
        ["memory", "list", "--json"],
        ["memory", "status", "--json"],
        ["memory", "status"],
        ["memory", "health"],
        ["memory", "reindex"],
        ["status", "--json"],
        ["status"],
        ["config", "path"],
        ["config", "get", "search_limit", "--json"],
        ["crew", "list"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_loaded(argv, environ):
    """A command that prints no table loads nothing that costs much and helps little."""
    assert within(HEAVY, loaded(environ, *argv)) == set()


@pytest.mark.parametrize("argv", [["--version"], ["--help"], ["crew", "--help"]])
def test_help_loads_no_command(argv, environ):
    """Help of the program and of a group is printed from the table alone."""
    found = loaded(environ, *argv)
    help_alone = {"crewmem.cli.help"} if "--help" in argv else set()
    assert within({"crewmem"}, found) == BARE | help_alone
    assert within(UNUSED - {"zlib"}, found) == set()


def test_version_loads_nothing_for_help(environ):
    """The version is printed without what formats a text."""
    assert (
        within({*UNUSED, "shutil", "textwrap"}, loaded(environ, "--version")) == set()
    )


def test_a_search_loads_no_other_command(environ):
    """A command loads its own module, and no other command's."""
    found = loaded(environ, "memory", "search", "deploy", "--json")
    verbs = {f"crewmem.cli.{each.replace(' ', '.')}" for each in ANSWERS}
    assert found & verbs == {"crewmem.cli.memory.search"}
    assert "apsw" in found
    assert within({"json", "signal"}, found) == set()


def test_the_list_is_of_what_there_is(environ):
    """What is asked about is spelled as Python spells it."""
    found = loaded(environ, "memory", "search", "deploy", "--json")
    assert within({"click", "re"}, found) >= {"click.core", "re._compiler"}


DATES = """
from crewmem.cli.late import import_click
import_click()
import datetime, threading, zoneinfo
assert datetime.datetime.strptime("2026-05-01", "%Y-%m-%d").date().isoformat()
at = datetime.datetime(2026, 5, 1, tzinfo=zoneinfo.ZoneInfo("UTC"))
assert at.astimezone(datetime.UTC) == at
assert threading.Thread and issubclass(threading.local, object)
import sys
late, taken = sys.modules.pop("datetime"), sys.modules.pop("_datetime")
import datetime
missing = {each for each in datetime.__all__ if not hasattr(late, each)}
assert missing == set(), missing
"""


def test_what_is_taken_for_dates_has_all_of_them():
    """Dates without their copy in Python are those that every module expects."""
    ran = subprocess.run(
        [sys.executable, "-I", "-c", DATES], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


PATHS = r"""
from crewmem.cli.late import import_pathlib
import_pathlib()
import fnmatch, ntpath, pathlib
assert pathlib.PurePath("a/b.md").match("*.md")
assert pathlib.PureWindowsPath("C:/a", "b").drive == "C:"
assert fnmatch.fnmatch("a.md", "*.md") and ntpath.join("a", "b") == "a\\b"
"""


def test_what_is_imported_without_its_parts_is_whole():
    """Paths of any system are read as they always are."""
    ran = subprocess.run(
        [sys.executable, "-c", PATHS], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_typing_stands_in_for_click_alone():
    """While click is imported another typing stands in; nobody else is left with it."""
    code = (
        "from crewmem.cli.late import import_click; import_click(); import sys;"
        "import typing; cast = typing.cast; named = set();"
        "[named.add(name.split('.')[0]) for name, each in [*sys.modules.items()]"
        " for value in [*vars(each).values()] if type(value).__name__ == '_Typing'];"
        "import click; print(named, cast is not None, typing.__spec__ is not None);"
        "print(click.IntRange(1, 5).convert('3', None, None))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout == "{'click'} True True\n3\n"
