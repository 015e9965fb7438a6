"""What an agent is told about its memory."""

import re
from datetime import date

import click
import pytest

from crewmem.cli.command import root
from crewmem.cli.memory.prompt import _commands
from crewmem.cli.shells.tree import contexts
from crewmem.cli.table import TABLE
from crewmem.prompt.days import Gap, gap_text
from crewmem.prompt.instructions import ADVICE, Fill, Standing, State, instructions
from crewmem.prompt.nudge import THRESHOLD, nudge

COMMANDS = frozenset(_commands(TABLE))

ONE = re.compile(r"crewmem [^.:]*")
"""What is said of one command: to the end of its sentence."""

LEAD = Standing(own=State.WRITABLE, crew=State.WRITABLE, is_lead=True)

MEMBER = Standing(own=State.WRITABLE, crew=State.WRITABLE)


def named(text):
    """Yield each command in *text*, with the options that it is named with."""
    for each in ONE.findall(text):
        words = each.split()[1:]
        longest = next(
            " ".join(words[:count])
            for count in (3, 2, 1)
            if " ".join(words[:count]) in COMMANDS
        )
        yield longest, re.findall(r"--[a-z-]+", each)


def test_all_commands_that_are_named_exist():
    """What a prompt tells an agent to run is there, with the options it is told."""
    params = {
        ctx.command_path.partition(" ")[2]: {
            spelling for param in ctx.command.params for spelling in param.opts
        }
        for ctx in contexts(click.Context(root(), info_name="crewmem"))
    }
    day = date(2026, 5, 1)
    gap = Gap(day, date(2026, 4, 1), "crewmem memory read agent:a/b/daily/x")
    text = instructions(LEAD, COMMANDS) + instructions(MEMBER, COMMANDS)
    text += gap_text(gap, below=True) + nudge(THRESHOLD)
    found = list(named(text))
    assert {command for command, _ in found} >= {"memory write", "memory search"}
    for command, options in found:
        assert {*options} <= params[command], command


@pytest.mark.parametrize("advice", ADVICE, ids=lambda each: each.text[:20])
def test_advice_says_what_it_names(advice):
    """A line of advice knows the commands that it names, and no others."""
    assert {command for command, _ in named(advice.text)} == {*advice.commands}


@pytest.mark.parametrize("missing", sorted({c for a in ADVICE for c in a.commands}))
def test_commands_that_do_not_exist_are_not_named(missing):
    """A command that is not there is not spoken of."""
    assert f"crewmem {missing}" in instructions(LEAD, COMMANDS)
    assert f"crewmem {missing}" not in instructions(LEAD, COMMANDS - {missing})


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State.READ_ONLY, "It cannot be written now: it is read-only here."),
        (State.FULL, "It cannot be written now: it is full"),
        (State.OFF, "It cannot be written now: memory is switched off"),
    ],
)
def test_what_cannot_be_written_is_said(state, said):
    """Where memory cannot be written it is said why, and writing is not advised."""
    text = instructions(Standing(own=state, crew=State.WRITABLE), COMMANDS)
    assert said in text
    assert "memory write" not in text
    assert "memory search" in text


def test_a_crew_that_cannot_be_written_is_said_to_its_lead():
    """A lead is told when the crew's memory cannot be written."""
    crew = Standing(own=State.WRITABLE, crew=State.READ_ONLY, is_lead=True)
    assert "The crew's memory cannot be written now" in instructions(crew, COMMANDS)
    assert "--tier crew" not in instructions(crew, COMMANDS)
    member = crew._replace(is_lead=False)
    assert "The crew's memory cannot" not in instructions(member, COMMANDS)


def test_only_leads_are_told_to_write_crew_memory():
    """Who does not lead is told who does."""
    assert "--tier crew" in instructions(LEAD, COMMANDS)
    assert "--tier crew" not in instructions(MEMBER, COMMANDS)
    assert "the lead's to write" in instructions(MEMBER, COMMANDS)


def test_full_files_are_named():
    """From four fifths of a cap on it is said how full a file is."""
    full = MEMBER._replace(fills=(Fill("AGENT.md", 3_900, 4_000),))
    assert "AGENT.md holds 3,900 of 4,000 bytes (97%)" in instructions(full, COMMANDS)
    some = MEMBER._replace(fills=(Fill("AGENT.md", 3_100, 4_000),))
    assert "AGENT.md holds" not in instructions(some, COMMANDS)


def test_instructions_are_short():
    """All that can be said together is within 2,000 characters."""
    fills = (Fill("AGENT.md", 3_900, 4_000), Fill("pins.md", 8_000, 8_000))
    assert len(instructions(LEAD._replace(fills=fills), COMMANDS)) < 2_000


def test_a_nudge_comes_late_and_is_one_line():
    """Few entries are no reason; from sixty on the count is told."""
    assert nudge(THRESHOLD - 1) == ""
    assert nudge(1_060).startswith("1,060 journal entries since memory was")
    assert "~/.memory/AGENT.md" in nudge(THRESHOLD)
    assert "\n" not in nudge(THRESHOLD)
