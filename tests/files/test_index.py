"""The index says what the files say, and writes nothing when nothing changed."""

import os
import shutil
import time
from datetime import UTC

import pytest

from crewmem.access import Access, Actor
from crewmem.config import load_settings
from crewmem.context import Context
from crewmem.files import indexing
from crewmem.files.index import Policy, copy_to_memory, open_index
from crewmem.files.indexing import update_index
from crewmem.files.source import ChunkSource
from crewmem.files.tree import find_tree_directories

POLICY = Policy(1000, UTC)


class Vault:
    """A directory of markdown with its index beside it."""

    def __init__(self, path):
        self.root = path / "vault"
        self.root.mkdir()
        self.db = path / "index.sqlite"

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        old = time.time() - 100
        os.utime(path, (old, old))
        return path

    def refresh(self):
        """Return the report of a refresh; None when nothing differed."""
        index, self.reason = open_index(self.db, find_tree_directories(self.root), read_only=False)
        try:
            folders = index.find_changes(POLICY)
            return (
                None
                if folders is None
                else indexing.update_index(index, folders, POLICY, now="2026")
            )
        finally:
            index.close()

    def search(self, expression, **filters):
        index, _ = open_index(self.db, find_tree_directories(self.root), read_only=True)
        context = Context(
            home=None,
            workspace="default",
            access=Access(Actor("operator", "kim"), "default"),
            settings=load_settings(None),
        )
        source = ChunkSource(context, lambda: index, lambda error: False)
        keys = [key for key, _ in source.match(expression, 10, **filters)]
        found = {each.key: each for each in source.documents(keys)}
        index.close()
        return [found[key].ref for key in keys]


@pytest.fixture
def vault(tmp_path):
    return Vault(tmp_path)


def test_first_refresh_indexes_all_files(vault):
    vault.write("a.md", "# Deploys\n\nThe key is in the vault.")
    vault.write("deep/b.MD", "nothing here")
    vault.write("c.txt", "no markdown")

    report = vault.refresh()

    assert (report.files, report.added, report.chunks) == (2, 2, 2)
    assert vault.search("key") == ["a.md:1-3"]
    assert vault.search("heading: deploys") == ["a.md:1-3"]
    assert vault.search("b") == ["deep/b.MD:1"]  # by the name of the file


def test_unchanged_files_write_nothing(vault):
    vault.write("a.md", "one")
    vault.refresh()
    before = vault.db.read_bytes()

    assert vault.refresh() is None
    assert vault.db.read_bytes() == before


def test_changed_added_and_removed_files_are_found(vault):
    vault.write("a.md", "apples")
    gone = vault.write("b.md", "bananas")
    vault.refresh()

    vault.write("a.md", "oranges")
    vault.write("sub/c.md", "cherries")
    gone.unlink()
    report = vault.refresh()

    assert (report.added, report.changed, report.removed) == (1, 1, 1)
    assert vault.search("apples") == []
    assert vault.search("oranges") == ["a.md:1"]
    assert vault.search("cherries") == ["sub/c.md:1"]
    assert vault.search("bananas") == []


def test_removed_folder_leaves_the_index(vault):
    vault.write("keep.md", "x")
    vault.write("sub/deep/c.md", "cherries")
    vault.refresh()

    shutil.rmtree(vault.root / "sub")

    assert vault.refresh().removed == 1
    assert vault.search("cherries") == []


def test_change_with_size_and_time_kept_is_found(vault):
    path = vault.write("a.md", "apples")
    vault.refresh()
    status = path.stat()

    path.write_text("orange")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert vault.refresh().changed == 1
    assert vault.search("orange") == ["a.md:1"]


def test_file_that_changes_again_at_once_is_found(vault):
    vault.write("a.md", "apples")
    vault.refresh()
    for word in ("orange", "cherry", "banana"):
        (vault.root / "a.md").write_text(word)
        vault.refresh()
        assert vault.search(word) == ["a.md:1"]


def test_touched_file_is_not_counted_as_changed(vault):
    path = vault.write("a.md", "apples")
    vault.refresh()

    os.utime(path, (1_700_000_000, 1_700_000_000))

    report = vault.refresh()
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert vault.refresh() is None


