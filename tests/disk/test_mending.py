"""Setting permissions right, and removing directories that are empty."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.errors.disk import (
    DiskError,
    NotADirectoryPathError,
    PathMissingError,
    UnsafePathError,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.integers(0, 0o777),
    after=st.integers(0, 0o777),
    name=st.sampled_from("fd"),
)
def test_a_file_or_the_root_gets_the_bits_that_are_asked(tmp_path, before, after, name):
    """Whatever it had, whatever the umask."""
    folder = tmp_path / "d"
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / "f").touch()
    (folder / "f").chmod(before)
    with disk.open_root(folder) as root:
        disk.set_mode(root, "" if name == "d" else "f", after)
    changed = folder if name == "d" else folder / "f"
    mode = changed.stat().st_mode & 0o777
    folder.chmod(0o700)
    assert mode == after


def test_a_link_is_not_followed_nor_anything_odd_changed(tmp_path):
    """The bits of what it leads to are another's."""
    (tmp_path / "f").touch(0o644)
    (tmp_path / "link").symlink_to("f")
    os.mkfifo(tmp_path / "pipe", 0o644)
    (tmp_path / "d").mkdir(0o755)
    with disk.open_root(tmp_path) as root:
        for name in ("link", "pipe", "d", "../x"):
            with pytest.raises(UnsafePathError):
                disk.set_mode(root, name, 0o600)
        with pytest.raises(PathMissingError):
            disk.set_mode(root, "none", 0o600)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "d").stat().st_mode & 0o777 == 0o755


def test_no_descriptor_is_left_open(tmp_path):
    """Also when it is refused."""
    (tmp_path / "f").touch()
    (tmp_path / "link").symlink_to("f")
    before = sorted(Path("/dev/fd").iterdir())
    with disk.open_root(tmp_path) as root:
        disk.set_mode(root, "f", 0o600)
        with pytest.raises(UnsafePathError):
            disk.set_mode(root, "link", 0o600)
    assert sorted(Path("/dev/fd").iterdir()) == before


def test_only_an_empty_directory_is_removed(tmp_path):
    """What is in one is not for us to judge."""
    (tmp_path / "full" / "inside").mkdir(parents=True)
    (tmp_path / "link").symlink_to("full/inside")
    with disk.open_root(tmp_path) as root:
        with pytest.raises(DiskError, match="not empty"):
            disk.remove_empty(root, "full")
        with pytest.raises(PathMissingError):
            disk.remove_empty(root, "none")
        with pytest.raises(NotADirectoryPathError):
            disk.remove_empty(root, "link")
        disk.remove_empty(root, "full/inside")
        disk.remove_empty(root, "full")
    assert [each.name for each in tmp_path.iterdir()] == ["link"]
