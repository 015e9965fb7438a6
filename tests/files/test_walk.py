"""What a walk meets in a memory directory, and what it makes of that."""

import os
from contextlib import closing

import pytest

from crewmem import disk
from crewmem.files.listing import ODD, unpack
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
