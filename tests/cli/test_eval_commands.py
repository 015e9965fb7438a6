"""Measuring recall, and tuning it, from the command line."""

import json
import os
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from conftest import NOW
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.cli.evaluating import tuning
from crewmem.evaluation.candidates import KEYS, Candidate
from crewmem.settings import SETTINGS

WORDS = {"CREWMEM_EMBEDDER": "none"}
"""Nothing is embedded, so that a figure is a figure anywhere."""

TOPICS = (
    ("anchor", "The anchor of the barge weighs nine hundred kilos."),
    ("bollard", "A bollard on pier four is cracked and closed."),
    ("capstan", "Grease the capstan every second Monday."),
    ("dredger", "The dredger Svenja leaves Hamburg in October."),
    ("ensign", "Fly the ensign at half mast on the fifth of May."),
    ("fender", "Order fenders from Lindqvist and nobody else."),
    ("galley", "The galley inspection failed for its extinguisher."),
    ("hawser", "A hawser of forty millimetres holds the ferry."),
)

CORPUS = (
    [
        {"id": f"m_{name}", "store": "memories", "text": text, "agent": "mira"}
        for name, text in TOPICS[:4]
    ]
    + [
        {"id": f"j_{name}", "store": "journal", "text": text, "agent": "mira"}
        for name, text in TOPICS[4:7]
    ]
    + [
        {
            "id": "hawser",
            "store": "files",
            "path": "AGENT.md",
            "text": f"# Mira\n\n{TOPICS[7][1]}\n",
            "agent": "mira",
        }
    ]
)

CASES = [
    {"id": row["id"], "query": question, "relevant": [row["id"]], "agent": "mira"}
    for row, question in zip(
        CORPUS,
        (
            "how much does the anchor of the barge weigh",
            "which bollard is cracked",
            "when is the capstan greased",
            "when does the dredger Svenja leave Hamburg",
            "when is the ensign at half mast",
            "from whom are fenders ordered",
            "why did the galley inspection fail",
            "which hawser holds the ferry",
        ),
        strict=True,
    )
] + [
    {"id": "none", "query": "how tall is the lighthouse keeper", "agent": "mira"},
]


def lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    return path


@pytest.fixture(name="suite")
def _suite(tmp_path):
    """A suite that has its corpus beside it."""
    lines(tmp_path / "suite/corpus.jsonl", CORPUS)
    return lines(tmp_path / "suite/suite.jsonl", CASES)


@pytest.fixture(name="asks")
def _asks(crewmem):
    """A command line, by words alone."""
    return lambda *argv, **more: crewmem(
        *argv, environ={**WORDS, **more.pop("environ", {})}, **more
    )


def rows(home, sql):
    db = apsw.Connection(str(home / "crewmem.db"))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


# Measuring


def test_a_suite_with_a_corpus_needs_no_home(asks, suite, home):
    """The corpus is built into a home that is gone afterwards; this one is not made."""
    ran = asks("eval", "run", "--suite", suite, "--json")
    assert ran.status == 0, ran.stderr
    data = ran.json["data"]
    assert data["metrics"]["mrr"] == 1
    assert data["metrics"]["recall_recall_at_k"] == 1
    assert data["metrics"]["false_injection_rate"] == 0
    assert data["metrics"]["compaction_recovery_success_rate"] is None
    assert data["cases"] == 9
    assert data["violations"] == []
    assert not home.exists()
    by_id = {each["id"]: each for each in data["outcomes"]}
    assert by_id["hawser"]["found"][0].startswith("agent:eval/mira/AGENT.md:")
    assert by_id["m_anchor"]["found"][0] == "m_anchor"


def test_the_sample_has_a_suite(asks):
    """Without anything else recall can be measured, and all of it is."""
    ran = asks("eval", "run", "--suite", "sample", "--json")
    assert ran.status == 0, ran.stderr
    metrics = ran.json["data"]["metrics"]
    assert None not in metrics.values()
    assert metrics["mrr"] > 0.85
    assert metrics["compaction_recovery_success_rate"] == 1
    assert metrics["shared_promotion_precision"] == 1
    assert ran.json["warnings"] == []
    assert 40 <= ran.json["data"]["cases"] <= 60


