"""Commands that a person is told to type work on the memory that was meant."""

import stat

import pytest

from crewmem.cli.spelled import OF_HOME, spelled
from crewmem.errors.disk import NotWritableError


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "See crewmem doctor."),
        ({"home": "h"}, "See crewmem --home h doctor."),
        ({"home": "a b", "workspace": "w"}, "See crewmem --home 'a b' -w w doctor."),
    ],
)
def test_a_home_that_was_named_is_named_again(given, told):
    """What the environment says holds for the next command as well."""
    assert spelled("See crewmem doctor.", given) == told


def test_words_that_are_no_command_stay():
    """The name of the program in a sentence, or in a path, is left alone."""
    text = "crewmem is well; /opt/crewmem doctor; crewmem nonsense"
    assert spelled(text, {"home": "h"}) == text


def test_of_a_tree_that_was_named_doctor_looks_at_that():
    """The home has nothing to say of it."""
    assert OF_HOME in NotWritableError.hint
    told = spelled(NotWritableError.hint, {"home": "h"}, "my tree")
    assert told == "See what cannot be written: crewmem doctor --path 'my tree'"


def test_a_tree_that_cannot_be_written_is_shown_to_doctor(
    crewmem, memory, reachable, nobody
):
    """Who may not write there is told of that tree, and not of a home."""
    tree = reachable / "crew"
    memory(CREW="# Crew\n").rename(tree)
    for each in (tree, *tree.rglob("*")):
        each.chmod(stat.S_IRWXU | 0o55 if each.is_dir() else 0o644)
    words = ("--home", reachable / "home", "memory")
    crewmem(*words, "list", "--path", tree)  # imports what is needed
    crewmem(*words, "reindex", "--path", tree / "nowhere")
    with nobody():
        ran = crewmem(*words, "reindex", "--path", tree)
    assert ran.status == 8, ran.stderr
    assert f"crewmem doctor --path {tree}" in ran.stderr
