import gzip
import io
import json
import os
import tarfile
from hashlib import sha256

import pytest

from crewmem.access import Actor
from crewmem.errors import ConflictError, DamagedError, RefusedError
from crewmem.journal.reading import EntryFilter
from crewmem.transfer import exporter, import_source
from crewmem.transfer.exporter import Exporter
from crewmem.transfer.sample import install_sample
from tests.transfer.conftest import contents_of, files_of


def fill(home):
    write = home.memory.write
    write("Be brief.\n", file="agent:harbor/winch/AGENT.md", mode="replace")
    write("Secretive.\n", file="agent:harbor/crane/AGENT.md", mode="replace")
    write("\nDeploys on Friday.", file="crew:harbor/topics/deploys.md", mode="replace")
    write("Later.\n", file="crew:harbor/topics/deploys.md")
    write("Rules.\n", file="workspace:RULES.md", mode="replace")
    write("Kim likes tea.\n", file="agent:harbor/winch/peers/0123456789abcdef.md", mode="replace")
    added = home.facts.add("The key is in the vault", kind="decision")
    home.facts.pin(added.id, "pin", reason="often asked")
    home.facts.add("Mine alone", scope="agent", agent="crane")
    failed = home.journal.append("peer.escalation", "the pump failed", agent="winch", crew="harbor")
    fixed = home.journal.append("peer.escalation", "the pump runs", agent="winch", crew="harbor")
    home.journal.set_priority(failed, "pin", reason="it comes back each spring")
    home.journal.add_relation(failed, fixed, "contradicts")


def test_export_gives_the_same_bytes_each_time(home, tmp_path):
    fill(home)
    for name in ("a", "b", "a.tar.gz", "b.tar.gz"):
        Exporter(home).write(tmp_path / name)

    assert contents_of(tmp_path / "a") == contents_of(tmp_path / "b")
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "b.tar.gz").read_bytes()


