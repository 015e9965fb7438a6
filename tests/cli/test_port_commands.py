"""``crewmem export`` and ``crewmem import``: memory goes out, and comes in again."""

import io
import json
import tarfile
import tempfile
import zlib
from hashlib import sha256
from pathlib import Path

import pytest
from homes import HARBOR, MIRA, copied
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from crewmem.cli.app import World
from crewmem.cli.root import run
from tests.disk.conftest import before

__all__ = ["before"]

CREW = "workspaces/default/crews/harbor/shared/.memory"
PILOT = "workspaces/default/crews/harbor/agents/pilot/.memory"
SHARED = "workspaces/default/.memory"


def called(home, *argv, status=0, now="2026-05-01T09:30:00Z"):
    """Run a command line as an operator; return what it answers as JSON."""
    out, err = io.StringIO(), io.StringIO()
    environ = {"CREWMEM_HOME": str(home), "LOGNAME": "ada", "CREWMEM_NOW": now}
    environ["CREWMEM_EMBEDDER"] = "none"
    world = World(environ=environ, stdout=out, stderr=err, stdin=io.StringIO())
    found = run([*map(str, argv), "--json"], world)
    assert found == status, (argv, err.getvalue())
    return json.loads(out.getvalue())["data"] if out.getvalue() else None


def files(folder):
    """Every file below *folder*, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def harbor(home):
    """A home with a crew, whose agent and lead have written something."""
    copied(home, *HARBOR)
    called(home, "memory", "write", "--agent", "mira", "--tier", "agent", "One.")
    called(home, "memory", "write", "--agent", "mira", "--tier", "agent", "Two.")
    called(home, "memory", "write", "--crew", "harbor", "--tier", "crew", "Crew.")
    called(home, "memory", "write", "--tier", "workspace", "--key", "notes", "All.")
    called(home, "journal", "add", "run.failed", "It broke", "--agent", "mira")
    called(home, "remember", "The key is in the vault", "--crew", "harbor")
    return home


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def test_a_bundle_lists_every_file(harbor, tmp_path):
    """The manifest has path, tier, hash and size of each file, and nothing else."""
    said = called(harbor, "export", "--out", tmp_path / "b")
    found = files(tmp_path / "b")
    listed = manifest(tmp_path / "b")
    assert (listed["format"], listed["version"]) == ("crewmem", 1)
    assert {each["path"] for each in listed["documents"]} == found.keys() - {
        "manifest.json"
    }
    for each in listed["documents"]:
        content = found[each["path"]]
        assert each["sha256"] == sha256(content).hexdigest()
        assert each["bytes"] == len(content)
    assert said["sha256"] == sha256(found["manifest.json"]).hexdigest()
    assert found["files/agent/harbor/mira/AGENT.md"] == (
        (harbor / MIRA / "AGENT.md").read_bytes()
    )
    tiers = {each["path"]: each["tier"] for each in listed["documents"]}
    assert tiers["files/crew/harbor/CREW.md"] == "crew"
    assert tiers["journal/entries.jsonl"] == "journal"
    assert tiers["versions/versions.jsonl"] == "versions"


def test_the_same_state_makes_the_same_bytes(harbor, tmp_path):
    """Two exports are the same, byte for byte, whenever they are made."""
    for name in ("one", "two"):
        called(harbor, "export", "--out", tmp_path / name)
        called(harbor, "export", "--out", tmp_path / f"{name}.tar.gz")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    one = (tmp_path / "one.tar.gz").read_bytes()
    assert one == (tmp_path / "two.tar.gz").read_bytes()
    with tarfile.open(fileobj=io.BytesIO(one)) as tar:
        members = tar.getmembers()
        unpacked = {each.name: tar.extractfile(each).read() for each in members}
    assert unpacked == files(tmp_path / "one")
    assert members[0].name == "manifest.json"
    assert {(each.mtime, each.uid, each.gid, each.uname) for each in members} == {
        (0, 0, 0, "")
    }
    assert one[4:8] == b"\0\0\0\0"


def test_what_is_pruned_meanwhile_is_no_failure(harbor, tmp_path, before):
    """Where what was counted is dropped before it is written, it is counted anew."""

    def prune():
        keep = ("--keep", "1", "--older-than", "1d")
        assert called(harbor, "memory", "prune", *keep, now="2026-07-01T00:00:00Z")

    with before(zlib.compressobj, prune):
        called(harbor, "export", "--out", tmp_path / "one.tar.gz")
    called(harbor, "export", "--out", tmp_path / "two.tar.gz")
    one = (tmp_path / "one.tar.gz").read_bytes()
    assert one == (tmp_path / "two.tar.gz").read_bytes()


def test_what_is_crewmems_own_is_not_exported(harbor, tmp_path):
    """Quarantine, proposals, indexes and locks stay where they are."""
    for name in (".quarantine/x.md", ".proposals/y.md", "notes.txt", ".lock"):
        path = harbor / MIRA / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("Secret.\n")
    called(harbor, "memory", "search", "one")
    called(harbor, "export", "--out", tmp_path / "b")
    text = b"".join(files(tmp_path / "b").values())
    assert b"Secret" not in text
    assert not any("index" in name or ".lock" in name for name in files(tmp_path / "b"))


def test_only_what_is_asked_for(harbor, tmp_path):
    """With --only a bundle holds that and nothing else."""
    for only, tops in (
        ("files", {"files", "manifest.json", "registry.json"}),
        ("journal", {"journal", "manifest.json"}),
        ("versions", {"versions", "manifest.json"}),
        ("memories", {"memories", "manifest.json"}),
    ):
        called(harbor, "export", "--out", tmp_path / only, "--only", only)
        assert {path.name for path in (tmp_path / only).iterdir()} == tops


def test_an_export_takes_the_place_of_the_one_before(harbor, tmp_path):
    """What is no longer there goes from a bundle; what is not of it stays."""
    out = tmp_path / "b"
    called(harbor, "export", "--out", out)
    (out / "mine.txt").write_text("Mine.")
    (harbor / SHARED / "notes.md").unlink()
    said = called(harbor, "export", "--out", out)
    assert said["removed"] == 1
    assert (out / "mine.txt").read_text() == "Mine."
    assert not (out / "files/workspace").exists()
    again = called(harbor, "export", "--out", out)
    assert (again["written"], again["removed"]) == (0, 0)


def test_a_directory_that_is_no_bundle_is_left_alone(harbor, tmp_path):
    """Nothing is written into a directory of somebody's."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("Mine.")
    called(harbor, "export", "--out", tmp_path / "mine", status=9)
    assert files(tmp_path / "mine") == {"a.txt": b"Mine."}
    (tmp_path / "mine" / "manifest.json").write_text('{"name": "an app"}')
    called(harbor, "export", "--out", tmp_path / "mine", status=9)


