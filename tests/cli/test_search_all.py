"""``crewmem search``: memory files and the journal in one list."""

import json
import os
from datetime import timedelta

import pytest
from conftest import NOW
from homes import copied
from services import serving, well

WORDS = {"CREWMEM_EMBEDDER": "none"}


@pytest.fixture
def harbor(crewmem, home):
    """``harbor("search", "key")``: a command in a home with the sample crew."""
    copied(home, "init --sample")

    def call(*argv, **how):
        environ = WORDS | how.pop("environ", {})
        return crewmem(*argv, environ=environ, **how)

    return call


def stores(ran):
    return [hit["store"] for hit in ran.json["data"]["hits"]]


def test_files_and_entries_are_found_together(harbor):
    """What both stores hold of a subject comes in one list, best first."""
    ran = harbor("search", "billing", "mailbox", "--json")
    assert ran.status == 0
    assert {*stores(ran)} == {"files", "journal", "memories"}
    relevances = [hit["relevance"] for hit in ran.json["data"]["hits"]]
    assert relevances[0] == max(relevances)


def test_hits_have_what_all_hits_have(harbor):
    """A hit of either store has the fields that every hit has."""
    common = {
        "ref",
        "store",
        "scope",
        "owner",
        "title",
        "snippet",
        "score",
        "at",
        "why",
    }
    for hit in harbor("search", "billing", "mailbox", "--json").json["data"]["hits"]:
        assert common <= hit.keys()


def test_a_limit_is_of_both_together(harbor):
    """As many hits come as were wanted, over all stores."""
    ran = harbor("search", "the", "key", "--limit", "3", "--json")
    assert len(stores(ran)) == 3


def test_a_person_reads_where_each_hit_is(harbor):
    """Files are told as editors open them, entries by their id."""
    lines = harbor("search", "billing", "mailbox", "--limit", "20").stdout.splitlines()
    assert any(".md:" in line for line in lines)
    assert any(line.startswith("j_") for line in lines)


def test_an_agent_finds_what_it_may_see(harbor):
    """An agent finds its own and its crew's, and nothing of another agent's files."""
    ran = harbor("--as", "agent:winch", "search", "billing", "mailbox", "--json")
    owners = {
        hit["owner"] for hit in ran.json["data"]["hits"] if hit["store"] == "files"
    }
    assert owners <= {"harbor/winch", "harbor", ""}


def test_a_named_tree_is_searched_alone(harbor, home):
    """With --path no journal is asked: a tree needs no home."""
    path = home / "workspaces/default/crews/harbor"
    ran = harbor("search", "billing", "mailbox", "--path", path, "--json")
    assert {*stores(ran)} == {"files"}


def test_operators_reach_the_files(harbor):
    """Operators are understood for files, and their words asked of the journal."""
    ran = harbor("search", '"billing mailbox"', "--json")
    assert ran.json["data"]["mode"] == "syntax"
    assert "files" in stores(ran)


def test_nothing_found_is_told_by_the_status_if_asked(harbor):
    """Finding nothing is done, and with --exit-code it is 1."""
    assert harbor("search", "xyzzyplugh").status == 0
    ran = harbor("search", "xyzzyplugh", "--exit-code")
    assert (ran.status, ran.stdout) == (1, "")


def test_what_was_asked_is_kept(harbor, home):
    """A search is a row of the recalls, with what it showed of every store."""
    import apsw

    shown = harbor("search", "billing", "mailbox", "--json").json["data"]["hits"]
    assert {each["store"] for each in shown} == {"files", "journal", "memories"}
    db = apsw.Connection(str(home / "crewmem.db"))
    rows = db.execute("select verb, query, ids, relevances from recalls").fetchall()
    db.close()
    told = [[each[name] for each in shown] for name in ("ref", "relevance")]
    assert [(*row[:2], *map(json.loads, row[2:])) for row in rows] == [
        ("search", "billing mailbox", *told)
    ]


