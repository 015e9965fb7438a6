"""Notes and entries that become memory, from the command line."""

import re
import shlex
import shutil
from datetime import datetime

import pytest
from homes import HARBOR, copied

from crewmem import disk
from crewmem.errors.disk import DiskError

CREW = (*HARBOR, "agent add tor --crew harbor", "crew add quay --lead anker")

GATE = "The pier gate sticks when it rains"

ESCALATED = "The Kontor webhook was answered before the commit"

LATER = datetime.fromisoformat("2026-05-02T09:30:00Z")

AGENT, SHARED = "agent:harbor/mira/AGENT.md", "crew:harbor/CREW.md"


@pytest.fixture(name="noted")
def _noted(crewmem, home):
    """A crew in which two agents noted the same, and something was escalated twice."""
    copied(home, *CREW)
    (home / "config.toml").write_text('embedder = "none"\n')  # what is tried is quick
    write(home, "mira/daily/2026-04-27.md", f"- {GATE}\n- Tea\n")
    write(home, "tor/daily/2026-04-28.md", f"# Tuesday\r\n\r\n- {GATE.lower()}.\r\n")
    for day in (28, 29):
        words = ("journal", "add", "peer.escalation", ESCALATED, "--crew", "harbor")
        assert crewmem(*words, "--ts", f"2026-04-{day}T10:00:00Z").status == 0
    return home


def write(home, name, text):
    slug, _, file = name.partition("/")
    path = home / "workspaces/default/crews/harbor/agents" / slug / ".memory" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def run(crewmem, *words, status=0, **how):
    ran = crewmem("consolidate", "run", *words, "--json", **how)
    assert ran.status == status, ran.stderr
    return ran.json["data"] if status == 0 else ran.error


def harbor(data):
    return next(each for each in data["crews"] if each["crew"] == "harbor")


def read(crewmem, ref):
    ran = crewmem("memory", "read", ref, "--raw")
    return ran.stdout if ran.status == 0 else ""


def types(crewmem, glob):
    listed = crewmem("journal", "list", "--type", glob, "--json").json["data"]
    return listed[::-1]


def tree(home):
    """Return all files below *home*, but locks, with what they hold."""
    return {
        path: path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and "locks" not in path.parts and "-shm" not in path.name
    }


@pytest.mark.usefixtures("noted")
def test_what_recurs_becomes_memory_with_its_evidence(crewmem):
    """A line goes to its file, with days and an entry, and that leads to the lines."""
    done = run(crewmem)
    crew = harbor(done)
    assert (done["status"], crew["policy"]) == ("ok", "auto")
    line = next(each for each in crew["learned"] if each["kind"] == "observation")
    assert (line["file"], line["text"]) == (SHARED, GATE)
    said = read(crewmem, SHARED)
    assert (
        f"- {GATE} (seen by mira, tor on 2026-04-27, 2026-04-28; {line['entry']})"
        in said
    )
    entry = crewmem("journal", "get", line["entry"], "--json").json["data"]
    assert entry["entry_type"] == "memory.consolidated"
    assert entry["payload"]["file"] == SHARED
    refs = [each.partition("@")[0] for each in entry["payload"]["evidence"]]
    assert refs == [
        "agent:harbor/mira/daily/2026-04-27.md:1",
        "agent:harbor/tor/daily/2026-04-28.md:3",
    ]
    assert crewmem("doctor").status == 0


@pytest.mark.usefixtures("noted")
def test_a_rule_is_supported_by_its_entries(crewmem):
    """What is drawn from the journal is a rule in learned/, related to its entries."""
    crew = harbor(run(crewmem))
    rule = next(each for each in crew["learned"] if each["kind"] == "rule")
    assert rule["file"] == "crew:harbor/learned/2026-05-01.md"
    told = crewmem("episodes", "relations", "list", "--json").json["data"]
    edges = [
        (each["src_entry_id"], each["relation"], each["dst_entry_id"])
        for each in told
        if each["relation"] == "supports"
    ]
    source = types(crewmem, "peer.escalation")
    assert sorted(edges) == sorted(
        (rule["entry"], "supports", each["id"]) for each in source
    )


@pytest.mark.usefixtures("noted")
def test_learned_rules_are_delivered(crewmem):
    """A rule is in the prompt of every agent of the crew, and a search finds it."""
    run(crewmem)
    prompt = crewmem("memory", "prompt", "--agent", "tor", "--query", "kontor webhook")
    assert "learned/2026-05-01.md (learned rules)" in prompt.stdout
    assert f"## Rule: {ESCALATED}" in prompt.stdout
    words = ("webhook", "answered", "commit", "--as", "agent:tor", "--json")
    for verb in (("memory", "search"), ("search",)):
        hits = crewmem(*verb, *words).json["data"]["hits"]
        assert "learned/2026-05-01.md" in {each.get("file") for each in hits}
    hits = crewmem("memory", "search", "gate", "--tier", "crew", "--json")
    found = hits.json["data"]["hits"]
    hit = found[0]
    assert "crewmem:" not in hit["snippet"]
    assert read(crewmem, SHARED).splitlines()[hit["line"] - 1].startswith(f"- {GATE}")
    block = crewmem("recall", "kontor", "webhook", "commit", "--no-gate").stdout
    assert ESCALATED in block


