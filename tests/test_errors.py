"""What goes wrong is said well."""

import ast
import inspect
import re
from pathlib import Path

import pytest

import crewmem
from crewmem import errors
from crewmem.cli.manual.failures import details, every
from crewmem.cli.root import BUG, INTERRUPTED, TERMINATED, USAGE
from crewmem.errors import CrewmemError

FAMILIES = CrewmemError.__subclasses__()
KINDS = every()


def called(cls):
    return cls.__name__


def test_families_have_their_own_status():
    """A script can tell the families of failure apart."""
    assert sorted(family.exit_code for family in FAMILIES) == [3, 4, 5, 6, 7, 8, 9]
    assert (USAGE, BUG, INTERRUPTED, TERMINATED) == (2, 70, 130, 143)


@pytest.mark.parametrize("kind", KINDS, ids=called)
def test_kinds_keep_their_family_status(kind):
    """A particular failure ends as its family does, and is of one family only."""
    assert "exit_code" not in vars(kind)
    assert len(kind.__bases__) == 1
    assert not kind.__subclasses__()


@pytest.mark.parametrize("kind", KINDS, ids=called)
def test_kinds_explain_themselves(kind):
    """A failure has a sentence of its own in the manual, and a name that ends so."""
    assert kind.__name__.endswith("Error")
    assert re.fullmatch(r"[A-Z].*\.", inspect.getdoc(kind), re.DOTALL)
    assert inspect.getdoc(kind) != inspect.getdoc(kind.__base__)


def test_codes_are_stable_names_apart():
    """No two failures have one code, in JSON."""
    codes = [kind.__new__(kind).code for kind in KINDS]
    assert sorted(codes) == sorted(set(codes))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)
    assert not {"usage", "bug", "interrupted", "terminated"} & set(codes)


def made(kind):
    """Return a failure of *kind*, made of facts that its signature asks for."""
    facts = {
        "int": 7,
        "Sequence[str]": ["one", "two"],
        "Sequence[Path]": [Path("one"), Path("two")],
        "Path": Path("some/where"),
    }
    given = [
        facts.get(each.annotation, f"some {name}")
        for name, each in inspect.signature(kind).parameters.items()
    ]
    return kind(*given)


@pytest.mark.parametrize("kind", KINDS, ids=called)
def test_a_failure_tells_its_facts(kind):
    """A failure says a sentence without its end, and its facts are what JSON has."""
    error = made(kind)
    assert str(error)
    assert not str(error).endswith(".")
    assert re.search(r"^$|[.?]$|crewmem .+$|^some hint$", error.hint)
    assert list(error.details) == details(kind)


@pytest.mark.parametrize("kind", KINDS, ids=called)
def test_hints_name_commands_that_there_are(kind):
    """A command that a hint names is one that can be typed."""
    from crewmem.cli.table import TABLE

    hint = made(kind).hint
    for command in re.findall(
        r"crewmem (?:--home \S+ )?([a-z]+(?: [a-z]+(?:-[a-z]+)*)?)", hint
    ):
        group, _, verb = command.partition(" ")
        assert group in TABLE, hint
        if isinstance(TABLE[group], tuple):
            assert verb in TABLE[group][1], hint


def test_every_kind_is_raised():
    """No failure is left in the list that nothing raises."""
    used = set()
    for module in Path(crewmem.__file__).parent.rglob("*.py"):
        if module.parent.name != "errors":
            tree = ast.parse(module.read_text("utf-8"))
            used |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            used |= {
                node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
            }
    assert {kind.__name__ for kind in KINDS} - used == set()


def test_errors_is_where_failures_are():
    """Every failure of crewmem's own is in one room."""
    rooms = {kind.__module__.rpartition(".")[0] for kind in KINDS}
    assert rooms == {errors.__name__}
