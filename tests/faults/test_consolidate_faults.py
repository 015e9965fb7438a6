"""Consolidation that is killed at any moment, and run again: the end is the same.

A child ends at once, as by SIGKILL, just before the n-th call that changes anything, of
files and of SQLite. The suite takes a sample; ``CREWMEM_FAULTS=all`` takes all.
"""

import json
import os
import shutil
from hashlib import sha256

import pytest

from crewmem.db.connect import Mode, connect, fetch
from tests.faults.conftest import Scene
from tests.faults.killing import changes, killed

ALL = bool(os.environ.get("CREWMEM_FAULTS"))

NAMING = {"rename", "link"}
"""Calls before which it is killed where not all moments are asked for."""

EDGES = {"executemany"}
"""Calls that add edges."""

NOTES = {
    "mira/daily/2026-04-24.md": "- The pier gate sticks when it rains\n",
    "mira/daily/2026-04-27.md": "- The pier gate sticks when it rains.\n- Tea\n",
    "theo/daily/2026-04-28.md": "- the pier gate sticks, when it rains\n",
    "mira/daily/2026-03-02.md": "- An old remark about cranes\n",
    "theo/daily/2026-03-03.md": "- Another old remark on ropes\n",
}
"""What is noted: something that recurs, and two notes that are old."""

ESCALATION = "The Kontor webhook was answered before the commit"


@pytest.fixture(scope="module", name="noted")
def _noted(template):
    """A home in which there is something of everything to do."""
    made = Scene(template.parent / "noted", template)
    made.fresh()
    assert made.write("so what the shell wrote is a version as well")[0] == 0
    ada = "operator:ada"
    lines = [["agent", "add", "theo", "--crew", "harbor"]]
    add = ["journal", "add", "peer.escalation", ESCALATION, "--crew", "harbor"]
    lines += [[*add, "--ts", f"2026-04-{day}T10:00:00Z"] for day in (28, 29)]
    for words in lines:
        assert made.typed(*words, acting=ada)[0] == 0
    agents = made.home / "workspaces/default/crews/harbor/agents"
    for name, text in NOTES.items():
        slug, _, file = name.partition("/")
        path = agents / slug / ".memory" / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    entry = json.loads(made.typed("journal", "list", "--json", acting=ada)[1])
    pinned = next(e["id"] for e in entry["data"] if e["summary"] == ESCALATION)
    words = ["journal", "pin", pinned, "--priority", "pin", "--reason", "words"]
    assert made.typed(*words, acting=ada)[0] == 0
    yield made.home
    shutil.rmtree(made.home)


@pytest.fixture(name="crew")
def _crew(noted, scene):
    """A copy of it."""
    crew = Scene(scene.home, noted)
    crew.fresh()
    return crew


def consolidate(crew, *more):
    status, out, said = crew.typed("consolidate", "run", *more, acting="operator:ada")
    assert status == 0, said
    return out


def state(crew):
    """Return all that a run is to leave behind, whatever happened on the way."""
    root = crew.home / "workspaces"
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*.md"))
    }
    db = connect(crew.home / "crewmem.db", Mode.WRITE)
    try:
        rows = {
            name: fetch(db, sql)
            for name, sql in {
                "kept": """
                    select id, crew_id, agent_id, summary
                      from journal_entries
                     where entry_type in ('memory.consolidated', 'memory.seen_again')
                     order by id
                """,
                "edges": """
                    select s.id, d.summary, relation
                      from memory_relations r
                      join journal_entries s on s.seq = r.src_seq
                      join journal_entries d on d.seq = r.dst_seq
                     where relation = 'supports' order by s.id, d.seq
                """,
                "plans": "select kind, status, title from proposals order by title",
                "candidates": """
                    select id, status from consolidation_candidates order by id
                """,
                "notes": """
                    select place, file, sha256 from consolidation_notes order by 1, 2
                """,
            }.items()
        }
        newest = fetch(
            db,
            """
            select path, sha256 from memory_versions v
             where seq = (select max(seq) from memory_versions where path = v.path)
            """,
        )
    finally:
        db.close()
    rows["versions"] = [row for row in newest if row[1]]
    return files, rows


