"""``crewmem status``: one screen, and the next step."""

import os
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from health.events import MODEL, OLLAMA, Letters, embedded, failed, happened
from homes import HARBOR, MIRA, copied, stamps

import crewmem as package
from crewmem.errors.backends import RequestRefusedError
from crewmem.files.embed import embed
from crewmem.files.locate import in_home
from crewmem.vectors.space import Failure

NOWHERE = {"CREWMEM_MODEL_DIR": "/nowhere"}
"""There is no embedder, whatever is installed."""


@pytest.fixture
def harbor(home):
    """A home with a crew, its lead and an agent."""
    return copied(home, *HARBOR)


def mira(home):
    return home / MIRA


def test_a_screen_says_what_there_is(crewmem, harbor):
    """Where, whose, how much, how it is found, what is wrong, and what next."""
    crewmem("memory", "reindex")
    lines = crewmem("status", environ=NOWHERE).stdout.splitlines()
    assert lines == [
        f"memory     {harbor} (the home)",
        "workspace  default: 1 crew, 2 agents",
        lines[2],
        "index      4 fresh, 15 chunks",
        "search     by words",
        "journal    0 entries",
        "recall     by words: no embedder (crewmem config set model_dir DIR)",
        "problems   none",
        "next       crewmem memory search WORDS  # find something",
    ]
    assert lines[2].startswith("files      3 (")
    assert lines[2].endswith("B) in 4 directories; the fullest at <1% of its cap")


def test_from_nothing_to_the_first_search_the_next_step_is_told(crewmem, home):
    """Each is the one that helps most."""
    steps = [
        ("init", ["init"]),
        ("crew add NAME", ["crew", "add", "harbor"]),
        ("agent add NAME --crew harbor", ["agent", "add", "mira", "--crew", "harbor"]),
        ("memory search WORDS", ["memory", "search", "WORDS"]),
    ]
    for step, words in steps:
        assert crewmem("status", "--json").json["data"]["next"] == f"crewmem {step}"
        assert crewmem(*words).status == 0
    named = crewmem("--home", home, "status", "--json").json["data"]
    assert named["next"] == f"crewmem --home {home} memory search WORDS"


def test_without_memory_it_says_where_a_home_would_be(crewmem, home, tmp_path):
    """And makes nothing."""
    ran = crewmem("status")
    assert ran.stdout.startswith(f"memory     none found; the home would be {home}\n")
    assert ran.status == 0
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_home_is_said(crewmem, tmp_path):
    """Nobody is told to make a home where none can be."""
    (tmp_path / "file").touch()
    ran = crewmem("--home", tmp_path / "file", "status")
    assert (ran.status, ran.stdout) == (4, "")
    assert f"{tmp_path}/file is not a directory" in ran.stderr


def test_nothing_is_written(crewmem, harbor, memory, tmp_path):
    """Not in the home, nor in a tree, whoever asks."""
    tree = memory(AGENT="x")
    before = stamps(tmp_path)
    for words in ([], ["-p", tree], ["--json"], ["-w", "default"]):
        assert crewmem("status", *words).status == 0
    assert stamps(tmp_path) == before
    assert harbor.is_dir()


def test_beside_an_index_of_another_program_nothing_is_left(crewmem, memory):
    """Not even by SQLite, which makes files to read a database in WAL mode."""
    tree = memory(AGENT="the key")
    with closing(apsw.Connection(str(tree / "index.sqlite"))) as db:
        db.execute("pragma journal_mode = wal").fetchall()
        db.execute("create table chunks (a)")
    before = stamps(tree)
    for words in (["status"], ["memory", "status"], ["memory", "search", "key"]):
        assert crewmem(*words, "-p", tree).status == 0
        assert stamps(tree) == before
    data = crewmem("status", "-p", tree, "--json").json["data"]
    assert data["indexes"]["unusable"] == 1


