"""Writing, making and removing files: whole, in place, on the disk."""

import os
import resource
import socket
import stat
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem import disk
from crewmem.disk.staging import _rename_new, claim
from crewmem.errors.disk import (
    DiskError,
    NotDurableError,
    NotWritableError,
    PathMissingError,
    UnsafePathError,
)
from crewmem.errors.registry import ExistsError

only_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give files away"
)


def names(path):
    """The names in a directory, in order."""
    with os.scandir(path) as entries:
        return sorted(entry.name for entry in entries)


@pytest.fixture
def umask():
    """The usual umask, whatever runs the tests."""
    kept = os.umask(0o022)
    yield
    os.umask(kept)


@given(contents=st.lists(st.binary() | st.just(b"x" * 300_000), min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
def test_what_was_written_last_is_read(contents):
    """A file holds just what was written to it last, and stands alone."""
    with tempfile.TemporaryDirectory() as folder, disk.open_root(folder) as root:
        for content in contents:
            disk.write(root, "AGENT.md", content)
            assert disk.read(root, "AGENT.md", limit=300_000) == content
        assert names(folder) == ["AGENT.md"]


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "🙂" * 63, ".hidden", "a b"])
@pytest.mark.parametrize("make", [disk.write, disk.create])
def test_the_longest_names_can_be_written(root, folder, name, make):
    """A temporary name never is too long where the name itself is not."""
    make(root, name, b"x")
    assert (folder / name).read_bytes() == b"x"


def test_a_name_that_is_too_long_is_refused(root):
    """Over what the system allows the refusal says so."""
    with pytest.raises(UnsafePathError, match="too long"):
        disk.write(root, "x" * 256, b"")


def test_the_old_content_stays_whole_for_who_has_it_open(root, folder):
    """Replacing a file takes nothing from those who are reading it."""
    disk.write(root, "AGENT.md", b"old")
    with disk.open_file(root, "AGENT.md") as file:
        disk.write(root, "AGENT.md", b"new")
        assert file.read(10) == b"old"
    assert (folder / "AGENT.md").read_bytes() == b"new"


@pytest.mark.usefixtures("umask")
def test_a_new_file_is_its_owners_alone(root, folder):
    """Memory is private unless said otherwise; the umask has its say as well."""
    for make in (disk.write, disk.create):
        make(root, f"{make.__name__}.md", b"")
        make(root, f"{make.__name__}-open.md", b"", mode=0o666)
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert modes == {
        "write.md": 0o600,
        "create.md": 0o600,
        "write-open.md": 0o644,
        "create-open.md": 0o644,
    }


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755, 0o200])
def test_a_file_that_is_replaced_keeps_its_permissions(root, folder, mode):
    """Mode bits survive a write, whatever the umask and the mode for new files."""
    path = folder / "AGENT.md"
    path.touch()
    path.chmod(mode)
    disk.write(root, "AGENT.md", b"new", mode=0o604)
    assert path.stat().st_mode & 0o7777 == mode


def test_set_id_bits_are_not_kept(root, folder):
    """A replaced file runs as nobody else, whoever it belongs to now."""
    path = folder / "AGENT.md"
    path.touch()
    path.chmod(0o6755)
    disk.write(root, "AGENT.md", b"new")
    assert path.stat().st_mode & 0o7777 == 0o755


def test_what_is_private_is_so_from_the_first_byte(root, folder, before):
    """While it is written, a private file's successor is nobody else's either."""
    disk.write(root, "AGENT.md", b"old")
    modes = {}

    def look():
        modes.update((path.name, path.stat().st_mode & 0o777) for path in others())

    def others():
        return [path for path in folder.iterdir() if path.name != "AGENT.md"]

    with before(os.write, look):
        disk.write(root, "AGENT.md", b"new", mode=0o666)
    assert list(modes.values()) == [0o600]