def test_export_import_export_gives_the_same_bytes(home, other, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a.tar.gz")
    Exporter(home).write(tmp_path / "a")

    import_(tmp_path / "a.tar.gz", into=other, origin="operator")
    Exporter(other).write(tmp_path / "b")

    assert contents_of(tmp_path / "a") == contents_of(tmp_path / "b")
    (pinned,) = other.journal.list(EntryFilter(priorities=["pin"])).entries
    (relation,) = other.journal.describe(pinned.id).relations
    assert (pinned.summary, relation.relation) == ("the pump failed", "contradicts")


def test_bundle_keeps_numbered_files_apart_and_the_blank_lines_at_their_ends(
    home, other, tmp_path, import_
):
    shared = "## Settings\n\nLoud.\n"
    texts = {"pump": f"# Pump\n\nOld.\n\n{shared}\n\n\n", "pump-2": f"# Pump\n\nNew.\n\n{shared}"}
    for name, text in texts.items():
        home.memory.write(text, file=f"crew:harbor/topics/{name}.md", mode="replace")
    Exporter(home).write(tmp_path / "a")

    import_(tmp_path / "a", into=other, origin="operator")

    found = files_of(other)
    assert {name: found[f"crew:harbor/topics/{name}.md"] for name in texts} == texts


def test_bundle_that_review_trusted_is_exported_as_it_was_but_for_what_the_chain_has(
    home, other, tmp_path, import_
):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    plan = import_(tmp_path / "a", into=other)
    other.review.approve(plan.review)
    Exporter(other).write(tmp_path / "b")

    before, after = contents_of(tmp_path / "a"), contents_of(tmp_path / "b")
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {"journal.jsonl", "versions.jsonl", "manifest.json"}
    old, new = ([json.loads(line) for line in each["journal.jsonl"].splitlines()]
                for each in (before, after))  # fmt: skip
    signed = {"origin": "", "priority": ""}
    assert [each | signed for each in new] == [each | signed for each in old]
    newest = [{v["path"]: v for v in map(json.loads, each["versions.jsonl"].splitlines())}
              for each in (before, after)]  # fmt: skip
    assert newest[0] == newest[1]


def test_own_bundle_brings_nothing_new(home, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    before = files_of(home)

    plan = import_(tmp_path / "a", into=home)

    assert (plan.origin, plan.files, plan.facts.added, plan.journal.added) == ("agent", (), 0, 0)
    assert files_of(home) == before


def test_bundle_from_elsewhere_is_external_until_review_trusts_it(home, other, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a")

    plan = import_(tmp_path / "a", into=other)

    assert other.memory.read("workspace:RULES.md").origin == "external"
    (fact,) = other.facts.list(kinds=["decision"]).facts
    assert (fact.origin, fact.pin) == ("external", "none")
    other.review.approve(plan.review)
    assert other.memory.read("workspace:RULES.md").origin == "operator"
    (fact,) = other.facts.list(kinds=["decision"]).facts
    assert fact.origin == "operator"


def test_bundle_is_trusted_without_a_fact_that_was_purged(home, other, tmp_path, import_):
    fill(home)
    home.facts.add("The pier closes at nine", kind="decision")
    Exporter(home).write(tmp_path / "a")
    plan = import_(tmp_path / "a", into=other)
    gone, kept = other.facts.list(kinds=["decision"]).facts

    other.facts.purge(gone.id)
    other.review.approve(plan.review)

    (fact,) = other.facts.list(kinds=["decision"]).facts
    assert (fact.id, fact.origin) == (kept.id, "operator")


def test_rejected_bundle_stays_external(home, other, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a")

    plan = import_(tmp_path / "a", into=other)
    other.review.reject(plan.review, reason="not known")

    assert other.memory.read("workspace:RULES.md").origin == "external"


def test_agent_exports_what_it_may_read(home, tmp_path):
    fill(home)

    Exporter(home.as_actor(Actor("agent", "winch"))).write(tmp_path / "a")

    contents = contents_of(tmp_path / "a")
    assert "files/crew/harbor/topics/deploys.md" in contents
    text = b"".join(contents.values())
    assert b"the pump failed" in text
    for hidden in (b"Secretive", b"Mine alone", b"likes tea"):
        assert hidden not in text


def test_profiles_of_people_are_in_no_bundle(home, tmp_path):
    fill(home)

    Exporter(home).write(tmp_path / "a")

    assert b"likes tea" not in b"".join(contents_of(tmp_path / "a").values())


def test_only_some_parts_are_exported(home, tmp_path):
    fill(home)

    Exporter(home).write(tmp_path / "a", parts=["facts"])

    assert set(contents_of(tmp_path / "a")) == {"manifest.json", "registry.json", "facts.jsonl"}


def test_export_replaces_an_older_bundle_and_nothing_else(home, tmp_path):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    Exporter(home).write(tmp_path / "a", parts=["facts"])
    assert "journal.jsonl" not in contents_of(tmp_path / "a")

    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "own.txt").write_text("mine")
    with pytest.raises(ConflictError):
        Exporter(home).write(tmp_path / "b")


def test_killed_export_is_no_bundle_and_is_finished_by_the_next(
    home, other, tmp_path, import_, monkeypatch
):
    fill(home)
    write = exporter.replace_file

    def interrupt(path, content):
        if path.name == "facts.jsonl":
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(exporter, "replace_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Exporter(home).write(tmp_path / "a")
    with pytest.raises(DamagedError, match="is missing"):
        import_(tmp_path / "a", into=other)

    monkeypatch.setattr(exporter, "replace_file", write)
    Exporter(home).write(tmp_path / "a")
    assert import_(tmp_path / "a", into=other).facts.added == 2


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"files": []}, "is not what an export writes"),
        ({"version": 1, "files": [{"name": "a.md"}]}, "is not what an export writes"),
        (
            {"version": 1, "files": [{"path": 7, "tier": "", "sha256": "", "bytes": 0}]},
            "is not what an export writes",
        ),
        ({"version": 2, "files": 7}, "was written by a later crewmem"),
    ],
)
def test_manifest_that_cannot_be_read_is_refused_in_plain_words(tree, import_, manifest, message):
    path = tree({"manifest.json": json.dumps({"format": "crewmem", **manifest}), "a.md": "A.\n"})

    with pytest.raises(DamagedError) as refused:
        import_(path)

    assert refused.value.message.endswith(message + " (bundle version 2)" * ("later" in message))


def test_export_removes_what_a_killed_export_left(home, tmp_path):
    Exporter(home).write(tmp_path / "a")
    left = tmp_path / "a" / ".crewmem-999999999-x.tmp"
    left.write_bytes(b"half")
    os.utime(left, (0, 0))

    Exporter(home).write(tmp_path / "a")

    assert not left.exists()


def test_export_removes_what_a_killed_export_of_an_archive_left(home, tmp_path):
    old, young = tmp_path / ".crewmem-7-x.tmp", tmp_path / ".crewmem-8-x.tmp"
    for left in (old, young):
        left.write_bytes(b"half")
    os.utime(old, (0, 0))
    os.utime(young, (home.context.now.timestamp(),) * 2)

    Exporter(home).write(tmp_path / "a.tar.gz")

    assert not old.exists()
    assert young.exists()


