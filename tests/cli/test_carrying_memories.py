"""``crewmem export`` and ``crewmem import``, of memories."""

import json
import os
import signal

import pytest
from homes import HARBOR, copied

from crewmem.memories import carried_store

KEY = "m_key000000001"


@pytest.fixture(autouse=True)
def harbor(crewmem, home):
    """A home with a crew, whose members hold something to be true."""
    copied(home, *HARBOR)
    told = [
        {"id": KEY, "content": "The key is in the vault", "crew": "harbor"},
        {"id": "m_mira00000001", "content": "Mira's own", "agent": "mira"},
        {"id": "m_mira00000002", "content": "Hers alone", "agent": "mira"}
        | {"sensitivity": "restricted"},
        {"id": "m_pilot0000001", "content": "Pilot's own", "agent": "pilot"},
        {"id": "m_all000000001", "content": "Of all"},
    ]
    text = "".join(json.dumps(each) + "\n" for each in told)
    ran = crewmem("import", "--from", "-", "--apply", stdin=text)
    assert ran.status == 0, ran.stderr
    assert crewmem("vote", KEY, "--up", "--reason", "seen").status == 0
    return home


@pytest.fixture
def dump(tmp_path):
    """``dump([{…}])``: a file of JSON, by its path."""

    def write(document, name="dump.json"):
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return path

    return write


POINTS = [
    {"id": "p-1", "content": "We deploy on Mondays", "memory_type": "decision"},
    {"id": "p-2", "content": "x", "memory_type": "desicion"},
]


def lines(folder):
    path = folder / "memories" / "memories.jsonl"
    return [json.loads(each) for each in path.read_text().splitlines()]


def ids(folder):
    return {each["id"] for each in lines(folder)}


def exported(crewmem, out, *more, status=0):
    ran = crewmem("export", "--out", out, "--json", *more)
    assert ran.status == status, ran.stderr
    return ran


def taken(crewmem, source, *more, status=0):
    ran = crewmem("import", "--from", source, "--json", *more)
    assert ran.status == status, ran.stderr
    return ran.json["data"]["memories"] if ran.stdout else None


def test_a_bundle_has_memories_with_what_hangs_on_them(crewmem, tmp_path):
    """Memories go out as lines of JSON with the votes on them, and come in again."""
    exported(crewmem, tmp_path / "b", "--only", "memories", "--include-restricted")
    found = {each["id"]: each for each in lines(tmp_path / "b")}
    assert found[KEY]["votes"] == [
        {"actor": "operator:ada", "up": True, "reason": "seen"}
        | {"at": "2026-05-01T09:30:00.000Z"}
    ]
    new = {"CREWMEM_HOME": str(tmp_path / "new")}
    for added, known in ((5, 0), (0, 5)):
        ran = crewmem(
            *("import", "--from", tmp_path / "b", "--apply", "--json"), environ=new
        )
        said = ran.json["data"]["memories"]
        assert (said["added"], said["known"]) == (added, known)
    ran = crewmem(
        *("export", "--out", tmp_path / "b2", "--only", "memories"),
        "--include-restricted",
        environ=new,
    )
    assert ran.status == 0
    for name in ("memories/memories.jsonl", "manifest.json"):
        assert (tmp_path / "b" / name).read_bytes() == (
            tmp_path / "b2" / name
        ).read_bytes()


def test_restricted_memories_leave_when_an_operator_says_so(crewmem, tmp_path):
    """Without the option they stay, and that is told; nobody else has the option."""
    ran = exported(crewmem, tmp_path / "b")
    assert "m_mira00000002" not in ids(tmp_path / "b")
    (left,) = ran.json["data"]["left_out"]
    assert left["reason"].startswith("1 restricted")
    exported(crewmem, tmp_path / "c", "--include-restricted")
    assert "m_mira00000002" in ids(tmp_path / "c")
    for who in ("agent:mira", "lead:pilot"):
        more = ("--include-restricted", "--as", who)
        exported(crewmem, tmp_path / "d", *more, status=8)
        exported(crewmem, tmp_path / "e", "--as", who)
        assert "m_mira00000002" not in ids(tmp_path / "e")


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        (["--as", "agent:mira"], {"m_mira00000001"}),
        (
            ["--as", "agent:mira", "-S", "all"],
            {"m_mira00000001", KEY, "m_all000000001"},
        ),
        (["--agent", "pilot"], {"m_pilot0000001"}),
        (["--crew", "harbor"], {KEY, "m_mira00000001", "m_pilot0000001"}),
        (["-S", "workspace"], {"m_all000000001"}),
    ],
)
def test_one_exports_what_one_reads_and_asked_for(crewmem, tmp_path, more, wanted):
    """Scope holds on the way out, and what was chosen is all that goes."""
    exported(crewmem, tmp_path / "b", *more)
    assert ids(tmp_path / "b") == wanted


