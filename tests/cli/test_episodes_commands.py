"""What is worth recalling, from the command line."""

import json
import re
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import apsw
import click
import pytest
from conftest import NOW
from homes import copied
from services import answered, serving

from crewmem.db.truth import open_to_write
from crewmem.episodes.store import Episodes
from crewmem.journal.entry import Draft
from crewmem.journal.store import Journal

WORDS = {"CREWMEM_EMBEDDER": "none"}

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def by_letters(_server, connection, line, _headers, body):
    """Answer as Ollama does, with vectors that tell how often letters occur."""
    if line.split()[1] != "/api/embed":
        answered(connection, 404, {"error": "no such path"})
        return
    rows = [[t.lower().count(each) + 0.01 for each in LETTERS] for t in body["input"]]
    answered(connection, 200, {"embeddings": rows})


@pytest.fixture
def service():
    """An Ollama that turns texts into vectors by their letters."""
    with serving(by_letters) as server:
        yield server


def environ_of(service, model="letters"):
    return {
        "CREWMEM_MODEL_DIR": "/nowhere",
        "CREWMEM_OLLAMA_MODEL": model,
        "KEEPER_OLLAMA_URL": service.url,
    }


@pytest.fixture
def letters(service):
    """The environment in which that service embeds."""
    return environ_of(service)


@pytest.fixture
def harbor(home):
    """A home with a crew: mira leads it, otto works in it."""
    copied(
        home,
        "init",
        "crew add harbor --lead mira",
        "agent add mira --crew harbor --role lead",
        "agent add otto --crew harbor",
    )


@pytest.fixture
def happened(crewmem, harbor):  # noqa: ARG001 - it is there
    """``happened("the crane broke", agent="otto")``: add an entry, return its id."""

    def add(summary, *more, kind="peer.escalation", agent=None, environ=None):
        whose = ["--agent", agent, "--crew", "harbor"] if agent else []
        words = ["journal", "add", kind, summary, *whose, *more, "--json"]
        ran = crewmem(*words, environ=WORDS | (environ or {}))
        assert ran.status == 0, ran.stderr
        return ran.json["data"]["id"]

    return add


@pytest.fixture
def recall(crewmem):
    """``recall("crane", environ=letters)``: the data of a recall that shows all."""

    def ask(*words, environ=WORDS, **how):
        ran = crewmem(
            "episodes", "recall", *words, "--no-gate", "--json", environ=environ, **how
        )
        assert ran.status == 0, ran.stderr
        return ran.json

    return ask


def ids(document):
    return [hit["entry_id"] for hit in document["data"]["hits"]]


def rows(home, sql):
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        return db.execute(sql).fetchall()


