"""Sources that mean no good, or were cut: nothing is followed, nothing blows up."""

import gzip
import io
import os
import socket
import tarfile
import zipfile

import pytest
from bundles_sources import opened, tarred, zipped
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.bundles.limits import USUAL, Limits
from crewmem.bundles.names import alike, trouble
from crewmem.bundles.source import ALIKE, Folder
from crewmem.errors import CrewmemError
from crewmem.errors.bundles import BundleDamagedError, UnpackedTooLargeError
from crewmem.errors.cli import InputTooLargeError


def info(name, kind, target=""):
    """A member of a tar that is no plain file."""
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, target
    return made


@pytest.mark.parametrize(
    "name",
    [
        "../AGENT.md",
        "/etc/passwd",
        "a/../../AGENT.md",
        "a//b.md",
        "a/./b.md",
        "a\\b.md",
        "a\nb.md",
        "a\x1b[31m.md",
        "a\x9bb.md",
        "x" * 256 + ".md",
        "/".join(["x" * 100] * 12),
    ],
)
def test_names_that_lead_astray_are_left_out(name):
    """A name that leads out, or that no terminal should see, is left out by a rule."""
    assert trouble(name)
    for content in (tarred([(name, b"x"), ("AGENT.md", b"y")]),):
        source = opened(content)
        assert [*source.sizes] == ["AGENT.md"]
        assert len(source.left_out) == 1


@pytest.mark.parametrize("name", ["../AGENT.md", "/etc/passwd", "a\\b.md", "a/../b"])
def test_zips_are_no_better(name):
    """What leads out of a zip is left out, too."""
    source = opened(zipped({name: "x", "AGENT.md": "y"}))
    assert [*source.sizes] == ["AGENT.md"]


@pytest.mark.parametrize(
    "kind",
    [
        tarfile.SYMTYPE,
        tarfile.LNKTYPE,
        tarfile.CHRTYPE,
        tarfile.BLKTYPE,
        tarfile.FIFOTYPE,
        tarfile.CONTTYPE,
        tarfile.GNUTYPE_SPARSE,
        b"Z",
    ],
)
def test_only_files_are_read_of_a_tar(kind):
    """Links, hard links, devices, FIFOs and sparse files are named and left out."""
    members = [(info("AGENT.md", kind, "/etc/passwd"), b""), ("pins.md", b"- p\n")]
    source = opened(tarred(members))
    assert [*source.sizes] == ["pins.md"]
    assert [each.source for each in source.left_out] == ["AGENT.md"]


def test_links_in_a_zip_are_left_out():
    """A zip says by its attributes that something is a link."""
    link = zipfile.ZipInfo("AGENT.md")
    link.external_attr = (0o120777) << 16
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as made:
        made.writestr(link, "/etc/passwd")
        made.writestr("pins.md", "- p\n")
    source = opened(raw.getvalue())
    assert [*source.sizes] == ["pins.md"]
    assert source.left_out[0].reason == "it is a link"


def test_of_names_that_are_alike_none_is_taken():
    """Which of two members of one name is meant nobody can tell; case alone is none."""
    members = [
        ("AGENT.md", b"a"),
        ("AGENT.md", b"b"),
        ("pins.md", b"c"),
        ("Pins.md", b"d"),
    ]
    source = opened(tarred([*members, ("BRIEF.md", b"e")]))
    assert [*source.sizes] == ["BRIEF.md"]
    assert {each.reason for each in source.left_out} == {ALIKE}
    assert alike(["É.md", "E\u0301.md", "x.md"]) == {"É.md", "E\u0301.md"}


@pytest.mark.parametrize("name", ["../x.md", "a/../../x.md", "./../x.md", "/etc/x.md"])
def test_a_name_that_leads_out_is_left_out(name):
    """It is said that it does, rather than that it is hidden."""
    source = opened(tarred([(name, b"x"), ("AGENT.md", b"y")]))
    assert [*source.sizes] == ["AGENT.md"]
    ((left, reason),) = source.left_out
    assert (left, "hidden" in reason) == (name.removeprefix("./"), False)
    assert ".." in reason or "absolute" in reason


def test_a_bomb_is_refused():
    """An archive that unpacks to far more than it is, is refused while it is read."""
    content = tarred([("AGENT.md", bytes(64 << 20))])
    assert len(content) < 100_000
    with pytest.raises(UnpackedTooLargeError):
        opened(content)


def test_a_zip_that_is_a_bomb_is_refused():
    """What a zip claims to unpack to is believed, and nothing more is read."""
    with pytest.raises(UnpackedTooLargeError):
        opened(zipped({"AGENT.md": bytes(64 << 20)}))


def test_a_header_cannot_take_all_memory():
    """A header that claims to be of any size is not read."""
    header = info("x", tarfile.XHDTYPE)
    raw = bytearray(header.tobuf())
    raw[124:136] = b"%011o\0" % (8 << 30)
    raw[148:156] = b"        "
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    with pytest.raises((BundleDamagedError, UnpackedTooLargeError)):
        opened(gzip.compress(bytes(raw) + bytes(4096)))


