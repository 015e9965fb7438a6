"""Writing a file piece by piece: as whole as one that is written at once."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.errors.bundles import BundleDamagedError
from crewmem.errors.disk import UnsafePathError


@given(pieces=st.lists(st.binary(max_size=50) | st.just(b"x" * 100_000), max_size=6))
@settings(max_examples=25, deadline=None)
def test_pieces_become_one_file(pieces):
    """A file holds its pieces, in order, and stands alone."""
    with tempfile.TemporaryDirectory() as folder, disk.open_root(folder) as root:
        disk.write_pieces(root, "bundle", iter(pieces))
        assert Path(folder, "bundle").read_bytes() == b"".join(pieces)
        assert [path.name for path in Path(folder).iterdir()] == ["bundle"]


def test_pieces_that_fail_change_nothing(root, folder):
    """Where a piece cannot be made, what was there stays, and nothing is beside it."""
    disk.write(root, "bundle", b"old")

    def pieces():
        yield b"new"
        raise BundleDamagedError("it", "it was cut")

    with pytest.raises(BundleDamagedError):
        disk.write_pieces(root, "bundle", pieces())
    assert (folder / "bundle").read_bytes() == b"old"
    assert [path.name for path in folder.iterdir()] == ["bundle"]


def test_permissions_are_kept(root, folder):
    """A file that is replaced keeps its permissions; a new one is its owner's alone."""
    disk.write_pieces(root, "bundle", [b"a"])
    assert (folder / "bundle").stat().st_mode & 0o777 == 0o600
    (folder / "bundle").chmod(0o640)
    disk.write_pieces(root, "bundle", [b"b"])
    assert (folder / "bundle").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["../out", "a/../../out", "/out", "link/out", "pipe"])
def test_pieces_lead_nowhere_else(root, folder, outside, name):
    """Nothing is written through a link, into a FIFO, or out of the root."""
    (folder / "link").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    with pytest.raises(UnsafePathError):
        disk.write_pieces(root, name, [b"x"])
    assert [path.name for path in outside.iterdir()] == ["AGENT.md"]