def test_changed_bundle_is_refused(home, other, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    (tmp_path / "a" / "facts.jsonl").write_text("{}")

    with pytest.raises(DamagedError, match=r"facts\.jsonl"):
        import_(tmp_path / "a", into=other)


def change_bundle(path, name, content):
    """Give a file of a bundle another content, and the manifest its hash."""
    (path / name).write_text(content)
    manifest = json.loads((path / "manifest.json").read_text())
    for each in manifest["files"]:
        if each["path"] == name:
            each["sha256"] = sha256(content.encode()).hexdigest()
    (path / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    "registry",
    ["nonsense", "[]", "{}", '{"crews": 5, "agents": []}', '{"crews": [{}], "agents": []}',
     '{"crews": [], "agents": ["x"]}'],
)  # fmt: skip
def test_registry_that_no_export_writes_is_refused(home, other, tmp_path, import_, registry):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    change_bundle(tmp_path / "a", "registry.json", registry)

    with pytest.raises(DamagedError, match=r"registry\.json is not what an export writes"):
        import_(tmp_path / "a", into=other)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"path": None}, "it has no valid 'path'"),
        ({"path": "crew:harbor/topics/x.md:3"}, "is not a memory file"),
        ({"path": "crew:harbor/../x.md"}, "is not a file name"),
        ({"written_at": None}, "it has no valid 'written_at'"),
        ({"bytes": "x"}, "it has no valid 'bytes'"),
        ({"written_by": ["x"]}, "it has no valid 'written_by'"),
    ],
)
def test_version_that_is_none_is_left_out(home, other, tmp_path, import_, change, reason):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    first, *others = (tmp_path / "a" / "versions.jsonl").read_text().splitlines()
    lines = [json.dumps({**json.loads(first), **change, "later": 1}), *others]
    change_bundle(tmp_path / "a", "versions.jsonl", "\n".join(lines))

    plan = import_(tmp_path / "a", into=other, agent="", crew="")

    assert plan.versions.added == len(others)
    (left,) = [each for each in plan.left_out if each.source == "versions.jsonl"]
    assert left.line == 1
    assert reason in left.reason


def test_field_of_a_later_version_is_passed_over(home, other, tmp_path, import_):
    fill(home)
    Exporter(home).write(tmp_path / "a")
    lines = (tmp_path / "a" / "versions.jsonl").read_text().splitlines()
    later = [json.dumps({**json.loads(line), "later": 1}) for line in lines]
    change_bundle(tmp_path / "a", "versions.jsonl", "\n".join(later))

    assert import_(tmp_path / "a", into=other, agent="", crew="").versions.added == len(lines)


def test_archive_whose_header_is_damaged_is_refused(tmp_path, import_):
    members = [(tarfile.TarInfo(name), b"Text.\n" * 2000) for name in ("a.md", "b.md", "c.md")]
    plain = bytearray(gzip.decompress(make_tar(tmp_path / "x.tar.gz", *members).read_bytes()))
    packed = bytearray(gzip.compress(bytes(plain)))
    plain[plain.index(b"b.md")] ^= 1  # tarfile takes a bad header for the end
    changed = gzip.compress(bytes(plain))
    (tmp_path / "x.tar.gz").write_bytes(changed[:-8] + packed[-8:])  # with the sum of the good one

    with pytest.raises(DamagedError, match="damaged archive"):
        import_(tmp_path / "x.tar.gz")


def make_tar(path, *members):
    with tarfile.open(path, "w:gz") as file:
        for member, data in members:
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    return path


def test_archives_with_traversal_links_or_bombs_are_refused(tmp_path, import_, monkeypatch):
    link = tarfile.TarInfo("a.md")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    for members in (
        [(tarfile.TarInfo("../a.md"), b"x")],
        [(link, b"")],
        [(tarfile.TarInfo("/../../a.md"), b"x")],
    ):
        with pytest.raises(RefusedError):
            import_(make_tar(tmp_path / "x.tar.gz", *members))
    monkeypatch.setattr(import_source, "MAX_TOTAL_BYTES", 100_000)
    with pytest.raises(RefusedError, match="unpacked"):
        import_(make_tar(tmp_path / "x.tar.gz", (tarfile.TarInfo("a.md"), b"\0" * 1_000_000)))
    (tmp_path / "y.tar.gz").write_bytes(b"\x1f\x8bnothing")
    with pytest.raises(DamagedError):
        import_(tmp_path / "y.tar.gz")


def test_sample_has_files_entries_facts_and_a_log(other):
    counts = install_sample(other)

    assert all(counts.values())
    assert other.search("deploy key").hits
    with pytest.raises(ConflictError):
        install_sample(other)


@pytest.mark.parametrize(
    ("rule", "text", "secret"),
    [
        ("github-token", "{}", "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"),
        ("named-value", 'api_key:\t"{}"', "q7RkT2mV9xLp4Zs8"),  # JSON escapes what is around it
    ],
)
def test_secret_that_another_program_stored_is_in_no_bundle(home, tmp_path, rule, text, secret):
    fact = home.facts.add("The crane pump runs on 230 volts.", kind="fact")
    entry = home.journal.add("peer.note", "the crane is open")
    for table, column, row in (
        ("facts", "content", fact.id),
        ("journal_entries", "summary", entry.id),
    ):
        values = (text.format(secret), row)
        home.context.db.execute(f"update {table} set {column} = ? where id = ?", values)
    Exporter(home).write(tmp_path / "bundle")
    bundle = b"".join(contents_of(tmp_path / "bundle").values())
    assert secret.encode() not in bundle
    assert bundle.count(f"[redacted: {rule}]".encode()) == 2