def test_an_export_that_was_cut_off_is_finished_later(harbor, tmp_path):
    """A bundle that is not finished says so, is not imported, and is made whole."""
    out = tmp_path / "b"
    called(harbor, "export", "--out", out)
    whole = files(out)
    spelled = whole["manifest.json"].replace(
        b' "documents"', b' "complete": false,\n "documents"'
    )
    (out / "manifest.json").write_bytes(spelled)
    (out / "files/crew/harbor/CREW.md").unlink()
    called(harbor, "import", "--from", out, status=5)
    called(harbor, "export", "--out", out)
    assert files(out) == whole


def test_links_in_a_bundle_are_not_followed(harbor, tmp_path):
    """Where a link lies in a bundle nothing is written through it."""
    out = tmp_path / "b"
    called(harbor, "export", "--out", out)
    (tmp_path / "outside").mkdir()
    for each in (out / "files/crew/harbor").iterdir():
        each.unlink() if each.is_file() else None
    (out / "files/crew/harbor").rmdir()
    (out / "files/crew/harbor").symlink_to(tmp_path / "outside")
    called(harbor, "export", "--out", out, status=8)
    assert files(tmp_path / "outside") == {}


def test_a_bundle_does_not_lie_in_memory(harbor, tmp_path):
    """Where it would be read as memory no bundle is written, by whatever way."""
    (tmp_path / "link").symlink_to(harbor / PILOT)
    for out in (harbor / PILOT / "topics", tmp_path / "link" / "b.tar.gz"):
        called(harbor, "export", "--out", out, status=8)
        as_actor(harbor, "agent:mira", "export", "--out", out, status=8)
    called(harbor, "export", "--out", harbor / "workspaces" / "b", status=8)