def snapshot(home):
    """Return all that is in *home*, with the time of its last change."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in [home, *home.rglob("*")]
        if not path.name.endswith("-shm")
    }


# Recall


def test_recall_answers_in_its_shape(happened, recall):
    """In JSON there are mode, state, hits, times and how many were looked at."""
    entry = happened("the crane broke", agent="otto")
    document = recall("crane")
    assert document["warnings"] == []
    data = document["data"]
    assert {*data} == {
        *("mode", "state", "hits", "hidden", "query_embedding_ms", "search_ms"),
        "total_indexed",
    }
    assert (data["mode"], data["state"], data["total_indexed"]) == (
        "sparse",
        "sparse-only",
        1,
    )
    (hit,) = data["hits"]
    assert (hit["ref"], hit["store"], hit["owner"]) == (entry, "journal", "harbor/otto")
    assert {"entry_id", "score", "cosine", "age", "summary", "why"} <= {*hit}
    assert hit["payload"] == {}


def test_recall_is_read_by_persons(crewmem, happened):
    """A line is an id and what matched; on a terminal there is more; why if asked."""
    entry = happened("the crane broke", agent="otto")
    ran = crewmem("episodes", "recall", "crane", "broke", environ=WORDS)
    assert ran.stdout == f"{entry}: the crane broke\n"
    ran = crewmem("episodes", "recall", "crane", "--explain", environ=WORDS, tty=True)
    told = re.sub(r"\x1b\[[\d;]*m", "", ran.stdout)
    assert told.splitlines()[:2] == [
        f"{entry}  harbor/otto  just now  peer.escalation",
        "  the crane broke",
    ]
    assert "terms crane" in told


def test_what_is_hidden_can_be_shown(crewmem, happened, recall):
    """A question that nothing answers gets nothing, and is told how to get more."""
    entry = happened("the crane broke")
    words = ("crane", "schedule", "of", "the", "harbour", "master")
    ran = crewmem("episodes", "recall", *words, environ=WORDS)
    assert (ran.status, ran.stdout) == (0, "")
    assert ran.stderr == (
        "Nothing in 1 episode answers that.\nThe nearest is shown with --no-gate.\n"
    )
    data = crewmem("episodes", "recall", *words, "--json", environ=WORDS).json["data"]
    assert (data["hits"], data["hidden"]) == ([], 1)
    assert ids(recall(*words)) == [entry]
    crewmem("config", "set", "recall_min_relevance", "0.01")
    ran = crewmem("episodes", "recall", *words, environ=WORDS)
    assert ran.stdout == f"{entry}: the crane broke\n"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["x", "--queries", "-"],
        ["x", "--no-gate", "--min-relevance", "0.5"],
        ["x", "--mode", "psychic"],
        ["x", "--min-relevance", "7"],
    ],
)
@pytest.mark.usefixtures("harbor")
def test_recall_that_makes_no_sense(crewmem, words):
    """A command line that says two things, or none, ends with 2."""
    ran = crewmem("episodes", "recall", *words, environ=WORDS)
    assert (ran.status, ran.stdout) == (2, "")


def test_limits_are_clamped(happened, recall):
    """A number that is out of range is taken as the nearest, and it is said."""
    happened("the crane broke")
    assert recall("crane", "-k", "1000")["warnings"] == [
        "-k 1000 is out of range; it was taken as 100"
    ]
    assert len(recall("crane", "-k", "0", "--walk", "9")["warnings"]) == 2


def test_recall_of_what_is_not_there(crewmem, home):
    """Without a home, or in a workspace that is not there, the status is 4."""
    assert crewmem("episodes", "recall", "x", environ=WORDS).status == 4
    assert not home.exists()
    crewmem("init")
    ran = crewmem("-w", "nope", "episodes", "recall", "x", environ=WORDS)
    assert ran.status == 4
    ran = crewmem("episodes", "recall", "x", environ=WORDS)
    assert (ran.status, ran.stderr) == (0, "Nothing in 0 episodes answers that.\n")


@pytest.mark.parametrize("text", ["", "  ", "?!", "\N{ANCHOR}"])
def test_a_question_without_words(happened, recall, text):
    """What holds no word gets nothing, and is told why."""
    happened("the crane broke")
    document = recall(text)
    assert document["data"]["hits"] == []
    assert document["warnings"] == ["the question holds no word that can be looked for"]


def test_the_question_may_be_read(crewmem, happened):
    """A dash reads the question from standard input."""
    entry = happened("the crane broke")
    ran = crewmem("episodes", "recall", "-", stdin="crane broke\n", environ=WORDS)
    assert ran.stdout == f"{entry}: the crane broke\n"


def test_scopes(happened, recall):
    """An agent finds its own, a lead its crew's, an operator all; options narrow it."""
    otto = happened("the crane broke", agent="otto")
    mira = happened("the crane broke", agent="mira")
    nobody = happened("the crane broke")
    assert ids(recall("crane")) == [otto, mira, nobody]
    assert ids(recall("crane", "--agent", "otto")) == [otto]
    assert ids(recall("crane", "--crew", "harbor")) == [otto, mira]
    assert ids(recall("crane", "--as", "agent:otto")) == [otto]
    assert ids(recall("crane", "--as", "agent:otto", "-S", "crew")) == [otto, mira]
    assert ids(recall("crane", "--as", "lead:mira")) == [otto, mira]
    assert ids(recall("crane", "--as", "lead:mira", "-S", "agent")) == [mira]
    assert ids(recall("crane", "--as", "agent:otto", "--agent", "mira")) == []


def test_an_agent_may_not_look_further(crewmem, happened):
    """A scope beyond the crew is refused."""
    happened("the crane broke")
    words = ("episodes", "recall", "crane", "-S", "workspace", "--as", "agent:otto")
    assert crewmem(*words, environ=WORDS).status == 8


def test_who_has_no_memory_recalls_nothing(crewmem, happened, recall):
    """An agent whose memory is off gets nothing, and is told why."""
    entry = happened("the crane broke", agent="otto")
    crewmem("agent", "set", "otto", "--memory", "off")
    command = "crewmem agent set otto --memory on"
    told = [f"nothing is recalled for otto: its memory is off ({command})"]
    for words in (["--as", "agent:otto"], ["--agent", "otto"]):
        document = recall("crane", *words)
        assert (ids(document), document["warnings"]) == ([], told)
    assert ids(recall("crane")) == [entry]
    crewmem("agent", "set", "otto", "--memory", "on")
    assert ids(recall("crane", "--as", "agent:otto")) == [entry]


# Many questions


def test_many_questions(crewmem, happened):
    """Questions in JSON lines are answered in their order, each with its id."""
    crane, winch = happened("the crane broke"), happened("the winch jammed")
    lines = [{"id": "b", "text": "winch"}, {"id": "a", "text": "crane"}, {"text": "x"}]
    stdin = "".join(f"{json.dumps(each)}\n" for each in lines)
    words = ("episodes", "recall", "--queries", "-", "-F", "jsonl")
    ran = crewmem(*words, stdin=stdin, environ=WORDS)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [each["query"] for each in answers] == ["b", "a", "3"]
    assert [[hit["entry_id"] for hit in each["hits"]] for each in answers] == [
        [winch],
        [crane],
        [],
    ]
    piped = crewmem("episodes", "recall", "--queries", "-", stdin=stdin, environ=WORDS)
    assert [json.loads(each)["query"] for each in piped.stdout.splitlines()] == [
        *("b", "a", "3")
    ]
    words = ("episodes", "recall", "--queries", "-", "-F", "table")
    ran = crewmem(*words, stdin=stdin, environ=WORDS)
    first, _, second, *_ = (line for line in ran.stdout.splitlines() if line[0] != " ")
    assert (first, second) == ("b", "a")