def test_a_run_again_does_nothing_more(crewmem, noted):
    """Files and plans stay as they are; it is told that there is nothing new."""
    run(crewmem)
    files = {path: text for path, text in tree(noted).items() if path.suffix == ".md"}
    again = run(crewmem, now=LATER)
    assert again["status"] == "nothing-new"
    assert not harbor(again)["learned"]
    assert files == {p: t for p, t in tree(noted).items() if p.suffix == ".md"}
    told = [each["payload"]["status"] for each in types(crewmem, "system.*completed")]
    assert told == ["ok", "nothing-new"]
    assert len(types(crewmem, "system.consolidation_triggered")) == 2
    assert len(types(crewmem, "memory.consolidated")) == 2


def test_a_dry_run_writes_nothing_and_tells_the_same(crewmem, noted):
    """What would be done is what is done then."""
    before = tree(noted)
    would = harbor(run(crewmem, "--dry-run"))
    assert tree(noted) == before
    done = harbor(run(crewmem))
    assert would["proposal"] is None
    for each in (would, done):
        del each["proposal"], each["versions"]
    assert would == done


def test_what_was_learned_is_taken_back(crewmem, noted):
    """After memory restore a line stays out, for somebody took it out."""
    run(crewmem)
    versions = crewmem("memory", "log", SHARED, "--json").json["data"]
    assert len(versions) == 2
    assert versions[0]["written_by"] == "system:consolidate"
    before = versions[-1]["id"]
    assert crewmem("memory", "restore", SHARED, before).status == 0
    write(noted, "mira/daily/2026-05-01.md", f"- {GATE}\n")
    run(crewmem, now=LATER)
    assert GATE not in read(crewmem, SHARED)


def standing(crewmem):
    told = crewmem("memory", "status", "--agent", "mira", "--json").json["data"]
    return next(each for each in told if each["owner"] == "harbor/mira")


def test_old_notes_are_put_away_and_found(crewmem, noted):
    """A note of which nothing waits moves to the archive after 30 days, indexed."""
    write(
        noted,
        "mira/daily/2026-03-02.md",
        "- An old remark about cranes\n" + f"{'x' * 89}\n" * 100,
    )
    away = "agent:harbor/mira/daily/archive/2026/2026-03-02.md"
    before = standing(crewmem)
    assert harbor(run(crewmem))["archived"] == [away]
    after = standing(crewmem)
    assert (after["files"], after["stale"]) == (before["files"], 0)
    assert after["bytes"] == before["bytes"]
    assert after["share"] < before["share"]
    hits = crewmem("memory", "search", "cranes", "--json").json["data"]["hits"]
    assert hits[0]["ref"].startswith(away)
    listed = crewmem("memory", "list", "--json").json["data"]
    assert away in {each["ref"] for each in listed}
    log = crewmem("memory", "log", away, "--json").json["data"]
    assert [each["operation"] for each in log] == ["archive"]
    assert harbor(run(crewmem, now=LATER))["archived"] == []
    assert crewmem("episodes", "sweep").status == 0
    old = "agent:harbor/mira/daily/2026-03-02.md"
    version = crewmem("memory", "log", old, "--json").json["data"][-1]["id"]
    assert crewmem("memory", "restore", old, version).status == 0
    assert read(crewmem, old).startswith("- An old remark about cranes\n")


def test_notes_of_what_is_learned_are_put_away_with_it(crewmem, noted):
    """Old notes that wait for nothing else go at once: a run again does nothing."""
    for day in (20, 22, 24, 26):
        write(noted, f"mira/daily/2026-03-{day}.md", "- The lock on pier 9 is new\n")
        write(noted, f"tor/daily/2026-03-{day}.md", "- The lock on pier 9 is new\n")
    done = harbor(run(crewmem))
    assert "The lock on pier 9 is new" in {each["text"] for each in done["learned"]}
    assert len(done["archived"]) == 8
    assert run(crewmem)["status"] == "nothing-new"


def test_a_last_day_that_was_put_away_is_told_in_prompts(crewmem, home):
    """An agent that was away for long is told its last day, and how to read it."""
    copied(home, *CREW)
    write(home, "mira/daily/2026-03-02.md", "- An old remark about cranes\n")
    before = crewmem("memory", "prompt", "--agent", "mira").stdout
    run(crewmem)
    after = crewmem("memory", "prompt", "--agent", "mira").stdout
    away = "agent:harbor/mira/daily/archive/2026/2026-03-02.md"
    assert "The last day with notes is 2026-03-02, 60 days ago." in before
    assert after == before.replace("agent:harbor/mira/daily/2026-03-02.md", away)
    assert f"Read them: crewmem memory read {away}\n" in after