def test_a_public_set_is_a_suite(asks, tmp_path):
    """A directory of corpus and queries is asked, each conversation by itself."""
    folder = tmp_path / "set"
    said = [
        ("d1", "conv-1", "Ada", "I adopted a parrot named Kiwi."),
        ("d2", "conv-2", "Ben", "I adopted a tortoise named Speedy."),
    ]
    lines(
        folder / "corpus.jsonl",
        [
            {
                "id": each,
                "text": text,
                "timestamp": "2024-05-01T10:00:00Z",
                "speaker": who,
                "conversation": where,
                "session": "s1",
                "seq": 1,
            }
            for each, where, who, text in said
        ],
    )
    lines(
        folder / "queries.jsonl",
        [
            {
                "id": f"q{at}",
                "text": "which animal was adopted",
                "conversation": where,
                "relevant": [each],
                "category": "1",
                "answerable": True,
            }
            for at, (each, where, _, _) in enumerate(said)
        ],
    )
    ran = asks("eval", "run", "--suite", folder, "--json")
    assert ran.status == 0, ran.stderr
    found = [each["found"] for each in ran.json["data"]["outcomes"]]
    assert found == [["d1"], ["d2"]]


def test_asking_leaves_no_trace(asks, home, tmp_path):
    """Nothing is counted, kept or written by asking, and the settings hold."""
    asks("init", "--sample")
    asks("memory", "reindex")
    case = {
        "id": "key",
        "query": "where is the deploy key",
        "agent": "winch",
        "relevant": ["m_w4xh8q2vbn01", "crew:harbor/topics/deploys.md"],
    }
    suite = lines(tmp_path / "home-suite.jsonl", [case])
    before = rows(home, "select * from memory_accesses"), _files(home)
    ran = asks("eval", "run", "--suite", suite, "--json")
    assert ran.status == 0, ran.stderr
    (outcome,) = ran.json["data"]["outcomes"]
    recalled = asks("recall", "--agent", "winch", case["query"], "--json", "--explain")
    assert outcome["injected"] == recalled.json["data"]["memories_used"]
    assert outcome["tokens"] == recalled.json["data"]["total_tokens"]
    asks("eval", "run", "--suite", suite)
    assert (rows(home, "select * from memory_accesses"), _files(home)) == before
    assert rows(home, "select * from eval_runs") == []
    few = ("--config", "recall_max_results=1")
    ran = asks("eval", "run", "--suite", suite, "--json", *few)
    assert len(ran.json["data"]["outcomes"][0]["injected"]) == 1
    assert ran.json["data"]["is_trial"] is True


def _files(home):
    return sorted(
        (str(path), path.stat().st_mtime_ns)
        for path in home.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-wal", ".db"))
    )


def test_bad_lines_are_told_by_number(asks, tmp_path, suite):
    """A bad line is named, and the others are asked; of nothing but those, it ends."""
    bad = tmp_path / "suite/bad.jsonl"
    bad.write_text(f"# a comment\n\n{json.dumps(CASES[0])}\nno json\n{{}}\n")
    ran = asks("eval", "run", "--suite", bad)
    assert ran.status == 0
    assert f"{bad}:4: it is not JSON" in ran.stderr
    assert f"{bad}:5: query should be a question" in ran.stderr
    assert asks("eval", "run", "--suite", bad, "--strict").status == 1
    bad.write_text("{}\n")
    ran = asks("eval", "run", "--suite", bad)
    assert (ran.status, "line 1: query" in ran.stderr) == (5, True)
    ran = asks("eval", "run", "--suite", tmp_path / "nowhere.jsonl")
    assert ran.status == 4
    (tmp_path / "suite/corpus.jsonl").write_text('{"id": "x"}\n')
    ran = asks("eval", "run", "--suite", suite)
    assert (ran.status, "line 1: text is missing" in ran.stderr) == (5, True)