def test_what_is_over_its_cap_is_read_and_merged_next(crewmem, harbor):
    """The file is named."""
    (mira(harbor) / "AGENT.md").write_text("x" * 4_001)
    (mira(harbor) / "pins.md").write_text("x" * 7_000)
    data = crewmem("status", "--json").json["data"]
    assert (data["over_cap"], data["near_cap"]) == (1, 1)
    assert data["problems"] == ["1 file over the cap", "1 file near the cap"]
    assert data["next"] == f"crewmem memory read {mira(harbor)}/AGENT.md"


def test_an_index_that_stays_behind_is_brought_up_to_date_next(crewmem, memory):
    """Outside the home: there a search does not keep what it brings in."""
    tree = memory(AGENT="x")
    data = crewmem("status", "-p", tree, "--json").json["data"]
    assert (data["source"], data["path"]) == ("path", str(tree))
    assert data["workspace"] is None
    assert data["indexes"] == {"fresh": 0, "stale": 0, "missing": 1, "unusable": 0}
    assert data["next"] == f"crewmem memory reindex --path {tree}"
    assert crewmem("memory", "reindex", "-p", tree).status == 0
    data = crewmem("status", "-p", tree, "--json").json["data"]
    step = f"crewmem memory search WORDS --path {tree}"
    assert (data["problems"], data["next"]) == ([], step)


def test_an_index_that_cannot_be_used_is_built_anew_next(crewmem, harbor):
    """And counted."""
    crewmem("memory", "reindex")
    (mira(harbor) / "index.sqlite").write_text("no database at all, just a text")
    data = crewmem("status", "--json").json["data"]
    assert data["indexes"] == {"fresh": 3, "stale": 0, "missing": 0, "unusable": 1}
    assert data["problems"] == ["1 index cannot be used"]
    assert data["next"] == f"crewmem memory reindex --path {mira(harbor)}"
    assert crewmem("memory", "reindex", "--path", mira(harbor)).status == 0
    assert crewmem("status", "--json").json["data"]["problems"] == []


def test_a_fifo_for_an_index_is_not_waited_for(crewmem, harbor):
    """It is one that cannot be used."""
    os.mkfifo(mira(harbor) / "index.sqlite")
    data = crewmem("status", "--json").json["data"]
    assert data["indexes"]["unusable"] == 1


@pytest.mark.parametrize("text", ["no database at all, just a text", None])
def test_a_database_that_is_not_ours_is_for_doctor(crewmem, harbor, text):
    """It is the problem, and doctor is the next step."""
    if text:
        (harbor / "crewmem.db").write_text(text)
    else:
        with closing(apsw.Connection(str(harbor / "crewmem.db"))) as db:
            db.execute("pragma user_version = 99")
    data = crewmem("status", "--json").json["data"]
    assert len(data["problems"]) == 1
    assert data["next"] == "crewmem doctor"
    assert data["crews"] == 1


def test_a_container_shows_its_mount(crewmem, memory, tmp_path):
    """Or, without one, the agent's own directory."""
    environ = {"CREWMEM_HOME": "", "XDG_DATA_HOME": str(tmp_path / "none")}
    memory(AGENT="x", at=tmp_path / "person")
    own = crewmem("status", "--json", environ=environ).json["data"]
    assert (own["source"], own["files"]) == ("own", 1)
    memory(CREW="x", at=tmp_path / "crew" / "shared")
    memory(AGENT="x", at=tmp_path / "crew" / "agents" / "mira")
    mount = crewmem("status", "--json", environ=environ).json["data"]
    assert (mount["source"], mount["agents"], mount["files"]) == ("mount", 1, 2)


def test_a_workspace_that_is_named_has_to_be_there(crewmem, harbor):
    """The default one may be missing still."""
    assert crewmem("status", "-w", "other").status == 4
    environ = {"CREWMEM_WORKSPACE": "other"}
    assert crewmem("status", environ=environ).status == 4
    assert harbor.is_dir()