def test_too_many_files_are_refused():
    """There is a limit to how many files a source may have."""
    few = Limits(members=50)
    with pytest.raises(UnpackedTooLargeError, match="50 files"):
        opened(tarred([(f"{n}.md", b"x") for n in range(60)]), limits=few)


def test_many_tiny_files_are_read():
    """Many small files are no bomb: they are listed, and take no memory to speak of."""
    raw = io.BytesIO()
    block = tarfile.TarInfo("n.md")
    for n in range(20_000):
        block.name = f"topics/{n}.md"
        raw.write(block.tobuf(tarfile.USTAR_FORMAT))
    raw.write(bytes(10_240))
    source = opened(gzip.compress(raw.getvalue(), 1))
    assert len(source.sizes) == 20_000


WHOLE = tarred([("AGENT.md", b"# Mira\n" * 400), ("pins.md", b"- p\n" * 200)])


@given(end=st.integers(0, len(WHOLE) - 1))
@settings(max_examples=60, deadline=None)
def test_an_archive_that_was_cut_is_told(end):
    """However much of it is missing, an archive that was cut is not taken for whole."""
    if end < 2:
        return
    with pytest.raises(BundleDamagedError):
        opened(WHOLE[:end])


@given(at=st.integers(0, len(WHOLE) - 1), bit=st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_a_changed_byte_ends_in_an_answer(at, bit):
    """One changed bit is an error that says so, or changes nothing that is read."""
    changed = bytearray(WHOLE)
    changed[at] ^= 1 << bit
    try:
        source = opened(bytes(changed))
        found = {name: source.read(name, 1 << 20) for name in source.sizes}
    except CrewmemError:
        return
    if at > 1:  # else it is no archive any more
        assert found == {"AGENT.md": b"# Mira\n" * 400, "pins.md": b"- p\n" * 200}


@given(content=st.binary(max_size=600) | st.binary(max_size=600).map(gzip.compress))
@settings(max_examples=80, deadline=None)
def test_any_bytes_end_in_an_answer(content):
    """Whatever bytes are read, it is a source, or a failure that is explained."""
    for start in (b"", b"PK\x03\x04", b"\x1f\x8b"):
        try:
            source = opened(start + content)
            for name in source.sizes:
                source.read(name, 1 << 20)
        except CrewmemError:
            pass


def test_a_tar_without_an_end_was_cut():
    """A tar ends with blocks of nothing; one that does not is not whole."""
    with pytest.raises(BundleDamagedError, match="ends too early"):
        opened(tarred([("AGENT.md", b"x")], packed=False, end=False))


def test_a_folder_is_read_by_descriptors(folder, tmp_path):
    """In a directory links, FIFOs and sockets are named, and none is opened."""
    source = folder({"AGENT.md": "# M\n", ".git/config": "x", "a/.hidden": "x"})
    root = tmp_path / "source0"
    (root / "link.md").symlink_to("/etc/passwd")
    (root / "folder").symlink_to("/etc")
    os.mkfifo(root / "pipe.md")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(root / "s.md"))
        source = Folder(str(root), USUAL)
    assert [*source.sizes] == ["AGENT.md"]
    assert {each.source: each.reason for each in source.left_out} == {
        ".git": "it is hidden",
        "a/.hidden": "it is hidden",
        "folder": "it is a link",
        "link.md": "it is a link",
        "pipe.md": "it is a FIFO",
        "s.md": "it is a socket",
    }
    source.close()


def test_what_is_swapped_for_a_link_is_not_followed(folder, tmp_path):
    """A file that becomes a link between the listing and the reading is refused."""
    source = folder({"AGENT.md": "# M\n"})
    (tmp_path / "source0" / "AGENT.md").unlink()
    (tmp_path / "source0" / "AGENT.md").symlink_to("/etc/passwd")
    with pytest.raises(CrewmemError):
        source.read("AGENT.md", 1 << 20)


def test_a_file_over_the_limit_is_not_read(folder):
    """No more of a file is read than was asked for."""
    source = folder({"AGENT.md": "x" * 100}, limits=Limits(input=50))
    with pytest.raises(InputTooLargeError):
        source.read("AGENT.md", 1 << 20)
    with pytest.raises(InputTooLargeError):
        source.read("AGENT.md", 10)


def test_large_parts_are_read_line_by_line():
    """A journal in a tar is a stream of lines, whatever their lengths."""
    lines = [b"x" * (n * 37 % 90_000) + b"\n" for n in range(100)]
    source = opened(tarred([("a", b"y"), ("journal", b"".join(lines)), ("z", b"y")]))
    with source.opened("journal") as stream:
        assert [*iter(stream.readline, b"")] == lines
    assert source.read("z", 10) == b"y"
    assert source.read("a", 10) == b"y"
