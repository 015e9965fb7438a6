"""Contents of versions on a real disk."""

import os
import stat
import zlib
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.digests import sha256
from crewmem.errors.versions import ContentDamagedError, ContentMissingError
from crewmem.files.kept import Kept


@pytest.fixture(name="kept")
def _kept(tmp_path):
    return Kept(tmp_path)


@settings(max_examples=30, deadline=None)
@given(content=st.binary(max_size=200) | st.just(b"a" * 100_000))
def test_what_is_kept_is_given_back(tmp_path_factory, content):
    """Byte for byte, under the hash that everybody computes."""
    kept = Kept(tmp_path_factory.mktemp("home"))
    name = kept.put(content)
    assert name == sha256(content)
    assert kept.get(name) == content
    assert [*kept.names()] == [name]


def test_each_content_is_there_once_compressed_and_its_owner_s_alone(kept, tmp_path):
    """However often it is kept, and whatever the umask is."""
    before = os.umask(0)
    try:
        names = {kept.put(b"the pier\n" * 1_000) for _ in range(3)}
    finally:
        os.umask(before)
    (name,) = names
    path = tmp_path / "versions" / name[:2] / name
    assert [path] == [each for each in tmp_path.rglob("*") if each.is_file()]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.stat().st_size == kept.size(name) < 200


DAMAGES = {
    "cut": lambda packed: packed[:-3],
    "flipped": lambda packed: packed[:9] + bytes([packed[9] ^ 1]) + packed[10:],
    "empty": lambda _: b"",
    "longer": lambda packed: packed + b"x",
    "another": lambda _: zlib.compress(b"another text"),
    "no text at all": lambda _: b"\xa5" * 40,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_never_given(kept, tmp_path, damage):
    """Whatever became of it; keeping it again makes it whole."""
    name = kept.put(b"a text that is long enough to be damaged in the middle")
    path = tmp_path / "versions" / name[:2] / name
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    with pytest.raises(ContentDamagedError, match="is damaged"):
        kept.get(name)
    kept.put(b"a text that is long enough to be damaged in the middle")
    assert kept.get(name).startswith(b"a text")


@settings(max_examples=40, deadline=None)
@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_one_changed_bit_is_noticed(tmp_path_factory, at, bit):
    """Wherever it is: the text is given as it was kept, or not at all."""
    home = tmp_path_factory.mktemp("home")
    kept, content = Kept(home), b"the crane broke, and the pier sank\n" * 3
    name = kept.put(content)
    path = home / "versions" / name[:2] / name
    packed = bytearray(path.read_bytes())
    packed[at % len(packed)] ^= 1 << bit
    path.write_bytes(packed)
    with suppress(ContentDamagedError):
        assert kept.get(name) == content


def test_what_is_not_there_is_missing(kept):
    """That is not the same as damaged, and to drop it is to do nothing."""
    name = sha256(b"never kept")
    with pytest.raises(ContentMissingError, match="is gone"):
        kept.get(name)
    assert (kept.has(name), kept.size(name), kept.drop(name)) == (False, 0, 0)
    assert [*kept.names()] == []


def test_what_is_no_content_is_left_alone(kept, tmp_path):
    """Other names in the directory are none of ours."""
    name = kept.put(b"abc")
    for other in ("README", f"{name[:2]}/notes", "zz/ab", f"{name[:2]}/{'g' * 64}"):
        path = tmp_path / "versions" / other
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    assert [*kept.names()] == [name]
    assert kept.drop(name) > 0
    assert [*kept.names()] == []


def test_a_link_is_no_content(kept, tmp_path):
    """What somebody put in its place leads nowhere."""
    name = kept.put(b"abc")
    path = tmp_path / "versions" / name[:2] / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="link"):
        kept.get(name)