@pytest.mark.usefixtures("noted")
def test_a_crew_may_be_asked_first(crewmem):
    """By setting, by the crew's choice or by option a plan waits, and is done once."""
    crewmem("config", "set", "consolidate.policy", "review")
    assert harbor(run(crewmem, "--dry-run"))["policy"] == "review"
    crewmem("crew", "set", "harbor", "consolidate_policy=auto")
    assert harbor(run(crewmem, "--dry-run"))["policy"] == "auto"
    crew = harbor(run(crewmem, "--policy", "review"))
    name = crew["proposal"]
    assert (len(crew["proposed"]), crew["learned"]) == (2, [])
    assert GATE not in read(crewmem, SHARED)
    again = harbor(run(crewmem, "--policy", "review", now=LATER))
    assert (again["proposal"], again["proposed"]) == (None, [])
    diff = crewmem("proposals", "diff", name, "--json").json["data"]
    assert any(line.startswith(f"+- {GATE} (seen") for line in diff["lines"])
    case = crewmem("proposals", "explain", name, "--json").json["data"]
    assert all(spot["stands"] for part in case["parts"] for spot in part["spots"])
    assert crewmem("proposals", "approve", name).status == 0
    assert GATE in read(crewmem, SHARED)
    assert crewmem("proposals", "approve", name, "--json").error["code"] == "decided"
    after = crewmem("proposals", "diff", name)
    assert f"+- {GATE} (seen" in after.stdout
    assert after.stderr == f"Nothing would change: {name} is approved.\n"


def test_of_a_plan_some_parts_are_taken(crewmem, noted):
    """What is not chosen is rejected with it, and never proposed again."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    shown = crewmem("proposals", "show", name, "--json").json["data"]
    number = next(
        part["number"]
        for part in shown["body"]["parts"]
        if part["item"]["kind"] == "rule"
    )
    assert crewmem("proposals", "approve", name, "--only", "9").status == 4
    assert crewmem("proposals", "approve", name, "--only", "x").status == 2
    done = crewmem("proposals", "approve", name, "--only", number, "--json").json[
        "data"
    ]
    assert [each["kind"] for each in done["kept"]] == ["rule"]
    write(noted, "mira/daily/2026-05-01.md", f"- {GATE}\n")
    after = harbor(run(crewmem, "--policy", "review", now=LATER))
    assert after["proposed"] == []
    assert GATE not in read(crewmem, SHARED)


def test_what_is_rejected_is_never_proposed_again(crewmem, noted):
    """Not under any policy, and however often it is noted."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    said = crewmem("proposals", "reject", name, "--reason", "known", "--json")
    assert said.json["data"]["proposal"]["reason"] == "known"
    write(noted, "tor/daily/2026-05-01.md", f"- {GATE}\n")
    after = harbor(run(crewmem, now=LATER))
    assert (after["learned"], after["proposed"]) == ([], [])
    assert GATE not in read(crewmem, SHARED)


def test_a_file_that_changed_meanwhile_stops_all_of_it(crewmem, noted):
    """Status 9, and nothing half applied; the next run makes the plan anew."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    crewmem("memory", "write", "--tier", "crew", "--crew", "harbor", "By hand")
    before = tree(noted / "workspaces")
    refused = crewmem("proposals", "approve", name, "--json")
    assert (refused.status, refused.error["code"]) == (9, "plan_stale")
    assert tree(noted / "workspaces") == before
    diff = crewmem("proposals", "diff", name)
    assert f"{SHARED} has changed since" in diff.stderr
    assert harbor(run(crewmem, "--policy", "review"))["renewed"] == [name]
    assert harbor(run(crewmem, "--policy", "review"))["renewed"] == []
    assert crewmem("proposals", "approve", name).status == 0
    assert GATE in read(crewmem, SHARED)
    assert "By hand" in read(crewmem, SHARED)


def test_evidence_that_is_gone_stops_its_part(crewmem, noted):
    """A part whose lines say something else by now is refused, and told; others go."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    write(noted, "mira/daily/2026-04-27.md", "- Tea\n")
    refused = crewmem("proposals", "approve", name, "--json")
    assert (refused.status, refused.error["code"]) == (9, "evidence_gone")
    other = {1: 2, 2: 1}[refused.error["details"]["number"]]
    assert crewmem("proposals", "approve", name, "--only", other).status == 0


def test_evidence_that_was_edited_is_seen_by_explain(crewmem, noted):
    """Of a plan that is done as well: the line is cited by its hash."""
    plan = harbor(run(crewmem))["proposal"]

    def places():
        case = crewmem("proposals", "explain", plan, "--json").json["data"]
        spots = (spot for part in case["parts"] for spot in part["spots"])
        return {spot["ref"]: spot["stands"] for spot in spots}

    assert all(places().values())
    write(noted, "mira/daily/2026-04-27.md", "- The pier gate was mended\n- Tea\n")
    gone = [ref for ref, stands in places().items() if not stands]
    assert gone == ["agent:harbor/mira/daily/2026-04-27.md:1"]
    told = crewmem("proposals", "explain", plan).stdout.splitlines()
    (line,) = [each for each in told if "it does not say so any more" in each]
    assert gone[0] in line


