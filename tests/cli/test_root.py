"""How a command line ends: its status, and what is said when it fails."""

import fcntl
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crewmem.cli import incident
from crewmem.cli.app import World
from crewmem.cli.root import Terminated, run

PROGRAM = [sys.executable, "-I", "-c", "from crewmem.__main__ import main; main()"]


class Failing(io.StringIO):
    """A stream on which nothing can be written."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, _):
        raise self.error


class FailingLate(Failing):
    """A stream that takes all that is written, and cannot pass it on."""

    def write(self, text):
        return len(text)

    def flush(self):
        raise self.error


def raising(error):
    """Return a clock that raises *error* when it is looked at."""

    def clock():
        raise error

    return clock


@pytest.fixture(name="ends")
def _ends(tmp_path, home):
    """``ends("status", clock=…)``: run in a world of one's own; status and streams."""

    def ends(*argv, **parts):
        streams = {"stdout": io.StringIO(), "stderr": io.StringIO()} | {
            name: parts.pop(name) for name in ("stdout", "stderr") if name in parts
        }
        environ = {"HOME": str(tmp_path), "CREWMEM_HOME": str(home), "LOGNAME": "ada"}
        environ |= parts.pop("environ", {})
        world = World(environ=environ, stdin=io.StringIO(), **streams, **parts)
        return run([str(word) for word in argv], world), *streams.values()

    return ends


@pytest.fixture(name="listing")
def _listing(memory):
    """A command line that looks at the clock, and answers with more than one line."""
    return ["memory", "list", "--path", memory(AGENT="# Agent\n")]


# Statuses