def test_bad_lines_are_told(crewmem, happened, tmp_path):
    """A line that is no question is told by its number, and the others answered."""
    happened("the crane broke")
    path = tmp_path / "queries.jsonl"
    path.write_bytes(b'{"text": 5}\n{"text": " "}\n\n[\n\xff\n{"text": "crane"}\n')
    with path.open("ab") as file:
        file.write(b'{"text": "%s"}\n' % (b"x" * (8 << 20)))
    ran = crewmem("episodes", "recall", "--queries", path, "--json", environ=WORDS)
    assert ran.status == 0
    (answer,) = ran.json["data"]
    assert (answer["query"], len(answer["hits"])) == ("6", 1)
    *warnings, last = ran.json["warnings"]
    assert last == "line 7: it is too long"
    assert [each.partition(":")[0] for each in warnings] == [
        "line 1",
        "line 2",
        "line 4",
        "line 5",
    ]


def test_a_file_of_no_questions(crewmem, happened, tmp_path):
    """A file without a question is a mistake, one that is not there is missing."""
    happened("the crane broke")
    path = tmp_path / "queries.jsonl"
    assert crewmem("episodes", "recall", "--queries", path).status == 4
    path.write_text("\n")
    assert crewmem("episodes", "recall", "--queries", path).status == 2


# Vectors


def test_vectors_are_made_and_used(crewmem, happened, recall, letters):
    """After a sweep what means the same is found without a word of it."""
    entry = happened("abba")
    happened("xyzzy")
    ran = crewmem("episodes", "sweep", environ=letters)
    assert (ran.status, ran.stdout.partition(",")[0]) == (0, "2 entries embedded")
    document = recall("bab", environ=letters)
    assert (document["data"]["mode"], document["data"]["state"]) == ("hybrid", "vector")
    assert ids(document)[0] == entry
    assert document["data"]["hits"][0]["cosine"] > 0.9
    (first, *_) = recall("bab", "--mode", "dense", environ=letters)["data"]["hits"]
    assert first["score"] == pytest.approx(first["cosine"] * 0.7, abs=1e-5)
    assert (
        recall("abba", "--mode", "sparse", environ=letters)["data"]["mode"] == "sparse"
    )


def test_before_a_sweep_words_are_asked(happened, recall, letters):
    """Where no episode is embedded yet recall says so, and goes by words."""
    entry = happened("the crane broke")
    document = recall("crane", environ=letters)
    assert (ids(document), document["data"]["state"]) == ([entry], "vector-degraded")
    told = "no episode is embedded yet: crewmem episodes sweep does it"
    assert document["warnings"] == [f"recall goes by words alone: {told}"]


def test_a_service_that_is_gone_leaves_the_words(crewmem, happened, recall, service):
    """When the service does not answer, words do, with a warning and status 0."""
    entry = happened("the crane broke")
    crewmem("episodes", "sweep", environ=environ_of(service))
    gone = environ_of(service) | {"CREWMEM_EMBEDDER_TIMEOUT": "0.2"}
    service.close()
    document = recall("crane", environ=gone)
    assert (ids(document), document["data"]["state"]) == ([entry], "vector-degraded")
    assert "recall goes by words alone: Ollama at http" in document["warnings"][0]


def test_vectors_of_another_model_leave_the_words(crewmem, happened, recall, service):
    """Vectors of two models are not compared: words are asked, and it is said."""
    entry = happened("the crane broke")
    crewmem("episodes", "sweep", environ=environ_of(service))
    other = environ_of(service, "numbers") | {"CREWMEM_EMBEDDER": "ollama"}
    document = recall("crane", environ=other)
    assert (ids(document), document["data"]["state"]) == ([entry], "vector-degraded")
    assert "there are vectors of letters" in document["warnings"][0]
    ran = crewmem("episodes", "reembed", "--dry-run", environ=other)
    assert ran.stdout == (
        "default: 1 episode would be embedded by numbers, 1 vector of other models "
        "would be dropped\n"
    )
    ran = crewmem("episodes", "reembed", environ=other)
    assert ran.stdout == (
        "default: 1 episode embedded by numbers, 1 vector of other models dropped\n"
    )
    document = recall("crane", environ=other)
    assert (document["data"]["state"], document["warnings"]) == ("vector", [])


