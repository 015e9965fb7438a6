"""What a walk meets in a memory directory, and what it makes of that."""

import os
import shutil
import time
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.files.listing import ODD, unpack
from crewmem.files.settle import settled
from crewmem.files.signs import UNKNOWN, Known
from crewmem.files.walk import walk


@pytest.fixture
def walked(tmp_path):
    """``walked()``: the sizes of what is named like a memory file, by directory."""

    def call():
        with closing(disk.open_root(tmp_path)) as root:
            return {
                each.path: {
                    name: stamp[0] for name, stamp in unpack(each.listing).items()
                }
                for each in walk(root)
            }

    return call


def test_files_have_their_stamps(tmp_path, walked):
    """Size, times and inode of each, as the system tells them."""
    (tmp_path / "a.md").write_text("hello")
    (tmp_path / "B.MD").write_text("")
    assert walked() == {"": {"a.md": 5, "B.MD": 0}}
    with closing(disk.open_root(tmp_path)) as root:
        (found,) = walk(root)
    status = (tmp_path / "a.md").stat()
    assert unpack(found.listing)["a.md"] == (
        5,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
    )


def test_a_name_does_not_make_a_file(tmp_path, walked):
    """A directory is entered, whatever it is called; a FIFO and a link are odd."""
    (tmp_path / "a.md").write_text("hello")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "folder.md" / "in.md").write_text("x")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to("a.md")
    assert walked() == {
        "": {"a.md": 5, "pipe.md": ODD, "link.md": ODD},
        "folder.md": {"in.md": 1},
    }


def test_what_is_hidden_or_no_markdown_is_passed_over(tmp_path, walked):
    """Also a directory that is hidden, and a link to one."""
    (tmp_path / ".hidden.md").write_text("x")
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / ".quarantine").mkdir()
    (tmp_path / "daily").mkdir()
    (tmp_path / "elsewhere").symlink_to("daily")
    assert walked() == {"": {}, "daily": {}}


NAMES = st.sampled_from(["a.md", "b.md", "c.md", "x/a.md", "x/b.md", "x/y/a.md", "d/e"])

CHANGES = st.lists(
    st.tuples(st.sampled_from(["write", "remove", "pipe", "replace"]), NAMES),
    max_size=6,
)


def change(root, what, name):
    path = root / name
    if what != "remove":
        path.parent.mkdir(parents=True, exist_ok=True)
    if what == "write":
        if not path.is_dir():
            path.unlink(missing_ok=True) if path.is_fifo() else None
            path.write_text(path.read_text() + "x" if path.exists() else "x")
    elif what == "replace" and not path.is_dir():
        path.unlink(missing_ok=True)
        path.mkdir()
    elif path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
        if what == "pipe":
            os.mkfifo(path)


@given(before=CHANGES, after=CHANGES)
@settings(max_examples=40, deadline=None)
def test_what_is_known_changes_no_answer(tmp_path_factory, before, after):
    """Whatever happens to the files and directories between two walks."""
    folder = tmp_path_factory.mktemp("tree")
    for what, name in before:
        change(folder, what, name)
    with closing(disk.open_root(folder)) as root:
        walked = time.time_ns()
        found = settled(root, list(walk(root)), UNKNOWN, walked)
        known = Known(
            {each.path: each.listing for each in found},
            {each.path: each.sign for each in found},
        )
        for what, name in after:
            change(folder, what, name)
        assert [*walk(root, known)] == [*walk(root)]


def test_names_are_not_read_where_the_sign_holds(tmp_path, monkeypatch):
    """A walk of an unchanged tree lists no directory; a touched one it lists again."""
    (tmp_path / "below").mkdir()
    for name in ("a.md", "below/b.md"):
        (tmp_path / name).write_text("x")
    listed = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda d: listed.append(d) or scandir(d))
    with closing(disk.open_root(tmp_path)) as root:
        found = settled(root, [*walk(root)], UNKNOWN, time.time_ns())
        known = Known(
            {each.path: each.listing for each in found},
            {each.path: each.sign for each in found},
        )
        listed.clear()
        assert [*walk(root, known)] == found
        assert listed == []
        (tmp_path / "below" / "c.txt").write_text("x")
        assert [each.listing for each in walk(root, known)] == [
            each.listing for each in found
        ]
        assert len(listed) == 1