def test_nothing_of_another_workspace_leaves(crewmem, tmp_path):
    """A bundle is of one workspace."""
    crewmem("workspace", "add", "lab")
    crewmem("remember", "Of the lab", "-w", "lab")
    exported(crewmem, tmp_path / "b", "--include-restricted")
    assert "Of the lab" not in (tmp_path / "b/memories/memories.jsonl").read_text()
    exported(crewmem, tmp_path / "lab", "-w", "lab")
    assert len(ids(tmp_path / "lab")) == 1


def test_a_plan_comes_first(crewmem, harbor, dump):
    """It is said what would be added, known, in conflict, bad; nothing is written."""
    before = (harbor / "crewmem.db").read_bytes()
    said = taken(crewmem, dump(POINTS))
    assert (said["added"], said["bad"], said["known"]) == (1, 1, 0)
    assert "did you mean decision?" in said["troubles"][0]["reason"]
    assert (harbor / "crewmem.db").read_bytes() == before
    assert taken(crewmem, dump(POINTS), "--apply") == said
    assert taken(crewmem, dump(POINTS))["known"] == 1
    ran = crewmem("import", "--from", dump(POINTS))
    assert "2 memories: 0 to add; 1 there already; 1 bad" in ran.stdout
    assert "memory 2: there is no kind 'desicion'" in ran.stderr


def test_without_a_home_there_is_a_plan_as_well(crewmem, dump, tmp_path):
    """What would come of an import can be asked where nothing is; nothing is made."""
    new = ("--home", tmp_path / "new")
    assert taken(crewmem, dump(POINTS), *new)["added"] == 1
    assert not (tmp_path / "new").exists()
    assert taken(crewmem, dump(POINTS), "--apply", *new)["added"] == 1


@pytest.mark.parametrize("text", ["", "[]", "\n\n"])
@pytest.mark.parametrize("more", [[], ["--apply"], ["--apply", "--replace", "--yes"]])
def test_an_import_without_memories_is_an_error(crewmem, harbor, tmp_path, text, more):
    """Nothing to import changes nothing, and is no success."""
    path = tmp_path / "dump.jsonl"
    path.write_text(text)
    ran = crewmem("import", "--from", path, *more)
    assert ran.status == 5
    assert "no memories" in ran.stderr
    assert not [*harbor.glob("*.before-import-*")]
    assert len(crewmem("memories", "list", "--json").json["data"]) == 4


@pytest.mark.usefixtures("harbor")
def test_what_is_imported_is_named_once(crewmem, dump):
    """As an argument or by --from, and neither both ways nor not at all."""
    path = dump(POINTS[:1])
    told = [
        crewmem("import", *named, "--json").json["data"]["memories"]
        for named in ((path,), ("--from", path))
    ]
    assert told[0] == told[1]
    assert crewmem("import").status == 2
    assert crewmem("import", path, "--from", path).status == 2


def test_an_import_of_bad_lines_alone_is_an_error(crewmem, dump):
    """If nothing could be taken in, that is told, and with --replace nothing goes."""
    bad = dump(POINTS[1:])
    for more in ([], ["--replace", "--yes"]):
        ran = crewmem("import", "--from", bad, "--apply", *more)
        assert ran.status == 5
        assert "did you mean decision?" in ran.stderr
    assert len(crewmem("memories", "list", "--json").json["data"]) == 4


