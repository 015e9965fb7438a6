"""Names that lead nowhere but down, and names of temporary files."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.disk.names import components, printable, temporary_name
from crewmem.errors.disk import UnsafePathError

file_names = st.one_of(
    st.text(min_size=1, max_size=60),
    st.sampled_from(["a", "é", "漢", "🙂", "\udc80"]).flatmap(
        lambda sign: st.integers(1, 255 // len(os.fsencode(sign))).map(
            lambda times: sign * times
        )
    ),
    st.sampled_from([".hidden", "..", ".", ".x.0123456789abcdef.tmp"]),
).filter(lambda name: not {"/", "\0"} & set(name) and _encodes(name))


def _encodes(name):
    try:
        return len(os.fsencode(name)) <= 255
    except UnicodeEncodeError:
        return False


@pytest.mark.parametrize(
    ("relative", "reason"),
    [
        ("", "it is empty"),
        ("/etc/passwd", "it is absolute"),
        ("..", "it leads up, by '..'"),
        ("daily/../../x", "it leads up, by '..'"),
        ("daily//x.md", "a name in it is empty or '.'"),
        ("daily/", "a name in it is empty or '.'"),
        ("./x.md", "a name in it is empty or '.'"),
        ("x\0.md", "it holds a NUL"),
        ("\ud800.md", "it cannot be written as a file name"),
    ],
)
def test_a_name_that_is_no_way_down_is_refused_and_says_why(relative, reason):
    """A path that could lead out of its root is refused before the disk is asked."""
    with pytest.raises(UnsafePathError) as caught:
        components(relative)
    assert caught.value.reason == reason


def test_a_plain_name_is_split_into_its_parts(tmp_path):
    """Dots inside names, spaces and any language are nothing special."""
    assert components("a/..b/c..d/ é/…") == ["a", "..b", "c..d", " é", "…"]
    assert components(type(tmp_path)("daily/x.md")) == ["daily", "x.md"]


@pytest.mark.parametrize("sign", ["\n", "\x1b", "\x7f", "\x85", "\0"])
def test_nothing_is_made_with_control_characters_in_its_name(sign):
    """A name that could talk to a terminal is not made."""
    with pytest.raises(UnsafePathError):
        printable(f"a{sign}b")


@given(name=file_names)
@settings(max_examples=200, deadline=None)
def test_a_temporary_name_fits_and_is_known_again(name):
    """The temporary file of any name is hidden, not too long, and known as ours."""
    temporary = temporary_name(name)
    assert temporary.startswith(".")
    assert "/" not in temporary
    assert len(os.fsencode(temporary)) <= 143
    assert disk.is_temporary(temporary)


@pytest.mark.parametrize(
    "name",
    [
        "AGENT.md",
        ".tmp",
        "AGENT.md.0123456789abcdef.tmp",
        ".AGENT.md.tmp",
        ".AGENT.md.0123456789abcde.tmp",
        ".AGENT.md.0123456789abcdefa.tmp",
        ".AGENT.md.0123456789ABCDEF.tmp",
        ".AGENT.md.0123456789abcdeg.tmp",
        ".AGENT.md.0123456789abcdef.tmp~",
        ".0123456789abcdef.tmp",
        "..0123456789abcdef.tmp",
        ".AGENT.md-0123456789abcdef.tmp",
    ],
)
def test_what_only_looks_like_a_temporary_file_is_not_taken_for_one(name):
    """Files of others, which doctor must not offer to remove, have other names."""
    assert not disk.is_temporary(name)
