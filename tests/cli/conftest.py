"""A command line on a home of its own, run in this process."""

import json

import pytest
from running import run_crewmem


class CommandLine:
    """Runs ``crewmem`` on a home, asserts the exit status, and returns what was printed.

    Attributes:
        err: What the last command printed on standard error.
    """

    def __init__(self, home, *options):
        self.home, self.options = home, options
        self.err = ""

    def __call__(self, *words, stdin=b"", status=0):
        result = run_crewmem("--home", self.home, *self.options, *words, stdin=stdin)
        self.err = result.err
        assert result.status == status, result.err
        return result.out

    def json(self, *words, **options):
        """Return the data of the answer."""
        return json.loads(self(*words, "--json", **options))["data"]


@pytest.fixture
def command_line(monkeypatch, tmp_path):
    """A new home, searched by words only, with days in UTC."""
    monkeypatch.setenv("CREWMEM_EMBEDDER", "none")
    monkeypatch.setenv("CREWMEM_TIMEZONE", "UTC")
    command_line = CommandLine(tmp_path / "home")
    command_line("init")
    return command_line


@pytest.fixture
def crewmem(command_line):
    """The same with the agent winch in the crew harbor."""
    command_line("crew", "add", "harbor")
    command_line("agent", "add", "winch", "--crew", "harbor")
    return command_line
