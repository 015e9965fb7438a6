"""Who may do what: each row of the table, allowed and refused with its status."""

import shutil
from pathlib import Path

import pytest
from running import run_crewmem

AGENT, LEAD, OTHER, OPERATOR = "agent:bob", "lead:ada", "agent:cleo", "operator:kim"

# Command line: status for an agent of the crew web, its lead, an agent of another crew,
# and an operator. A member's fact for its crew is stored as its own, and waits for the lead.
TABLE = {
    "memory read agent:web/bob/AGENT.md": (0, 8, 8, 0),
    "memory append --file agent:web/bob/AGENT.md more": (0, 8, 8, 0),
    "memory read crew:web/CREW.md": (0, 0, 8, 0),
    "memory append --file crew:web/CREW.md more": (8, 0, 8, 0),
    "memory append --file crew:web/topics/x.md more": (8, 0, 8, 0),
    "memory read workspace:plan.md": (0, 0, 0, 0),
    "memory append --file workspace:plan.md more": (8, 8, 8, 0),
    "memory read crew:web/users/mara.md": (8, 8, 8, 0),
    "memory read crew:web/peers/bob.md": (8, 8, 8, 0),
    "memory log agent:web/bob/AGENT.md": (0, 8, 8, 0),
    "memory diff agent:web/bob/AGENT.md": (0, 8, 8, 0),
    "fact show {bob_fact}": (0, 4, 4, 0),
    "fact show {crew_fact}": (0, 0, 4, 0),
    "fact show {workspace_fact}": (0, 0, 0, 0),
    "fact edit {bob_fact} more --reason x": (0, 4, 4, 0),
    "fact edit {crew_fact} more --reason x": (8, 0, 4, 0),
    "fact edit {workspace_fact} more --reason x": (8, 8, 8, 0),
    "fact purge {bob_fact} --yes": (0, 4, 4, 0),
    "fact purge {crew_fact} --yes": (8, 8, 4, 0),
    "remember --scope workspace x": (8, 8, 8, 0),
    "remember --scope crew --crew web x": (0, 0, 8, 0),
    "journal show {bob_entry}": (0, 0, 4, 0),
    "journal purge {bob_entry} --yes": (8, 8, (4, 8), 0),
    "journal list --scope workspace": (8, 8, 8, 0),
    "journal list --scope crew": (0, 0, 0, 0),
    "config set timezone UTC": (8, 8, 8, 0),
    "config get timezone": (8, 8, 8, 0),
    "config list": (8, 8, 8, 0),
    "hooks install claude --agent bob --print": (8, 8, 8, 0),
    "hooks status": (8, 8, 8, 0),
    "review list": (8, 0, 8, 0),
    "crew add more": (8, 8, 8, 0),
    "crew set web --description x": (8, 8, 8, 0),
    "agent add more --crew web": (8, 8, 8, 0),
    "workspace add more": (8, 8, 8, 0),
    "hooks install claude --agent bob --yes": (8, 8, 8, 0),
    "eval run --suite sample": (8, 8, 8, (0, 4)),
    "import --from {bundle}": (8, 8, 8, 0),
    "sweep": (0, 0, 0, 0),
    "doctor": ((0, 1), (0, 1), (0, 1), (0, 1)),
    "consolidate run --crew web --dry-run": (8, 0, 8, 0),
    "memory prune --older-than 30d": (8, 8, 8, 0),
    "memory purge crew:web/CREW.md --yes": (8, 8, 8, 0),
    "operator forget --user mara --all --yes": (8, 8, 8, (0, 4)),
    "export --out {out}": (0, 0, 0, 0),
}
SECRETS = {
    "agent": "quaffle",  # bob's file, fact and entry
    "crew": "gubbins",  # of the crew web
    "workspace": "plinth",
    "user": "snollygoster",  # users/ and peers/
    "restricted": "widdershins",
}


