"""What is generated is what the code says today, and what its readers accept."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import crewmem as package
from crewmem.cli.command import root
from crewmem.cli.generate import FOLDERS, generated

ROOT = Path(__file__).parents[1]

WANTED = dict(generated(root()))

PAGES = [path for path in WANTED if path.startswith("man/")]


@pytest.mark.parametrize("path", WANTED)
def test_committed_files_are_current(path):
    """Each generated file is committed as `crewmem generate .` writes it."""
    assert WANTED[path] == (ROOT / path).read_text("utf-8"), "run: crewmem generate ."


def test_nothing_is_left_over():
    """No page or script outlives its command."""
    there = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
    }
    assert there == {path for path in WANTED if path.startswith(FOLDERS)}


def test_generate_writes_and_clears(tmp_path, crewmem):
    """`generate` writes every file, and removes only what it once wrote."""
    assert crewmem("generate", tmp_path).status == 0
    (tmp_path / "man/crewmem-gone.1").write_text(WANTED["man/crewmem.1"])
    (tmp_path / "man/mine.1").write_text("not generated")
    assert crewmem("generate", tmp_path).stdout.split() == sorted(WANTED)
    there = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {str(path.relative_to(tmp_path)) for path in there} == {
        *WANTED,
        "man/mine.1",
    }
    assert all(path.stat().st_mode & 0o444 == 0o444 for path in there)


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_good_roff(path):
    """A page is text in lines that a diff can show, and has no date to go stale."""
    page = WANTED[path]
    assert page.isascii()
    assert not re.search(r"\b20\d\d\b", page.partition(".SH DESCRIPTION")[0])
    assert all(not line.startswith(("'", ". ")) for line in page.splitlines())
    assert "\n\n" not in page


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_mandoc_accepts_the_pages(tmp_path):
    """mandoc misses nothing in a page but the date, which is left out on purpose."""
    for path in PAGES:
        (tmp_path / Path(path).name).write_text(WANTED[path])
    pages = sorted(map(str, tmp_path.iterdir()))
    said = subprocess.run(
        [shutil.which("mandoc"), "-T", "lint", *pages],
        capture_output=True,
        text=True,
        check=False,
    )
    complaints = [
        line for line in said.stdout.splitlines() if "missing date" not in line
    ]
    assert complaints == []


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_groff_accepts_the_pages(tmp_path):
    """groff sets every page without a warning."""
    for path in PAGES:
        (tmp_path / Path(path).name).write_text(WANTED[path])
    pages = sorted(map(str, tmp_path.iterdir()))
    said = subprocess.run(
        [shutil.which("groff"), "-man", "-ww", "-Tutf8", "-z", *pages],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stderr == ""


def test_every_variable_is_in_the_manual():
    """Each variable that crewmem reads is explained under ENVIRONMENT or SETTINGS."""
    page = WANTED["man/crewmem.1"]
    read = set()
    for module in Path(package.__file__).parent.rglob("*.py"):
        text = module.read_text("utf-8")
        read |= set(re.findall(r"environ(?:\.get\(|\[)\"(\w+)\"", text))
        read |= set(re.findall(r"\"((?:CREWMEM|OTTER|ENGRAM)_\w+)\"", text))
    assert {name for name in read if f"\\fB{name}\\fR" not in page} == set()


def test_every_status_is_in_the_manual():
    """EXIT STATUS has all that a command can end with."""
    section = WANTED["man/crewmem.1"].partition(".SH EXIT STATUS")[2]
    section = WANTED["man/crewmem.1"].partition('.SH "EXIT STATUS"')[2] or section
    found = re.findall(r"^\\fB(\d+)\\fR$", section.partition("\n.SH")[0], re.MULTILINE)
    assert [*map(int, found)] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 70, 130, 143]