def test_a_run_measures_its_crews_and_the_workspace(crewmem, noted):
    """It ends with the health of what it was about; other crews keep theirs."""
    run(crewmem, "--crew", "harbor")

    def kept(*words):
        ran = crewmem("memory", "health", "--history", "1d", *words, "--json")
        return ran.json["data"]["kept"]

    assert kept()
    assert kept("--crew", "harbor")
    assert not kept("--crew", "quay")
    assert noted


def test_lines_that_moved_are_evidence_still(crewmem, noted):
    """A note that grew above the line, or was put away, says what it said."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    write(noted, "mira/daily/2026-04-27.md", f"- New\n- More\n- {GATE}\n- Tea\n")
    assert crewmem("proposals", "approve", name).status == 0


@pytest.mark.usefixtures("noted")
def test_operators_alone_consolidate(crewmem):
    """An agent or a lead is refused, and sees no plan: it quotes what others noted."""
    for who in ("agent:mira", "lead:pilot"):
        assert run(crewmem, "--as", who, status=8)["code"] == "out_of_scope"
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]
    for who in ("agent:mira", "lead:pilot"):
        assert crewmem("proposals", "list", "--json", "--as", who).json["data"] == []
        for verb in ("show", "diff", "explain", "approve", "reject"):
            assert crewmem("proposals", verb, name, "--as", who).status == 4


def test_an_entry_of_one_agent_is_not_its_crews(crewmem, noted):
    """What goes to an agent's own file is read of by it and by operators alone."""
    for day in (20, 24, 28, 30):
        write(noted, f"mira/daily/2026-04-{day}.md", "- Staging runs Postgres 16\n")
    crew = harbor(run(crewmem))
    own = next(each for each in crew["learned"] if each["file"] == AGENT)
    get = ("journal", "get", own["entry"])
    assert crewmem(*get, "--as", "agent:mira").status == 0
    assert crewmem(*get, "--as", "agent:tor").status == 4
    listed = crewmem("journal", "list", "-S", "crew", "--json", "--as", "agent:tor")
    assert own["entry"] not in {each["id"] for each in listed.json["data"]}


def test_what_has_no_room_waits_and_comes_later(crewmem, noted):
    """A line waits while its file is full, and is kept when there is room."""
    for day in (20, 24, 28, 30):
        write(noted, f"mira/daily/2026-04-{day}.md", "- Staging runs Postgres 16\n")
    path = write(noted, "mira/AGENT.md", "x" * 3_900 + "\n")
    crew = harbor(run(crewmem))
    (waits,) = crew["waiting"]
    assert (
        waits["why"] == f"there is no room in {AGENT}: it has 3901 of 4000 bytes, 97%"
    )
    assert path.read_text() == "x" * 3_900 + "\n"
    path.write_text("# mira\n")
    crew = harbor(run(crewmem, now=LATER))
    assert [each["file"] for each in crew["learned"]] == [AGENT]


def contested(crewmem, noted, policy="auto"):
    """Let mira's notes say otherwise than a line that is her own; return the run's."""
    path = write(
        noted, "mira/AGENT.md", "# mira\n\n- Staging runs Postgres 15 on db-2\n"
    )
    for day in (20, 24, 28, 30):
        text = "- Staging runs Postgres 16 on db-2\n"
        write(noted, f"mira/daily/2026-04-{day}.md", text)
    (told,) = harbor(run(crewmem, "--policy", policy))["contradictions"]
    return path, told


@pytest.mark.parametrize("policy", ["auto", "review"])
def test_what_contradicts_memory_waits_for_a_person(crewmem, noted, policy):
    """It is told once, with the line that says otherwise, and does not expire."""
    path, told = contested(crewmem, noted, policy)
    assert told["sides"] == ["Staging runs Postgres 16 on db-2"]
    assert told["against"] == [f"{AGENT}:3 (Staging runs Postgres 15 on db-2)"]
    before = path.read_bytes()
    for month in (5, 6, 9):
        late = datetime.fromisoformat(f"2026-{month:02}-03T09:30:00Z")
        crew = harbor(run(crewmem, "--policy", policy, now=late))
        assert crew["contradictions"] == crew["waiting"] == crew["dropped"] == []
    listed = crewmem("proposals", "list", "--json").json["data"]
    assert told["proposal"] in {each["id"] for each in listed}
    said = crewmem("proposals", "explain", told["proposal"]).stdout
    assert f"against  {AGENT}:3 (Staging runs Postgres 15 on db-2)" in said
    assert path.read_bytes() == before


def test_an_approval_never_changes_a_line_of_a_person(crewmem, noted):
    """What is approved stands beside it, and the line that says otherwise is named."""
    path, told = contested(crewmem, noted)
    ran = crewmem("proposals", "approve", told["proposal"])
    assert ran.status == 0
    assert f"{AGENT}:3 (Staging runs Postgres 15 on db-2) says otherwise" in ran.stderr
    assert path.read_text().startswith("# mira\n\n- Staging runs Postgres 15 on db-2\n")
    assert "- Staging runs Postgres 16 on db-2 (seen" in path.read_text()
    assert harbor(run(crewmem, now=LATER))["contradictions"] == []