def test_replacing_backs_up_and_asks(crewmem, harbor, dump, tmp_path):
    """With --replace what was there goes, a copy is kept, and somebody is asked."""
    told = ("import", "--from", dump(POINTS[:1]), "--apply", "--replace")
    assert crewmem(*told).status == 8
    ran = crewmem(*told, tty=True, stdin="n\n")
    assert (ran.status, "Nothing was written" in ran.stderr) == (0, True)
    assert len(crewmem("memories", "list", "--json").json["data"]) == 4
    said = crewmem(*told, "--yes", "--json").json["data"]["memories"]
    assert (said["added"], said["removed"]) == (1, 5)
    (left,) = crewmem("memories", "list", "--json").json["data"]
    assert left["memory"]["id"] == "p-1"
    (copy,) = harbor.glob("*.before-import-*")
    assert said["backup"] == str(copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    old = tmp_path / "old"
    old.mkdir()
    copy.rename(old / "crewmem.db")
    ran = crewmem("memories", "list", "--json", environ={"CREWMEM_HOME": str(old)})
    assert len(ran.json["data"]) == 4


def test_replacing_is_for_operators_and_of_all(crewmem, dump):
    """An agent does not replace, and a part is not replaced."""
    told = ("import", "--from", dump(POINTS), "--replace", "--apply", "--yes")
    assert crewmem(*told, "--as", "agent:mira").status == 8
    assert crewmem(*told, "--agent", "mira").status == 2
    assert crewmem(*told, "--crew", "harbor").status == 2


def test_an_agent_imports_for_itself(crewmem, dump):
    """A dump that an agent imports becomes its own, whosever it was."""
    path = dump(POINTS[:1])
    assert taken(crewmem, path, "--apply", "--as", "agent:mira")["added"] == 1
    memory = crewmem("get", "p-1", "--json").json["data"]["memory"]
    assert (memory["agent"], memory["created_by"]) == ("mira", "agent:mira")
    ours = dump({"id": "x-1", "content": "Of all", "scope": "workspace"}, "o.jsonl")
    ran = crewmem("import", "--from", ours, "--apply", "--as", "agent:mira")
    assert (ran.status, "was not asked for" in ran.stderr) == (5, True)


def test_a_dump_may_be_of_one_agent_here(crewmem, dump):
    """--agent says whose a dump becomes that names nobody."""
    taken(crewmem, dump(POINTS[:1]), "--apply", "--agent", "mira")
    assert crewmem("get", "p-1", "--json").json["data"]["memory"]["agent"] == "mira"


def test_names_and_issues_are_options(crewmem, dump):
    """--map calls kinds and agents otherwise, and --issues takes Beads' along."""
    said = taken(crewmem, dump(POINTS), "--apply", "--map", "desicion=decision")
    assert (said["added"], said["bad"]) == (2, 0)
    assert crewmem("import", "--from", dump(POINTS), "--map", "x").status == 2
    issue = {"_type": "issue", "id": "bd-1", "title": "Fix", "status": "open"}
    path = dump(issue, "beads.jsonl")
    assert taken(crewmem, path)["left_out"] == 1
    assert taken(crewmem, path, "--apply", "--issues")["added"] == 1


def test_an_import_is_told_to_the_journal_once(crewmem, dump):
    """The journal has one entry of an import that added something, and what of it."""
    for _ in range(2):
        taken(crewmem, dump(POINTS), "--apply")
    found = crewmem("journal", "list", "--type", "memory.imported", "--json")
    entry = found.json["data"][0]
    assert len(found.json["data"]) == 2  # the fixture's, and this one
    assert entry["payload"]["from"] == "engram"
    assert "Mondays" not in json.dumps(entry)


def test_killed_in_the_middle_all_or_nothing_is_there(
    crewmem, dump, beside, monkeypatch
):
    """Who is killed while memories come in has taken in none, and does it again."""
    path = dump([{**POINTS[0], "id": f"p-{n}", "content": f"No {n}"} for n in range(9)])
    hung = []

    def die(*args):
        hung.append(args)
        if len(hung) == 5:
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(carried_store, "hang", die)
    told = ("import", "--from", path, "--apply")
    assert beside(lambda: crewmem(*told)) == [-signal.SIGKILL]
    monkeypatch.undo()
    assert crewmem("get", "p-0").status == 4
    assert taken(crewmem, path, "--apply")["added"] == 9


def test_journals_are_no_memories(crewmem, tmp_path):
    """A file of entries is not taken for one of memories."""
    path = tmp_path / "journal.jsonl"
    path.write_text('{"entry_type": "run.failed", "summary": "x"}\n')
    ran = crewmem("import", "--from", path)
    assert ran.status == 5