@pytest.mark.parametrize("damage", [b"", b"no database" * 9_000, None])
def test_vectors_come_back(crewmem, home, happened, recall, letters, damage):
    """However vectors.sqlite is broken words are asked, and a sweep makes it again."""
    entry = happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    path = home / "vectors.sqlite"
    path.unlink()
    if damage is not None:
        path.write_bytes(damage)
    document = recall("crane", environ=letters)
    assert (ids(document), document["data"]["state"]) == ([entry], "vector-degraded")
    assert document["warnings"]
    ran = crewmem("episodes", "sweep", environ=letters)
    assert "1 entry embedded" in ran.stdout
    document = recall("crane", environ=letters)
    assert (document["data"]["state"], document["warnings"]) == ("vector", [])


# What is written


def test_recalls_are_kept(crewmem, home, happened, recall):
    """A question and its answer are kept, after they are printed."""
    entry = happened("the crane broke")
    recall("crane", "--as", "operator:ada")
    ((verb, query, actor, mode, k, found),) = rows(
        home, "select verb, query, actor, mode, k, ids from recalls"
    )
    assert (verb, query, actor, mode, k) == (
        "episodes recall",
        "crane",
        "operator:ada",
        "sparse",
        5,
    )
    assert json.loads(found) == [entry]
    lines = '{"text": "a"}\n{"text": "b"}\n'
    crewmem("episodes", "recall", "--queries", "-", stdin=lines, environ=WORDS)
    assert rows(home, "select count(*) from recalls") == [(3,)]


def test_recall_counts_nothing(home, happened, recall):
    """Plain recall changes no count and no weight."""
    happened("the crane broke")
    sql = "select * from episodes"
    before = rows(home, sql)
    recall("crane")
    recall("crane", "--explain")
    assert rows(home, sql) == before


def test_a_mark_counts_once(crewmem, home, happened, recall):
    """With --mark each hit is counted, once for each command."""
    happened("the crane broke")
    happened("xyzzy")
    sql = "select reference_count, last_referenced_at from episodes order by seq"
    recall("crane", "--mark")
    told = (1, "2026-05-01T09:30:00.000Z")
    assert rows(home, sql) == [told, (0, None)]
    lines = '{"text": "crane"}\n{"text": "broke"}\n'
    words = ("episodes", "recall", "--queries", "-", "--mark")
    crewmem(*words, stdin=lines, environ=WORDS)
    assert [count for count, _ in rows(home, sql)] == [2, 0]