def test_a_contradiction_that_is_rejected_is_settled(crewmem, noted):
    """What stands stays, and the same is not asked about again."""
    path, told = contested(crewmem, noted)
    before = path.read_bytes()
    assert crewmem("proposals", "reject", told["proposal"]).status == 0
    write(noted, "mira/daily/2026-05-01.md", "- Staging runs Postgres 16 on db-2\n")
    crew = harbor(run(crewmem, now=LATER))
    assert (crew["contradictions"], crew["learned"]) == ([], [])
    assert path.read_bytes() == before


@pytest.mark.parametrize(("says", "learned"), [("", 1), ("16", 0)])
def test_a_contradiction_that_a_person_settles_is_withdrawn(
    crewmem, noted, says, learned
):
    """Once the line is gone it is judged anew: kept, unless the file says so now."""
    path, told = contested(crewmem, noted)
    line = f"- Staging runs Postgres {says} on db-2\n" if says else ""
    path.write_text(f"# mira\n\n{line}")
    crew = harbor(run(crewmem, now=LATER))
    assert len(crew["learned"]) == learned
    assert crew["contradictions"] == []
    shown = crewmem("proposals", "show", told["proposal"], "--json").json["data"]
    assert (shown["status"], shown["decided_by"]) == ("rejected", "system:consolidate")


def test_a_learned_fact_that_changed_is_replaced(crewmem, noted):
    """Approved, what is noted now takes the place of the line that was learned."""
    for day in (20, 21, 22):
        write(noted, f"mira/daily/2026-04-{day}.md", "- The crane lifts 3 tonnes\n")
    assert "- The crane lifts 3 tonnes" in (run(crewmem), read(crewmem, AGENT))[1]
    for day in (28, 29, 30):
        write(noted, f"mira/daily/2026-04-{day}.md", "- The crane lifts 5 tonnes\n")
    (told,) = harbor(run(crewmem))["contradictions"]
    (place,) = told["against"]
    assert place.endswith("(The crane lifts 3 tonnes)")
    path = noted / "workspaces/default/crews/harbor/agents/mira/.memory/AGENT.md"
    path.write_text(f"# A line more\n{path.read_text()}")
    run(crewmem)  # what moved is followed
    ran = crewmem("proposals", "approve", told["proposal"])
    assert ran.status == 0
    assert "says otherwise" not in ran.stderr
    assert f"memory restore {AGENT} v_" in ran.stderr
    said = read(crewmem, AGENT)
    assert "3 tonnes" not in said
    assert said.count("- The crane lifts 5 tonnes (seen") == 1
    again = harbor(run(crewmem, now=LATER))
    assert (again["learned"], again["contradictions"]) == ([], [])
    assert crewmem("doctor").status == 0


def test_sides_that_contradict_each_other_are_one_question(crewmem, noted):
    """Two agents that say the opposite are asked about once, and one is chosen."""
    for day in (26, 28, 30):
        write(noted, f"mira/daily/2026-04-{day}.md", "- The gate opens at 7 sharp\n")
        write(noted, f"tor/daily/2026-04-{day}.md", "- The gate opens at 8 sharp\n")
    (told,) = harbor(run(crewmem))["contradictions"]
    assert (len(told["sides"]), told["against"]) == (2, [])
    name = told["proposal"]
    both = crewmem("proposals", "approve", name)
    assert both.status == 8
    assert f"approve {name} --only 1" in both.stderr
    assert crewmem("proposals", "approve", name, "--only", "2").status == 0
    files = [read(crewmem, AGENT), read(crewmem, "agent:harbor/tor/AGENT.md")]
    assert sum("The gate opens at" in each for each in files) == 1
    assert harbor(run(crewmem, now=LATER))["contradictions"] == []


def test_a_side_that_recurs_later_joins_the_question(crewmem, noted):
    """Who is contradicted, and says it again in the next run, is asked about once."""
    for day in (26, 28):
        note(noted, "mira", f"2026-04-{day}", "The gate opens at 7 sharp")
    note(noted, "tor", "2026-04-26", "The gate opens at 8 sharp")
    (first,) = harbor(run(crewmem))["contradictions"]
    note(noted, "tor", "2026-05-01", "The gate opens at 8 sharp")
    (second,) = harbor(run(crewmem, now=LATER))["contradictions"]
    assert second["proposal"] == first["proposal"]
    listed = crewmem("proposals", "list", "--json").json["data"]
    assert [each["id"] for each in listed] == [first["proposal"]]
    case = crewmem("proposals", "explain", first["proposal"], "--json").json["data"]
    assert [each["adds"][:27] for each in case["parts"]] == [
        "- The gate opens at 7 sharp",
        "- The gate opens at 8 sharp",
    ]
    assert harbor(run(crewmem, now=LATER))["contradictions"] == []


@pytest.mark.usefixtures("noted")
def test_pinned_entries_are_mirrored(crewmem):
    """They come into the crew's pins.md when pinned, and leave it when unpinned."""
    entry = types(crewmem, "peer.escalation")[0]["id"]
    pin = ("journal", "pin", entry, "--reason", "words", "--priority")
    crewmem(*pin, "pin")
    assert harbor(run(crewmem))["pins"]["added"] == [entry]
    assert entry in read(crewmem, "crew:harbor/pins.md")
    assert entry in crewmem("memory", "prompt", "--agent", "tor").stdout
    crewmem(*pin, "normal")
    assert harbor(run(crewmem))["pins"]["removed"] == [entry]
    assert entry not in read(crewmem, "crew:harbor/pins.md")


