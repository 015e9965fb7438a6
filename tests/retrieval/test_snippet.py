"""The line that shows why a text was found."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.retrieval.clusters import is_within
from crewmem.retrieval.matches import matches
from crewmem.retrieval.query import plain, understood
from crewmem.retrieval.snippet import (
    CUT,
    PIECE_CHARS,
    WORD_CHARS,
    past_heading,
    segments,
    snippet,
)

law = settings(max_examples=150, deadline=None)

CLUSTERS = (
    *("e\u0301", "👩‍👩‍👧‍👦", "🇨🇿", "हिन्दी", "東京タワー", "각", "✌🏽", "naïve"),
    *("vault", "Vaults,", "token", "src/app.py", "(lead)", "x" * 60, "東" * 70),
)

spaces = st.sampled_from([" ", "  ", "\n", "\r\n\t", "\u2028", "\x1c", "\u00a0"])

word = st.sampled_from(CLUSTERS) | st.text("abcdefg", min_size=1, max_size=9)


@st.composite
def texts(draw):
    """Draw prose with matches, long words and characters of several code points."""
    drawn = draw(st.lists(st.tuples(word, spaces), max_size=40))
    return "".join(part for pair in drawn for part in pair)


widths = st.integers(0, 120) | st.just(240)


def found_in(text, query, tokenize):
    """Return where *text* holds what *query* asks for."""
    asked = understood(query, tokenize)[0] or plain(query, tokenize)
    return matches(text, asked.terms, tokenize)


def marked(text, query, tokenize, **options):
    return snippet(text, found_in(text, query, tokenize), **options)


def shown(text, query, tokenize, width):
    """Return the segments of a snippet, and its text without the marks of cuts."""
    parts = segments(text, found_in(text, query, tokenize), width=width)
    return parts, "".join(piece for piece, _ in parts)


@law
@given(text=texts(), width=widths)
def test_a_snippet_is_one_line_within_its_width(tokenize, text, width):
    """A snippet is part of the text on one line, never wider than asked."""
    _, line = shown(text, "vault token app.py", tokenize, width)
    folded = " ".join(text.split())
    assert len(line) <= width
    assert line.removeprefix(CUT).removesuffix(CUT) in folded
    assert (line == folded) == (len(folded) <= width)


@law
@given(text=texts(), width=widths)
def test_what_is_cut_says_so(tokenize, text, width):
    """An ellipsis stands exactly where text was left out."""
    _, line = shown(text, "vault", tokenize, width)
    folded = " ".join(text.split())
    if len(folded) > width > 2:
        left = line.startswith(CUT)
        right = line.endswith(CUT)
        bare = line[left : len(line) - right]
        assert left or folded.startswith(bare)
        assert right or folded.endswith(bare)
        assert left or right


@law
@given(text=texts(), width=st.integers(2 * WORD_CHARS, 120))
def test_words_and_characters_are_never_cut(tokenize, text, width):
    """A cut stands between words, or in a long word between characters."""
    _, line = shown(text, "vault token", tokenize, width)
    folded = " ".join(text.split())
    bare = line.removeprefix(CUT).removesuffix(CUT)
    at = folded.index(bare)
    for cut in (at, at + len(bare)):
        assert not is_within(folded, cut)
        inside = 0 < cut < len(folded) and " " not in folded[cut - 1 : cut + 1]
        if inside:
            begin = folded.rfind(" ", 0, cut) + 1
            assert len(folded[begin:].split(" ")[0]) > WORD_CHARS


@law
@given(text=texts(), width=st.integers(WORD_CHARS, 120))
def test_only_matches_are_marked(tokenize, text, width):
    """Every marked piece holds a word that was asked for, and no other piece does."""
    parts, _ = shown(text, "vault token", tokenize, width)
    for piece, is_match in parts:
        assert piece
        stems = {stem for _, _, stem in tokenize(piece)}
        if is_match:
            assert stems <= {"vault", "token"}
            assert piece == piece.strip()
        else:
            assert stems.isdisjoint({"vault", "token"})


@law
@given(text=texts(), width=st.integers(12, 120))
def test_no_window_holds_more_of_what_was_asked(tokenize, text, width):
    """As many different words are shown as any window of words of that width holds."""
    names = {"vault", "token", "lead"}
    _, line = shown(text, " ".join(names), tokenize, width)
    folded = " ".join(text.split())
    here = {stem for _, _, stem in tokenize(line)} & names
    for begin in range(len(folded)):
        if begin == 0 or folded[begin - 1] == " ":
            window = folded[begin : begin + width - 2]
            if not folded[begin + width - 2 :].startswith(" "):
                window = window.rpartition(" ")[0]
            assert len({stem for _, _, stem in tokenize(window)} & names) <= len(here)


@law
@given(text=st.text(st.characters(exclude_categories=())), query=st.text())
def test_matches_are_where_the_tokenizer_says(tokenize, text, query):
    """Matches count characters, whatever their number of bytes."""
    found = found_in(text, f"{query} {text[:20]}", tokenize)
    assert found == sorted(found)
    for begin, end, name in found:
        assert 0 <= begin < end <= len(text)
        assert name
        assert not text[begin:end].isspace()


TEXT = """\
The deploy key is in the vault.  Every deployment of `src/app.py` on Fridays
needs two people, one of whom is the lead; see deploy keys in CREW.md.
"""


@pytest.mark.parametrize(
    ("query", "width", "line"),
    [
        ("deploy key", 40, "The **deploy key** is in the vault. Every…"),
        ("friday", 40, "…on **Fridays** needs two people, one of…"),
        ("app.py", 40, "…of `src/**app.py**` on Fridays needs two…"),
        ('"deploy key" friday', 20, "…**deploy key** is in…"),
        ("peop* NOT key", 30, "…two **people**, one of whom is…"),
        (
            "lead crew",
            60,
            "…one of whom is the **lead**; see deploy keys in **CREW**.md.",
        ),
        ("nothing", 30, "The deploy key is in the…"),
        ("people", 9, "…**people**,…"),
        ("people", 8, "…**people**…"),
        ("people", 6, "…**peop**…"),
        ("people", 3, "…**p**…"),
        ("people", 2, "…"),
        ("people", 1, "…"),
        ("people", 0, ""),
    ],
)
def test_snippets(tokenize, query, width, line):
    """A snippet shows the words that were asked for, and what stands around them."""
    assert marked(TEXT, query, tokenize, width=width) == line


def test_a_text_that_fits_is_shown_whole(tokenize):
    """A short text is shown whole, with all its matches."""
    line = marked(" The\n vault,\tthe   token ", "token vault", tokenize)
    assert line == "The **vault**, the **token**"
    assert marked("the vault", "token", tokenize, width=9) == "the vault"
    assert marked("", "token", tokenize) == ""


def test_neighbours_are_one_run(tokenize):
    """Matches with only white space between them are marked as one."""
    line = marked("deploy\n  keys, deploy-key deploy the key", "deploy key", tokenize)
    assert line == "**deploy keys**, **deploy**-**key deploy** the **key**"


def test_a_whole_compound_is_marked_as_one(tokenize):
    """A compound that is found whole is marked whole, its parts elsewhere."""
    line = marked("app.py of src/app.py", "src/app.py", tokenize)
    assert line == "**app**.**py** of **src/app.py**"


def test_marks_are_the_callers(tokenize):
    """The marks around matches are what the caller wants them to be."""
    assert marked("the vault", "vault", tokenize, marks=("<", ">")) == "the <vault>"
    assert marked("the vault", "vault", tokenize, marks=("", "")) == "the vault"


def test_a_mark_ends_behind_the_character(tokenize):
    """A mark never stands inside of what a reader takes for one character."""
    assert marked("the हिन्दी text", "हिन्दी", tokenize) == "the **हिन्दी** text"


def test_different_words_count_more_than_repeated_ones(tokenize):
    """A window with two words that were asked for is preferred to one word thrice."""
    text = f"vault vault vault {'x ' * 40} vault token {'y ' * 40}"
    assert "token" in marked(text, "vault token", tokenize, width=40)


def test_more_matches_count_more_than_fewer(tokenize):
    """Of windows with as many different words, the one with more matches is shown."""
    text = f"first vault {'x ' * 40} second vault, third vault {'y ' * 40}"
    assert "**vault**, third **vault**" in marked(text, "vault", tokenize, width=40)


def test_a_phrase_is_shown_whole(tokenize):
    """A phrase is shown to its end, also where it holds another match."""
    text = f"{'x ' * 40} vault lead keys {'y ' * 40}"
    line = marked(text, '"vault lead keys" AND lead', tokenize, width=18)
    assert line == "…**vault lead keys**…"


def test_the_first_of_equal_windows_is_shown(tokenize):
    """Of windows that show as much, the first is shown."""
    text = f"first vault {'x ' * 40} second vault {'y ' * 40}"
    assert marked(text, "vault", tokenize, width=40).startswith("first **vault**")


def test_a_phrase_longer_than_the_line_is_cut(tokenize):
    """Of a match that is wider than the snippet, the beginning is shown."""
    words = " ".join(f"w{number}" for number in range(30))
    line = marked(f"before {words} after", f'"{words}"', tokenize, width=20)
    assert line == "…**w0 w1 w2 w3 w4 w5**…"


def test_text_without_spaces_is_cut_between_characters(tokenize):
    """A word that fills the line is cut between what a reader takes for characters."""
    family = "👩‍👩‍👧‍👦"
    _, line = shown(family * 30, "nothing", tokenize, 50)
    assert line == family * 6 + CUT
    assert len(family) <= PIECE_CHARS


def test_the_window_spans_what_fits_of_a_long_word(tokenize):
    """Around a match in a text without spaces, the text is shown on both sides."""
    text = f"{'東' * 99} vault {'京' * 99}"
    line = marked(text, "vault", tokenize, width=60)
    assert line == f"…{'東' * 3} **vault** {'京' * 48}…"


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("## Deploys\n\nThe key.", "\nThe key."),
        ("\n  ###\tDeploys ##\r\nThe key.", "The key."),
        ("#\nThe key.", "The key."),
        ("Deploys\n=======\nThe key.", "The key."),
        ("Deploys\n  ---\nThe key.", "The key."),
        ("## Deploys\n \n", "## Deploys\n \n"),
        ("## Deploys", "## Deploys"),
        ("####### Seven\nThe key.", "####### Seven\nThe key."),
        ("#1234\nThe key.", "#1234\nThe key."),
        ("The key.\nIs here.", "The key.\nIs here."),
        ("The key.\n\n", "The key.\n\n"),
        ("", ""),
    ],
)
def test_past_heading(text, body):
    """A heading is skipped where text is left below it."""
    assert text[past_heading(text) :] == body


def test_a_snippet_may_begin_below_the_heading(tokenize):
    """What stands before the start is neither shown nor marked."""
    text = "## Deploy key\nThe deploy key is in the vault."
    line = marked(text, "deploy", tokenize, start=past_heading(text))
    assert line == "The **deploy** key is in the vault."
    text = f"## Token\n{'x ' * 40} the vault {'y ' * 40}"
    line = marked(text, "vault token", tokenize, width=40, start=past_heading(text))
    assert line.count("**") == 2
    assert "**vault**" in line


def test_matches_hold_what_was_typed(tokenize):
    """Matches come in order, each with the text that asked for it."""
    found = found_in("Čínské deployments a deploy_key", "deploy_key cinske", tokenize)
    assert found == [
        (0, 6, "cinske"),
        (21, 27, "deploy"),
        (21, 31, "deploy_key"),
        (28, 31, "key"),
    ]
    assert found_in("a deploymen", "deploym*", tokenize) == [(2, 11, "deploym*")]
    assert found_in("old key", '"deploy key"*', tokenize) == []
    assert found_in("deploy k", '"deploy key"*', tokenize) == []
    assert unicodedata.normalize("NFC", "e\u0301") == "é"
