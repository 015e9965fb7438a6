"""How answers are printed, and that stored text acts on no terminal."""

import io
import json
from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.cli.output import STYLES, Output, Table, aligned, width
from crewmem.cli.text import BLANK, SELECTORS, visible
from crewmem.errors.cli import UnprintedError

law = settings(deadline=None, max_examples=200)

ACTING = st.one_of(
    st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"]),
    st.sampled_from([*BLANK, *map(chr, SELECTORS)]),
    st.sampled_from(["\x1b[31m", "\x1b]8;;http://x\x07", "\u202e", "\u2028", "\u2029"]),
)
TEXT = st.lists(st.one_of(st.characters(), ACTING, st.text("ab \\é世"))).map("".join)


def printing(format="plain", **options):  # noqa: A002 - as Output has it
    return Output(format=format, stdout=io.StringIO(), stderr=io.StringIO(), **options)


# Text that was stored


@law
@given(text=TEXT, keep=st.sampled_from(["", "\n", "\n\t"]))
def test_nothing_that_acts_is_left(text, keep):
    """No control, format or blank character, and no surrogate, reaches a terminal."""
    left = [each for each in visible(text, keep) if each not in keep]
    assert not {"Cc", "Cf", "Cs", "Zl", "Zp"} & {category(each) for each in left}
    assert not [each for each in left if each in BLANK or ord(each) in SELECTORS]


@law
@given(text=st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_untouched(text):
    """What can be typed on any keyboard is printed as it is."""
    assert visible(text) == text


@law
@given(text=TEXT)
def test_what_can_be_seen_is_untouched(text):
    """Only what cannot be seen is spelled out; letters of any language stay."""
    seen = "".join(each for each in text if visible(each) == each)
    assert visible(seen) == seen


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("a\tb\nc\rd", "a\\tb\\nc\\rd"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202eevil", "\\u202eevil"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("\udcff", "\\udcff"),
        ("Grüße, 世界 👍🏽", "Grüße, 世界 👍🏽"),
    ],
)
def test_what_is_spelled_out(text, shown):
    """Escape sequences, bidi, zero-width and tag characters are seen for what they are.

    Emoji and the letters of all languages are text.
    """
    assert visible(text) == shown


@pytest.mark.parametrize("form", ["plain", "table"])
def test_every_way_of_printing_is_safe(form):
    """Lines, tables, notes, warnings and failures all show stored text made visible."""
    evil = "\x1b]0;title\x07\u202e"
    out = printing(form, color=True)
    out.lines([evil, [("bold", evil), evil, ("", evil)]])
    out.listing([evil], Table([evil], [[evil], [f"a {evil}"]]))
    out.note(evil)
    out.warn(evil)
    printed = out.stdout.getvalue() + out.stderr.getvalue()
    assert "\x1b]" not in printed
    assert "\x07" not in printed
    assert "\u202e" not in printed
    assert printed.count("\\x1b]0;title\\x07\\u202e") == 9


def test_styles_are_ours_alone():
    """With colours a style opens and closes around its text; without there is none."""
    line = [("bold", "a"), " b ", ("", "c"), ("dim", "")]
    assert printing(color=True).styled(line) == "\x1b[1ma\x1b[0m b c"
    assert printing(color=False).styled(line) == "a b c"
    assert all(set(code) <= set("0123456789;") for code in STYLES.values())


# JSON


def test_the_envelope():
    """An answer is one document with its schema, its data and its warnings."""
    out = printing("json")
    out.warn("careful")
    out.warn("careful")
    out.note("for people")
    out.record({"a": 1}, ["not this"])
    document = {"schema": 1, "data": {"a": 1}, "warnings": ["careful"]}
    assert json.loads(out.stdout.getvalue()) == document
    assert out.stderr.getvalue() == "warning: careful\n"


def test_lists_have_a_cursor():
    """What lists says where it goes on, or null; also when it is empty."""
    out = printing("json")
    out.listing([], Table(["a"], []))
    assert json.loads(out.stdout.getvalue())["next"] is None
    out = printing("json")
    out.listing([1], Table(["a"], [["1"]]), cursor="abc")
    assert json.loads(out.stdout.getvalue())["next"] == "abc"
    out = printing("json")
    out.found("words", [], ["not this"])
    assert json.loads(out.stdout.getvalue())["data"] == {"mode": "words", "hits": []}