def test_a_second_run_ends_at_once(crewmem, noted):
    """While one runs another does nothing, says so, and the journal is told."""
    with disk.open_root(noted) as root:
        disk.make_dirs(root, "locks")
        with disk.lock(root, "locks/consolidate", timeout=0):
            ran = crewmem("consolidate", "run")
            assert ran.status == 0
            assert "Another consolidate is running" in ran.stderr
            assert crewmem("timers", "run", "consolidate").status == 0
    for told in types(crewmem, "system.consolidation_completed"):
        assert told["payload"]["status"] == "skipped-locked"
    begun = types(crewmem, "system.consolidation_triggered")
    assert [each["payload"]["reason"] for each in begun] == ["manual", "timer"]
    assert harbor(run(crewmem))["learned"]


@pytest.mark.usefixtures("noted")
def test_crews_and_agents_are_chosen(crewmem):
    """A crew or an agent that is named is all that is read; who is none is told."""
    (crew,) = run(crewmem, "--crew", "quay")["crews"]
    assert crew["crew"] == "quay"
    assert run(crewmem, "--agent", "mira", "--dry-run")["crews"][0]["crew"] == "harbor"
    for words, code in (
        (("--crew", "nowhere"), "crew_missing"),
        (("--agent", "nobody"), "agent_missing"),
        (("--agent", "mira", "--crew", "quay"), "agent_missing"),
    ):
        assert run(crewmem, *words, status=4)["code"] == code


@pytest.mark.usefixtures("noted")
def test_an_agent_whose_memory_is_off_takes_no_part(crewmem):
    """Nothing of it is read, and that is said."""
    crewmem("agent", "set", "tor", "--memory", "off")
    done = run(crewmem)
    assert done["skipped"] == ["tor"]
    ran = crewmem("consolidate", "run")
    assert "skipped  tor (memory is off)\n" in ran.stdout
    assert [each["kind"] for each in harbor(done)["learned"]] == ["rule"]


def test_a_person_reads_what_was_learned_and_what_is_next(crewmem, noted):
    """The answer names files, days and entries, and the command that follows."""
    write(noted, "mira/daily/2026-03-02.md", "- An old remark about cranes\n")
    ran = crewmem("consolidate", "run", "--policy", "review")
    name = crewmem("proposals", "list", "--json").json["data"][0]["id"]
    assert ran.stdout.startswith("harbor: 2 proposed, ")
    assert f"    + {GATE}\n" in ran.stdout
    assert f"Decide: crewmem proposals diff {name}" in ran.stderr
    shown = crewmem("proposals", "show", name).stdout
    assert "   3  put away 1 daily note of harbor/mira" in shown
    assert "      seen by mira, tor on 2026-04-27, 2026-04-28\n" in shown
    assert "Nothing was changed" in crewmem("consolidate", "run", "--dry-run").stderr


def test_the_commands_that_follow_work_as_they_are_printed(crewmem, noted):
    """They name the home that was given, and the version that stood before."""
    write(noted, "mira/AGENT.md", "# mira\n")
    for day in (20, 24, 28):
        write(noted, f"mira/daily/2026-04-{day}.md", "- Staging runs Postgres 16\n")
    bare = {"CREWMEM_HOME": "/nowhere"}
    home = ("--home", str(noted))
    ran = crewmem(*home, "consolidate", "run", environ=bare)
    told = [line.partition(": ") for line in ran.stderr.splitlines()]
    for name, verb in (("See what changed", "diff"), ("Take it back", "restore")):
        (typed,) = [command for what, _, command in told if what == name]
        words = shlex.split(typed)[1:]
        assert words[:4] == [*home, "memory", verb]
        ran = crewmem(*words, environ=bare)
        assert ran.status == 0
        assert "They are the same" not in ran.stderr
    assert (
        "crewmem --home" in crewmem(*home, "consolidate", "run", "--crew", "x").stderr
    )