# Scope


def as_actor(home, actor, *argv, status=0):
    return called(home, "--as", actor, *argv, status=status)


def test_an_agent_exports_its_own(harbor, tmp_path):
    """Of an agent's export nothing is another's: no file, no entry, no version."""
    (harbor / MIRA / "peers").mkdir()
    (harbor / MIRA / "peers" / f"{'0' * 16}.md").write_text("Person.\n")
    called(harbor, "memory", "write", "--agent", "pilot", "--tier", "agent", "Pilot.")
    called(harbor, "journal", "add", "run.failed", "Pilot broke", "--agent", "pilot")
    as_actor(harbor, "agent:mira", "export", "--out", tmp_path / "b")
    found = files(tmp_path / "b")
    assert {name for name in found if name.startswith("files/")} == {
        "files/agent/harbor/mira/AGENT.md"
    }
    text = b"".join(found.values())
    assert b"ilot" not in text
    assert b"Crew." not in text
    assert b"Person" not in text
    entries = found["journal/entries.jsonl"].splitlines()
    assert {json.loads(line)["agent_id"] for line in entries} == {"mira"}


def test_an_agent_exports_what_its_scope_reads(harbor, tmp_path):
    """With the crew's scope the crew's files come along, and no other agent's."""
    as_actor(harbor, "agent:mira", "export", "--out", tmp_path / "b", "-S", "crew")
    found = {name for name in files(tmp_path / "b") if name.startswith("files/")}
    assert found == {"files/crew/harbor/CREW.md"}
    as_actor(
        harbor,
        "agent:mira",
        "export",
        "--out",
        tmp_path / "x",
        "--agent",
        "pilot",
        status=8,
    )
    assert not (tmp_path / "x").exists()


def test_persons_are_exported_by_operators_that_say_so(harbor, tmp_path):
    """What is known of persons needs an operator, and its own option."""
    (harbor / CREW / "users").mkdir()
    (harbor / CREW / "users" / f"{'0' * 16}.md").write_text("Person.\n")
    called(harbor, "memory", "reindex")
    left = called(harbor, "export", "--out", tmp_path / "b")["left_out"]
    assert b"Person" not in b"".join(files(tmp_path / "b").values())
    assert [each["reason"][:16] for each in left] == ["1 about persons;"]
    said = called(harbor, "export", "--out", tmp_path / "b", "--with-persons")
    assert said["left_out"] == []
    found = files(tmp_path / "b")
    assert found[f"files/crew/harbor/users/{'0' * 16}.md"] == b"Person.\n"
    for actor in ("agent:mira", "lead:pilot"):
        as_actor(
            harbor, actor, "export", "--out", tmp_path / "c", "--with-persons", status=8
        )


def test_one_crew_or_agent_can_be_exported(harbor, tmp_path):
    """With --crew or --agent a bundle holds theirs alone."""
    called(harbor, "export", "--out", tmp_path / "b", "--agent", "mira")
    found = files(tmp_path / "b")
    assert {name for name in found if name.startswith("files/")} == {
        "files/agent/harbor/mira/AGENT.md"
    }
    assert b"Crew." not in b"".join(found.values())
    called(harbor, "export", "--out", tmp_path / "c", "--crew", "harbor")
    assert not any("workspace" in name for name in files(tmp_path / "c"))


# There and back


def restored(bundle, home, **more):
    """Import *bundle* into *home*; return what was said."""
    return called(home, "import", "--from", bundle, "--apply", **more)


def test_a_home_can_be_restored(harbor, tmp_path):
    """In a fresh home a bundle brings back all of it, and exports as it was."""
    called(harbor, "journal", "pin", journal_id(harbor), "--reason", "it matters")
    called(harbor, "export", "--out", tmp_path / "b.tar.gz")
    said = restored(tmp_path / "b.tar.gz", tmp_path / "new")
    assert {each["outcome"] for each in said["documents"]} == {"written"}
    assert said["registered"] == ["crew harbor", "agent mira", "agent pilot"]
    called(tmp_path / "new", "export", "--out", tmp_path / "again.tar.gz")
    same = (tmp_path / "again.tar.gz").read_bytes()
    assert same == (tmp_path / "b.tar.gz").read_bytes()
    log = called(tmp_path / "new", "memory", "log", "agent:harbor/mira/AGENT.md")
    assert log == called(harbor, "memory", "log", "agent:harbor/mira/AGENT.md")
    called(tmp_path / "new", "journal", "verify")
    called(tmp_path / "new", "doctor")