def test_an_agent_sees_what_is_its_own(crewmem, harbor):
    """Its files, its crew's, the workspace's; not those of others, nor of persons."""
    (mira(harbor) / "peers").mkdir()
    (mira(harbor) / "peers" / "ab.md").write_text("x" * 9_000)
    data = crewmem("status", "--as", "agent:mira", "--json").json["data"]
    assert (data["directories"], data["files"], data["over_cap"]) == (3, 2, 0)
    assert crewmem("status", "--json").json["data"]["over_cap"] == 1


def test_an_agent_is_not_told_of_changes_that_it_may_not_see(crewmem, harbor):
    """Notes about persons that changed make no index stale to it."""
    (mira(harbor) / "peers").mkdir()
    crewmem("memory", "reindex")
    (mira(harbor) / "peers" / "ab.md").write_text("likes tea")
    for actor, state, stale in (
        ("agent:mira", "fresh", 0),
        ("operator:ada", "stale", 1),
    ):
        ran = crewmem("memory", "status", "--as", actor, "--json")
        (found,) = (each for each in ran.json["data"] if each["owner"] == "harbor/mira")
        assert (found["state"], found["stale"]) == (state, stale)
        indexes = crewmem("status", "--as", actor, "--json").json["data"]["indexes"]
        assert indexes["stale"] == stale


def test_a_database_that_is_lost_beside_crews_is_said(crewmem, harbor):
    """Missing or empty: nobody is registered, and doctor knows what to do."""
    database = harbor / "crewmem.db"
    database.write_bytes(b"")
    (problem,) = crewmem("status", "--json").json["data"]["problems"]
    assert problem == f"{database} is empty: nobody is registered"
    database.unlink()
    data = crewmem("status", "--json").json["data"]
    assert data["problems"] == [f"there is no {database}: nobody is registered"]
    assert data["next"] == "crewmem doctor"


def test_no_command_is_suggested_that_would_be_refused(crewmem, home):
    """A crew that somebody made by hand may have a name that crewmem does not take."""
    crewmem("init")
    (home / "workspaces/default/crews/My Crew/shared/.memory").mkdir(parents=True)
    from crewmem.files.locate import in_home
    from crewmem.health.advice import _beginnings
    from crewmem.health.glance import Glance

    found = in_home(home, "default", None)
    glances = [Glance(place, None, "", (), 0, heals=True) for place in found]
    words, _ = next(_beginnings(glances))
    assert words == ["agent", "add", "NAME", "--crew", "CREW"]


def test_what_cannot_be_told_apart_from_a_problem_is_one(crewmem, harbor):
    """A directory whose name is not UTF-8 cannot be read, and is said."""
    (mira(harbor) / os.fsdecode(b"\xff")).mkdir()
    data = crewmem("status", "--json").json["data"]
    assert data["problems"] == [
        f"cannot be read: {mira(harbor)}: its name is not UTF-8"
    ]
    assert data["next"] == "crewmem doctor"


def test_it_starts_without_what_it_does_not_need(harbor):
    """No rich, no json, no numpy, none of the checks: one types it often.

    Also where there are episodes with vectors.
    """
    happened(harbor, "the crane broke")
    embedded(harbor)
    code = (
        "import sys; from crewmem.cli.root import run; "
        "status = run(['status']); "
        "print(sorted(sys.modules)); sys.exit(status)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ
        | {"PYTHONPATH": str(Path(package.__file__).parents[1])}
        | {"CREWMEM_HOME": str(harbor)},
    )
    modules = ran.stdout.splitlines()[-1]
    heavies = ("rich", "json", "tomllib", "crewmem.health.checks", "difflib")
    for heavy in (*heavies, "numpy", "httpx", "tokenizers", "ssl", "logging"):
        assert f"'{heavy}'" not in modules
    assert "'crewmem.health.overview'" in modules


def recalled(ran):
    """What a screen says of recall."""
    lines = ran.stdout.splitlines()
    return next(each[11:] for each in lines if each.startswith("recall"))