def test_who_is_no_operator_measures_nothing(asks):
    """Cases are asked as others: that is for operators."""
    asks("init", "--sample")
    for words in (["eval", "run"], ["eval", "runs"], ["tune", "history"]):
        assert asks(*words, "--as", "agent:winch").status == 8


def test_all_cases_see_one_state(asks, app, home):
    """What is written while a suite is asked is not there for any of its cases."""
    from crewmem.cli.evaluating.judge import judging
    from crewmem.evaluation.case import Case

    asks("init", "--sample")
    asks("episodes", "sweep")
    case = Case("q", query="where is the deploy key", relevant=("x",), agent="winch")
    said = "The deploy key is in a drawer."
    with judging(app, ["default"]) as means:
        was = means.retrieve(case, {})
        assert asks("remember", said, "--agent", "winch").status == 0
        assert asks("journal", "add", "summary.generated", said, *OWN).status == 0
        page = home / "workspaces/default/crews/harbor/agents/winch/.memory/AGENT.md"
        page.write_text(f"# The deploy key\n\n{said}\n")
        now = means.retrieve(case, {})
        assert (now.found, now.injected) == (was.found, was.injected)
        assert app.out.warnings == []
        asks("memory", "reindex")
    assert "indexed anew" in app.out.warnings[0]
    with judging(app, ["default"]) as means:
        assert means.retrieve(case, {}).found != was.found


OWN = ("--agent", "winch", "--crew", "harbor")


def test_a_leak_is_seen_by_its_rows(asks, app):
    """Whoever may not read a row is told of, whatever recall thinks of it."""
    from crewmem.cli.evaluating.allowed import is_allowed
    from crewmem.cli.evaluating.judge import GIVEN
    from crewmem.cli.places import Chosen
    from crewmem.cli.recalling.asking import subject
    from crewmem.cli.recalling.run import budget_of, lay

    asks("init", "--sample")
    asks("memory", "reindex")

    def hits(agent):
        chosen = Chosen(None, None, None, agent)
        whose = subject(app, chosen)
        budget = budget_of(whose, GIVEN, "x")
        question = "how are invoice lines rounded at Ternøy"
        return whose, lay(whose, question, chosen, GIVEN, budget).laying.hits

    winch, own = hits("winch")
    ledger, others = hits("ledger")
    everybody, every = hits(None)
    assert all([own, others, every])
    assert all(is_allowed(hit, winch, app) for hit in own)
    assert all(is_allowed(hit, ledger, app) for hit in others)
    assert all(is_allowed(hit, everybody, app) for hit in every)
    private = [hit for hit in others if hit.scope == "agent" and hit.store != "journal"]
    assert {hit.store for hit in private} == {"files", "memories"}
    assert not any(is_allowed(hit, winch, app) for hit in private)
    asks("workspace", "add", "lab")
    from crewmem.cli.evaluating.judge import _named

    assert not any(is_allowed(hit, everybody, _named(app, "lab")) for hit in every)


# Runs that are kept


def test_runs_are_kept_shown_and_compared(asks, suite):
    """A planted regression is found by comparing two runs, case by case."""
    good = asks("eval", "run", "--suite", suite, "--save", "--json").json["data"]["id"]
    limit = ("--config", "recall_min_relevance=1")
    bad = asks("eval", "run", "--suite", suite, "--save", "--json", *limit)
    bad = bad.json["data"]["id"]
    listed = asks("eval", "runs", "--json").json["data"]
    assert [each["id"] for each in listed] == [bad, good]
    shown = asks("eval", "show", good[:8], "--json").json["data"]
    assert (shown["id"], len(shown["outcomes"])) == (good, 9)
    compared = asks("eval", "compare", good, bad, "--json").json["data"]
    verdicts = {each["name"]: each["verdict"] for each in compared["metrics"]}
    assert verdicts["mrr"] == "worse"
    assert verdicts["false_injection_rate"] == "same"
    assert compared["settings"] == {"recall_min_relevance": [0.7, 1.0]}
    assert not compared["changed"][0]["is_right"]
    again = asks("eval", "compare", good, good, "--json").json["data"]
    assert (again["changed"], again["settings"]) == ([], {})
    assert asks("eval", "show", "r_000000").status == 4
    kinds = asks("journal", "list", "--json").json["data"]
    assert [each["entry_type"] for each in kinds] == ["eval.run", "eval.run"]