@pytest.mark.parametrize("words", [["search"], ["recall", "--agent", "winch"]])
def test_how_near_it_was_is_kept(harbor, home, words):
    """The cosine of each hit, whatever store it is of, is in the row as well."""
    import apsw

    with serving(well(26)) as server:
        environ = {"CREWMEM_EMBEDDER": "ollama", "CREWMEM_OLLAMA_URL": server.url}
        environ["CREWMEM_OLLAMA_MODEL"] = "letters"
        harbor("episodes", "sweep", "--all", environ=environ)
        ran = harbor(*words, "--json", "billing", "mailbox", environ=environ)
    shown = ran.json["data"]["hits"]
    assert {"files", "journal"} <= {each["store"] for each in shown}
    told = [each.get("cosine", each["why"].get("cosine")) for each in shown]
    db = apsw.Connection(str(home / "crewmem.db"))
    [(kept,)] = db.execute("select cosines from recalls").fetchall()
    db.close()
    assert json.loads(kept) == told
    assert any(told)


@pytest.mark.parametrize("verb", ["search", "recall"])
def test_that_words_alone_are_asked_is_said_once(harbor, verb):
    """Where that is so of every store, for one reason."""
    with serving(well(26)) as server:
        ollama = {"CREWMEM_EMBEDDER": "ollama", "CREWMEM_OLLAMA_MODEL": "letters"}
        at = {"CREWMEM_OLLAMA_URL": server.url}
        harbor("episodes", "sweep", "--all", environ=ollama | at)
        other = {**ollama, **at, "CREWMEM_OLLAMA_MODEL": "other"}
        ran = harbor(verb, "billing", "mailbox", "--json", environ=other)
    [warning] = ran.json["warnings"]
    assert "goes by words alone: there are vectors of letters" in warning


def test_a_home_without_a_journal_has_files(crewmem, home, memory):
    """Where there is no database, memory files are searched."""
    memory(at=home / "workspaces/default", NOTES="# Keys\n\nThe key is in the vault.\n")
    ran = crewmem("search", "vault", "--json", environ=WORDS)
    assert (ran.status, stores(ran)) == (0, ["files"])


def test_a_time_is_asked_for_before_the_best_are_taken(crewmem, home):
    """However much of another time would have been better, in each store."""
    assert crewmem("init").status == 0
    notes = home / "workspaces" / "default" / ".memory" / "topics"
    notes.mkdir(parents=True, exist_ok=True)
    later, old = NOW, NOW - timedelta(days=60)
    events, claims = [], []
    for number in range(130):
        at = old if number == 77 else later
        says = "the pier" if number == 77 else "the pier pier pier crane"
        note = notes / f"note-{number}.md"
        note.write_text(f"# Note {number}\n\n{says} {number}\n")
        os.utime(note, (at.timestamp(), at.timestamp()))
        ts = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        event = {"id": f"j_{number:012}", "ts": ts, "entry_type": "peer.escalation"}
        events.append(json.dumps({**event, "summary": f"{says} {number}"}))
        claim = {"id": f"m_{number:012}", "content": f"{says} {number}"}
        claims.append(json.dumps({**claim, "created_at": ts, "updated_at": ts}))
    for command, lines in (("journal", events), ("import", claims)):
        words = (
            ["journal", "import", "-"]
            if command == "journal"
            else ["import", "--from", "-", "--apply"]
        )
        ran = crewmem(*words, stdin="\n".join(lines), environ=WORDS)
        assert ran.status == 0, ran.stderr
    for asked in (["--until", "30d"], ["--since", "90d", "--until", "30d"]):
        ran = crewmem("search", "pier", "crane", *asked, "--json", environ=WORDS)
        assert {*stores(ran)} == {"files", "journal", "memories"}
        assert len(stores(ran)) == 3
        words = ["recall", "pier", *asked, "--no-gate", "--json"]
        ran = crewmem(*words, environ=WORDS)
        assert {*stores(ran)} == {"files", "journal", "memories"}
    assert stores(crewmem("search", "pier", "--since", "1d", "--json", environ=WORDS))
