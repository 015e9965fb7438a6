"""Reading below a root: what is there, and never anything else."""

import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.disk.paths import NO_ATIME
from crewmem.errors import CrewmemError
from crewmem.errors.cli import InputTooLargeError
from crewmem.errors.disk import (
    NotADirectoryPathError,
    NotReadableError,
    PathMissingError,
    UnsafePathError,
)

LIMIT = 1_000


def names(path):
    """The names in a directory, in order."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries)


def test_a_file_is_read_whole(root, folder):
    """What is in a file comes back, byte for byte, from any depth."""
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/x.md").write_bytes(b"\r\n\0\xff text")
    assert disk.read(root, "a/b/x.md", limit=LIMIT) == b"\r\n\0\xff text"
    (folder / "empty.md").touch()
    assert disk.read(root, "empty.md", limit=LIMIT) == b""


def test_the_limit_is_the_most_that_is_read(root, folder):
    """A file of just the limit is read, one byte more is refused."""
    (folder / "x.md").write_bytes(b"x" * LIMIT)
    assert len(disk.read(root, "x.md", limit=LIMIT)) == LIMIT
    with pytest.raises(InputTooLargeError) as caught:
        disk.read(root, "x.md", limit=LIMIT - 1)
    assert (caught.value.size, caught.value.limit) == (LIMIT, LIMIT - 1)


def test_a_file_that_grows_while_it_is_read_stays_within_the_limit(root, folder):
    """What is added meanwhile is read as well, and counts."""
    path = folder / "x.md"
    path.write_bytes(b"x" * 10)
    with disk.open_file(root, "x.md") as file:
        path.write_bytes(b"y" * 500)
        assert file.read(LIMIT) == b"y" * 500
    with disk.open_file(root, "x.md") as file:
        path.write_bytes(b"z" * (LIMIT + 1))
        with pytest.raises(InputTooLargeError):
            file.read(LIMIT)


def test_a_file_that_shrinks_while_it_is_read_gives_what_is_left(root, folder):
    """A file that is cut short meanwhile is no error."""
    path = folder / "x.md"
    path.write_bytes(b"x" * 500)
    with disk.open_file(root, "x.md") as file:
        os.truncate(path, 3)
        assert file.read(LIMIT) == b"xxx"


def test_a_file_comes_with_its_stamp_and_its_path(root, folder):
    """What a file was like when it was opened is known without asking again."""
    (folder / "x.md").write_bytes(b"12345")
    with disk.open_file(root, "x.md") as file:
        assert file.stat.st_size == 5
        assert file.path == f"{folder}/x.md"


def test_a_root_may_be_reached_through_links(folder, tmp_path):
    """The root is what a person named, by whatever way."""
    (folder / "x.md").write_bytes(b"inside")
    (tmp_path / "link").symlink_to(folder)
    with disk.open_root(tmp_path / "link") as root:
        assert disk.read(root, "x.md", limit=LIMIT) == b"inside"


def test_a_root_that_is_none_says_what_is_the_matter(tmp_path):
    """Nothing there, a file there, links in a circle and no path at all differ."""
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    for name, error in (
        ("nothing", PathMissingError),
        ("file", NotADirectoryPathError),
        ("file/below", NotADirectoryPathError),
        ("loop", UnsafePathError),
        ("x" * 300, UnsafePathError),
        ("a\0b", UnsafePathError),
        ("\ud800", UnsafePathError),
    ):
        with pytest.raises(error):
            disk.open_root(f"{tmp_path}/{name}")


@pytest.mark.usefixtures("unprivileged")
def test_what_may_not_be_read_says_so(root, folder):
    """Directories and files that are closed to us are refused, not missing."""
    Path("closed").mkdir(mode=0)
    Path("x.md").touch(mode=0)
    with pytest.raises(NotReadableError):
        disk.open_root("closed")
    with pytest.raises(NotReadableError):
        disk.open_directory(root, "closed")
    with pytest.raises(NotReadableError) as caught:
        disk.read(root, "x.md", limit=LIMIT)
    assert str(caught.value) == f"{folder}/x.md cannot be read: permission denied"


def test_what_is_missing_names_the_first_missing_part(root, folder):
    """Of a path that is not there, the part is named that is not there."""
    (folder / "a").mkdir()
    with pytest.raises(PathMissingError) as caught:
        disk.read(root, "a/b/c.md", limit=LIMIT)
    assert caught.value.path == f"{folder}/a/b"
    with pytest.raises(PathMissingError):
        disk.read(root, "a/c.md", limit=LIMIT)


def test_a_file_on_the_way_is_not_a_directory(root, folder):
    """A file or FIFO in the place of a directory is told from a link."""
    (folder / "a").touch()
    os.mkfifo(folder / "fifo")
    for name in ("a", "fifo"):
        with pytest.raises(NotADirectoryPathError):
            disk.read(root, f"{name}/x.md", limit=LIMIT)
        with pytest.raises(NotADirectoryPathError):
            disk.open_directory(root, name)


def test_links_are_refused_wherever_they_stand(root, folder, outside):
    """A link is not followed, not as a file, not on the way, not within the root."""
    (folder / "real").mkdir()
    (folder / "real/x.md").touch()
    (folder / "dir").symlink_to(outside)
    (folder / "in").symlink_to("real")
    (folder / "x.md").symlink_to(outside / "AGENT.md")
    (folder / "gone.md").symlink_to("nowhere")
    for name, named in (
        ("dir/AGENT.md", "dir"),
        ("in/x.md", "in"),
        ("x.md", "x.md"),
        ("gone.md", "gone.md"),
    ):
        with pytest.raises(UnsafePathError) as caught:
            disk.read(root, name, limit=LIMIT)
        assert caught.value.path == f"{folder}/{named}"
        assert caught.value.reason == "it is a link"
    with pytest.raises(UnsafePathError):
        disk.open_directory(root, "dir")


def test_what_is_no_file_is_refused_and_named_and_does_not_hang(
    root, folder, monkeypatch
):
    """A FIFO, socket, directory or device is not read, and nobody waits for it."""
    monkeypatch.chdir(folder)  # addresses of sockets are short
    os.mkfifo("fifo")
    Path("dir").mkdir()
    kinds = {"fifo": "it is a FIFO", "dir": "it is a directory"}
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    kinds["socket"] = "it is a socket or a device"
    for name, reason in kinds.items():
        with pytest.raises(UnsafePathError) as caught:
            disk.read(root, name, limit=LIMIT)
        assert caught.value.reason == reason
    with (
        disk.open_root("/dev") as devices,
        pytest.raises(UnsafePathError, match="it is a device"),
    ):
        disk.read(devices, "null", limit=LIMIT)


def test_a_directory_that_is_swapped_for_a_link_leads_nowhere(root, folder, outside):
    """What is open stays what it was, whatever its name is given to."""
    (folder / "daily").mkdir()
    (folder / "daily/AGENT.md").write_bytes(b"inside")
    with disk.open_directory(root, "daily") as daily:
        (folder / "daily").rename(folder / "away")
        (folder / "daily").symlink_to(outside)
        assert disk.read(daily, "AGENT.md", limit=LIMIT) == b"inside"
        assert names(daily) == ["AGENT.md"]


@pytest.mark.parametrize("nth", [1, 2])
def test_a_swap_in_the_middle_of_opening_leads_nowhere(
    root, folder, outside, before, nth
):
    """Between any two steps of a walk the way may be swapped for a link."""
    (folder / "daily").mkdir()
    (folder / "daily/AGENT.md").write_bytes(b"inside")

    def swap():
        (folder / "daily").rename(folder / "away")
        (folder / "daily").symlink_to(outside)

    try:
        with before(os.open, swap, nth):
            content = disk.read(root, "daily/AGENT.md", limit=LIMIT)
    except UnsafePathError:
        assert nth == 1
    else:
        assert (nth, content) == (2, b"inside")


def test_a_file_that_is_swapped_for_a_fifo_does_not_hang(root, folder, before):
    """What is checked is what was opened, not what was there before."""
    (folder / "x.md").touch()

    def swap():
        (folder / "x.md").unlink()
        os.mkfifo(folder / "x.md")

    with before(os.open, swap), pytest.raises(UnsafePathError):
        disk.read(root, "x.md", limit=LIMIT)


def test_reading_leaves_no_time_of_access(folder):
    """Neither a file nor a directory can be seen to have been read."""
    (folder / "x.md").write_bytes(b"x")
    (folder / "control.md").write_bytes(b"x")
    for name in ("x.md", "control.md", ""):
        os.utime(folder / name, ns=(0, 1_000))
    (folder / "control.md").read_bytes()
    if not NO_ATIME or (folder / "control.md").stat().st_atime_ns == 0:
        pytest.skip("this system leaves the time of access alone, or cannot")
    os.utime(folder, ns=(0, 1_000))
    with disk.open_root(folder) as again:
        names(again)
        disk.read(again, "x.md", limit=LIMIT)
    assert folder.stat().st_atime_ns == 0
    assert (folder / "x.md").stat().st_atime_ns == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of others")
def test_what_belongs_to_others_is_read_all_the_same(root, folder, request):
    """Who may not keep the time of access may read."""
    (folder / "x.md").write_bytes(b"theirs")
    (folder / "x.md").chmod(0o644)
    request.getfixturevalue("unprivileged")
    assert disk.read(root, "x.md", limit=LIMIT) == b"theirs"


def test_no_descriptor_is_left_open(root, folder, outside, descriptors):
    """Whatever comes of a call, it closes what it opened."""
    (folder / "a").mkdir()
    (folder / "a/x.md").write_bytes(b"x" * 20)
    (folder / "a/link.md").symlink_to(outside)
    os.mkfifo(folder / "a/fifo")
    open_before = descriptors()
    for name in ("a/x.md", "a/link.md", "a/fifo", "a/none", "b/c", "a", "..", "a/x"):
        for limit in (LIMIT, 3):
            with suppress(CrewmemError):
                disk.read(root, name, limit=limit)
    assert descriptors() == open_before


# Laws: whatever is asked for, nothing outside is read or changed.

parts = st.sampled_from(
    [
        *("a", "b", "x.md", "AGENT.md", "new", "fifo"),
        *("up", "out", "out.md", "in", "loop"),
        *("..", ".", "", "\0", "\n", "\ud800", "…", "x" * 256),
    ]
)
relatives = st.one_of(
    st.lists(parts, max_size=5).map("/".join),
    st.tuples(st.sampled_from(["/", "{outside}/"]), parts).map("".join),
    st.text(max_size=8),
)


def world(top):
    """A root full of traps, and a directory outside of it that has the same names."""
    for place in ("root", "outside"):
        for name in ("a/b/x.md", "a/AGENT.md", "x.md", "AGENT.md"):
            path = top / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(place.encode())
    root = top / "root"
    (root / "up").symlink_to("..")
    (root / "out").symlink_to("../outside")
    (root / "a/out").symlink_to(top / "outside")
    (root / "a/b/up").symlink_to("../..")
    (root / "out.md").symlink_to("../outside/AGENT.md")
    (root / "in").symlink_to("a")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "fifo")
    return root


def tree(path):
    """Everything below a path, with what it is and holds."""
    return {
        str(each): (each.lstat().st_mode, each.lstat().st_ino)
        + ((each.read_bytes(),) if each.is_file() else ())
        for each in (path, *path.rglob("*"))
    }


def goes_down(root, relative, job):
    """Tell by strings, slowly, whether a path is one that may be walked."""
    parts = relative.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return False
    walked = parts[:-1] if job == "remove" else parts  # a link may be removed
    here = root
    for name in walked:
        here /= name
        if here.is_symlink():
            return False
    return True


def lock(root, relative):
    with disk.lock(root, relative, timeout=0):
        pass


JOBS = {
    "read": lambda root, relative: disk.read(root, relative, limit=LIMIT),
    "list": lambda root, relative: os.close(disk.open_directory(root, relative)),
    "write": lambda root, relative: disk.write(root, relative, b"new"),
    "create": lambda root, relative: disk.create(root, relative, b"new"),
    "remove": disk.remove,
    "make_dirs": disk.make_dirs,
    "lock": lock,
}


@pytest.mark.parametrize("job", JOBS)
@given(relative=relatives)
@settings(max_examples=30, deadline=None)
def test_no_name_leads_out_of_its_root(in_memory, job, relative):
    """Whatever a path is made of, it works inside its root or is refused."""
    with tempfile.TemporaryDirectory(dir=in_memory) as made:
        folder = world(Path(made))
        outside = Path(made, "outside")
        untouched = tree(outside)
        relative = relative.replace("{outside}", str(outside))
        with disk.open_root(folder) as root, suppress(CrewmemError):
            result = JOBS[job](root, relative)
            assert goes_down(folder, relative, job)
            assert job != "read" or result == b"root"
        assert tree(outside) == untouched
        assert (names(made)) == ["outside", "root"]
        links = {"up", "out", "out.md", "in", "loop"}
        if job != "remove":
            assert {n for n in links if (folder / n).is_symlink()} == links


def test_what_is_below_is_reached_through_no_link(folder):
    """A path that was named may hold links; what is below it may not."""
    (folder / "real/in/deep").mkdir(parents=True)
    (folder / "named").symlink_to("real")
    with disk.open_below(folder / "named", "in/deep") as opened:
        assert os.path.samestat(os.fstat(opened), (folder / "real/in/deep").stat())
        assert opened.path == f"{folder}/named/in/deep"
    (folder / "other").symlink_to("real/in")
    (folder / "real/link").symlink_to("in")
    for relative in ("other/deep", "real/link"):
        with pytest.raises(UnsafePathError):
            disk.open_below(folder, relative)
    with pytest.raises(PathMissingError):
        disk.open_below(folder, "real/none/deep")
    with pytest.raises(PathMissingError):
        disk.open_below(folder / "none", "in")


def test_who_may_pass_need_not_list(reachable, nobody):
    """Of the directories on the way only a name has to be known."""
    (reachable / "way/end").mkdir(parents=True)
    (reachable / "way").chmod(0o711)
    (reachable / "way/end").chmod(0o755)
    with nobody(), disk.open_below(reachable, "way/end") as opened:
        assert names(opened) == []
    (reachable / "way/end").chmod(0o711)
    with nobody(), pytest.raises(NotReadableError):
        disk.open_below(reachable, "way/end")
