"""Tables fit into a terminal, and lose nothing for it."""

import io
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.cli.grid import LONG, SHORT, fitted, laid, wrapped
from crewmem.cli.output import Output, Table, aligned, width
from crewmem.cli.text import visible

JOBS = Table(
    ("JOB", "RUNS", "ABOUT"),
    [
        ("sweep", "2880", "embed and index what is new"),
        ("consolidate", "4", "learn from daily notes and the journal"),
    ],
    frozenset({"RUNS"}),
)

words = st.text("ab日é\x1b-", max_size=30)
cells = st.lists(words, max_size=6).map(" ".join)


@st.composite
def tables(draw):
    many = draw(st.integers(1, 6))
    rows = st.lists(st.tuples(*[cells] * many), max_size=4)
    names = tuple(f"NAME{number}" for number in range(many))
    return Table(names, draw(rows), frozenset(draw(st.sets(st.sampled_from(names)))))


def texts(table, most):
    """The lines of *table* as somebody sees them who sees no styles."""
    out = Output(stdout=io.StringIO())
    return [out.styled(line) for line in laid(table, most)]


def room(table, most):
    """Tell whether the columns of *table* fit beside each other."""
    columns = [*zip(table.columns, *table.rows, strict=True)]
    seen = [[visible(cell) for cell in column] for column in columns]
    natural = [max(map(width, column)) for column in seen]
    return fitted(natural, seen, most - 2 * (len(columns) - 1)) is not None


def squeezed(text):
    return re.sub(r"\s", "", text)


@given(table=tables())
def test_with_room_it_is_as_in_a_pipe(table):
    """Where there is room for all of it, a terminal shows what a pipe gets."""
    assert texts(table, 10_000) == aligned(table)


@settings(deadline=None)
@given(table=tables(), most=st.integers(1, 120))
def test_nothing_is_lost(table, most):
    """However narrow it is, each letter that is in a row is shown."""
    shown = sorted(squeezed("".join(texts(table, most))))
    if room(table, most):
        assert shown == sorted(squeezed("".join(aligned(table))))
        return
    told = [first for first, *_ in table.rows]
    told += [
        name + cell
        for _, *cells in table.rows
        for name, cell in zip(table.columns[1:], cells, strict=True)
        if cell.strip()
    ]
    assert shown == sorted(squeezed("".join(map(visible, told))))


@settings(deadline=None)
@given(table=tables(), most=st.integers(1, 120))
def test_no_line_is_too_long(table, most):
    """Columns are never wider together than the terminal; no line ends in a blank."""
    lines = texts(table, most)
    assert all(line == line.rstrip() for line in lines)
    if room(table, most):
        assert all(width(line) <= most for line in lines)


@given(text=cells, most=st.integers(2, 40))
def test_texts_are_broken_between_words(text, most):
    """A line is as full as its words allow; a word is broken that is longer."""
    lines = wrapped(text, most)
    assert all(width(line) <= most for line in lines)
    assert squeezed("".join(lines)) == squeezed(text)
    for line, after in pairwise(lines):
        first = after.split(" ")[0]
        assert width(line) + 1 + width(first) > most or width(first) == most


def test_the_widest_column_gives_way():
    """What is short stays in a line: ids, times and numbers."""
    assert texts(JOBS, 40) == [
        "JOB          RUNS  ABOUT",
        "sweep        2880  embed and index what",
        "                   is new",
        "consolidate     4  learn from daily",
        "                   notes and the journal",
    ]


def test_a_row_is_told_by_itself_where_that_is_not_enough():
    """Its first cell names it; the others stand behind their names."""
    assert texts(JOBS, 24) == [
        "sweep",
        "  RUNS 2880",
        "  ABOUT embed and index what is new",
        "consolidate",
        "  RUNS 4",
        "  ABOUT learn from daily notes and the journal",
    ]


def test_an_empty_cell_is_left_out_there():
    """It would be a name and nothing."""
    table = Table(("ID", "NOTE", "BY"), [("a" * SHORT, "", "somebody")])
    assert texts(table, 10) == ["a" * SHORT, "  BY somebody"]


@pytest.mark.parametrize("most", [30, 60])
def test_a_long_path_is_broken_where_the_column_ends(most):
    """A column is not widened by a word that no terminal has room for."""
    table = Table(("ID", "PATH"), [("1", "/a" * 60)])
    lines = texts(table, most)
    assert max(map(len, lines)) == most
    assert most >= LONG
    assert "".join(line[4:] for line in lines[1:]) == "/a" * 60