def test_a_frozen_home_is_read(crewmem, home, happened, letters):
    """In a copy that nobody may write recall answers, and leaves no trace."""
    entry = happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    paths = [home, *home.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(modes[path] & ~0o222)
    before = snapshot(home)
    try:
        for mode in ("hybrid", "dense", "sparse"):
            words = ("episodes", "recall", "crane", "--mode", mode, "--no-gate")
            ran = crewmem(*words, environ=letters)
            assert (ran.status, ran.stderr) == (0, "")
            assert ran.stdout == f"{entry}: the crane broke\n"
        for words in (["list"], ["relations", "list"]):
            assert crewmem("episodes", *words, environ=letters).status == 0
        assert crewmem("decay").status == 0
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    assert snapshot(home) == before


def test_where_nothing_may_be_written(crewmem, reachable, nobody):
    """Who may only read is answered; what was to be counted is not, and it is said."""
    at = ("--home", reachable / "home")
    crewmem(*at, "journal", "add", "peer.escalation", "the crane broke", environ=WORDS)
    words = (*at, "episodes", "recall", "crane", "--no-gate", "--mark")
    assert crewmem(*words, environ=WORDS).status == 0
    for path in [reachable / "home", *(reachable / "home").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    with nobody():
        ran = crewmem(*words, environ=WORDS)
        assert (ran.status, ran.stdout.partition(": ")[2]) == (0, "the crane broke\n")
        assert "not counted: " in ran.stderr
        assert crewmem(*at, "episodes", "sweep", environ=WORDS).status == 8
    counts = rows(reachable / "home", "select reference_count from episodes")
    assert counts == [(1,)]


def test_what_agents_search_in_files_is_kept(crewmem, home, harbor):  # noqa: ARG001 - it is there
    """The database is open by then; an operator's search does not wait for it."""
    words = "memory", "write", "--tier", "agent", "--mode", "append", "a stuck winch"
    assert crewmem("--as", "agent:otto", *words).status == 0
    for actor in ("agent:otto", "operator:ada"):
        ran = crewmem("--as", actor, "memory", "search", "winch", "--json")
        (hit,) = ran.json["data"]["hits"]
    what = json.dumps([hit["ref"]]), json.dumps([hit["relevance"]])
    sql = "select verb, query, actor, mode, k, ids, relevances from recalls"
    told = ("memory search", "winch", "agent:otto", "words", 10, *what)
    assert rows(home, sql) == [told]


def test_a_busy_database_drops_the_row(home, happened, recall):
    """While somebody writes recall answers, and what was asked is not kept."""
    entry = happened("the crane broke")
    with closing(apsw.Connection(str(home / "crewmem.db"))) as db:
        db.execute("begin immediate")
        assert ids(recall("crane")) == [entry]
        db.execute("rollback")
    assert rows(home, "select count(*) from recalls") == [(0,)]


# Sweeps


def test_an_idle_sweep_writes_nothing(crewmem, home, happened, letters):
    """Where nothing is new no file is made, changed or touched."""
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    crewmem("episodes", "sweep", environ=letters)
    before = snapshot(home)
    ran = crewmem("episodes", "sweep", environ=letters)
    assert (ran.status, ran.stdout) == (0, "Nothing new.\n")
    assert snapshot(home) == before
    ran = crewmem("episodes", "sweep", "--quiet", environ=letters)
    assert (ran.stdout, ran.stderr) == ("", "")


def test_a_sweep_without_an_embedder_says_so(crewmem, happened):
    """What waits is counted, and why it does is said; timers are not told each time."""
    happened("the crane broke")
    ran = crewmem("episodes", "sweep", environ=WORDS)
    assert (ran.status, ran.stdout.splitlines()) == (
        0,
        [
            "3 files indexed, 1 waiting",
            "Nothing is embedded: the setting embedder is none",
        ],
    )
    ran = crewmem("episodes", "sweep", "--quiet", environ=WORDS)
    assert (ran.status, ran.stdout) == (0, "")
    data = crewmem("episodes", "sweep", "--json", environ=WORDS).json["data"]
    assert (data["model"], data["waiting"], data["embedded"]) == (None, 1, 0)


@pytest.mark.usefixtures("harbor")
def test_what_embeds_is_told_of_chunks_alone(crewmem, letters):
    """A sweep that has no entries to embed names the model of what it does embed."""
    crewmem("memory", "write", "--agent", "otto", "--tier", "agent", "a stuck winch")
    data = crewmem("episodes", "sweep", "--json", environ=letters).json["data"]
    assert (data["model"], data["embedded"], data["chunks"] > 0) == ("letters", 0, True)
    data = crewmem("episodes", "sweep", "--json", environ=letters).json["data"]
    assert (data["model"], data["chunks"]) == (None, 0)


def test_a_sweep_is_of_all_workspaces_or_of_one(crewmem, happened, letters):
    """All are swept, unless one is named; one that is not there is missing."""
    happened("the crane broke")
    crewmem("-w", "other", "journal", "add", "peer.escalation", "x", environ=WORDS)
    ran = crewmem("-w", "other", "episodes", "sweep", "--json", environ=letters)
    assert ran.json["data"]["embedded"] == 1
    ran = crewmem("episodes", "sweep", "--json", environ=letters)
    assert ran.json["data"]["embedded"] == 1
    assert crewmem("-w", "nope", "episodes", "sweep", environ=letters).status == 4


@pytest.mark.usefixtures("harbor")
def test_a_home_without_a_database_is_swept(crewmem, home):
    """Of a home that has directories alone their indexes are brought up to date."""
    (home / "crewmem.db").unlink()
    ran = crewmem("episodes", "sweep", environ=WORDS)
    assert (ran.status, ran.stdout) == (0, "3 files indexed\n")
    assert not (home / "crewmem.db").exists()
    (home / "workspaces" / "away").symlink_to(home / "workspaces" / "default")
    assert crewmem("episodes", "sweep", environ=WORDS).stdout == "Nothing new.\n"


def test_a_second_sweep_ends_at_once(crewmem, home, happened, letters):
    """While one runs another ends with 0, says so, and does nothing."""
    from crewmem import disk

    happened("the crane broke")
    with disk.open_root(home) as root:
        disk.make_dirs(root, "locks")
        with disk.lock(root, "locks/sweep", timeout=0):
            ran = crewmem("episodes", "sweep", environ=letters)
            assert (ran.status, ran.stdout) == (0, "")
            assert ran.stderr == "Another sweep is running; it does the work.\n"
            assert crewmem("episodes", "reembed", environ=letters).status == 0
            told = crewmem("episodes", "sweep", "--json", environ=letters).json
            other = crewmem("episodes", "reembed", "--json", environ=letters).json
    assert (told["data"]["running"], other["data"]) == (True, [])
    assert told["warnings"] == other["warnings"] == [ran.stderr.strip()]
    assert not (home / "vectors.sqlite").exists()


def test_a_sweep_whose_service_is_gone(crewmem, happened, service):
    """Entries wait, indexes are brought up to date, and it is a warning."""
    happened("the crane broke")
    gone = environ_of(service) | {"CREWMEM_EMBEDDER_TIMEOUT": "0.2"}
    service.close()
    ran = crewmem("episodes", "sweep", environ=gone)
    assert ran.status == 0
    assert "1 waiting" in ran.stdout
    assert "cannot be used: " in ran.stderr
    assert crewmem("episodes", "sweep", "--strict", environ=gone).status == 1


def test_a_sweep_whose_service_refuses(crewmem, happened):
    """A service that refuses whatever it is asked is a warning, and no failure."""
    happened("the crane broke")

    def refusing(_server, connection, *_):
        answered(connection, 401, {"error": "who are you?"})

    with serving(refusing) as server:
        ran = crewmem("episodes", "sweep", environ=environ_of(server))
    assert ran.status == 0
    assert "1 waiting" in ran.stdout or "1 failed" in ran.stdout


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (200, {"embeddings": [[0.0] * 768]}, "a vector of zeros"),
        (400, {"error": "too long"}, "HTTP 400: too long"),
    ],
)
def test_a_sweep_says_why_texts_failed(crewmem, happened, status, answer, said):
    """What could not be embedded is counted, with a reason, and is no failure."""
    happened("the crane broke")
    with serving(lambda _, to, *__: answered(to, status, answer)) as server:
        environ = environ_of(server, "nomic-embed-text")
        ran = crewmem("episodes", "sweep", environ=environ)
    assert ran.status == 0
    (failed,) = re.findall(r"(\d+) failed, 1 waiting", ran.stdout)
    told = f"{failed} could not be embedded, and will be tried again: Ollama"
    assert told in ran.stderr
    assert said in ran.stderr