def check_versions(crew, rows):
    """Every version that is the newest of its file holds what the file does."""
    root = crew.home / "workspaces/default/crews"
    for ref, digest in rows["versions"]:
        owner, _, file = ref.partition(":")[2].partition("/")
        if ref.startswith("agent:"):
            slug, _, file = file.partition("/")
            path = root / owner / "agents" / slug / ".memory" / file
        else:
            path = root / owner / "shared/.memory" / file
        assert sha256(path.read_bytes()).hexdigest() == digest, ref


def moments(do, interfere, parting=NAMING):
    """Return the moments at which to kill what is done: all, or those that part it.

    The latter are before calls of *parting*.
    """
    every = changes(do, interfere)
    return every if ALL else [each for each in every if each[0] in parting]


def check(crew, wanted):
    """What is left is what is *wanted*, whatever versions there are on the way."""
    files, rows = state(crew)
    assert files == wanted[0]
    left = {name: rows[name] for name in rows if name != "versions"}
    assert left == {name: wanted[1][name] for name in left}
    check_versions(crew, rows)


def test_a_run_may_be_killed_at_any_moment(crew, interfere):
    """Whatever was done by then, the next run ends as one that was never killed."""
    every = moments(lambda: consolidate(crew), interfere)
    wanted = state(crew)
    assert len(wanted[1]["kept"]) == 2
    assert len([name for name in wanted[0] if "archive/2026" in name]) == 2
    assert wanted[1]["edges"]
    assert b"sticks when it rains (seen" in b"".join(wanted[0].values())
    for moment in every:
        crew.fresh()
        assert killed(lambda: consolidate(crew), interfere, moment)
        consolidate(crew)
        try:
            check(crew, wanted)
        except BaseException as failed:
            failed.add_note(f"killed before {moment}")
            raise
    status, _, said = crew.typed("journal", "verify", acting="operator:ada")
    assert status == 0, said


@pytest.mark.parametrize("policy", ["auto", "review"])
def test_what_is_seen_again_is_kept_once(noted, scene, interfere, policy):
    """A run that brings lines up to date may be killed at any moment as well."""
    later = Scene(noted.parent / "later", noted)
    later.fresh()
    consolidate(later)
    note = later.home / "workspaces/default/crews/harbor/agents/mira/.memory/daily"
    (note / "2026-04-30.md").write_text("- The pier gate STICKS when it rains!\n")
    words = ("journal", "add", "peer.escalation", ESCALATION, "--crew", "harbor")
    assert later.typed(*words, acting="operator:ada")[0] == 0
    crew = Scene(scene.home, later.home)
    crew.fresh()
    run = ("--policy", policy)
    parting = NAMING if policy == "auto" else EDGES  # which the journal alone is told
    every = moments(lambda: consolidate(crew, *run), interfere, parting)
    wanted = state(crew)
    assert len(wanted[1]["kept"]) == 4
    assert (b"2026-04-30; j_" in b"".join(wanted[0].values())) == (policy == "auto")
    for moment in every:
        crew.fresh()
        assert killed(lambda: consolidate(crew, *run), interfere, moment)
        consolidate(crew, *run)
        try:
            check(crew, wanted)
        except BaseException as failed:
            failed.add_note(f"killed before {moment}")
            raise
    shutil.rmtree(later.home)


def test_an_approval_may_be_killed_at_any_moment(noted, scene, interfere):
    """The same approval, or the next run, ends as one that was never killed."""
    waiting = Scene(noted.parent / "waiting", noted)
    waiting.fresh()
    consolidate(waiting, "--policy", "review")
    crew = Scene(scene.home, waiting.home)
    crew.fresh()
    ada = "operator:ada"
    listed = json.loads(crew.typed("proposals", "list", "--json", acting=ada)[1])
    name = listed["data"][0]["id"]

    def approve(*ends):
        words = ("proposals", "approve", name)
        status, _, said = crew.typed(*words, acting=ada)
        assert status in {0, *ends}, said

    every = moments(approve, interfere)
    wanted = state(crew)
    assert len(wanted[1]["kept"]) == 2
    for turn, moment in enumerate(every):
        crew.fresh()
        assert killed(approve, interfere, moment)
        if turn % 2:
            consolidate(crew, "--policy", "review")  # what was claimed is finished
        approve(9)
        try:
            check(crew, wanted)
        except BaseException as failed:
            failed.add_note(f"killed before {moment}")
            raise
    shutil.rmtree(waiting.home)