def test_a_gate_that_is_missed_ends_with_1(asks, suite):
    """It is named; one that is not measured does not fail."""
    ran = asks("eval", "gate", "--suite", suite)
    assert ran.status == 0, ran.stdout
    assert "not measured" in ran.stdout
    strict = {"CREWMEM_EVAL_MAX_TOKENS": "1"}
    ran = asks("eval", "gate", "--suite", suite, environ=strict)
    assert ran.status == 1
    assert "missed: avg_injected_tokens" in ran.stdout


def test_three_misses_are_an_incident(asks, suite):
    """Written down once, with the last good settings and the way back."""
    strict = {"CREWMEM_EVAL_MAX_TOKENS": "1"}
    asks("init")
    good = asks("eval", "gate", "--suite", suite, "--json").json["data"]["id"]
    told = [
        asks("eval", "gate", "--suite", suite, "--json", environ=strict, now=at)
        for at in (NOW + timedelta(days=day) for day in range(1, 6))
    ]
    incidents = [each.json["data"]["incident"] for each in told]
    assert [bool(each) for each in incidents] == [False, False, True, False, False]
    text = Path(incidents[2]).read_text()
    assert "3 runs in a row missed avg_injected_tokens" in text
    assert f"Of run {good}:" in text
    assert "recall_min_relevance = 0.7" in text
    assert f"crewmem eval compare {good}" in text
    kinds = asks("journal", "list", "--type", "eval.regression_detected", "--json")
    assert [each["severity"] for each in kinds.json["data"]] == ["error"]


def test_what_was_asked_becomes_cases(asks, tmp_path):
    """What was laid out and confirmed answers; what was contradicted should not be."""
    for text in ("The pier is closed on Mondays", "The crane is painted green"):
        asks("remember", text, "--agent", "mira", "--kind", "fact")
    asks("crew", "add", "harbor")
    asks("agent", "add", "mira", "--crew", "harbor")
    pier, crane = (
        asks("remember", text, "--agent", "mira", "--json").json["data"]["memory"]["id"]
        for text in ("The pier is closed on Mondays", "The crane is painted green")
    )
    mira = ("--as", "agent:mira")
    for _ in range(2):
        asks("recall", "when is the pier closed", *mira)
    asks("recall", "how is the crane painted", *mira)
    assert asks("eval", "capture", "--json").json["data"] == []
    asks("vote", pier, "--up")
    asks("vote", crane, "--down")
    found = asks("eval", "capture", "--json").json["data"]
    assert [(each["query"], each["relevant"]) for each in found] == [
        ("when is the pier closed", [pier]),
        ("how is the crane painted", []),
    ]
    assert [each["should_inject"] for each in found] == [True, False]
    assert {each["agent"] for each in found} == {"mira"}
    into = tmp_path / "eval/suite.jsonl"
    assert len(asks("eval", "capture", "--into", into, "--json").json["data"]) == 2
    assert asks("eval", "capture", "--into", into, "--json").json["data"] == []
    assert len(into.read_text().splitlines()) == 2
    ran = asks("eval", "run", "--suite", into, "--json").json["data"]
    assert ran["metrics"]["injected_recall"] == 1
    assert ran["metrics"]["false_injection_rate"] == 1


# Tuning


@pytest.fixture(name="app")
def _app(asks, home):
    """The world of an operator, in a home."""
    import click

    from crewmem.cli.app import App, World

    asks("init")
    environ = {**WORDS, "CREWMEM_HOME": str(home), "LOGNAME": "ada"}
    world = World(environ=environ, clock=lambda: NOW)
    with click.Context(click.Command("tune")):
        yield App(world, {})


STEP = Candidate("recall_max_results", 5, 4)


def origin(asks, key):
    listed = asks("config", "list", "--json").json["data"]
    return next((e["value"], e["origin"]) for e in listed if e["key"] == key)