def test_copied_tree_is_not_read_again(vault, tmp_path, monkeypatch):
    for name in ("a.md", "b.md"):
        vault.write(name, name)
    vault.refresh()
    copy = tmp_path / "copy"
    shutil.copytree(vault.root, copy)
    shutil.rmtree(vault.root)
    copy.rename(vault.root)
    reads = []
    read_at = indexing.read_at
    monkeypatch.setattr(
        indexing, "read_at", lambda *args, **kw: reads.append(args) or read_at(*args, **kw)
    )

    report = vault.refresh()
    assert (report.added, report.changed, report.removed) == (0, 0, 0)
    assert reads == []
    assert vault.refresh() is None


@pytest.mark.parametrize("seconds", [9_300_000_000, -5_000_000_000, 0])
def test_any_modification_time_works(vault, seconds):
    path = vault.write("a.md", "apples")
    os.utime(path, (seconds, seconds))

    vault.refresh()

    assert vault.search("apples") == ["a.md:1"]
    assert vault.refresh() is None


def test_what_cannot_be_indexed_is_reported_with_the_reason(vault):
    vault.write("good.md", "apples")
    vault.write("wide.md", "apples".encode("utf-16"))
    vault.write("latin.md", b"caf\xe9 apples")
    vault.write("big.md", b"x" * (8 * 1024 * 1024 + 1))
    vault.write("binary.md", bytes(range(256)) * 40 + b" apples")
    os.mkfifo(vault.root / "fifo.md")
    (vault.root / "link.md").symlink_to(vault.root / "good.md")

    vault.refresh()

    index, _ = open_index(vault.db, find_tree_directories(vault.root), read_only=True)
    skipped = dict(index.db.all("select path, skipped from files where skipped != ''"))
    index.close()
    assert skipped == {
        "big.md": "larger than 8,388,608 bytes",
        "binary.md": "it is binary",
        "fifo.md": "not a regular file",
        "latin.md": "it is not UTF-8: read as cp1252",
        "link.md": "a link",
        "wide.md": "it is UTF-16, not UTF-8",
    }
    assert sorted(vault.search("apples")) == ["good.md:1", "latin.md:1", "wide.md:1"]
    assert vault.search("café") == ["latin.md:1"]
    assert vault.refresh() is None


def test_damaged_index_is_rebuilt_and_said(vault):
    vault.write("a.md", "apples")
    vault.refresh()
    vault.db.write_bytes(b"no database" * 1000)

    vault.refresh()

    assert vault.reason
    assert vault.search("apples") == ["a.md:1"]


def test_index_that_is_a_directory_is_said_and_the_files_are_searched(vault):
    vault.write("a.md", "apples")
    vault.db.mkdir()

    index, reason = open_index(vault.db, find_tree_directories(vault.root), read_only=False)
    indexing.update_index(index, index.find_changes(POLICY), POLICY, now="2026")

    assert str(vault.db) in reason
    assert index.report().files == 1
    index.close()


def test_foreign_trigger_rebuilds_the_index(vault):
    import apsw

    vault.write("a.md", "apples")
    vault.refresh()
    db = apsw.Connection(str(vault.db))
    db.execute("create trigger evil after insert on files begin delete from files; end")
    db.close()

    vault.refresh()

    assert vault.reason
    assert vault.search("apples") == ["a.md:1"]


def test_another_chunk_limit_builds_the_index_anew(vault):
    vault.write("a.md", "word " * 150)
    vault.refresh()
    index, _ = open_index(vault.db, find_tree_directories(vault.root), read_only=False)
    small = Policy(300, UTC)
    folders = index.find_changes(small)
    report = indexing.update_index(index, folders, small, now="2026")
    index.close()

    assert report.chunks == 3


def test_read_only_index_is_brought_up_to_date_in_memory(vault):
    vault.write("a.md", "apples")
    vault.refresh()
    vault.write("b.md", "bananas")
    before = vault.db.read_bytes()

    index, _ = open_index(vault.db, find_tree_directories(vault.root), read_only=True)
    index = copy_to_memory(index)
    indexing.update_index(index, index.find_changes(POLICY), POLICY, now="2026")

    assert index.db.value("select count(*) from files") == 2
    assert vault.db.read_bytes() == before


