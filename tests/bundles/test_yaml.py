"""The little YAML that is read, and all that is refused instead of guessed at."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.bundles.yaml import YamlError, parsed


def test_maps_lists_and_texts_are_read():
    """What front matter and okf.yaml are made of is read as it stands."""
    text = (
        '# a comment\nformat: okf\nversion: "0.1"\nnone: ~\nempty:\n'
        "quoted: 'it''s'  # more\nurl: http://x/#y\n"
        "tags: [a, 'b, c', \"d\"]\nmap:\n  inner: 1\n"
        "documents:\n- path: a.md\n  tags:\n    - x\n    - y\n- path: b.md\n- plain\n"
    )
    assert parsed(text) == {
        "format": "okf",
        "version": "0.1",
        "none": None,
        "empty": None,
        "quoted": "it's",
        "url": "http://x/#y",
        "tags": ["a", "b, c", "d"],
        "map": {"inner": "1"},
        "documents": [{"path": "a.md", "tags": ["x", "y"]}, {"path": "b.md"}, "plain"],
    }
    assert parsed("") == {}


@pytest.mark.parametrize(
    "text",
    [
        "- a\n",
        "a\n",
        "a: &x 1\n",
        "a: *x\n",
        "a: !!python/object:os.system x\n",
        "a: |\n  text\n",
        "a: >\n  text\n",
        "a: {b: c}\n",
        "a: [b\n",
        "a: [[b]]\n",
        'a: "b\n',
        "a: 'b\n",
        "a: 'b' c\n",
        'a: "\\x"\n',
        "a: 1\na: 2\n",
        "a: 1\n  b: 2\n",
        "\ta: 1\n",
        "a:\n  b: 1\n c: 2\n",
        f"a: [{'b, ' * 30_000}c]\n",
        "".join(f"{'  ' * n}a:\n" for n in range(40)),
    ],
)
def test_what_is_more_is_refused(text):
    """What a whole YAML reader would make more of is an error that names its line."""
    with pytest.raises(YamlError, match=r"^line \d+: "):
        parsed(text)


@given(text=st.text(st.sampled_from("ab:-[]{}'\"#\n \t,|&*!\\~"), max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_ends_in_an_answer(text):
    """Whatever is read, it is a map or an error of ours."""
    with suppress(YamlError):
        assert isinstance(parsed(text), dict)


names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"])
)


@given(fields=st.dictionaries(names, words | st.lists(words, max_size=3), max_size=5))
@settings(max_examples=100, deadline=None)
def test_what_is_quoted_is_read_as_it_was(fields):
    """Texts in quotes come back as they were, in lists as well."""

    def quoted(text):
        return "'" + text.replace("'", "''") + "'"

    lines = [
        f"{name}: [{', '.join(map(quoted, value))}]"
        if isinstance(value, list)
        else f"{name}: {quoted(value)}"
        for name, value in fields.items()
    ]
    assert parsed("\n".join(lines)) == fields