def test_a_tuned_value_is_a_layer_of_settings(asks, app, home):
    """Above the default, and below what a person says."""
    done = tuning.apply(app, STEP, "better")
    assert done.state == "applied"
    assert origin(asks, STEP.key) == (4, "tuned")
    assert asks("config", "set", STEP.key, "7").status == 0
    assert origin(asks, STEP.key)[0] == 7
    assert tuning.by_hand(app) == set()
    vars(app).pop("loaded")
    assert tuning.by_hand(app) == {STEP.key}
    asks("config", "set", STEP.key, "--unset")
    assert asks("tune", "rollback").status == 0
    assert origin(asks, STEP.key) == (5, "default")
    assert not (home / "tuned.toml").exists()
    states = [each["state"] for each in asks("tune", "history", "--json").json["data"]]
    assert states == ["rolled back"]
    kinds = asks("journal", "list", "--type", "tune.*", "--json").json["data"]
    assert [e["entry_type"] for e in kinds] == ["tune.rolled_back", "tune.applied"]


def test_recall_honours_what_is_tuned(asks):
    """Results, characters and weights are what the settings say they are."""
    asks("init", "--sample")

    def recalled(*more, **tuned):
        environ = {
            f"CREWMEM_RECALL_{name.upper()}": each for name, each in tuned.items()
        }
        words = ("recall", "--agent", "winch", "deploy key vault", "--json")
        return asks(*words, *more, environ=environ).json["data"]

    assert len(recalled()["hits"]) == 5
    assert len(recalled(max_results="2")["hits"]) == 2
    assert len(recalled(max_chars="600")["context"]) <= 600 < len(recalled()["context"])
    assert recalled()["budget"] == "2000t"
    asks("agent", "set", "winch", "recall_max_tokens=3000")
    assert recalled(max_chars="600")["budget"] == "3000t"

    def share(feature, **tuned):
        hit = recalled("--kinds", "decision", **tuned)["hits"][0]
        return hit["why"]["features"][feature][1]

    assert share("importance", prior_weight="0") == 0
    assert share("importance", prior_weight="0.4") == pytest.approx(
        2 * share("importance"), abs=1e-5
    )
    assert share("words", words_weight="2.2") == pytest.approx(
        2 * share("words"), abs=1e-5
    )


@settings(deadline=None, max_examples=10)
@given(
    steps=st.lists(
        st.sampled_from(
            [
                ("recall_max_results", 4),
                ("recall_max_results", 6),
                ("recall_min_relevance", 0.65),
                ("recall_max_chars", 7_750),
                ("recall_words_weight", 1.2),
            ]
        ),
        min_size=1,
        max_size=4,
    ),
    back=st.integers(0, 3),
)
def test_rolling_back_restores_byte_for_byte(tmp_path_factory, steps, back):
    """However far back: the file is what it was before, and settings with it."""
    import click

    from crewmem.cli.app import App, World

    home = tmp_path_factory.mktemp("home")
    environ = {**WORDS, "CREWMEM_HOME": str(home), "LOGNAME": "ada"}
    with click.Context(click.Command("tune")):
        app = App(World(environ=environ, clock=lambda: NOW), {})
        assert app.journal
        texts, done = [None], []
        for key, new in steps:
            done.append(tuning.apply(app, Candidate(key, 1, new), "better"))
            texts.append(tuning.said(app))
        at = min(back, len(steps) - 1)
        taken = tuning.roll_back(app, done[at].id)
        assert tuning.said(app) == texts[at]
        assert [each.id for each in taken] == [e.id for e in reversed(done[at:])]
        tuning.settle(app)
        assert tuning.said(app) == texts[at]


