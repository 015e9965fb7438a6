"""Making directories, and whether one may be written."""

import os
import stat
from pathlib import Path

import pytest

from crewmem import disk
from crewmem.errors.disk import (
    NotADirectoryPathError,
    NotWritableError,
    UnsafePathError,
)


def names(path):
    """The names in a directory, in order."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries)


def test_directories_are_made_as_far_as_they_are_missing(root, folder):
    """What is there stays as it is; what is new is its owner's alone."""
    (folder / "a").mkdir(mode=0o755)
    (folder / "a").chmod(0o755)
    disk.make_dirs(root, "a/b/c")
    disk.make_dirs(root, "a/b/c")
    modes = [stat.S_IMODE((folder / p).stat().st_mode) for p in ("a", "a/b", "a/b/c")]
    assert modes == [0o755, 0o700, 0o700]


def test_no_directory_is_made_through_a_link(root, folder, outside):
    """A link on the way is refused, and nothing is made beyond it."""
    (folder / "out").symlink_to(outside)
    (folder / "gone").symlink_to("nowhere")
    for relative in ("out", "out/a", "gone", "gone/a"):
        with pytest.raises(UnsafePathError, match="it is a link"):
            disk.make_dirs(root, relative)
    assert names(outside) == ["AGENT.md"]
    assert not (folder / "nowhere").exists()


def test_a_file_in_the_way_is_named(root, folder):
    """A directory cannot be made where, or below where, a file is."""
    (folder / "a").touch()
    for relative in ("a", "a/b"):
        with pytest.raises(NotADirectoryPathError) as caught:
            disk.make_dirs(root, relative)
        assert caught.value.path == f"{folder}/a"


def test_a_link_that_appears_while_a_directory_is_made_leads_nowhere(
    root, folder, outside, before
):
    """What is put in the way between two steps is refused."""
    with (
        before(os.mkdir, lambda: (folder / "a").symlink_to(outside)),
        pytest.raises(UnsafePathError),
    ):
        disk.make_dirs(root, "a/b")
    assert names(outside) == ["AGENT.md"]


def test_two_who_make_the_same_directory_both_succeed(root, folder, before):
    """Who finds that another was quicker goes on."""
    with before(os.mkdir, (folder / "a").mkdir):
        disk.make_dirs(root, "a/b")
    assert (folder / "a/b").is_dir()


def test_each_directory_is_on_the_disk_before_the_next(root, interfere):
    """A name is durable in its parent when what is in it begins."""
    called = []

    def watch(event, call):
        if event == "call" and call.__name__ in ("mkdir", "fsync", "fcntl"):
            called.append(call.__name__)

    with interfere(watch):
        disk.make_dirs(root, "a/b")
    assert ["sync" if name != "mkdir" else name for name in called] == [
        "mkdir",
        "sync",
        "mkdir",
        "sync",
    ]


def test_a_root_is_made_with_all_that_is_missing_above_it(tmp_path, monkeypatch):
    """A home may be made anywhere, by a path of any form."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for path in (tmp_path / "a/b", "c", "d/e/", "link/f/g", "c/../h", "."):
        with disk.make_root(path) as root:
            disk.write(root, "config.toml", b"")
        assert (Path(path) / "config.toml").is_file()
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_a_root_that_cannot_be_made_says_why(tmp_path):
    """A file or a dead link in the way, or no path at all, are told apart."""
    (tmp_path / "file").touch()
    (tmp_path / "dead").symlink_to("nowhere")
    for path, error in (
        ("file", NotADirectoryPathError),
        ("file/a", NotADirectoryPathError),
        ("dead", UnsafePathError),
        ("new/../x", UnsafePathError),
    ):
        with pytest.raises(error):
            disk.make_root(tmp_path / path)
    with pytest.raises(UnsafePathError):
        disk.make_root("")


@pytest.mark.usefixtures("unprivileged")
def test_a_root_that_may_not_be_made_is_refused():
    """Where nothing may be made a home is refused."""
    Path("closed").mkdir(mode=0o500)
    with pytest.raises(NotWritableError):
        disk.make_root("closed/home")


@pytest.mark.usefixtures("unprivileged")
def test_whether_a_directory_may_be_written_is_known_without_trying():
    """It goes by the rights in effect, and changes nothing."""
    for mode in (0o700, 0o500, 0o600, 0o300, 0o000):
        Path(f"{mode:o}").mkdir()
        Path(f"{mode:o}").chmod(mode)
    writable = {name: disk.is_writable(name) for name in names(".")}
    assert writable == {
        "700": True,
        "500": False,
        "600": False,
        "300": True,
        "0": False,
    }


def test_what_is_no_directory_cannot_be_written(folder):
    """A file, nothing at all and what no path can be are no places to write."""
    (folder / "x.md").touch()
    for path in (folder / "x.md", folder / "none", "", "a\0b", "\ud800"):
        assert not disk.is_writable(path)
        assert not disk.is_read_only(path)
    assert disk.is_writable(folder)
    assert disk.is_writable(f"{folder}/")
    assert names(folder) == ["x.md"]