@only_root
def test_a_file_that_is_replaced_keeps_its_owner_and_group(root, folder):
    """An operator who writes as root takes no file away from its agent."""
    path = folder / "AGENT.md"
    path.touch()
    os.chown(path, 1001, 1002)
    path.chmod(0o640)
    disk.write(root, "AGENT.md", b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (1001, 1002, 0o640)


@only_root
def test_what_root_makes_belongs_to_the_owner_of_the_place(root, folder):
    """Files, directories and locks that root makes do not lock the agent out."""
    os.chown(folder, 1001, 1002)
    disk.write(root, "write.md", b"")
    disk.create(root, "create.md", b"")
    disk.make_dirs(root, "a/b")
    with disk.lock(root, "AGENT.md.lock", timeout=0):
        pass
    owners = {(p.stat().st_uid, p.stat().st_gid) for p in folder.rglob("*")}
    assert owners == {(1001, 1002)}
    assert len(list(folder.rglob("*"))) == 5


@only_root
def test_what_was_for_a_group_is_not_left_for_another(root, folder, request):
    """Where the group cannot be kept, its permissions become those of all others."""
    path = folder / "AGENT.md"
    path.write_bytes(b"theirs")
    os.chown(path, 1001, 1002)
    path.chmod(0o664)
    request.getfixturevalue("unprivileged")
    disk.write(root, "AGENT.md", b"ours")
    found = Path("AGENT.md").stat()
    assert (found.st_uid, found.st_gid) == (os.geteuid(), os.getegid())
    assert found.st_mode & 0o777 == 0o644


def test_only_files_are_replaced(root, folder, outside, monkeypatch):
    """A link, directory, FIFO or socket is refused, by its kind, and stays."""
    monkeypatch.chdir(folder)
    Path("link").symlink_to(outside / "AGENT.md")
    Path("gone").symlink_to("nowhere")
    Path("dir").mkdir()
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    stands = {name: os.lstat(name).st_mode for name in names(".")}
    for name, reason in (
        ("link", "it is a link"),
        ("gone", "it is a link"),
        ("dir", "it is a directory"),
        ("fifo", "it is a FIFO"),
        ("socket", "it is a socket"),
    ):
        with pytest.raises(UnsafePathError) as caught:
            disk.write(root, name, b"new")
        assert caught.value.reason == reason
        with pytest.raises(ExistsError):
            disk.create(root, name, b"new")
    assert {name: os.lstat(name).st_mode for name in names(".")} == stands
    assert (outside / "AGENT.md").read_bytes() == b"secret"


@pytest.mark.parametrize(
    "trap",
    [
        lambda path, outside: path.symlink_to(outside / "AGENT.md"),
        lambda path, _outside: path.mkdir(),
        lambda path, _outside: os.mkfifo(path),
    ],
)
def test_what_is_put_in_the_way_at_the_last_moment_is_harmless(
    root, folder, outside, before, trap
):
    """Between the last check and the change of names nothing can lead outside."""
    path = folder / "AGENT.md"
    with before(os.rename, lambda: trap(path, outside)):
        try:
            disk.write(root, "AGENT.md", b"new")
        except UnsafePathError:
            assert path.is_dir()
        else:
            assert stat.S_ISREG(path.lstat().st_mode)
    assert names(folder) == ["AGENT.md"]
    assert names(outside) == ["AGENT.md"]
    assert (outside / "AGENT.md").read_bytes() == b"secret"


def test_a_directory_that_is_swapped_while_we_write_takes_nothing_outside(
    root, folder, outside, before
):
    """A write ends in the directory that was opened, wherever that is by now."""
    (folder / "daily").mkdir()

    def swap():
        (folder / "daily").rename(folder / "away")
        (folder / "daily").symlink_to(outside)

    with before(os.lstat, swap):
        disk.write(root, "daily/x.md", b"new")
    assert (folder / "away/x.md").read_bytes() == b"new"
    assert names(outside) == ["AGENT.md"]


def test_a_missing_directory_is_not_made_by_the_way(root, folder):
    """A write into a directory that is not there names it."""
    with pytest.raises(PathMissingError) as caught:
        disk.write(root, "daily/x.md", b"")
    assert caught.value.path == f"{folder}/daily"


def test_a_file_that_is_marked_read_only_is_not_replaced(root, folder):
    """Permissions that nobody has are respected, by root as well."""
    path = folder / "AGENT.md"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(NotWritableError, match="marked read-only"):
        disk.write(root, "AGENT.md", b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.usefixtures("unprivileged")
def test_a_directory_that_may_not_be_written_is_left_alone(root):
    """Where nothing may be made or removed a write says so, and nothing changes."""
    Path("AGENT.md").write_bytes(b"old")
    Path().chmod(0o500)
    for job in (
        lambda: disk.write(root, "AGENT.md", b"new"),
        lambda: disk.create(root, "new.md", b"new"),
        lambda: disk.remove(root, "AGENT.md"),
        lambda: disk.make_dirs(root, "daily"),
        lambda: disk.lock(root, "AGENT.md.lock", timeout=0),
    ):
        with pytest.raises(NotWritableError, match="permission denied"):
            job()
    Path().chmod(0o700)
    assert names(".") == ["AGENT.md"]
    assert Path("AGENT.md").read_bytes() == b"old"


def test_a_file_over_what_the_process_may_write_changes_nothing(root, folder):
    """Half a file is not a file: the old one stays, and nothing is left behind."""
    disk.write(root, "AGENT.md", b"old")
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, kept[1]))
    try:
        for make, name in ((disk.write, "AGENT.md"), (disk.create, "new.md")):
            with pytest.raises(DiskError, match="file too large"):
                make(root, name, b"x" * 5_001)
        disk.write(root, "fits.md", b"x" * 5_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
    assert (names(folder)) == ["AGENT.md", "fits.md"]
    assert (folder / "AGENT.md").read_bytes() == b"old"


def test_a_file_that_is_there_is_never_replaced_by_making_it(root, folder):
    """Making what exists is a conflict, and what is there stays."""
    disk.create(root, "AGENT.md", b"first")
    with pytest.raises(ExistsError):
        disk.create(root, "AGENT.md", b"second")
    assert (folder / "AGENT.md").read_bytes() == b"first"
    assert (folder / "AGENT.md").stat().st_nlink == 1
    assert names(folder) == ["AGENT.md"]


def test_a_file_that_appears_while_it_is_made_stays(root, folder, before):
    """Who comes first with a name keeps it."""
    path = folder / "AGENT.md"
    with (
        before(os.link, lambda: path.write_bytes(b"theirs")),
        pytest.raises(ExistsError),
    ):
        disk.create(root, "AGENT.md", b"ours")
    assert path.read_bytes() == b"theirs"
    assert names(folder) == ["AGENT.md"]


def test_a_temporary_file_that_is_swapped_for_a_link_brings_nothing_in(
    root, folder, outside, before
):
    """What takes the name is never a file from outside."""

    def swap():
        [temporary] = folder.iterdir()
        temporary.unlink()
        temporary.symlink_to(outside / "AGENT.md")

    with before(os.link, swap):
        disk.create(root, "AGENT.md", b"ours")
    assert (outside / "AGENT.md").stat().st_nlink == 1
    with pytest.raises(UnsafePathError):
        disk.read(root, "AGENT.md", limit=10)


def test_of_many_who_make_a_file_one_succeeds(root, folder):
    """Of all who create a name at once just one is told that it is theirs."""
    barrier = threading.Barrier(8)
    made = []

    def make(content):
        barrier.wait()
        try:
            disk.create(root, "AGENT.md", content)
        except ExistsError:
            return
        made.append(content)

    threads = [threading.Thread(target=make, args=(b"%d" % n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [(folder / "AGENT.md").read_bytes()]
    assert names(folder) == ["AGENT.md"]


def test_without_hard_links_a_new_name_is_taken_as_safely(root, folder):
    """Where a file system has no links a rename that replaces nothing serves."""
    (folder / "temporary").write_bytes(b"new")
    try:
        _rename_new(root, "temporary", "AGENT.md")
    except OSError as error:
        pytest.skip(f"not here: {error}")
    assert names(folder) == ["AGENT.md"]
    (folder / "temporary").write_bytes(b"newer")
    with pytest.raises(FileExistsError):
        _rename_new(root, "temporary", "AGENT.md")
    assert (folder / "AGENT.md").read_bytes() == b"new"


def test_a_file_system_without_hard_links_is_noticed(root, folder, before):
    """When links are refused, the name is taken in the other way."""
    (folder / "temporary").write_bytes(b"new")

    def refuse():
        raise PermissionError(1, "Operation not permitted")

    with before(os.link, refuse):
        try:
            claim(root, "temporary", "AGENT.md")
        except OSError as error:
            pytest.skip(f"not here: {error}")
    assert (folder / "AGENT.md").read_bytes() == b"new"


def test_a_removed_file_is_gone(root, folder, outside):
    """A file is removed; of a link, the link and nothing else."""
    disk.write(root, "AGENT.md", b"x")
    (folder / "link").symlink_to(outside / "AGENT.md")
    disk.remove(root, "AGENT.md")
    disk.remove(root, "link")
    assert names(folder) == []
    assert names(outside) == ["AGENT.md"]


def test_only_what_is_a_file_and_there_is_removed(root, folder):
    """A missing file is missing, a directory is refused."""
    (folder / "daily").mkdir()
    with pytest.raises(PathMissingError):
        disk.remove(root, "AGENT.md")
    with pytest.raises(UnsafePathError, match="it is a directory"):
        disk.remove(root, "daily")
    assert names(folder) == ["daily"]


@pytest.mark.parametrize("name", ["a\nb.md", "\x1b[31m.md", "a/\x9b/b"])
def test_names_with_control_characters_are_not_made_but_can_be_removed(
    root, folder, name
):
    """What others have put there can be read and removed."""
    for make in (
        lambda: disk.write(root, name, b""),
        lambda: disk.create(root, name, b""),
        lambda: disk.make_dirs(root, name),
        lambda: disk.lock(root, name, timeout=0),
    ):
        with pytest.raises(UnsafePathError, match="control character"):
            make()
    assert names(folder) == []
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(b"x")
    assert disk.read(root, name, limit=1) == b"x"
    disk.remove(root, name)
    assert not (folder / name).exists()


@pytest.mark.usefixtures("umask")
def test_a_file_that_something_else_has_written_is_adopted(root, folder):
    """It takes the name, and the permissions, of what it replaces."""
    (folder / "index.sqlite").write_bytes(b"old")
    (folder / "index.sqlite").chmod(0o640)
    (folder / "aside").write_bytes(b"new")
    disk.adopt(root, "aside", "index.sqlite")
    assert names(folder) == ["index.sqlite"]
    assert (folder / "index.sqlite").read_bytes() == b"new"
    assert (folder / "index.sqlite").stat().st_mode & 0o777 == 0o640


def test_only_a_file_is_adopted_and_only_for_a_file(root, folder, outside):
    """A link is not adopted; nothing else is replaced."""
    (folder / "aside").symlink_to(outside / "AGENT.md")
    with pytest.raises(UnsafePathError):
        disk.adopt(root, "aside", "index.sqlite")
    (folder / "aside").write_bytes(b"new")
    (folder / "index.sqlite").symlink_to(outside / "AGENT.md")
    with pytest.raises(UnsafePathError):
        disk.adopt(root, "aside", "index.sqlite")
    assert (outside / "AGENT.md").read_bytes() == b"secret"


def test_what_is_discarded_may_be_gone_already(root, folder):
    """Discarding tells whether there was something, and minds nothing."""
    (folder / "aside").touch()
    (folder / "dir").mkdir()
    assert disk.discard(root, "aside")
    assert not disk.discard(root, "aside")
    assert not disk.discard(root, "dir")
    assert names(folder) == ["dir"]


def test_the_order_of_a_write_is_safe(root, interfere):
    """Content, then its fsync, then the name, then the fsync of that, then done."""
    called = []

    def watch(event, call):
        if event == "call":
            called.append(call.__name__)

    with interfere(watch):
        disk.write(root, "AGENT.md", b"new")
    steps = [name for name in called if name in ("write", "fsync", "rename", "fcntl")]
    assert [("fsync" if name == "fcntl" else name) for name in steps] == [
        "write",
        "fsync",
        "rename",
        "fsync",
    ]


def test_what_the_disk_did_not_confirm_is_not_called_done(root, folder, before):
    """When only the last step fails, the content is there, and that is in doubt."""

    def fail():
        raise OSError(5, "Input/output error")

    for job in (
        lambda: disk.write(root, "AGENT.md", b"new"),
        lambda: disk.remove(root, "AGENT.md"),
    ):
        nth = 1 + (not (folder / "AGENT.md").exists())
        with (
            before(os.fsync, fail, nth),
            pytest.raises(NotDurableError, match="may not be on the disk: input/out"),
        ):
            job()


def test_a_directory_that_cannot_be_synced_at_all_is_no_failure(root, before):
    """Some file systems have no fsync for directories; theirs is the best there is."""

    def refuse():
        raise OSError(22, "Invalid argument")

    with before(os.fsync, refuse, nth=2):
        disk.write(root, "AGENT.md", b"new")