def test_who_is_killed_leaves_the_one_or_the_other(app, asks, home, killed):
    """Before the file is written nothing is in force, and after it all of it is."""
    write = tuning._write

    def die_before():
        tuning._write = lambda *_: os.kill(os.getpid(), 9)
        tuning.apply(app, STEP, "better")

    def die_after():
        tuning._ended = lambda *_: os.kill(os.getpid(), 9)
        tuning.apply(app, STEP, "better")

    assert app.journal
    for db in ("truth", "truth_to_read", "journal", "registry"):
        vars(app).pop(db, None)
    killed(die_before)
    tuning._write = write
    assert not (home / "tuned.toml").exists()
    assert asks("tune", "rollback").status == 4
    states = [each["state"] for each in asks("tune", "history", "--json").json["data"]]
    assert states == ["failed"]
    killed(die_after)
    assert origin(asks, STEP.key) == (4, "tuned")
    back = asks("tune", "rollback", "--json")
    assert [each["state"] for each in back.json["data"]["snapshots"]] == ["rolled back"]
    assert origin(asks, STEP.key) == (5, "default")


def test_what_cannot_be_in_force_is_taken_back(app, home, asks):
    """An apply that fails leaves the file as it was, and says why."""
    (home / "config.toml").write_text("recall_max_results = 9\n")
    from crewmem.errors.evaluation import NotInForceError

    with pytest.raises(NotInForceError):
        tuning.apply(app, STEP, "better")
    assert not (home / "tuned.toml").exists()
    states = [each["state"] for each in asks("tune", "history", "--json").json["data"]]
    assert states == ["failed"]


def test_a_file_that_somebody_changed_is_left_alone(app, home, asks):
    """Who wrote into the file of tuned settings is not written over."""
    tuning.apply(app, STEP, "better")
    with (home / "tuned.toml").open("a") as file:
        file.write("recall_max_chars = 900\n")
    assert asks("tune", "rollback").status == 9
    assert "900" in (home / "tuned.toml").read_text()
    with (home / "tuned.toml").open("a") as file:
        file.write("workspace = 1\n")
    ran = asks("config", "list")
    assert (ran.status, "tuned.toml:4" in ran.stderr) == (3, True)


def test_an_incident_leads_back_from_what_was_tuned(app, asks, suite):
    """Where a setting was tuned since recall was good, the way back is to undo that."""
    asks("eval", "gate", "--suite", suite)
    done = tuning.apply(app, STEP, "better")
    strict = {"CREWMEM_EVAL_MAX_TOKENS": "1"}
    for _ in range(3):
        ran = asks("eval", "gate", "--suite", suite, "--json", environ=strict)
    text = Path(ran.json["data"]["incident"]).read_text()
    assert f"crewmem tune rollback {done.id}" in text
    assert "recall_max_results = 5" in text
    assert ran.json["data"]["snapshot"] == done.id


def test_a_case_that_cannot_be_asked_is_told(asks, tmp_path):
    """Who is not there asks nothing: it is told, and counts for nothing."""
    asks("init", "--sample")
    cases = [
        {"id": "who", "query": "deploy key", "relevant": ["m_a"], "agent": "nobody"},
        {"id": "key", "query": "deploy key", "relevant": ["m_w4xh8q2vbn01"]},
    ]
    ran = asks("eval", "run", "--suite", lines(tmp_path / "s.jsonl", cases), "--json")
    assert ran.status == 0
    assert "case who could not be asked" in ran.json["warnings"][0]
    measured = {each["name"]: each["cases"] for each in ran.json["data"]["measured"]}
    assert measured["mrr"] == 1


def test_tuning_says_why_it_skips(asks, suite, home, tmp_path):
    """Too few cases, gates that are not measured, a change of today: each is told."""
    ran = asks("tune", "run", "--suite", suite, "--json")
    assert ran.json["data"]["status"] == "too_few_cases"
    ran = asks("tune", "run", "--suite", pairs(tmp_path), "--seed", "3", "--json")
    assert ran.status == 0
    assert ran.json["data"]["status"] in {
        "candidate_failed_gates",
        "candidate_regressed",
        "no_objective_improvement",
    }
    assert not home.exists()


NOUNS = (
    *("anchor", "bollard", "capstan", "dredger", "ensign", "fender"),
    *("gantry", "hawser", "jetty", "keel", "lantern", "mooring"),
)


