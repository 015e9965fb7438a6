"""``crewmem memory reindex``: the bar that a person sees while much is brought in."""

import sys

import pytest

from crewmem.cli.output import Output
from crewmem.cli.progress import MANY, progress


class Terminal:
    """Keeps what was written to a terminal."""

    encoding = "utf-8"

    def __init__(self, *, tty=True):
        self.text, self.tty = "", tty

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass

    def isatty(self):
        return self.tty


@pytest.fixture(autouse=True)
def _a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def many(memory):
    """A directory in which as many files are as make a bar."""
    return memory({f"topics/{at}.md": f"note {at}\n" for at in range(MANY)})


def drawn(total, **options):
    """Tell a bar of *total* files, one after the other; return what was drawn."""
    stderr = Terminal(tty=options.pop("tty", True))
    with progress(Output(stdout=Terminal(), stderr=stderr, **options)) as tick:
        for done in range(1, total + 1):
            if tick:
                tick(done, total)
    return stderr.text


def test_much_work_shows_a_bar_that_ends_and_is_taken_away(crewmem, many):
    """It reaches its end, is erased, and the answer on stdout is as ever."""
    ran = crewmem("memory", "reindex", "-p", many, tty=True)
    assert "Indexing" in ran.stderr
    assert f"{MANY}/{MANY}" in ran.stderr
    assert ran.stderr.endswith("\x1b[2K")  # the line it was on
    assert ran.stderr.count("\x1b[?25l") == ran.stderr.count("\x1b[?25h") == 1
    assert f"{MANY} added" in ran.stdout
    assert "Indexing" not in ran.stdout


@pytest.mark.parametrize("option", ["--quiet", "--json", "-Fjsonl"])
def test_who_did_not_ask_for_a_bar_gets_none(crewmem, many, option):
    """Quiet is quiet, and what programs read is JSON."""
    ran = crewmem("memory", "reindex", "-p", many, option, tty=True)
    assert (ran.status, ran.stderr) == (0, "")


def test_a_log_gets_no_bar(crewmem, many):
    """Only a terminal does."""
    assert crewmem("memory", "reindex", "-p", many).stderr == ""


def test_little_work_shows_no_bar(crewmem, many):
    """A file that is new among many is little to do."""
    crewmem("memory", "reindex", "-p", many)
    (many / "new.md").write_text("new\n")
    ran = crewmem("memory", "reindex", "-p", many, tty=True)
    assert "1 added" in ran.stdout
    assert ran.stderr == ""
    assert drawn(MANY - 1) == ""
    assert drawn(MANY, tty=False) == ""
    assert f"{MANY}/{MANY}" in drawn(MANY)


def test_a_bar_is_not_drawn_for_each_file():
    """The first and the last are, and others seldom: drawing takes time, too."""
    assert 2 <= drawn(5000).count("Indexing") < 1000


def test_an_interrupted_bar_is_taken_away():
    """The terminal has its cursor back."""
    stderr = Terminal()

    def interrupted():
        with progress(Output(stdout=Terminal(), stderr=stderr)) as tick:
            tick(1, MANY)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert stderr.text.index("\x1b[?25l") < stderr.text.index("\x1b[?25h")


def test_the_process_keeps_its_own_streams():
    """The bar does not take the place of stdout and stderr."""
    before = sys.stdout, sys.stderr
    with progress(Output(stdout=Terminal(), stderr=Terminal())) as tick:
        tick(1, MANY)
        assert (sys.stdout, sys.stderr) == before