@pytest.mark.parametrize(
    ("status", "more"), [(200, []), (307, ["location: http://login.example/"])]
)
def test_what_is_no_service_is_no_entrys_fault(crewmem, happened, status, more):
    """A page to log in, or a way to one, is asked for once, and counted for none."""
    for name in ("crane", "winch", "rope"):
        happened(f"the {name} broke")
    with serving(lambda _, to, *__: answered(to, status, b"<html>", more)) as server:
        ran = crewmem("episodes", "sweep", "--json", environ=environ_of(server, "any"))
        assert len(server.asked) == 1
    found = ran.json["data"]
    assert (found["failed"], found["waiting"], ran.status) == (0, 3, 0)
    assert found["why"] in ran.json["warnings"][0]


@pytest.mark.parametrize("what", ["a directory", "another program's"])
def test_where_vectors_cannot_be_kept_the_rest_is_swept(
    crewmem, home, happened, letters, what
):
    """What stands in their place is named and left alone; indexes are brought in."""
    happened("the crane broke")
    path = home / "vectors.sqlite"
    if what == "a directory":
        path.mkdir()
    else:
        with closing(apsw.Connection(str(path))) as db:
            db.execute("create table t (x)")
    ran = crewmem("episodes", "sweep", environ=letters)
    assert ran.status == 0
    assert "1 waiting" in ran.stdout
    assert "3 files indexed, 15 chunks embedded" in ran.stdout
    assert "nothing is, until it is moved" in ran.stderr
    assert path.exists()


def test_all_is_what_comes_meanwhile_as_well(crewmem, home, happened):
    """An entry that is added while others are embedded is not left to the next."""
    happened("the crane broke")

    def adding(server, *request):
        if len(server.asked) == 2:
            with closing(open_to_write(home)) as db:
                journal = Journal(db, on_append=lambda new: Episodes(db).take(new, NOW))
                journal.append("default", [Draft("peer.escalation", "so")], now=NOW)
        by_letters(server, *request)

    with serving(adding) as server:
        words = ("episodes", "sweep", "--all", "--json")
        done = crewmem(*words, environ=environ_of(server)).json["data"]
    assert (done["embedded"], done["waiting"]) == (2, 0)


def test_a_service_that_hangs_is_waited_for_once(crewmem, home, happened, letters):
    """A pass asks it for entries, and not again for memories and chunks."""
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    happened("the winch jammed")
    crewmem("remember", "cranes break", "--as", "operator:ada", environ=WORDS)
    (home / "workspaces/default/.memory/rules.md").write_text("# Rules\n\nMind it.\n")

    def hanging(server, *_):
        server.ended.wait(9)

    with serving(hanging) as server:
        slow = environ_of(server) | {"CREWMEM_EMBEDDER_TIMEOUT": "0.2"}
        ran = crewmem("episodes", "sweep", environ=slow)
    assert ran.status == 0
    assert len(server.asked) <= 1  # it may not even have come to that
    assert "1 file indexed" in ran.stdout
    assert "1 waiting" in ran.stdout
    done = crewmem("episodes", "sweep", "--json", environ=letters).json["data"]
    assert (done["embedded"], done["memories"], done["chunks"]) == (1, 1, 1)


def test_agents_whose_memory_is_off_are_left_out(crewmem, happened, letters):
    """A sweep passes them over and says so; switched on again they are swept."""
    happened("the crane broke", agent="otto")
    happened("the winch jammed", agent="mira")
    crewmem("agent", "set", "otto", "--memory", "off")
    ran = crewmem("episodes", "sweep", environ=letters)
    first, last = ran.stdout.splitlines()
    assert first.startswith("1 entry embedded, 2 files indexed")
    assert last == "Left out, for their memory is off: otto."
    data = crewmem("episodes", "sweep", "--json", environ=letters).json["data"]
    assert (data["embedded"], data["waiting"], data["left_out"]) == (0, 0, ["otto"])
    crewmem("agent", "set", "otto", "--memory", "on")
    ran = crewmem("episodes", "sweep", environ=letters)
    assert ran.stdout.startswith("1 entry embedded, 1 file indexed")