@pytest.mark.usefixtures("noted")
def test_an_approval_that_was_killed_is_seen(crewmem, monkeypatch):
    """It is told as approving, with the command that goes on."""
    name = harbor(run(crewmem, "--policy", "review"))["proposal"]

    def fails(*_, **__):
        raise DiskError("CREW.md", "write", "no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("crewmem.consolidation.apply.write", fails)
        patch.setattr("crewmem.consolidation.review.write_items", lambda *_, **__: None)
        ran = crewmem("proposals", "approve", name)
    assert ran.status == DiskError.exit_code
    assert f"0 of 2 were done; crewmem proposals approve {name} goes on." in ran.stderr
    assert "approving" in crewmem("proposals", "list").stdout
    shown = crewmem("proposals", "show", name)
    assert "  status    approving\n" in shown.stdout
    assert f"crewmem proposals approve {name} goes on" in shown.stderr
    done = crewmem("proposals", "approve", name)
    assert done.status == 0
    assert f"  + {GATE}\n" in done.stdout
    assert f"crewmem memory restore {SHARED} v_" in done.stderr


def test_a_home_without_crews_has_nothing_to_do(crewmem):
    """Nothing is there: nothing is done, and it is said how to begin."""
    crewmem("init")
    ran = crewmem("consolidate", "run")
    assert (ran.status, ran.stdout) == (0, "")
    assert "crewmem crew add" in ran.stderr


def test_a_tree_that_cannot_be_written_is_told(crewmem, noted, reachable, nobody):
    """Where nothing may be written a dry run still works, and a run says why not."""
    home = reachable / "home"
    shutil.copytree(noted, home)
    for path in (*home.rglob("*"), home):
        path.chmod(0o555 if path.is_dir() else 0o444)
    environ = {"CREWMEM_HOME": str(home)}
    run(crewmem, "--dry-run")  # all that is used is imported by then
    with nobody():
        would = crewmem("consolidate", "run", "--dry-run", environ=environ)
        ran = crewmem("consolidate", "run", environ=environ)
    assert (would.status, would.stdout[:8]) == (0, "harbor: ")
    assert ran.status == 8


def note(home, slug, day, text=GATE):
    return write(home, f"{slug}/daily/{day}.md", f"# {day}\n\n- {text}\n")


NEXT = datetime.fromisoformat("2026-05-03T09:30:00Z")


def test_what_is_seen_again_extends_its_line(crewmem, noted):
    """One more day or agent stands in the line that was learned; there is no other."""
    run(crewmem)
    note(noted, "mira", "2026-05-01", f"{GATE.upper()}!")
    done = harbor(run(crewmem, now=LATER))
    (again,) = done["seen_again"]
    assert (again["file"], again["days"]) == (SHARED, ["2026-05-01"])
    assert (done["learned"], done["dropped"]) == ([], [])
    line = next(each for each in read(crewmem, SHARED).splitlines() if GATE in each)
    dates = "seen by mira, tor on 2026-04-27, 2026-04-28, 2026-05-01"
    assert line == f"- {GATE} ({dates}; {again['entry']})"
    assert read(crewmem, SHARED).count(again["entry"]) == 1
    (told,) = types(crewmem, "memory.seen_again")
    assert told["payload"]["entry"] == again["entry"]
    (place,) = told["payload"]["evidence"]
    assert place.startswith("agent:harbor/mira/daily/2026-05-01.md:3@")


def test_what_else_an_agent_noted_of_it_stays_the_agents(crewmem, noted):
    """The crew is told that its line was seen again, in the words of that line."""
    run(crewmem)
    note(noted, "mira", "2026-05-01", f"{GATE} quokka")
    (again,) = harbor(run(crewmem, now=LATER))["seen_again"]
    listed = ("journal", "list", "--type", "memory.seen_again", "--json")
    told = crewmem(*listed, "--scope", "crew", "--as", "agent:tor")
    (entry,) = told.json["data"]
    assert entry["payload"]["entry"] == again["entry"]
    assert entry["summary"].endswith(f": {GATE}")
    assert "quokka" not in told.stdout


def test_what_is_seen_again_is_told_once(crewmem, noted):
    """Nothing new is no churn: no version, no entry, no byte; nor is reading again."""
    run(crewmem)
    note(noted, "tor", "2026-05-01")
    run(crewmem, now=LATER)
    before = tree(noted / "workspaces"), types(crewmem, "memory.seen_again")
    assert run(crewmem, now=LATER)["status"] == "nothing-new"
    assert harbor(run(crewmem, "--since", "2w", now=LATER))["seen_again"] == []
    assert (tree(noted / "workspaces"), types(crewmem, "memory.seen_again")) == before


def test_a_note_of_what_is_a_rule_is_told_once(crewmem, noted):
    """Its evidence is in the journal; read again it is no news."""
    run(crewmem)
    note(noted, "tor", "2026-05-01", ESCALATED)
    (again,) = harbor(run(crewmem, now=LATER))["seen_again"]
    assert again["file"].startswith("crew:harbor/learned/")
    assert harbor(run(crewmem, "--since", "2w", now=LATER))["seen_again"] == []
    assert len(types(crewmem, "memory.seen_again")) == 1


def test_what_was_taken_back_of_a_line_stays_so(crewmem, noted):
    """After memory restore it is left as it is, until it is seen once more."""
    run(crewmem)
    before = read(crewmem, SHARED)
    note(noted, "mira", "2026-05-01")
    (version,) = harbor(run(crewmem, now=LATER))["versions"].values()
    assert crewmem("memory", "restore", SHARED, version).status == 0
    run(crewmem, now=LATER)
    assert read(crewmem, SHARED) == before
    note(noted, "mira", "2026-05-02")
    run(crewmem, now=NEXT)
    assert "2026-04-28, 2026-05-02; j_" in read(crewmem, SHARED)


def test_a_line_that_a_person_changed_is_theirs(crewmem, noted):
    """Where its end says no more when it was seen, nothing is written into it."""
    run(crewmem)
    path = noted / "workspaces/default/crews/harbor/shared/.memory/CREW.md"
    path.write_text(re.sub(r" \(seen .*\)", "", path.read_text()))
    note(noted, "mira", "2026-05-01")
    before = path.read_bytes()
    done = harbor(run(crewmem, now=LATER))
    assert path.read_bytes() == before
    assert (done["learned"], done["seen_again"]) == ([], [])


def test_a_crew_that_is_asked_first_is_not_asked_for_dates(crewmem, noted):
    """Under review no file is written: the journal is told what was seen again."""
    run(crewmem)
    note(noted, "mira", "2026-05-01")
    before = tree(noted / "workspaces")
    done = harbor(run(crewmem, "--policy", "review", now=LATER))
    assert len(done["seen_again"]) == 1
    assert (done["proposal"], tree(noted / "workspaces")) == (None, before)
    assert len(types(crewmem, "memory.seen_again")) == 1


def test_a_rule_that_is_met_again_names_its_source(crewmem, noted):
    """One more escalation stands among its sources, and supports its entry."""
    run(crewmem)
    words = ("journal", "add", "peer.escalation", ESCALATED, "--crew", "harbor")
    new = crewmem(*words, "--json", now=LATER).json["data"]["id"]
    (again,) = harbor(run(crewmem, now=LATER))["seen_again"]
    assert again["file"] == "crew:harbor/learned/2026-05-01.md"
    sources = next(
        each for each in read(crewmem, again["file"]).splitlines() if "Source" in each
    )
    assert sources.endswith(f"peer.escalation {new}")
    listed = crewmem("episodes", "relations", "list", again["entry"], "--json").json
    assert new in str(listed["data"])
    assert noted


@pytest.mark.parametrize("is_inside", [False, True])
def test_an_agent_cannot_add_to_what_another_learned(crewmem, noted, is_inside):
    """A line of its own that names the entry of another leads nowhere."""
    for at in (26, 28):
        note(noted, "tor", f"2026-04-{at}", "The winch takes 3 tonnes")
    (entry,) = [
        each["id"]
        for each in (run(crewmem), types(crewmem, "memory.consolidated"))[1]
        if "winch" in each["summary"]
    ]
    line = f"- The winch takes 3 tonnes (seen 2026-04-01; {entry})\n"
    marks = "<!-- crewmem:consolidated -->\n", "<!-- /crewmem:consolidated -->\n"
    write(noted, "mira/AGENT.md", line.join(marks) if is_inside else line)
    note(noted, "mira", "2026-05-01", "The winch takes 3 tonnes")
    done = harbor(run(crewmem, now=LATER))
    assert done["seen_again"] == types(crewmem, "memory.seen_again") == []
    assert read(crewmem, AGENT).endswith(line if not is_inside else marks[1])
    assert "2026-04-01; " in read(crewmem, AGENT)


def test_sources_that_are_only_counted_are_no_news(crewmem, noted):
    """Read again beside others, a rule's thirteenth source counts once."""
    words = ("journal", "add", "peer.escalation", ESCALATED, "--crew", "harbor")
    for _ in range(14):
        crewmem(*words)
    run(crewmem)
    crewmem(*words, now=LATER)
    (again,) = harbor(run(crewmem, now=LATER))["seen_again"]
    before = read(crewmem, again["file"])
    assert " more\n" in before
    note(noted, "tor", "2026-05-02", ESCALATED)
    done = harbor(run(crewmem, "--since", "2w", now=NEXT))
    assert read(crewmem, again["file"]) == before
    assert [len(each["evidence"]) for each in done["seen_again"]] == [1]


def test_what_is_seen_again_is_planned_first(crewmem, noted):
    """A dry run tells it and writes nothing; the plan that was done shows it."""
    run(crewmem)
    note(noted, "mira", "2026-05-01")
    before = tree(noted)
    told = harbor(run(crewmem, "--dry-run", now=LATER))
    assert tree(noted) == before
    done = harbor(run(crewmem, now=LATER))
    assert told["seen_again"] == done["seen_again"]
    assert told["paths"] == done["paths"] == [SHARED]
    shown = crewmem("proposals", "show", done["proposal"]).stdout
    assert f"seen again: {GATE} ({SHARED})" in shown
    case = crewmem("proposals", "explain", done["proposal"], "--json").json["data"]
    (place,) = case["parts"][0]["spots"]
    assert (place["day"], place["stands"]) == ("2026-05-01", True)
    listed = crewmem("proposals", "diff", done["proposal"]).stdout
    assert f"{GATE} (seen again 2026-05-01)" in listed


def test_a_job_that_only_extends_lines_did_something(crewmem, noted):
    """The timer's line says so, and its row is not one of a run that found nothing."""
    run(crewmem)
    note(noted, "mira", "2026-05-01")
    ran = crewmem("timers", "run", "consolidate", now=LATER)
    assert ran.stdout == "consolidate: 1 line seen again\n"
    again = crewmem("timers", "run", "consolidate", now=NEXT)
    assert again.stdout == "consolidate: nothing to do\n"