def journal_id(home):
    return called(home, "journal", "list", "--type", "run.failed")[0]["id"]


def test_a_file_that_says_nothing_is_a_file(harbor, tmp_path):
    """Emptied, it goes out and comes in, and what is there it adds nothing to."""
    (harbor / MIRA / "pins.md").write_bytes(b"")
    called(harbor, "memory", "reindex")
    assert called(harbor, "export", "--out", tmp_path / "b")["left_out"] == []
    copy = tmp_path / "copy"
    called(copy, "import", "--from", tmp_path / "b", "--apply")
    assert (copy / MIRA / "pins.md").read_bytes() == b""
    called(copy, "export", "--out", tmp_path / "b2")
    assert files(tmp_path / "b") == files(tmp_path / "b2")
    (copy / MIRA / "pins.md").write_bytes(b"Pinned.\n")
    again = called(copy, "import", tmp_path / "b", "--merge", "append", "--apply")
    outcomes = {each["ref"]: each["outcome"] for each in again["documents"]}
    assert outcomes["agent:harbor/mira/pins.md"] == "unchanged"
    assert (copy / MIRA / "pins.md").read_bytes() == b"Pinned.\n"


def test_doing_it_again_does_nothing(harbor, tmp_path):
    """An import that is run again changes no byte of truth, and says so."""
    called(harbor, "export", "--out", tmp_path / "b")
    restored(tmp_path / "b", tmp_path / "new")
    before = called(tmp_path / "new", "journal", "count")
    said = restored(tmp_path / "b", tmp_path / "new")
    assert {each["outcome"] for each in said["documents"]} == {"unchanged"}
    assert said["journal"]["added"] == said["versions"]["added"] == 0
    assert called(tmp_path / "new", "journal", "count") == before


def test_into_its_own_home_it_does_nothing(harbor, tmp_path):
    """A bundle of this home, as it is now, changes nothing in it."""
    called(harbor, "export", "--out", tmp_path / "b")
    said = restored(tmp_path / "b", harbor)
    assert {each["outcome"] for each in said["documents"]} == {"unchanged"}
    called(harbor, "export", "--out", tmp_path / "c")
    assert files(tmp_path / "b") == files(tmp_path / "c")


def test_archived_entries_are_archived_again(harbor, tmp_path):
    """What compaction has archived comes back archived, whole, at its own time."""
    for n in range(3):
        called(
            harbor, "journal", "add", "run.completed", f"Went {n}", "--ts", "2026-01-01"
        )
    called(harbor, "journal", "compact", "--older-than", "30d")
    called(harbor, "export", "--out", tmp_path / "b")
    archived = files(tmp_path / "b")["journal/archived.jsonl"].splitlines()
    assert len(archived) == 3
    restored(tmp_path / "b", tmp_path / "new")
    called(tmp_path / "new", "export", "--out", tmp_path / "c")
    assert files(tmp_path / "b") == files(tmp_path / "c")
    entry = called(tmp_path / "new", "journal", "get", json.loads(archived[0])["id"])
    assert entry["archived_at"] == json.loads(archived[0])["archived_at"]
    assert entry["summary"].startswith("Went")
    called(tmp_path / "new", "journal", "verify")


