"""Reading the stamps of files whose names are known, in both ways."""

import os
import sys
from contextlib import closing

import pytest

from crewmem import disk
from crewmem.files.listing import encoded, join, unpack
from crewmem.files.stamps import HELD, MANY, by_stat, reader

quick = pytest.mark.skipif(sys.platform != "linux", reason="statx is a call of Linux")

WAYS = [
    pytest.param(0, id="stat"),
    pytest.param(MANY, id="statx", marks=quick),
]


@pytest.fixture(params=WAYS)
def read(request, tmp_path):
    """``read(*names)``: stamps by name, as each way tells them; None for none."""
    stamps = reader(request.param)

    def call(*names):
        with closing(disk.open_root(tmp_path)) as root:
            found = stamps(root, [os.fsencode(name) for name in names])
        return None if found is None else unpack(join(found, encoded(names)))

    return call


def expected(path):
    status = path.stat()
    times = status.st_mtime_ns, status.st_ctime_ns
    return (status.st_size, *times, status.st_ino)


def test_stamps_are_what_the_system_says(tmp_path, read):
    """Of any size, of any time, of a name that is not UTF-8, in the order asked."""
    times = {"new.md": 1_800_000_000_123_456_789, "old.md": -1_500_000_001, "0.md": 0}
    for number, (name, mtime) in enumerate(times.items()):
        (tmp_path / name).write_bytes(b"x" * number)
        os.utime(tmp_path / name, ns=(5, mtime))
    os.truncate(tmp_path / "old.md", 5 << 30)  # sparse, and more than 32 bits
    os.utime(tmp_path / "old.md", ns=(5, times["old.md"]))
    (tmp_path / "odd\udcff.md").write_text("x")
    names = ["odd\udcff.md", *times]
    assert read(*names) == {name: expected(tmp_path / name) for name in names}
    assert [*read(*names)] == names


def test_more_files_than_the_buffer_holds(tmp_path, read):
    """They are asked for in parts, and none is lost between them."""
    names = [f"{at:04}.md" for at in range(HELD + 3)]
    for at, name in enumerate(names):
        (tmp_path / name).write_bytes(b"x" * (at % 7))
    assert read(*names) == {name: expected(tmp_path / name) for name in names}


@pytest.mark.parametrize("odd", ["gone", "link", "folder", "pipe"])
def test_what_is_no_file_is_not_answered(tmp_path, read, odd):
    """Whoever asks has to look at each."""
    (tmp_path / "file.md").write_text("x")
    (tmp_path / "link").symlink_to("file.md")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert read("file.md", odd) is None
    assert read("file.md")


def test_no_files_have_no_stamps(read):
    """An empty directory is an answer, not a failure."""
    assert read() == {}


@quick
def test_the_quick_way_is_taken_for_many_files_only():
    """What calls the system takes a moment to load."""
    assert reader(MANY - 1) is by_stat
    assert reader(MANY) is not by_stat
