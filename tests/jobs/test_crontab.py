"""Timers as lines of a crontab."""

import subprocess
from shlex import split

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.errors.jobs import BrokenBlockError, UnspeakablePathError
from crewmem.jobs.crontab import block, mine, put
from crewmem.jobs.job import NAMES
from crewmem.jobs.timers import Timers
from crewmem.settings.whens import read

WHENS = {"sweep": read("30s"), "rollup": read("00:10"), "condense": read("6h")}

TIMERS = Timers(
    tag="",
    program=["/opt/crewmem/bin/crewmem"],
    home="/srv/crewmem",
    workspace=None,
    whens=WHENS,
)


def commands(timers):
    return [line for line in block(timers) if not line.startswith("#")]


def as_cron_has_it(line):
    """Return the command of a line as cron hands it to a shell: % would end it."""
    command = line.split(" ", 5)[5]
    assert "%" not in command.replace("\\%", "")
    return command.replace("\\%", "%")


def minutes_of(line):
    """Return the minutes of a day at which cron runs *line*."""

    def matching(field, most):
        if "," in field:
            return {int(each) for each in field.split(",")}
        first, _, step = field.partition("/")
        return {*range(0, most, int(step or 1))} if first == "*" else {int(first)}

    minute, hour, *others = line.split(" ")[:5]
    assert others == ["*", "*", "*"]
    return {60 * h + m for h in matching(hour, 24) for m in matching(minute, 60)}


def test_the_lines_of_timers():
    """A crontab has a block of lines, each of which calls a job of this home."""
    run = "/opt/crewmem/bin/crewmem --home /srv/crewmem timers run"
    about = "crewmem timers install writes these lines, timers remove takes them away"
    assert block(TIMERS) == [
        f"# BEGIN crewmem timers: {about}",
        f"* * * * * {run} sweep --quiet --strict >/dev/null",
        f"* * * * * sleep 30; {run} sweep --quiet --strict >/dev/null",
        f"10 * * * * {run} rollup --quiet --strict --if-due >/dev/null",
        f"0 */6 * * * {run} condense --quiet --strict >/dev/null",
        "# END crewmem timers",
    ]
    assert block(TIMERS._replace(whens={})) == []


@pytest.mark.parametrize(
    ("text", "times"),
    [
        *(("10s", 8_640), ("30s", 2_880), ("1m", 1_440), ("5m", 288), ("1h", 24)),
        *(("6h", 4), ("12h", 2), ("1d", 1), ("90m", 48), ("45m", 96)),
    ],
)
def test_spans_are_run_as_often_as_they_say(text, times):
    """cron runs a span as often as it goes into a day; or asks so often if it is."""
    lines = commands(TIMERS._replace(whens={"sweep": read(text)}))
    assert sum(len(minutes_of(line)) for line in lines) == times
    asks = "--if-due" in lines[0]
    assert asks == (text in {"90m", "45m"})