@pytest.fixture
def lived(harbor, tmp_path):
    """A home of which more is known than its files and entries say."""
    for number, kind in enumerate(("peer.escalation", "note.taken", "run.completed")):
        words = ("--agent", "mira", "--ts", f"2026-03-0{number + 1}")
        called(harbor, "journal", "add", kind, f"The crane {number} broke", *words)
    one, two, three = (
        called(harbor, "journal", "list", "--type", kind)[0]["id"]
        for kind in ("peer.escalation", "note.taken", "run.completed")
    )
    called(harbor, "episodes", "add", two)
    relate = ("episodes", "relations", "add")
    called(harbor, *relate, one, two)
    called(harbor, *relate, three, one, "--relation", "supports", "--weight", "0.3")
    for at in ("2026-05-02T08:00:00Z", "2026-05-03T08:00:00Z"):
        called(
            harbor, "episodes", "recall", "crane broke", "--no-gate", "--mark", now=at
        )
    share = ("knowledge", "share", "--scope", "crew", "--as", "agent:mira")
    called(harbor, *share, "Cranes break", "--crew", "harbor")
    called(harbor, *share, "Winches jam", "--crew", "harbor")
    waiting = called(harbor, "proposals", "list")[0]["id"]
    called(harbor, "proposals", "reject", waiting, "--reason", "they do not")
    turns = tmp_path / "turns.jsonl"
    turns.write_text('{"role": "user", "text": "I use vim."}')
    said = ("--user", "ada", "--turns", turns)
    called(harbor, "operator", "observe", *said, "--agent", "mira")
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "s9.jsonl").write_text(f"{RULE}\n{BOUNDARY}\n")
    extract = ("transcripts", "extract", "--root", logs, "--agent", "mira")
    called(harbor, *extract)
    closed = ("remember", "--sensitivity", "restricted", "--topic-key", "zebra")
    for text in ("The zebra is out", "The zebra is in"):
        called(harbor, *closed, text, "--as", "agent:mira")
    return harbor


RULE = """\
{"type": "user", "uuid": "u1", "sessionId": "s9", "message": {"role": "user",\
 "content": "Never push to main directly."}}"""

BOUNDARY = """\
{"type": "system", "subtype": "compact_boundary", "uuid": "u2",\
 "sessionId": "s9", "timestamp": "2026-05-01T08:00:00Z"}"""
"""What a person said to an agent, and that its program lost it."""


def test_all_that_is_kept_comes_along(lived, tmp_path):
    """Deliveries, relations, proposals, evidence, what is restricted: there and back.

    By default what is restricted does not leave, nor what it said before.
    """
    called(lived, "export", "--with-persons", "--out", tmp_path / "a")
    assert b"zebra" not in b"".join(files(tmp_path / "a").values())
    persons = ("export", "--with-persons", "--include-restricted", "--out")
    called(lived, *persons, tmp_path / "b")
    kept = files(tmp_path / "b")["memories/memories.jsonl"]
    assert b"The zebra is out" in kept
    assert b"The zebra is in" in kept
    new, later = tmp_path / "new", "2026-07-01T00:00:00Z"
    said = restored(tmp_path / "b", new, now=later)
    assert (said["proposals"]["added"], said["persons"]["added"]) == (2, 1)
    assert said["transcripts"]["added"] == 2
    called(new, *persons, tmp_path / "c", now=later)
    assert files(tmp_path / "b") == files(tmp_path / "c")
    listed = ("episodes", "list")
    weighed = [
        [each | {"importance_score": None} for each in called(home, *listed, now=later)]
        for home in (lived, new)
    ]
    assert weighed[0] == weighed[1]
    assert [each["reference_count"] for each in weighed[0]] == [2, 2]
    relations = ("episodes", "relations", "list")
    assert called(new, *relations) == called(lived, *relations)
    shown = [
        [
            each | {"seq": 0}
            for each in called(home, "proposals", "list", "--status", "all")
        ]
        for home in (lived, new)
    ]
    assert shown[0] == shown[1]
    card = called(new, "operator", "show", "--user", "ada")["cards"][0]
    assert card["lines"][0]["quote"] == "I use vim."


def test_what_was_delivered_more_often_here_stays(lived, tmp_path):
    """An older bundle takes nothing back, and none is added twice."""
    called(lived, "export", "--out", tmp_path / "b")
    recall = ("episodes", "recall", "crane broke", "--no-gate", "--mark")
    called(lived, *recall, now="2026-05-09T08:00:00Z")
    waiting = called(lived, "proposals", "list")[0]["id"]
    called(lived, "proposals", "approve", waiting)
    before = called(lived, "export", "--out", tmp_path / "c")
    said = restored(tmp_path / "b", lived)
    assert (said["proposals"]["added"], said["proposals"]["known"]) == (0, 2)
    after = called(lived, "export", "--out", tmp_path / "c")
    assert after["sha256"] == before["sha256"]


