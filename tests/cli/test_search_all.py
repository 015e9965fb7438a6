"""``crewmem search``: memory files and the journal in one list."""

import pytest

WORDS = {"CREWMEM_EMBEDDER": "none"}


@pytest.fixture
def harbor(crewmem):
    """``harbor("search", "key")``: a command in a home with the sample crew."""
    assert crewmem("init", "--sample").status == 0

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
    """A search is a row of the recalls, written after the answer."""
    import apsw

    harbor("search", "billing", "mailbox")
    db = apsw.Connection(str(home / "crewmem.db"))
    rows = db.execute("select verb, query from recalls").fetchall()
    db.close()
    assert rows == [("search", "billing mailbox")]


def test_a_home_without_a_journal_has_files(crewmem, home, memory):
    """Where there is no database, memory files are searched."""
    memory(at=home / "workspaces/default", NOTES="# Keys\n\nThe key is in the vault.\n")
    ran = crewmem("search", "vault", "--json", environ=WORDS)
    assert (ran.status, stores(ran)) == (0, ["files"])
