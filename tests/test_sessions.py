"""Command lines with what they print: tests/sessions/*.txt, and the README's.

A session is read as a person would type it: ``$ crewmem …``, then what is printed,
both streams as a terminal shows them, then ``[exit N]`` where N is not 0. A line may
begin with variables (``$ CREWMEM_AGENT=mira crewmem …``) and go on after a ``\\``.
``…`` stands for anything within a line, a line that is only ``…`` for any lines. Lines
that begin with ``# ``, after an empty line and before a ``$``, are remarks.

In the README every block that is marked ``console`` is run, of what is marked
``console terminal`` as at a terminal of 80 columns, after what the set-up commands do
with ``.venv/bin/crewmem``; other commands are left to the reader. All steps of one file
share one place, and a home that they make themselves.
``UPDATE_SESSIONS=1 pytest tests/test_sessions.py`` writes down what is
printed now where it differs, the README included.
"""

import difflib
import io
import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from crewmem.cli.app import World
from crewmem.cli.root import run

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
FILES = [README, *sorted(HERE.glob("sessions/*.txt"))]

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)

UPDATE = bool(os.environ.get("UPDATE_SESSIONS"))

ANY = "…"


class Step(NamedTuple):
    """One command line of a session.

    Attributes:
        command: As it is typed, in one line.
        first: The number of the line in the file where its output begins, from 0.
        expected: The lines that it should print.
        is_terminal: Whether a terminal shows them.
    """

    command: str
    first: int
    expected: list[str]
    is_terminal: bool = False


class Stream(io.StringIO):
    """Where both streams of a command go."""

    is_terminal = False

    def isatty(self):
        return self.is_terminal


def steps(text, *, fenced):
    """Yield the steps in *text*; if *fenced*, of its blocks that are ``console``."""
    lines = text.splitlines()
    starts, ends, fence = {}, [len(lines)], "" if fenced else "```console"
    for number, line in enumerate(lines):
        if fenced and line.startswith("```"):
            ends.append(number)
            fence = "" if fence else line
        elif fence.startswith("```console") and line.startswith("$ "):
            starts[number] = fence.endswith(" terminal")
    for at, is_terminal in starts.items():
        end = min(each for each in [*starts, *ends] if each > at)
        first, command = at + 1, lines[at].removeprefix("$ ")
        while command.endswith("\\") and first < end:
            command = command[:-1] + lines[first].removeprefix("> ")
            first += 1
        yield Step(command, first, output_of(lines[first:end]), is_terminal)


def output_of(lines):
    """Return those of *lines* that are output: not the remarks on what follows."""
    for number, line in enumerate(lines):
        if re.fullmatch(r"\[exit \d+\]", line):
            return lines[: number + 1]
    end = len(lines)
    while end and lines[end - 1].startswith("# "):
        end -= 1
    if end and lines[end - 1]:  # no empty line above: it is output after all
        end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def matches(expected, printed):
    """Tell whether *printed* is what the lines *expected* describe."""
    pattern = ""
    for line in expected:
        if line.strip() == ANY:
            pattern += r"(?:.*\n)*?"
        else:
            parts = map(re.escape, line.rstrip().split(ANY))
            pattern += ".*".join(parts) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


class Typist:
    """Types the steps of a session, in a place of its own."""

    def __init__(self, folder):
        self.folder = folder

    def type(self, command, *, is_terminal=False):
        """Return the lines that *command* prints; None if it is not ours to run."""
        words = shlex.split(command, comments=True)
        environ = {}
        while words and (given := re.fullmatch(r"([A-Z_]+)=(.*)", words[0])):
            environ[given[1]] = given[2]
            words = words[1:]
        if not words or words[0] != "crewmem" or {"|", ">", "<", "&&"} & {*words}:
            return None
        stream = Stream()
        stream.is_terminal = is_terminal
        status = run(words[1:], self.world(stream, environ))
        lines = [line.rstrip() for line in stream.getvalue().splitlines()]
        while lines and not lines[-1]:
            del lines[-1]
        return [*lines, f"[exit {status}]"] if status else lines

    def world(self, stream, environ):
        usual = {
            "HOME": str(self.folder / "person"),
            "LOGNAME": "ada",
            "TERM": "dumb",
        }
        return World(
            environ=usual | environ,
            clock=lambda: NOW,
            mount=str(self.folder / "crew"),
            stdin=io.StringIO(),
            stdout=stream,
            stderr=stream,
        )


def set_ups(text):
    """Yield what the set-up commands of *text* have the installed program do."""
    for line in text.splitlines():
        for command in line.split(" && "):
            if command.startswith(".venv/bin/crewmem "):
                yield command.removeprefix(".venv/bin/")