def test_what_others_said_stays_with_operators_that_ask(lived, tmp_path):
    """Evidence leaves with the cards; of who opted out nothing comes in."""
    called(lived, "export", "--out", tmp_path / "b")
    assert "persons/evidence.jsonl" not in files(tmp_path / "b")
    called(
        lived, "export", "--with-persons", "--agent", "pilot", "--out", tmp_path / "q"
    )
    assert "persons/evidence.jsonl" not in files(tmp_path / "q")
    called(lived, "export", "--with-persons", "--out", tmp_path / "p")
    called(lived, "export", "--as", "agent:mira", "--out", tmp_path / "m")
    names = files(tmp_path / "m")
    assert not {"persons/evidence.jsonl", "memories/proposals.jsonl"} & {*names}
    new = tmp_path / "new"
    copied(new, *HARBOR)
    called(new, "operator", "opt-out", "--user", "ada", "--yes")
    said = restored(tmp_path / "p", new)
    assert said["persons"] == {"total": 1, "added": 0, "known": 0, "left_out": 1}
    assert b"vim" not in (new / "crewmem.db").read_bytes()


SINCE = '"weight": 1, "created_at": "2026-05-01T09:30:00.000Z"'

BAD_LINES = {
    "journal/relations.jsonl": [
        *("", "{", '"x"', '{"src": "a"}', '{"src": "\\ud800", "dst": "b"}'),
        f'{{"src": "none", "dst": "nobody", "relation": "supports", {SINCE}}}',
        f'{{"src": "a", "dst": "b", "relation": "similar", {SINCE}}}',
        '{"src": "a", "dst": "b", "relation": ["supports"], "weight": 2}',
    ],
    "journal/episodes.jsonl": [
        '{"id": "none", "indexed_ms": 1, "references": 1, "last_referenced_at": null}',
        '{"id": ["a"], "indexed_ms": 1, "references": 1}',
        '{"id": "a", "indexed_ms": 1, "references": -1}',
        '{"id": "a", "indexed_ms": 1e9, "references": true}',
    ],
    "memories/proposals.jsonl": [
        "{}",
        '{"id": "p_1", "body": {}, "evidence": [1]}',
        '{"id": "p_1", "body": {"a": "\\udc00"}, "evidence": []}',
        f'{{"id": "p_1", "body": {{"a": {"[" * 99}{"]" * 99}}}, "evidence": []}}',
        '{"id": "p_1", "body": {}, "evidence": [], "kind": "x", "scope": ["crew"]}',
    ],
    "persons/evidence.jsonl": [
        '{"card": "crew:a/CREW.md", "field": "role", "value": "x", "quote": "y"}',
        '{"card": "crew:../users/0123456789abcdef.md", "field": ["role"]}',
    ],
}