@pytest.mark.parametrize(
    ("argv", "status", "code"),
    [
        (["config", "path"], 0, None),
        (["doctor", "--only", "nothing"], 4, "check_missing"),
        (["memory"], 2, "usage"),
        (["nothing"], 2, "usage"),
        (["config", "path", "--nothing"], 2, "usage"),
        (["config", "get"], 2, "usage"),
        (["config", "path", "more"], 2, "usage"),
        (["memory", "list", "-F", "yaml"], 2, "usage"),
        (["config", "get", "nothing"], 3, "unknown_setting"),
        (["config", "set", "search_limit", "5"], 4, "home_missing"),
        (["memory", "list", "--path", "/nowhere"], 4, "path_missing"),
        (["config", "set", "search_limit", "5", "--as", "agent:a"], 8, "out_of_scope"),
        (["config", "set", "search_limit", "5", "--as", "a"], 2, "usage"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_statuses(argv, status, code, crewmem):
    """Each family of failure ends with its own status, as text and as JSON."""
    ran = crewmem(*argv)
    assert ran.status == status
    assert (ran.stdout == "") == (status > 0)
    ran = crewmem(*argv, "--json")
    assert ran.status == status
    if code:
        assert (ran.stdout, ran.error["code"]) == ("", code)


def test_a_failure_as_json(crewmem):
    """With --json a failure is one document on standard error, with its facts."""
    ran = crewmem("config", "get", "search_limt", "--json")
    assert ran.stderr.count("\n") == 1
    assert json.loads(ran.stderr) == {
        "schema": 1,
        "error": {
            "code": "unknown_setting",
            "message": "config get: there is no setting 'search_limt'",
            "hint": "Did you mean search_limit?",
            "details": {
                "origin": "config get",
                "key": "search_limt",
                "nearest": "search_limit",
            },
        },
    }


@pytest.mark.parametrize(
    "words",
    [["--json"], ["-F", "json"], ["-Fjson"], ["--format=jsonl"], ["--format", "jsonl"]],
)
def test_json_is_seen_in_a_line_that_does_not_parse(words, crewmem):
    """A command line that is wrong is told in JSON, if JSON was asked for in it."""
    assert crewmem(*words, "nothing").error["code"] == "usage"
    assert crewmem("config", "path", "--nothing", *words).error["code"] == "usage"


def test_json_after_two_hyphens_is_a_word(crewmem):
    """After -- nothing is an option, so a failure is told in words."""
    ran = crewmem("config", "get", "--", "--json")
    assert ran.stderr.startswith("crewmem: ")


@pytest.mark.parametrize("item", ["- who is on call", "-- all of it", "--- x ---"])
def test_an_item_of_a_list_is_a_text(item, crewmem, memory):
    """What begins with a hyphen and a space is no option that is misspelled."""
    path = memory(AGENT="All of the crew who is on call: x.\n")
    ran = crewmem("memory", "search", item, "-p", path, "--json")
    assert ran.status == 0
    assert ran.json["data"]["hits"]
    assert crewmem("memory", "search", "-x", "-p", path).status == 2


@pytest.mark.parametrize("argv", [[], ["memory"], ["completion"]])
def test_no_command_is_answered_with_the_help(argv, crewmem):
    """Who names no command reads which there are, and a script gets status 2."""
    ran = crewmem(*argv)
    assert (ran.status, ran.stdout) == (2, "")
    assert ran.stderr == crewmem(*argv, "--help").stdout
    assert crewmem(*argv, "--json").status == 2


def test_a_message_cannot_act_on_the_terminal(crewmem):
    """What was typed is made visible where a failure repeats it."""
    ran = crewmem("config", "get", "a\x1b]0;b\x07\u202e")
    assert "\x1b" not in ran.stderr
    assert "\u202e" not in ran.stderr
    assert "\x1b" not in crewmem("\x1b[31m").stderr


# Bugs


def test_a_bug_is_reported(ends, listing, home):
    """What nobody foresaw ends with 70 and a report of what was typed, not stored."""
    home.mkdir()
    secret = {"API_KEY": "in the environment"}
    clock = raising(RuntimeError("the clock is broken"))
    status, stdout, stderr = ends(*listing, clock=clock, environ=secret)
    assert (status, stdout.getvalue()) == (70, "")
    said = stderr.getvalue()
    assert "this is a bug in crewmem: RuntimeError: the clock is broken" in said
    (report,) = (home / "incidents").iterdir()
    assert str(report) in said
    text = report.read_text()
    assert "the clock is broken" in text
    assert "Traceback" in text
    assert str(listing[-1]) in text
    assert "in the environment" not in text
    assert report.stat().st_mode & 0o077 == 0


def test_a_bug_as_json(ends, listing, home):
    """As JSON a bug is an error like others, and names the report."""
    home.mkdir()
    clock = raising(RuntimeError("oh"))
    status, _, stderr = ends(*listing, "--json", clock=clock)
    error = json.loads(stderr.getvalue())["error"]
    assert (status, error["code"]) == (70, "bug")
    assert Path(error["details"]["report"]).is_file()


def test_debug_shows_the_traceback(ends, listing, crewmem):
    """With --debug any failure is shown with the way it took."""
    _, _, stderr = ends(*listing, "--debug", clock=raising(RuntimeError("oh")))
    assert "Traceback" in stderr.getvalue()
    assert "Traceback" in crewmem("config", "get", "nothing", "--debug").stderr
    assert "Traceback" not in crewmem("config", "get", "nothing").stderr


# Interrupted


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(KeyboardInterrupt(), 130, "interrupted"), (Terminated(), 143, "terminated")],
    ids=["interrupted", "terminated"],
)
def test_an_interrupted_command_says_so(error, status, code, ends, listing):
    """^C and SIGTERM end a command with a line, and no answer."""
    ended, stdout, stderr = ends(*listing, clock=raising(error))
    assert (ended, stdout.getvalue()) == (status, "")
    assert stderr.getvalue() == f"crewmem: {code}\n"
    _, _, stderr = ends(*listing, "--json", clock=raising(error))
    assert json.loads(stderr.getvalue())["error"]["code"] == code


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="pipes have one size")
@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=str
)
def test_a_real_process_answers_signals(sent, status):
    """A process that waits for its reader ends at once when it is told to."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    with open(writer, "wb") as out:  # noqa: PTH123 - a descriptor
        process = subprocess.Popen(
            [*PROGRAM, "completion", "zsh"], stdout=out, stderr=subprocess.PIPE
        )
    os.read(reader, 1)  # it has begun to print, and nobody reads on
    process.send_signal(sent)
    _, said = process.communicate(timeout=20)
    os.close(reader)
    assert process.returncode == status
    assert (
        said == {143: b"crewmem: terminated\n", 130: b"crewmem: interrupted\n"}[status]
    )


def test_interrupted_before_it_begins_it_says_nothing():
    """^C while modules are imported ends the process, without a traceback."""
    code = (
        "import os, sys, signal\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'click': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from crewmem.__main__ import main\n"
        "main()\n"
    )
    for ignored, status in ((False, -signal.SIGINT), (True, 0)):
        ran = subprocess.run(
            [sys.executable, "-c", code, "--version"],
            capture_output=True,
            check=False,
            preexec_fn=ignore if ignored else None,
        )
        assert (ran.returncode, ran.stderr) == (status, b"")


def ignore():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# Printing


@pytest.mark.parametrize("stream", [Failing, FailingLate])
def test_a_closed_pipe_ends_quietly(stream, ends, listing):
    """Whoever stops reading has read enough: nothing is said, and all is well."""
    closed = stream(BrokenPipeError())
    for argv in (["config", "list"], ["--help"], ["--version"], listing):
        status, _, stderr = ends(*argv, stdout=closed)
        assert (status, stderr.getvalue()) == (0, "")


@pytest.mark.parametrize("stream", [Failing, FailingLate])
def test_an_answer_that_cannot_be_printed_is_an_error(stream, ends, listing):
    """A full disk under standard output is status 5, whoever prints."""
    full = stream(OSError(28, "No space left on device"))
    for argv in (["config", "list", "--json"], ["--help"], ["--version"], listing):
        status, _, stderr = ends(*argv, stdout=full)
        assert status == 5
        assert "could not be printed: no space left on device" in stderr.getvalue()


def test_a_failure_that_cannot_be_told_keeps_its_status(ends):
    """Where standard error cannot be written the status still tells."""
    for error in (BrokenPipeError(), OSError(28, "No space left on device")):
        status, *_ = ends("config", "get", "nothing", stderr=Failing(error))
        assert status == 3


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("--help | head -n 0; exit ${PIPESTATUS[0]}", 0),
        ("config list --json | head -c 1; exit ${PIPESTATUS[0]}", 0),
        ("--help > /dev/full", 5),
        ("config list --json > /dev/full", 5),
        ("config list --json >&-", 5),
        ("--nothing 2>&-", 2),
        ("--nothing 2> /dev/full", 2),
        ("doctor > /dev/null 2> /dev/full", 0),
        ("memory reindex --path . --strict > /dev/null 2> /dev/full", 4),
        ("config path <&- > /dev/null", 0),
        ("config path <&- 2>&- > /dev/null", 0),
    ],
)
def test_a_real_process_with_streams_like_that(line, status, tmp_path):
    """Closed and full streams end a real process with the status of what happened."""
    program = f"{sys.executable} -I -c 'from crewmem.__main__ import main; main()'"
    ran = subprocess.run(
        ["/bin/bash", "-c", f"{program} {line}"],
        env={"HOME": str(tmp_path), "PATH": os.defpath},
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert ran.returncode == status
    assert b"Traceback" not in ran.stderr
    assert (b"could not be printed" in ran.stderr) == (status == 5)


def test_what_a_terminal_cannot_show_is_spelled_out(memory):
    """A terminal whose encoding lacks a character gets its number, not a failure."""
    directory = memory(AGENT="# Agent\n\nGrüße, vault — 世界\n")
    argv = ["memory", "search", "vault", "--path", directory]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM[-1], *argv],
        env={"HOME": str(directory), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=20,
        check=True,
    )
    assert b"Gr\\xfc\\xdfe, vault \\u2014 \\u4e16\\u754c" in ran.stdout


# Colours


@pytest.mark.parametrize(
    ("environ", "argv", "is_colored"),
    [
        ({}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"NO_COLOR": ""}, [], True),
        ({"CLICOLOR": "0"}, [], False),
        ({"CLICOLOR": "1"}, [], True),
        ({"TERM": "dumb"}, [], False),
        ({}, ["--no-color"], False),
    ],
)
def test_colors_can_be_left_out(environ, argv, is_colored, crewmem, memory):
    """NO_COLOR, CLICOLOR=0, TERM=dumb and --no-color are honoured on a terminal."""
    directory = memory(AGENT="# Agent\n\nThe deploy key is in the vault.\n")
    search = ["memory", "search", "deploy", "--path", directory, *argv]
    assert ("\x1b[" in crewmem(*search, tty=True, environ=environ).stdout) == is_colored
    listing = ["memory", "list", "--path", directory, *argv]
    assert (
        "\x1b[" in crewmem(*listing, tty=True, environ=environ).stdout
    ) == is_colored


def test_a_pipe_has_no_colors_and_no_frames(crewmem, memory):
    """What is not a terminal gets plain text, whatever the variables say."""
    directory = memory(AGENT="# Agent\n\nThe deploy key is in the vault.\n")
    for verb in (["search", "deploy"], ["list"], ["status"]):
        ran = crewmem("memory", *verb, "--path", directory, environ={"CLICOLOR": "1"})
        assert "\x1b" not in ran.stdout


@pytest.fixture(name="nowhere")
def _nowhere(monkeypatch):
    """The environment of somebody whom the host knows no home of, as in a container."""

    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown)
    return {"HOME": "", "CREWMEM_HOME": "", "LOGNAME": ""}


@pytest.mark.parametrize(
    "line", ["status", "memory search key", "memory read CREW.md", "doctor"]
)
def test_who_has_no_home_reads_what_is_named(line, nowhere, memory, ends):
    """A tree is looked into by whoever may; nobody needs to be somebody for it."""
    tree = memory(CREW="# Crew\n\nThe key is in the vault.\n")
    status, stdout, stderr = ends(*line.split(), "--path", tree, environ=nowhere)
    assert (status, bool(stdout.getvalue())) == (0, True), stderr.getvalue()


def test_who_has_no_home_is_told_where_one_would_be(nowhere, ends):
    """Without a name of a place it is below the root, as HOME=/ has it."""
    status, stdout, stderr = ends("status", environ=nowhere)
    assert status == 0, stderr.getvalue()
    assert "the home would be /.local/share/crewmem" in stdout.getvalue()


def test_who_may_not_enter_the_home_is_told_the_way_out(ends, reachable, nobody):
    """The home of somebody else may be in the environment, as sudo leaves it there."""
    data = reachable / "data"
    data.mkdir(mode=0o700)
    environ = {"CREWMEM_HOME": "", "HOME": str(data)}
    ends("memory", "search", "key", environ=environ)  # imports what is needed
    with nobody():
        status, _, stderr = ends("memory", "search", "key", environ=environ)
    assert status == 8
    assert "cannot be read: permission denied" in stderr.getvalue()
    assert "Name another home with --home" in stderr.getvalue()


def test_a_bug_is_reported_where_the_home_may_not_be_entered(reachable, nobody):
    """The report goes to a temporary place then."""
    home = reachable / "home"
    home.mkdir(mode=0o700)
    environ = {"CREWMEM_HOME": str(home / "below")}
    with nobody():
        (folder,) = incident._folders([], environ)
    assert home not in folder.parents


# Where the working directory was removed


@pytest.fixture
def adrift(tmp_path, monkeypatch):
    """Stand in a directory that is no longer there."""
    place = tmp_path / "gone"
    place.mkdir()
    monkeypatch.chdir(place)
    place.rmdir()


@pytest.mark.usefixtures("adrift")
@pytest.mark.parametrize(
    "line",
    [
        ("search", "key"),
        ("read", "agent:AGENT.md"),
        ("scan", "agent:AGENT.md"),
        ("status",),
        ("list",),
    ],
    ids=lambda line: line[0],
)
def test_what_is_named_in_full_is_read_from_a_directory_that_is_gone(
    line, crewmem, memory
):
    """Nothing of it depends on where one stands."""
    verb, *words = line
    ran = crewmem("memory", verb, "-p", memory(AGENT="the key is here\n"), *words)
    assert (ran.status, ran.stderr.count("crewmem:")) == (0, 0), ran.stderr


@pytest.mark.usefixtures("adrift")
def test_what_is_named_from_a_directory_that_is_gone_is_not_there(crewmem):
    """It is said that the directory is gone, and not of some file."""
    ran = crewmem("memory", "status", "-p", ".", "--json")
    assert (ran.status, ran.error["code"]) == (4, "working_directory_missing")