@pytest.fixture(scope="module")
def filled_template(home_template, tmp_path_factory):
    """A home in which every place holds a word of its own, a bundle of it, and names in it."""
    place = tmp_path_factory.mktemp("filled")
    home = Path(shutil.copytree(home_template, place / "home"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            patch.setenv(name, str(place / name.lower()))
        set_environment(patch, home)
        patch.chdir(place)
        names = fill(home, place / "made")
    return home, names


def set_environment(patch, home):
    patch.setenv("CREWMEM_HOME", str(home))
    patch.setenv("CREWMEM_EMBEDDER", "none")
    patch.setenv("CREWMEM_TIMEZONE", "UTC")


def fill(home, bundle):
    """Fill a home, export it, and return the ids of what is in it."""
    places = {
        "agent:web/bob/AGENT.md": "agent",
        "agent:web/bob/daily/2026-04-30.md": "agent",
        "crew:web/CREW.md": "crew",
        "crew:web/topics/x.md": "crew",
        "workspace:plan.md": "workspace",
    }

    def do(*words):
        result = run_crewmem(*words, "--json", "--as", OPERATOR)
        assert result.status == 0, result
        return result.answer["data"]

    for reference, word in places.items():
        do("memory", "append", "--file", reference, f"The engine is called {SECRETS[word]}.")
    shared = home / "workspaces/default/crews/web/shared/.memory"
    for name in ("users/mara.md", "peers/bob.md"):
        (shared / name).parent.mkdir(parents=True, exist_ok=True)
        (shared / name).write_text(f"# Engine\n\nThe engine {SECRETS['user']} is liked.\n")
    engine = "The engine is called "
    names = {
        "bob_fact": do("remember", "--agent", "bob", engine + SECRETS["agent"])["id"],
        "crew_fact": do("remember", "--scope", "crew", "--crew", "web", engine + SECRETS["crew"])[
            "id"
        ],
        "workspace_fact": do("remember", "--scope", "workspace", engine + SECRETS["workspace"])[
            "id"
        ],
        "bundle": str(bundle),
    }
    do("remember", "--agent", "bob", "--sensitivity", "restricted", engine + SECRETS["restricted"])
    entry = run_crewmem(
        "journal", "add", "note.made", engine + SECRETS["agent"], "--as", AGENT, "--json"
    )
    names["bob_entry"] = entry.answer["data"]["id"]
    do("export", "--out", bundle)
    do("sweep")
    return names


@pytest.fixture
def filled(filled_template, monkeypatch, tmp_path):
    """A copy of the filled home; returns what the table names."""
    home, names = filled_template
    shutil.copytree(home, tmp_path / "home")
    set_environment(monkeypatch, tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    return names | {"out": str(tmp_path / "bundle")}


@pytest.mark.parametrize("line", TABLE)
@pytest.mark.parametrize("column", range(4), ids=[AGENT, LEAD, OTHER, OPERATOR])
def test_each_actor_may_do_what_the_table_allows(line, column, filled):
    actor = (AGENT, LEAD, OTHER, OPERATOR)[column]
    wanted = TABLE[line][column]
    words = line.format(**filled).split()
    result = run_crewmem(*words, "--as", actor, "--json")
    assert result.status in (wanted if isinstance(wanted, tuple) else (wanted,)), result
    if result.status == 8:
        assert result.error["message"]


FORBIDDEN = {
    "agent:bob": ["user"],
    "lead:ada": ["user", "restricted"],
    "agent:cleo": ["agent", "crew", "user", "restricted"],
}
LISTINGS = [
    "search engine called --all -n 50",
    "search {word} --all -n 50",
    "memory search {word} --all -n 50",
    "memory list",
    "memory status",
    "memory log crew:web/CREW.md",
    "recall engine called --all",
    "recall {word} --all",
    "recall --start",
    "fact list -n 100",
    "fact list --include-restricted --expired --scope all",
    "journal list -n 100",
    "journal list --scope crew -n 100",
    "journal search {word} --all",
    "sessions search {word} --all",
    "sessions recover",
    "decay",
    "review list --status all",
    "status",
]


@pytest.mark.parametrize("actor", FORBIDDEN)
def test_no_listing_shows_what_is_outside_the_scope(actor, filled, tmp_path):
    for kind in FORBIDDEN[actor]:
        word = SECRETS[kind]
        for line in LISTINGS:
            words = line.format(word=word).split()
            for extra in ([], ["--json"]):
                result = run_crewmem(*words, "--as", actor, *extra)
                shown = result.out
                for query in (f'"query": "{word}"', f'"question": "{word}"', f"--query {word}"):
                    shown = shown.replace(query, "")  # what the actor typed
                assert word not in shown, (line, kind, result.out)
        out = tmp_path / f"export-{kind}"
        assert run_crewmem("export", "--out", out, "--as", actor).status == 0
        for each in out.rglob("*"):
            if each.is_file():
                assert word.encode() not in each.read_bytes(), each


def test_operator_finds_every_place(filled):
    for kind in ("agent", "crew", "workspace"):
        found = run_crewmem("search", SECRETS[kind], "--json", "--as", OPERATOR).answer["data"]
        assert any(SECRETS[kind] in hit["snippet"] for hit in found["hits"]), kind


def test_agent_program_needs_a_named_operator(filled, monkeypatch):
    monkeypatch.setenv("CLAUDECODE", "1")
    for line in (
        "config set timezone UTC",
        "crew add more",
        "fact purge {crew_fact} --yes",
        "hooks status",
        "operator opt-out --user mara --yes",
        "review list",
        "review reject --kind quarantine --reason wrong --yes",
    ):
        words = line.format(**filled).split()
        assert run_crewmem(*words).status == 8, line
        assert run_crewmem(*words, "--as", OPERATOR).status == 0, line
    made = run_crewmem("remember", "The pump is loud", "--json", "--as", OPERATOR)
    assert made.answer["data"]["fact"]["origin"] == "agent"


def test_lead_is_only_who_the_crew_names(filled):
    assert run_crewmem("status", "--as", "lead:bob").status == 8