def test_lines_that_are_none_are_told_and_the_others_taken(lived, tmp_path):
    """Whatever stands in a bundle, it is a line that is left out, and no more."""
    bundle = tmp_path / "b"
    called(lived, "export", "--with-persons", "--out", bundle)
    said = json.loads((bundle / "manifest.json").read_text())
    for each in said["documents"]:
        if bad := BAD_LINES.get(each["path"]):
            path = bundle / each["path"]
            content = path.read_bytes() + "\n".join(bad).encode()
            path.write_bytes(content)
            each |= {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    (bundle / "manifest.json").write_text(json.dumps(said, indent=1))
    out, err = io.StringIO(), io.StringIO()
    environ = {"CREWMEM_HOME": str(tmp_path / "new"), "LOGNAME": "ada"}
    world = World(environ=environ, stdout=out, stderr=err, stdin=io.StringIO())
    assert run(["import", "--from", str(bundle), "--apply"], world) == 0, err.getvalue()
    for path in BAD_LINES:
        assert path in err.getvalue()
    called(lived, "export", "--with-persons", "--out", tmp_path / "c")
    called(tmp_path / "new", "export", "--with-persons", "--out", tmp_path / "d")
    assert files(tmp_path / "c") == files(tmp_path / "d")


def test_a_diverged_file_is_a_version_of_its_own(harbor, tmp_path):
    """Where a file has another history here, what comes is a version on top of it."""
    called(harbor, "export", "--out", tmp_path / "b")
    copied(tmp_path / "new", *HARBOR)
    called(
        tmp_path / "new",
        "memory",
        "write",
        "--agent",
        "mira",
        "--tier",
        "agent",
        "Mine.",
    )
    mine = (tmp_path / "new" / MIRA / "AGENT.md").read_text()
    said = restored(tmp_path / "b", tmp_path / "new")
    (step,) = [each for each in said["documents"] if "mira" in each["ref"]]
    assert step["version"]
    log = called(tmp_path / "new", "memory", "log", step["ref"])
    assert log[0]["id"] == step["version"]
    called(tmp_path / "new", "memory", "restore", step["ref"], log[1]["id"])
    assert (tmp_path / "new" / MIRA / "AGENT.md").read_text() == mine


def test_a_plan_writes_nothing(harbor, tmp_path):
    """Without --apply it is said what would be done, and no home is made."""
    called(harbor, "export", "--out", tmp_path / "b")
    said = called(tmp_path / "new", "import", "--from", tmp_path / "b")
    assert not (tmp_path / "new").exists()
    assert not said["applied"]
    assert {each["outcome"] for each in said["documents"]} == {"planned"}
    done = restored(tmp_path / "b", tmp_path / "new")
    for plan, step in zip(said["documents"], done["documents"], strict=True):
        assert step["outcome"] == "written"
        assert {**step, "outcome": "planned"} == plan
    assert done["left_out"] == said["left_out"]
    assert done["journal"] == said["journal"]
    assert done["versions"] == said["versions"]
    assert done["registered"] == said["registered"]


TEXT = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_categories=["Cc"]),
    min_size=1,
    max_size=60,
)
GENERATED = (Phase.explicit, Phase.reuse, Phase.generate)
"""An example takes a second: to look for a smaller one takes minutes."""

WRITES = st.lists(
    st.tuples(
        st.sampled_from(
            (
                ("--agent", "mira", "--tier", "agent"),
                ("--agent", "mira", "--tier", "pins"),
                ("--agent", "pilot", "--tier", "lessons", "--kind", "positive"),
                ("--crew", "harbor", "--tier", "crew"),
                ("--crew", "harbor", "--tier", "topic", "--key", "winch"),
                ("--tier", "workspace", "--key", "notes"),
            )
        ),
        st.sampled_from(("append", "replace")),
        TEXT,
    ),
    max_size=6,
)
RAW = st.dictionaries(
    st.sampled_from(
        (
            f"{MIRA}/daily/2026-04-30.md",
            f"{MIRA}/daily/archive/2026/2026-01-02.md",
            f"{MIRA}/AGENT.md",
            f"{PILOT}/BRIEF.md",
            f"{CREW}/topics/Été à Oslo.md",
            f"{CREW}/learned/2026-04-30.md",
            f"{SHARED}/people.md",
        )
    ),
    st.sampled_from(
        (b"", b"\n\n# Late\r\n- x", b"no end", b"\xef\xbb\xbfBOM\n", b"\xff\xfe raw\n")
    ),
    max_size=4,
)
HAPPENED = st.lists(
    st.tuples(
        st.sampled_from(("run.failed", "note.taken", "run.completed")),
        TEXT.filter(str.strip),
        st.sampled_from(("{}", '{"a": [1, -0.0, 1e300, "é"], "b": {"c": null}}')),
        st.sampled_from(("2026-01-01", "2026-04-30T12:00:00.123Z")),
        st.sampled_from((None, "high", "permanent")),
    ),
    max_size=5,
)


HELD = st.lists(
    st.tuples(
        st.sampled_from((("--agent", "mira"), ("--crew", "harbor"), ())),
        st.sampled_from(("fact", "todo", "context")),
        TEXT.filter(str.strip),
        st.sampled_from((None, "--up", "--down")),
    ),
    max_size=4,
)


