"""Names and stamps, packed and compared."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from crewmem.files.changes import changes
from crewmem.files.listing import is_copy, latest, pack, unpack

name = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1
) | st.just("\udcff.md")
number = st.integers(-(2**63), 2**63 - 1)
stamps = st.tuples(number, number, number, number)
listing = st.dictionaries(name, stamps, max_size=8)


def packed(files):
    return pack(files)


def found(tree):
    return [
        SimpleNamespace(path=path, listing=packed(files))
        for path, files in tree.items()
    ]


@given(listing)
def test_what_is_packed_unpacks(files):
    """Names that are not UTF-8 and any stamp survive."""
    assert unpack(packed(files)) == files


@given(listing)
def test_the_latest_change_is_known(files):
    """By its ctime, whatever else is packed."""
    assert latest(packed(files)) == max(
        (stamp[2] for stamp in files.values()), default=0
    )


@given(st.binary(max_size=200))
def test_foreign_bytes_are_no_error(content):
    """A listing that another machine packed is one that knows nothing it can use."""
    assert isinstance(unpack(content), dict)


@given(st.dictionaries(st.text("abc/", max_size=4), listing, max_size=4))
def test_an_unchanged_tree_is_fresh(tree):
    """The same directories with the same stamps lack nothing."""
    known = {path: packed(files) for path, files in tree.items()}
    lacking = changes(found(tree), known)
    assert lacking.is_fresh
    assert lacking.directories == []


@given(
    tree=st.dictionaries(st.text("abc/", max_size=4), listing, max_size=4),
    before=st.dictionaries(st.text("abc/", max_size=4), listing, max_size=4),
)
def test_every_difference_is_seen(tree, before):
    """Each file that is new, other or gone is a suspect or gone, unless copied."""
    known = {path: packed(files) for path, files in before.items()}
    lacking = changes(found(tree), known)
    if all(is_copy(before.get(p, {}), tree[p]) for p in tree if p in before):
        return
    named = {(c.path, n) for c in lacking.directories for n in (*c.suspects, *c.gone)}
    for path, files in tree.items():
        old = before.get(path, {})
        differing = {n for n in files.keys() | old.keys() if files.get(n) != old.get(n)}
        assert {(path, n) for n in differing} <= named
    assert lacking.gone == sorted(before.keys() - tree.keys())


def test_a_copy_is_known_by_its_inodes():
    """Every inode another: size and mtime decide."""
    before = {"": {"a.md": (5, 1, 1, 10), "b.md": (5, 1, 1, 11)}}
    copy = {"": {"a.md": (5, 1, 9, 20), "b.md": (5, 2, 9, 21)}}
    known = {path: packed(files) for path, files in before.items()}
    (change,) = changes(found(copy), known).directories
    assert change.suspects == ["b.md"]


def test_a_copy_is_known_beside_directories_without_files():
    """They are the same in a copy; a file that is the same is in none."""
    file, copied = (5, 1, 1, 10), (5, 1, 9, 20)
    empty = {"archive": {}, "daily": {}}
    known = {path: packed(files) for path, files in {"": {"a": file}, **empty}.items()}
    assert changes(found({"": {"a": copied}, **empty}), known).is_fresh
    known["topics"] = packed({"b": file})
    kept = {"": {"a": copied}, **empty, "topics": {"b": file}}
    assert not changes(found(kept), known).is_fresh