@given(st.integers(0, 1_439), st.sampled_from(["", "Asia/Kathmandu"]))
def test_times_of_day_are_asked_for_in_every_hour(minute, zone):
    """cron asks at the minute of the hour; in another zone at all that it could be."""
    when = read(f"{minute // 60:02}:{minute % 60:02}")
    (line,) = commands(TIMERS._replace(whens={"nightly": when}, zone=zone))
    asked = {each % 60 for each in minutes_of(line)}
    assert minute % 60 in asked
    assert len(asked) == (4 if zone else 1)
    assert {each // 60 for each in minutes_of(line)} == {*range(24)}
    assert "--if-due" in line


PATHS = st.text(
    alphabet="abc /%$'\"`;&|<>(){}[]*?!~#=,:äß日", min_size=1, max_size=20
).map(lambda text: f"/{text}")


@given(PATHS, PATHS)
def test_paths_reach_the_program_as_they_are(program, home):
    """Whatever a path is called, neither cron nor the shell changes it."""
    timers = TIMERS._replace(program=[program], home=home, workspace="lab")
    for line in commands(timers):
        command = as_cron_has_it(line)
        words = split(command.removesuffix(" >/dev/null").removeprefix("sleep 30; "))
        assert words[0] == program
        assert words[1:5] == ["--home", home, "--workspace", "lab"]


def test_a_shell_runs_it(tmp_path):
    """A real shell calls the program with the very words."""
    folder = tmp_path / 'a b\'s "100%" $HOME `id` #'
    folder.mkdir()
    program, told = folder / "crewmem", folder / "told"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{tmp_path}/told'\n")
    program.chmod(0o755)
    timers = TIMERS._replace(program=[str(program)], home=str(told))
    command = as_cron_has_it(commands(timers)[0])
    subprocess.run(["/bin/sh", "-c", command], check=True, timeout=20)
    words = (tmp_path / "told").read_text().splitlines()
    assert words[:5] == ["--home", str(told), "timers", "run", "sweep"]


@pytest.mark.parametrize("home", ["/a\nb", "/a\\b", "/a\tb", "/a\udcff"])
def test_what_a_crontab_cannot_say_is_refused(home):
    """A path with a line end, a control character or a backslash is no line."""
    with pytest.raises(UnspeakablePathError):
        block(TIMERS._replace(home=home))


LINE = st.binary(max_size=30).map(
    lambda line: line.replace(b"\n", b"").replace(b"\r", b"")
)
FOREIGN = LINE | st.sampled_from(
    [
        b"# BEGIN crewmem-12345678 timers: other",
        b"# END crewmem-12345678 timers",
        b"# BEGIN something else",
        b"MAILTO=ada",
        b"# crewmem timers",
    ]
)
crontabs = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(FOREIGN, max_size=6),
    st.sampled_from([b"", b"\n"]),
)


def lines_of(crontab):
    return [line for line in crontab.split(b"\n") if line]


@given(crontabs, st.lists(st.sampled_from(NAMES), unique=True))
def test_no_line_of_others_is_lost(crontab, jobs):
    """What others have in a crontab stays, in its order, through every change."""
    whens = {job: read("1h") for job in jobs}
    lines = block(TIMERS._replace(whens=whens))
    installed = put(crontab, "", lines)
    assert put(installed, "", lines) == installed
    assert mine(installed, "") == lines
    others = [
        each for each in lines_of(installed) if each.decode("latin-1") not in lines
    ]
    assert others == lines_of(crontab)
    changed = put(installed, "", block(TIMERS))
    assert lines_of(put(changed, "", [])) == lines_of(crontab)
    assert put(put(crontab, "", []), "", []) == crontab


@given(crontabs, crontabs)
def test_a_block_stays_where_it_is(above, below):
    """Lines that are written again stand where they stood."""
    old = put(above, "", block(TIMERS)) + below
    lines = block(TIMERS._replace(home="/other"))
    new = put(old, "", lines)
    assert new.endswith(below)
    assert mine(new, "") == lines
    assert lines_of(new)[: len(lines_of(above))] == lines_of(above)


def test_timers_of_two_homes_do_not_meet():
    """A block belongs to one home; another's is somebody else's."""
    one = put(b"", "", block(TIMERS))
    both = put(one, "0badcafe", block(TIMERS._replace(tag="0badcafe", home="/b")))
    assert mine(both, "") == block(TIMERS)
    assert put(both, "0badcafe", []) == one


@pytest.mark.parametrize(
    "text",
    [
        b"# BEGIN crewmem timers: x\n1 2 3 4 5 ours\n0 0 * * * theirs\n",
        b"0 0 * * * theirs\n# END crewmem timers\n",
        b"# END crewmem timers\n# BEGIN crewmem timers: x\n",
        b"# BEGIN crewmem timers: x\n# BEGIN crewmem timers: x\n# END crewmem timers\n",
    ],
)
def test_a_broken_block_is_left_to_a_person(text):
    """Where it cannot be told which lines are ours, none is touched."""
    for lines in ([], block(TIMERS)):
        with pytest.raises(BrokenBlockError):
            put(text, "", lines)