@pytest.mark.usefixtures("harbor")
def test_the_mode_of_recall_is_told_with_what_there_is(crewmem, home):
    """What waits and what failed beside it, and what would make it better."""
    happened(home, "the crane broke", "the pier sank")
    happened(home, "lunch", kind="note.taken")
    ran = crewmem("status", environ=OLLAMA)
    assert "journal    3 entries, 2 episodes\n" in ran.stdout
    assert "backlog    2 episodes to embed\n" in ran.stdout
    assert recalled(ran) == (
        f"by words and vectors ({MODEL}), degraded: no episode is embedded yet "
        "(crewmem episodes sweep)"
    )
    assert "next       crewmem episodes sweep  # embed what waits\n" in ran.stdout
    space = embedded(home)
    happened(home, "a rope was cut")
    failed(home, space, Failure(1, 2, 0, "rude"))
    ran = crewmem("status", environ=OLLAMA)
    assert recalled(ran) == f"by words and vectors ({MODEL})"
    assert "journal    4 entries, 3 episodes\n" in ran.stdout
    assert "backlog    2 episodes to embed, 1 failed\n" in ran.stdout
    data = crewmem("status", "--json", environ=OLLAMA).json["data"]
    names = ("episodic", "model", "entries", "episodes", "waiting", "failed")
    assert [data[name] for name in names] == ["vector", MODEL, 4, 3, 2, 1]
    assert data["problems"] == []


@pytest.mark.usefixtures("harbor")
def test_words_alone_are_a_problem_where_there_are_vectors(crewmem, home):
    """Or where an embedder was asked for; not where nobody wants one."""
    told = crewmem("status", "--json", environ=NOWHERE).json["data"]
    assert (told["episodic"], told["model"]) == ("sparse-only", None)
    assert told["problems"] == []
    asked = NOWHERE | {"CREWMEM_EMBEDDER": "minilm"}
    told = crewmem("status", "--json", environ=asked).json["data"]
    assert told["problems"][0].startswith("recall goes by words alone: the setting")
    assert told["next"] == "crewmem config set model_dir DIR"
    happened(home, "the crane broke")
    embedded(home)
    ran = crewmem("status", environ=NOWHERE)
    assert recalled(ran).startswith("by words (crewmem config set ollama_url")
    assert "problems   recall goes by words alone: there are vectors of" in ran.stdout
    ran = crewmem("status", environ=NOWHERE | {"CREWMEM_EMBEDDER": "none"})
    assert recalled(ran).startswith("by words: the setting embedder is none")
    assert "problems   none" in ran.stdout


@pytest.mark.usefixtures("harbor")
def test_vectors_that_are_not_of_the_model_are_embedded_again_next(crewmem, home):
    """Whether they are of another workspace, or all there are."""
    happened(home, "the crane broke", "the pier sank")
    happened(home, "far away", workspace="other")
    embedded(home)
    embedded(home, workspace="other", model="another")
    data = crewmem("status", "--json", environ=OLLAMA).json["data"]
    assert data["episodic"] == "vector-degraded"
    assert data["problems"] == ["1 vector of another model"]
    assert data["next"] == "crewmem episodes reembed"
    other = NOWHERE | {"CREWMEM_EMBEDDER": "minilm"}
    data = crewmem("status", "--json", environ=other).json["data"]
    assert data["episodic"] == "vector-degraded"
    assert data["next"] == "crewmem episodes reembed"


@pytest.mark.usefixtures("harbor")
def test_vectors_that_cannot_be_read_are_for_doctor(crewmem, home):
    """They are a problem; all else is told."""
    happened(home, "the crane broke")
    (home / "vectors.sqlite").write_text("no database at all, just a text")
    data = crewmem("status", "--json", environ=OLLAMA).json["data"]
    assert (data["episodic"], data["episodes"]) == ("vector-degraded", 1)
    assert data["problems"] == [f"{home}/vectors.sqlite is not a SQLite database"]
    assert data["next"] == "crewmem doctor"


