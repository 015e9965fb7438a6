"""Every command, however late it is loaded, is there and explains itself."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import click
import pytest

from crewmem import cli
from crewmem.cli.command import GLOBALS, MODULES, Argument, Option, root
from crewmem.cli.shells.tree import contexts
from crewmem.cli.table import HIDDEN, TABLE

CONTEXTS = list(contexts(click.Context(root(), info_name="crewmem")))


def lines(table=TABLE, above=""):
    """Yield the path of every command in *table*, with its line of help."""
    for name, entry in table.items():
        about, below = (entry, {}) if isinstance(entry, str) else entry
        yield f"{above}{name}", about
        yield from lines(below, f"{above}{name} ")


LINES = dict(lines())


def path(ctx):
    return ctx.command_path.partition(" ")[2]


def test_the_table_names_every_command():
    """What can be typed is what the table has, in its order."""
    assert [path(ctx) for ctx in CONTEXTS] == ["", *LINES]


@pytest.mark.parametrize("ctx", CONTEXTS[1:], ids=path)
def test_lines_of_help_are_the_commands_own(ctx):
    """The line that help is printed from is the first of the command's docstring."""
    doc = inspect.cleandoc(ctx.command.help)
    assert doc.partition("\n")[0] == LINES[path(ctx)]
    assert LINES[path(ctx)].endswith(".")


@pytest.mark.parametrize("ctx", CONTEXTS, ids=path)
def test_commands_explain_themselves(ctx):
    """Each parameter of a command has a sentence of help."""
    for param in ctx.command.params:
        assert isinstance(param, Option | Argument), param.name
        assert param.help, param.name
        assert param.help[0].isupper(), param.name
        assert param.help.endswith((".", "]")), param.name


@pytest.mark.parametrize("ctx", CONTEXTS, ids=path)
def test_options_are_spelled_once(ctx):
    """No two options of a command, the global ones included, share a spelling."""
    names = [name for param in ctx.command.params for name in param.opts]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("ctx", CONTEXTS, ids=path)
def test_help_is_always_there(ctx, option, crewmem):
    """A command that is asked for help prints it, whatever else is missing.

    No name is broken in it: it may be copied.
    """
    ran = crewmem(*path(ctx).split(), option)
    assert ran.status == 0
    assert ran.stderr == ""
    assert ran.stdout.startswith(f"Usage: {ctx.command_path}")
    assert (ctx.command.help or "").split("\n")[0] in ran.stdout
    assert re.search(r"\w-\n", ran.stdout) is None


@pytest.mark.parametrize("ctx", CONTEXTS, ids=path)
def test_global_options_are_accepted_everywhere(ctx, crewmem):
    """Global options may stand before the verb and after it."""
    words = path(ctx).split()
    given = ["--home", "x", "-w", "y", "--as", "operator:z", "-F", "json", "-q", "-v"]
    given += ["--json", "--debug", "--no-color", "--now", "2026-05-01"]
    for at in range(len(words) + 1):
        ran = crewmem(*words[:at], *given, *words[at:], "-h")
        assert (ran.status, ran.stderr) == (0, "")
    assert {name for each in GLOBALS for name in each.opts} >= {
        word for word in given if word.startswith("-")
    }


def test_global_options_after_the_verb_win(crewmem, home):
    """Of a global option that is given twice the last one counts."""
    ran = crewmem("--home", "elsewhere", "config", "path", "--home", home, "--json")
    assert ran.json["data"]["path"] == str(home / "config.toml")


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_commands_are_in_no_help(name, crewmem):
    """What is for those who work on crewmem is not in the help, and works."""
    assert name not in crewmem("--help").stdout
    assert HIDDEN[name] in crewmem(name, "--help").stdout
    assert import_module(f"crewmem.cli.{name}")


@pytest.mark.parametrize(
    ("typed", "nearest"), [(["memroy"], "memory"), (["config", "gte"], "get")]
)
def test_a_misspelled_command_is_answered_with_the_nearest(typed, nearest, crewmem):
    """A command that is not there ends with 2 and names the one that is meant."""
    ran = crewmem(*typed)
    assert ran.status == 2
    assert f"Did you mean {nearest}?" in ran.stderr


def test_every_module_beside_the_commands_is_on_the_map():
    """Whoever looks for a module of the command line finds it by what it is for."""
    here = {each.stem for each in Path(cli.__file__).parent.glob("*.py")}
    commands = {MODULES.get(name, name) for name in (*TABLE, *HIDDEN)}
    assert {*re.findall(r"`(\w+)`", cli.__doc__)} == here - commands - {"__init__"}