def test_jsonl_is_an_object_a_line():
    """With jsonl there is no envelope: one object a line, and none for nothing."""
    out = printing("jsonl")
    out.listing([{"a": 1}, {"a": "x\ny"}], Table(["a"], []))
    lines = out.stdout.getvalue().splitlines()
    assert [json.loads(line) for line in lines] == [{"a": 1}, {"a": "x\ny"}]
    out = printing("jsonl")
    out.listing([], Table(["a"], []))
    assert out.stdout.getvalue() == ""


# Warnings, and what cannot be printed


def test_quiet_says_nothing_beside_the_answer():
    """With --quiet warnings are in the JSON answer alone, and notes nowhere."""
    for form in ("plain", "json"):
        out = printing(form, quiet=True)
        out.warn("careful")
        out.note("a note")
        out.record({}, ["answer"])
        assert out.stderr.getvalue() == ""
        assert out.warnings == ["careful"]


def test_warnings_are_said_once():
    """The same warning twice is one line."""
    out = printing()
    out.warn("careful")
    out.warn("careful")
    assert out.stderr.getvalue() == "warning: careful\n"


class Full:
    """A stream on a full disk."""

    def write(self, _):
        raise OSError(28, "No space left on device")

    def isatty(self):
        return False


def test_what_cannot_be_printed_is_a_failure():
    """A full disk is told as a failure of its own; a closed pipe is handed on."""
    out = Output(stdout=Full(), stderr=io.StringIO())
    for printed in (
        lambda: out.lines(["a"]),
        lambda: out.text("a"),
        lambda: out.record({}, ["a"]),
        lambda: out.document(b"a", raw=True),
    ):
        with pytest.raises(UnprintedError, match="no space left on device"):
            printed()


# Columns


@law
@given(
    rows=st.lists(
        st.tuples(*[st.text(st.sampled_from("ab 世é\u0301\n"), max_size=6)] * 2),
        min_size=1,
    )
)
def test_columns_are_aligned(rows):
    """Every cell of a column begins, or of numbers ends, in the same place."""
    table = Table(["NAME", "COUNT"], [*rows], frozenset({"COUNT"}))
    lines = aligned(table)
    cells = [("NAME", "COUNT"), *(tuple(map(visible, row)) for row in rows)]
    widest = max(width(name) for name, _ in cells)
    right = widest + 2 + max(width(count) for _, count in cells)
    for line, (name, count) in zip(lines, cells, strict=True):
        assert line.startswith(name.rstrip())
        if count.rstrip() == count and count:
            assert line.endswith(count)
            assert width(line) == right


def test_a_table_on_a_terminal():
    """On a terminal a table has its columns, and nothing of it is markup."""
    out = printing("table")
    rows = [["[bold]a[/bold]", "1"], ["b", "1000"]]
    out.listing([1, 2], Table(["NAME", "N"], rows, frozenset("N")))
    assert [line.rstrip() for line in out.stdout.getvalue().splitlines()] == [
        "NAME               N",
        "[bold]a[/bold]     1",
        "b               1000",
    ]


def test_an_empty_table_prints_nothing():
    """Where there is nothing to list no heading is printed."""
    for form in ("plain", "table"):
        out = printing(form)
        out.listing([], Table(["NAME"], []))
        assert out.stdout.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("世界", 4), ("e\u0301", 1), ("", 0), ("é", 1)]
)
def test_width(text, columns):
    """A character takes as many columns as a terminal gives it."""
    assert width(text) == columns


# Documents


def test_a_document_is_printed_as_it_is():
    """A file goes to a pipe byte for byte; on a terminal it is made visible."""
    content = b"a\x1b[31m\r\nb\xff"
    raw = io.BytesIO()
    out = Output(stdout=io.TextIOWrapper(raw), stderr=io.StringIO())
    out.document(content, raw=False)
    out.stdout.flush()
    assert raw.getvalue() == content

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Output(stdout=Terminal(), stderr=io.StringIO())
    out.document(content, raw=False)
    assert out.stdout.getvalue() == "a\\x1b[31m\\r\nb\ufffd\n"