def played(path, typist):
    """Yield each step of the session at *path* with what it printed."""
    for command in set_ups(path.read_text("utf-8")):
        printed = typist.type(command)
        assert not printed[-1].startswith("[exit"), printed
    for step in steps(path.read_text("utf-8"), fenced=path.suffix == ".md"):
        printed = typist.type(step.command, is_terminal=step.is_terminal)
        if printed is not None:
            yield step, printed
        elif path.suffix != ".md":
            pytest.fail(f"{path.name}:{step.first}: cannot run {step.command!r}")


def report(path, step, printed):
    """Return how what was *printed* differs, for whoever mends it."""
    diff = difflib.unified_diff(step.expected, printed, "written", "printed", n=2)
    where = f"{path.name}:{step.first}: $ {step.command}"
    return "\n".join([where, *(line.rstrip() for line in diff)])


def updated(text, changes):
    """Return *text* with the output of some steps replaced."""
    lines = text.splitlines()
    for step, printed in reversed(changes):
        lines[step.first : step.first + len(step.expected)] = printed
    return "\n".join(lines) + "\n"


@pytest.fixture(name="place")
def _place(tmp_path, monkeypatch):
    """A directory to be in, with a terminal of eighty columns."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    return place


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_session(path, place):
    """Every command of a session prints what the session shows."""
    typist = Typist(place)
    wrong = [
        (step, printed)
        for step, printed in played(path, typist)
        if not matches(step.expected, printed)
    ]
    if wrong and UPDATE:
        text = updated(path.read_text("utf-8"), wrong)
        path.write_text(text.replace(str(place), ANY), "utf-8")
    elif wrong:
        reports = "\n\n".join(report(path, *each) for each in wrong)
        pytest.fail(f"UPDATE_SESSIONS=1 writes this down:\n\n{reports}", pytrace=False)


# The reader of sessions itself

SESSION = """\
# A remark.
$ crewmem one
printed
# still printed

# A remark
# of two lines.
$ A=1 crewmem two \\
> three
[exit 4]

$ crewmem four
"""


def test_a_session_is_read():
    """Remarks, output, variables, long lines and statuses are told apart."""
    assert [*steps(SESSION, fenced=False)] == [
        Step("crewmem one", 2, ["printed", "# still printed"]),
        Step("A=1 crewmem two three", 9, ["[exit 4]"]),
        Step("crewmem four", 12, []),
    ]


def test_only_consoles_of_a_document_are_run():
    """Of a document the blocks that are marked are read, and their ends are known."""
    text = "$ no\n```sh\n$ no\n```\n```console\n$ crewmem a\nb\n```\nc\n$ no\n"
    assert [*steps(text, fenced=True)] == [Step("crewmem a", 6, ["b"])]
    text = text.replace("```console", "```console terminal")
    assert [*steps(text, fenced=True)] == [Step("crewmem a", 6, ["b"], True)]


@pytest.mark.parametrize(
    ("expected", "printed", "is_match"),
    [
        (["a"], ["a"], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a.c"], ["abc"], False),
        (["a … c"], ["a whole b c"], True),
        (["a … c"], ["a", "c"], False),
        (["a", "…", "c"], ["a", "b", "b", "c"], True),
        (["a", "…", "c"], ["a", "c"], True),
        (["a", "…"], ["a"], True),
        (["…", "c"], ["a", "b"], False),
        ([], [], True),
        ([], ["a"], False),
    ],
)
def test_what_is_left_open(expected, printed, is_match):
    """An ellipsis stands for part of a line, or for lines, and for nothing else."""
    assert matches(expected, printed) == is_match


def test_what_is_printed_is_written_down(tmp_path):
    """An update replaces the output of the steps that differ, and nothing else."""
    first, second, third = steps(SESSION, fenced=False)
    text = updated(SESSION, [(first, ["new", "lines"]), (third, ["more"])])
    assert text == SESSION.replace("printed\n# still printed", "new\nlines") + "more\n"
    assert updated(SESSION, [(second, [])]) == SESSION.replace("[exit 4]\n", "")
    assert tmp_path.is_dir()


def test_other_commands_are_not_run(tmp_path):
    """What is not crewmem alone is left to the reader."""
    typist = Typist(tmp_path)
    for command in ("rm -r x", "crewmem --version | cat", "# crewmem", ""):
        assert typist.type(command) is None
    assert typist.type("CREWMEM_NOW=x crewmem --version")[0].startswith("crewmem ")


def test_a_difference_is_shown(tmp_path):
    """A report names the place and the command, and shows both texts."""
    text = report(tmp_path / "a.txt", Step("crewmem x", 3, ["a", "b"]), ["a", "c"])
    assert text.splitlines()[0] == "a.txt:3: $ crewmem x"
    assert {"-b", "+c"} <= {*text.splitlines()}