@given(writes=WRITES, raw=RAW, happened=HAPPENED, compacts=st.booleans(), held=HELD)
@settings(max_examples=8, deadline=None, phases=GENERATED)
def test_there_and_back_is_the_same(writes, raw, happened, compacts, held):
    """Export, import into a fresh home, export: the same bytes, whatever was there."""
    with tempfile.TemporaryDirectory() as made:
        place = Path(made)
        home = copied(place / "home", *HARBOR)
        build(home, writes, raw, happened, compacts=compacts)
        hold(home, held)
        called(home, "export", "--out", place / "one.tar.gz")
        said = restored(place / "one.tar.gz", place / "new")
        assert {each["outcome"] for each in said["documents"]} <= {"written"}
        called(place / "new", "export", "--out", place / "two.tar.gz")
        assert unpacked(place / "one.tar.gz") == unpacked(place / "two.tar.gz")
        assert (place / "one.tar.gz").read_bytes() == (
            place / "two.tar.gz"
        ).read_bytes()
        called(place / "new", "journal", "verify")


def build(home, writes, raw, happened, *, compacts):
    """Do to *home* what was drawn; what is refused is left out."""
    for options, mode, text in writes:
        more = ("--mode", mode) if "lessons" not in options else ()
        attempt(home, "memory", "write", *options, *more, "--", text)
    for kind, summary, payload, at, priority in happened:
        attempt(
            home,
            "journal",
            "add",
            "--payload",
            payload,
            "--ts",
            at,
            "--agent",
            "mira",
            "--",
            kind,
            summary,
        )
        if priority:
            found = called(home, "journal", "list", "--limit", "1")[0]["id"]
            attempt(
                home, "journal", "pin", found, "--priority", priority, "--reason", "r"
            )
    if compacts:
        attempt(home, "journal", "compact", "--older-than", "30d")
    for name, content in raw.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def hold(home, held):
    """Let *home* hold to be true what was drawn; what is refused is left out."""
    for owner, kind, text, vote in held:
        attempt(
            home, "remember", *owner, "--kind", kind, "--topic-key", "t", "--", text
        )
        if vote:
            for each in called(home, "memories", "list"):
                attempt(home, "vote", each["memory"]["id"], vote)


def attempt(home, *argv):
    environ = {"CREWMEM_HOME": str(home), "LOGNAME": "ada"}
    out, err = io.StringIO(), io.StringIO()
    world = World(
        environ=environ | {"CREWMEM_NOW": "2026-05-01T09:30:00Z"},
        stdout=out,
        stderr=err,
        stdin=io.StringIO(),
    )
    assert run([*map(str, argv)], world) in {0, 1, 2, 8}, err.getvalue()


def unpacked(path):
    with tarfile.open(path) as tar:
        return {each.name: tar.extractfile(each).read() for each in tar}


def test_a_container_is_exported_without_a_home(harbor, tmp_path, memory):
    """Where there is no home the mounted crew is exported, and imported by name."""
    mount = tmp_path / "crew"
    memory(AGENT="# Mira\n", at=mount / "agents/mira")
    memory(CREW="# Crew\n", at=mount / "shared")

    def inside(*argv):
        out = io.StringIO()
        person = {"HOME": str(mount / "agents/mira"), "LOGNAME": "mira"}
        world = World(environ=person, mount=str(mount), stdout=out, stderr=out)
        assert run([*map(str, argv)], world) == 0, out.getvalue()

    inside("export", "--out", tmp_path / "b")
    found = files(tmp_path / "b")
    assert found.keys() == {"manifest.json", "files/agent/-/mira/AGENT.md"}
    inside("--as", "operator:ada", "export", "--out", tmp_path / "b")
    assert "files/crew/-/CREW.md" in files(tmp_path / "b")
    called(harbor, "import", "--from", tmp_path / "b", "--apply", status=2)
    said = called(
        harbor, "import", "--from", tmp_path / "b", "--agent", "mira", "--apply"
    )
    assert [each["ref"] for each in said["documents"]] == ["agent:harbor/mira/AGENT.md"]
    assert (harbor / MIRA / "AGENT.md").read_text() == "# Mira\n"


def test_without_a_home_there_is_nothing_to_export(tmp_path):
    """A home that is not there is said, and no bundle is made."""
    called(tmp_path / "nowhere", "export", "--out", tmp_path / "b", status=4)
    assert not (tmp_path / "b").exists()