def test_tags_dates_and_aliases_filter_and_find(vault):
    vault.write(
        "a.md", "---\ntags: [ops]\naliases: [Ship it]\ndate: 2026-05-01\n---\nrelease notes"
    )
    vault.write("b.md", "release notes [[a|the shipping page]]")
    vault.refresh()

    assert vault.search("release", tags=["ops"]) == ["a.md:6"]
    assert vault.search("release", until="2026-05-02T00:00:00.000Z") == ["a.md:6"]
    assert "a.md:6" in vault.search("ship")  # by its alias, and b by the label of its link
    assert vault.search("shipping AND page") == ["b.md:1"]


def test_tag_below_another_is_found_by_both(vault):
    vault.write("a.md", "---\ntags: [ops/Deploy/eu]\n---\nrelease notes")
    vault.write("b.md", "---\ntags: [opsx]\n---\nrelease notes")
    vault.refresh()

    for tag in ("ops", "ops/deploy", "#ops/deploy/eu"):
        assert vault.search("release", tags=[tag]) == ["a.md:4"]
    assert vault.search("release", tags=["deploy"]) == []


def test_front_matter_with_a_bad_field_keeps_its_tags(vault):
    vault.write("a.md", "---\ntitle: Deploys: how\ndate: {{date}}\ntags: [ops]\n---\nrelease")
    vault.refresh()
    assert vault.search("release", tags=["ops"]) == ["a.md:6"]


def test_front_matter_of_names_tags_and_dates_is_no_hit(vault):
    vault.write(
        "glaze.md",
        "---\ntitle: Celadon glaze\ntags:\n  - kiln\n  - brennen\nweight: 20\n"
        "draft: false\ndate: 2026-05-01T10:00:00\n---\nFire it at cone ten.\n\n# Wood\n\nAsh.\n",
    )
    vault.write("oven.md", "---\ntags: [kiln]\nowner: Marta\n---\nThe oven is old.\n")
    vault.write("alone.md", "---\ntags: [slipware]\n---\n")
    vault.refresh()

    assert vault.search("celadon AND glaze") == ["glaze.md:12-14", "glaze.md:10"]
    assert vault.search("brennen") == ["glaze.md:10"]  # by its tag, where its text begins
    assert vault.search("kiln AND cone") == ["glaze.md:10"]
    assert vault.search("marta") == ["oven.md:1-4"]
    assert vault.search("slipware") == ["alone.md:1-3"]


def test_vector_keys_survive_a_rebuild(vault):
    vault.write("a.md", "# A\n\napples")
    vault.refresh()
    first = _vector_keys(vault)
    vault.db.unlink()
    vault.refresh()

    assert _vector_keys(vault) == first != set()


def _vector_keys(vault):
    index, _ = open_index(vault.db, find_tree_directories(vault.root), read_only=True)
    found = {key for (key,) in index.db.all("select vector_key from chunks")}
    index.close()
    return found


def test_secret_that_was_written_by_hand_is_not_in_the_index(vault):
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq3\n" * 6
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    vault.write(
        "keys.md", f"# Keys\n\n{key}-----END RSA PRIVATE KEY-----\n\n# Token\n\nIt is {token}.\n"
    )
    vault.refresh()
    stored = vault.db.read_bytes()
    assert token.encode() not in stored
    assert b"MIIEpAIBAAKCAQEA7bq3" not in stored
    assert vault.search("heading: token") == ["keys.md:12-14"]


def test_folder_that_goes_away_while_it_is_indexed_costs_itself_only(home):
    topic = home.put("crew:harbor/topics/deploys.md", "# Deploys\n")
    home.put("crew:harbor/CREW.md", "# Crew\n")
    memory = home.memory()
    index = memory.index._open()
    folders = index.find_changes(memory.index._policy)
    topic.unlink()
    topic.parent.rmdir()

    report = update_index(index, folders, memory.index._policy, now=memory.context.now_text)

    assert report.files == 1
    assert memory.index.refresh().files == 1


def test_status_counts_stale_files_where_they_are(home):
    home.put("agent:harbor/winch/AGENT.md", "one\n")
    home.put("agent:yard/rivet/AGENT.md", "two\n")

    status = home.memory("agent:winch").index.status()

    stale = {each.owner: each.stale for each in status.directories}
    assert stale == {"": 0, "harbor": 0, "harbor/winch": 1}
    assert status.stale == 1