@pytest.mark.parametrize(
    "words",
    [["--all", "--for", "5s"], ["--every", "5s"], ["--for", "x"], ["--for", "0s"]],
)
@pytest.mark.usefixtures("harbor")
def test_sweeps_that_make_no_sense(crewmem, words):
    """Spans that are none, or do not fit together, end with 2."""
    assert crewmem("episodes", "sweep", *words, environ=WORDS).status == 2


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc")
def test_passes_share_what_is_opened(home, happened, letters):
    """Passes of one sweep add up, and open nothing that stays open."""
    from crewmem.cli.app import App, World
    from crewmem.cli.sweeping.passes import Sweeper

    for n in range(5):
        happened(f"crane {n}")
    world = World(environ=letters | {"CREWMEM_HOME": str(home)}, clock=lambda: NOW)
    with click.Context(click.Command("sweep")):
        sweeper = Sweeper(App(world, {}), 2)
        done = sweeper.sweep(NOW)
        opened = len([*Path("/proc/self/fd").iterdir()])
        for after in range(1, 4):
            done = done.then(sweeper.sweep(NOW + timedelta(seconds=30 * after)))
        assert len([*Path("/proc/self/fd").iterdir()]) == opened
    assert (done.embedded, done.waiting, done.files) == (5, 0, 3)


# Adding, listing, relating


def test_an_entry_is_embedded_as_it_is_added(crewmem, home, happened, letters):
    """With --embed a selected entry is embedded at once; another one says it is not."""
    happened(
        "the crane broke", "--embed", environ=letters | {"CREWMEM_EMBEDDER": "auto"}
    )
    listed = crewmem("episodes", "list", "--json", environ=letters).json["data"]
    assert [each["model"] for each in listed] == ["letters"]
    words = ("journal", "add", "note.taken", "hello", "--embed")
    ran = crewmem(*words, environ=letters)
    assert ran.status == 0
    assert "not embedded: note.taken is not selected for recall" in ran.stderr
    ran = crewmem("journal", "add", "peer.escalation", "y", "--embed", environ=WORDS)
    assert ran.status == 0
    assert "not embedded: the setting embedder is none" in ran.stderr
    assert rows(home, "select count(*) from journal_entries") == [(3,)]


def test_what_could_not_be_embedded_at_once_is_swept(crewmem, happened, service):
    """A service that is down costs no entry: it is added, and the next sweep has it."""
    letters = environ_of(service)
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    down = letters | {
        "KEEPER_OLLAMA_URL": "http://127.0.0.1:9",
        "CREWMEM_EMBEDDER_TIMEOUT": "0.2",
    }
    words = ("journal", "add", "peer.escalation", "winch", "--embed")
    ran = crewmem(*words, environ=down)
    assert ran.status == 0
    assert "not embedded yet" in ran.stderr
    ran = crewmem("episodes", "sweep", "--json", environ=letters)
    assert (ran.json["data"]["embedded"], ran.json["data"]["waiting"]) == (1, 0)


def test_what_was_embedded_at_once_waits_for_no_sweep(crewmem, happened, letters):
    """Nor is it said to."""
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    words = ("journal", "add", "peer.escalation", "winch", "--embed")
    assert crewmem(*words, environ=letters).status == 0
    assert crewmem("status", "--json", environ=letters).json["data"]["waiting"] == 0


def test_a_recall_tells_whether_it_was_answered(crewmem, happened, recall, letters):
    """Status knows it afterwards, and asks nobody: that it is down, and back."""
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    down = letters | {
        "KEEPER_OLLAMA_URL": "http://127.0.0.1:9",
        "CREWMEM_EMBEDDER_TIMEOUT": "0.2",
    }
    assert recall("crane", environ=down)["data"]["state"] == "vector-degraded"
    seen = crewmem("status", "--json", environ=letters).json["data"]
    assert (seen["episodic"], seen["next"]) == (
        "vector-degraded",
        "crewmem embedder test",
    )
    assert recall("crane", environ=letters)["data"]["state"] == "vector"
    seen = crewmem("status", "--json", environ=letters).json["data"]
    assert (seen["episodic"], seen["problems"]) == ("vector", [])