def pairs(tmp_path):
    """Return a suite in which each question has two answers."""
    at = "2026-05-01T08:00:00Z"
    row = {"store": "memories", "agent": "mira", "at": at}
    corpus = [
        {**row, "id": f"m_{noun}{place}", "text": f"The {noun} {said}."}
        for place, said in enumerate(("is painted green", "lies in the long shed"))
        for noun in NOUNS
    ]
    asks = {"agent": "mira", "now": "2026-05-01T09:00:00Z"}
    cases = [
        {
            **asks,
            "id": f"{noun}{place}",
            "query": f"{question} {noun}",
            "relevant": [f"m_{noun}0", f"m_{noun}1"],
        }
        for place, question in enumerate(("what of the", "where is the"))
        for noun in NOUNS
    ]
    recovery = {
        **asks,
        "recovery": {"agent": "mira"},
        "expect": ["lies in the long shed"],
    }
    none = {**asks, "id": "none", "query": "which violinist played at the opera"}
    lines(tmp_path / "pairs/corpus.jsonl", corpus)
    return lines(tmp_path / "pairs/suite.jsonl", [*cases, none, recovery])


def test_what_is_better_is_applied(app, asks, tmp_path):
    """A setting that is too low is raised, and that is told, kept and taken back."""
    from crewmem.evaluation.candidates import candidates, drawn

    suite = pairs(tmp_path)
    tuning.apply(app, Candidate("recall_max_results", 2, 1), "a mistake")
    values = {
        key: SETTINGS[key].default if key != "recall_max_results" else 1 for key in KEYS
    }
    up = Candidate("recall_max_results", 1, 2)
    seed = next(each for each in range(99) if drawn(candidates(values), each) == up)
    words = ("tune", "run", "--suite", suite, "--seed", seed, "--json")
    later = NOW + timedelta(days=2)
    would = asks(*words, now=later).json["data"]
    assert (would["status"], would["snapshot"]) == ("would_apply", None)
    assert origin(asks, up.key) == (1, "tuned")
    done = asks(*words, "--apply", now=later).json["data"]
    assert (done["status"], done["candidate"]) == ("applied", up._asdict())
    assert "injected_recall" in done["reason"]
    assert origin(asks, up.key) == (2, "tuned")
    runs = asks("eval", "runs", "--json").json["data"]
    assert {each["id"] for each in runs} == {done["run"], done["baseline"]}
    found = asks("eval", "compare", done["baseline"], done["run"], "--json")
    assert found.json["data"]["settings"] == {up.key: [1, 2]}
    history = asks("tune", "history", "--json").json["data"]
    assert [each["new"] for each in history] == [2, 1]
    asks("tune", "rollback")
    assert origin(asks, up.key) == (1, "tuned")


def test_one_change_a_day(app, asks, suite):
    """A second change has to wait, and nothing is measured for it."""
    tuning.apply(app, STEP, "better")
    ran = asks("tune", "run", "--apply", "--suite", suite, "--json")
    assert ran.json["data"]["status"] == "rate_limited"
    later = NOW + timedelta(days=1, minutes=1)
    ran = asks("tune", "run", "--apply", "--suite", suite, "--json", now=later)
    assert ran.json["data"]["status"] == "too_few_cases"


# Jobs


def test_jobs_do_nothing_without_a_suite(asks, home):
    """They are in the timers, and quiet."""
    asks("init")
    for job in ("eval", "tune"):
        assert asks("timers", "run", job).stdout == f"{job}: nothing to do\n"
    assert rows(home, "select * from jobs") == []


def test_the_job_measures_and_the_next_waits_for_its_gates(asks, suite, home):
    """With a suite the night measures; tuning waits until all gates have passed."""
    asks("init")
    with_suite = {"CREWMEM_EVAL_SUITE": str(suite)}
    ran = asks("timers", "run", "eval", environ=with_suite)
    assert ran.stdout == "eval: 9 cases of recall asked\n"
    assert [row[0] for row in rows(home, "select verb from eval_runs")] == ["gate"]
    ran = asks("timers", "run", "tune", environ=with_suite)
    assert ran.stdout == "tune: nothing to do\n"
    off = {**with_suite, "CREWMEM_EVAL_ENABLED": "off"}
    assert "nothing" in asks("timers", "run", "eval", environ=off).stdout