@pytest.mark.usefixtures("harbor")
def test_a_long_backlog_is_swept_next(crewmem, home):
    """One that a pass of a timer takes is none."""
    happened(home, "the crane broke")
    embedded(home)
    happened(home, *(f"crane number {number}" for number in range(64)))
    data = crewmem("status", "--json", environ=OLLAMA).json["data"]
    assert (data["waiting"], data["problems"]) == (64, [])
    happened(home, "one more")
    data = crewmem("status", "--json", environ=OLLAMA).json["data"]
    assert data["problems"] == ["65 episodes wait to be embedded"]
    assert data["next"] == "crewmem episodes sweep --all"


@pytest.mark.usefixtures("harbor")
def test_an_agent_counts_its_own_entries_and_is_told_to_install_nothing(crewmem, home):
    """A lead counts its crew's; the rest is for operators."""
    happened(home, "the crane broke", agent_id="mira", crew_id="harbor")
    happened(home, "the pier sank", agent_id="pilot", crew_id="harbor")
    happened(home, "far away")
    asked = NOWHERE | {"CREWMEM_EMBEDDER": "minilm"}
    for actor, count in (("agent:mira", 1), ("lead:pilot", 2), ("operator:ada", 3)):
        words = ("status", "--json", "--as", actor)
        data = crewmem(*words, environ=asked).json["data"]
        assert (data["entries"], data["episodes"]) == (count, count)
        assert bool(data["problems"]) == actor.startswith("operator")


def test_outside_a_home_there_is_no_journal(crewmem, memory):
    """What is said of one in JSON is null, or nothing."""
    tree = memory(AGENT="x")
    data = crewmem("status", "-p", tree, "--json").json["data"]
    assert (data["episodic"], data["model"], data["entries"]) == (None, None, 0)
    assert "recall" not in crewmem("status", "-p", tree).stdout


class Picky(Letters):
    """Refuses some texts."""

    def embed(self, texts):
        if any("Nobody" in text for text in texts):
            raise RequestRefusedError("letters", "it does not like that")
        return super().embed(texts)


@pytest.mark.usefixtures("harbor")
def test_directories_say_how_many_of_their_chunks_have_a_vector(crewmem, home):
    """They are searched by vectors where there is an embedder for these.

    What failed, and what the actor may not see, is not counted.
    """
    (mira(home) / "peers").mkdir()
    (mira(home) / "peers" / "ab.md").write_text("likes tea")
    (mira(home) / "AGENT.md").write_text("# Key\n\nIt is in the vault.\n")
    (mira(home) / "pins.md").write_text("Nobody embeds this.")
    crewmem("memory", "reindex")
    (place,) = (each for each in in_home(home, "default", None) if each.agent == "mira")
    embed(place, Picky(), 0, busy_timeout=1)
    for actor, vectors in (("operator:ada", 2), ("agent:mira", 1)):
        words = ("memory", "status", "--as", actor, "--agent", "mira", "--json")
        (found,) = crewmem(*words, environ=OLLAMA).json["data"]
        assert (found["vectors"], found["mode"]) == (vectors, "hybrid")
        (found,) = crewmem(*words, environ=NOWHERE).json["data"]
        assert (found["vectors"], found["mode"]) == (vectors, "words")
    ran = crewmem("status", environ=OLLAMA)
    assert "search     by words and vectors\n" in ran.stdout
    assert "search     by words\n" in crewmem("status", environ=NOWHERE).stdout


@pytest.mark.parametrize("name", ["home", "my home", "it's", "näher", "a;b"])
def test_the_next_command_is_spelled_for_a_shell(crewmem, tmp_path, name):
    """Whatever the home is called."""
    home = str(tmp_path / name)
    assert crewmem("--home", home, "init").status == 0
    data = crewmem("--home", home, "status", "--json").json["data"]
    assert shlex.split(data["next"])[:3] == ["crewmem", "--home", home]
    assert data["next"] == shlex.join(shlex.split(data["next"]))