def test_an_older_journal_is_told_from_its_vectors(
    crewmem, home, happened, recall, letters
):
    """A backup that was put back has other entries where later ones were embedded."""
    happened("the crane broke")
    crewmem("episodes", "sweep", environ=letters)
    backup = (home / "crewmem.db").read_bytes()
    happened("lullaby, lullaby")
    crewmem("episodes", "sweep", environ=letters)
    for end in ("-wal", "-shm"):
        (home / f"crewmem.db{end}").unlink(missing_ok=True)
    (home / "crewmem.db").write_bytes(backup)
    added = []
    for summary in ("a zebra", "a quay"):  # the first is where the other was
        seen = crewmem("status", "--json", environ=letters).json["data"]
        assert (seen["episodic"], seen["waiting"]) == (
            "vector-degraded",
            seen["episodes"],
        )
        answer = recall("crane", environ=letters)
        assert answer["data"]["state"] == "vector-degraded"
        assert "of another journal" in answer["warnings"][0]
        added.append(happened(summary))
    ran = crewmem("episodes", "sweep", "--json", environ=letters)
    assert (ran.json["data"]["embedded"], ran.json["data"]["waiting"]) == (3, 0)
    answer = recall("zebra", environ=letters)
    assert (answer["data"]["state"], ids(answer)[0]) == ("vector", added[0])
    assert answer["data"]["hits"][0]["cosine"] > 0.9
    assert crewmem("status", "--json", environ=letters).json["data"]["problems"] == []


def test_entries_are_added(crewmem, happened, recall):
    """What was not selected is made worth recalling, once."""
    entry = happened("hello there", kind="note.taken")
    assert ids(recall("hello")) == []
    ran = crewmem("episodes", "add", entry[:8], environ=WORDS)
    assert ran.stdout == f"{entry} is an episode.\n"
    ran = crewmem("episodes", "add", entry, "--json", environ=WORDS)
    assert ran.json["data"] == [{"entry_id": entry, "is_new": False}]
    assert ids(recall("hello")) == [entry]


def test_adding_makes_no_home(crewmem, home):
    """What is not there is missing, and nothing is made to look for it."""
    for words in (["add", "j_12345678"], ["relations", "add", "j_1234567", "j_765"]):
        assert crewmem("episodes", *words, environ=WORDS).status == 4
        assert not home.exists()
    crewmem("init")
    for words in (["add", "j_12345678"], ["relations", "add", "j_1234567", "j_765"]):
        assert crewmem("episodes", *words, environ=WORDS).status == 4


def test_an_agent_adds_what_it_may_see(crewmem, happened):
    """What is out of reach is not there; all are added or none."""
    mine = happened("a", kind="note.taken", agent="otto")
    secret = happened("b", kind="note.taken")
    words = ("episodes", "add", mine, secret, "--as", "agent:otto")
    assert crewmem(*words, environ=WORDS).status == 4
    ran = crewmem("episodes", "list", "--json")
    assert ran.json["data"] == []
    words = ("episodes", "add", mine, "--as", "agent:otto")
    assert crewmem(*words, environ=WORDS).status == 0


def test_episodes_are_listed(crewmem, happened, letters):
    """Newest first, page by page, with their weight; vectors if they are asked for."""
    entries = [happened(f"crane {n}", agent="otto") for n in range(3)]
    crewmem("episodes", "sweep", environ=letters)
    ran = crewmem("episodes", "list", "--limit", "2", "--json")
    assert [each["entry_id"] for each in ran.json["data"]] == entries[:0:-1]
    assert {*ran.json["data"][0]} == {
        *("entry_id", "summary", "vector", "dim", "model", "indexed_at"),
        *("importance_score", "reference_count", "last_referenced_at"),
    }
    after = ran.json["next"]
    ran = crewmem("episodes", "list", "--after", after, "--vectors", "-F", "jsonl")
    (line,) = ran.stdout.splitlines()
    assert (json.loads(line)["entry_id"], len(json.loads(line)["vector"])) == (
        entries[0],
        26,
    )
    ran = crewmem("episodes", "list", "--limit", "2")
    assert ran.stdout.splitlines()[0].split() == [
        *("ID", "AGE", "IMPORTANCE", "REFERENCES", "MODEL", "SUMMARY")
    ]
    assert ran.stderr == f"There is more: --after {after}\n"
    assert crewmem("episodes", "list", "--after", "x").status == 2
    ran = crewmem("episodes", "list", "--as", "agent:mira")
    assert (ran.stdout, ran.stderr) == ("", "There are no episodes.\n")


def test_relations_are_said_and_listed(crewmem, happened):
    """A person says how entries are related; who may see both sees the relation."""
    one, other = happened("a", agent="otto"), happened("b", agent="mira")
    words = ("episodes", "relations", "add", one, other)
    ran = crewmem(*words)
    assert ran.stdout == f"{one} says: contradicts {other}.\n"
    assert crewmem(*words).stdout == f"{one} says already: contradicts {other}.\n"
    ran = crewmem("episodes", "relations", "list", one, "--json")
    assert [each["relation"] for each in ran.json["data"]] == ["contradicts"]
    ran = crewmem("episodes", "relations", "list", "--as", "agent:otto", "--json")
    assert ran.json["data"] == []
    assert crewmem(*words, "--as", "agent:otto").status == 4
    words = ("episodes", "relations", "add", one, one)
    assert crewmem(*words).status == 8
