import json
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import SimpleNamespace

import pytest

from crewmem.access import Actor
from crewmem.config import load_settings
from crewmem.errors import ConflictError, DamagedError, NotFoundError, RefusedError
from crewmem.evaluation import system as evaluation_system
from crewmem.evaluation.metrics import aggregate, measure_recall
from crewmem.evaluation.run import judge, run_suite
from crewmem.evaluation.suite import parse_case, parse_suite
from crewmem.evaluation.tune import ConfigStore, TriedStep, list_steps, split_suite, try_steps
from crewmem.home import create_home
from crewmem.home import open as open_home

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
SETTINGS = load_settings(None)


@pytest.fixture
def home(tmp_path):
    create_home(tmp_path / "home", clock=lambda: NOW)
    settings = {"timezone": "UTC", "embedder": "none"}
    with open_home(
        tmp_path / "home", actor="operator:kim", settings=settings, clock=lambda: NOW
    ) as home:
        home.registry.add_crew("harbor")
        home.registry.add_agent("winch", crew="harbor")
        yield home


def write_suite(path, *cases, corpus=()):
    path.mkdir(exist_ok=True)
    lines = [each if isinstance(each, str) else json.dumps(each) for each in cases]
    (path / "suite.jsonl").write_text("\n".join(lines))
    if corpus:
        (path / "corpus.jsonl").write_text("\n".join(json.dumps(each) for each in corpus))
    return str(path / "suite.jsonl")


def read_suite(*lines):
    return parse_suite("s", BytesIO("\n".join(lines).encode()))


def figures(run):
    return {k: v for k, v in run.metrics.items() if not k.endswith("latency_ms")}


def test_bad_line_of_a_suite_is_named_and_the_others_are_cases():
    suite = read_suite(
        "# comment", "", '{"id": "a", "query": "q", "relevant": ["f_1"]}', "nope", '{"id": 1}'
    )

    assert [case.id for case in suite.cases] == ["a"]
    assert [error.line for error in suite.errors] == [4, 5]


@pytest.mark.parametrize(
    "fields",
    [
        {"query": "q", "relevant": [], "should_inject": "no"},
        {"query": "q", "relevant": [], "category": 5},
        {"query": "q", "relevant": [], "agent": ["winch"]},
        {"promotion": ["f_1"], "should_promote": "yes"},
        {"promotion": []},
        {"recovery": {"session": 7}, "expect": ["x"]},
        {"recovery": {}, "expect": []},
    ],
)
def test_case_with_a_field_of_another_type_or_nothing_to_check_is_a_bad_line(fields):
    suite = read_suite(json.dumps({"id": "a", **fields}))

    assert not suite.cases
    assert [error.line for error in suite.errors] == [1]


def test_suite_may_begin_with_a_byte_order_mark_and_have_line_separators_in_strings():
    suite = read_suite(
        '\ufeff{"id": "a", "query": "one\u2028two"}\r', '{"id": "b", "query": "q"}', "nope"
    )

    assert [case.query for case in suite.cases] == ["one\u2028two", "q"]
    assert [error.line for error in suite.errors] == [3]


def test_metrics_without_cases_are_none_and_their_gate_not_measured():
    metrics = aggregate([])

    assert all(metric.value is None for metric in metrics.values())
    gates, verdict = judge(metrics, "push", SETTINGS, [])
    assert {gate.verdict for gate in gates} == {"not-measured"}
    assert verdict == "not-measured"


def test_recall_measures_count_relevant_hits():
    case = parse_case({"id": "a", "query": "q", "relevant": ["f_a", "crew:x/CREW.md"]})

    found = measure_recall(case, ["f_b", "crew:x/CREW.md:3-4"], k=5, tokens=7, latency_ms=1)

    assert (found["recall_at_k"], found["mrr"], found["injected_precision"]) == (0.5, 0.5, 0.5)


def test_hit_that_may_not_be_read_fails_the_gate():
    assert judge(aggregate([]), "pull", SETTINGS, ["f_secret"])[1] == "failed"


def test_suite_with_a_corpus_changes_nothing_in_the_home(home, tmp_path):
    suite = write_suite(
        tmp_path / "suite",
        {"id": "a", "query": "which port does the gateway use", "relevant": ["f1"]},
        {"id": "b", "query": "who won the chess championship", "relevant": []},
        corpus=[
            {"id": "f1", "kind": "fact", "text": "The gateway listens on port 7443", "ts": ""},
            {"id": "e1", "text": "The crane was oiled", "ts": "2026-01-01T00:00:00Z"},
            {"id": "n1", "kind": "note", "text": "Quay four is closed", "ts": ""},
        ],
    )
    before = home.journal.last_seq()

    first = home.evaluation.run(suite, use="pull", save=False)
    second = home.evaluation.run(suite, use="pull", save=False)

    assert figures(first) == figures(second)
    assert first.metrics["recall_at_k"].value == 1
    assert first.metrics["false_injection_rate"].value == 0
    assert home.journal.last_seq() == before
    assert home.evaluation.runs.list_runs() == []


def test_run_of_the_home_counts_and_logs_nothing(home, tmp_path):
    fact = home.facts.add("The gateway listens on port 7443", scope="agent", agent="winch").id
    case = {"id": "a", "query": "gateway port", "relevant": [fact], "agent": "winch"}

    run = home.evaluation.run(write_suite(tmp_path / "s", case), use="pull")

    assert run.results[0].shown == (fact,)
    assert run.violations == ()
    assert home.context.db.value("select count(*) from recalls") == 0
    assert home.context.db.value("select count(*) from fact_accesses") == 0
    assert home.evaluation.runs.get_run(run.id).results[0].shown == (fact,)


def test_answers_that_the_store_does_not_have_are_named(home, tmp_path):
    fact = home.facts.add("The gateway listens on port 7443").id
    home.memory.write("Quay four is closed\n", file="crew:harbor/topics/quays.md", mode="replace")
    present = [fact, "crew:harbor/topics/quays.md", "crew:harbor/topics/quays.md:1"]
    absent = ["f_x", "crew:harbor/topics/cranes.md"]
    suite = write_suite(
        tmp_path / "s",
        {"id": "a", "query": "gateway port", "relevant": present},
        {"id": "b", "query": "cranes", "relevant": absent},
    )
    home.evaluation.run(suite, use="pull")
    (warning,) = home.context.warnings
    assert warning.message == (
        "the store does not have 2 answers of the suite, such as f_x in line 2"
    )


def test_sample_suite_names_only_answers_of_the_sample(home):
    home.evaluation.run("sample", use="pull", save=False)
    assert [each.code for each in home.context.warnings] == []


def test_access_is_asked_of_the_stores(home):
    mine = home.facts.add("Mine", scope="agent", agent="winch").id
    home.registry.add_agent("crane", crew="harbor")
    home.memory.write("A\n", file="agent:harbor/winch/AGENT.md", mode="replace")
    crane = home.as_actor(Actor("agent", "crane"))

    assert evaluation_system.may_read(home, mine)
    assert not evaluation_system.may_read(crane, mine)
    assert evaluation_system.may_read(home, "agent:harbor/winch/AGENT.md:1")
    assert not evaluation_system.may_read(crane, "agent:harbor/winch/AGENT.md:1")


def test_third_failed_run_in_a_row_writes_one_incident(home, tmp_path):
    home.facts.add("The gateway listens on port 7443")
    suite = write_suite(tmp_path / "s", {"id": "a", "query": "gateway port", "relevant": ["f_x"]})

    for _ in range(4):
        home.evaluation.run(suite, use="pull")

    (incident,) = (home.context.home / "incidents").iterdir()
    assert "Nothing was tuned. Earlier runs: crewmem --home" in incident.read_text()


def test_incident_after_tuning_names_what_was_before_and_the_way_back(home, tmp_path):
    home.facts.add("The gateway listens on port 7443")
    home.evaluation.configs.apply(TriedStep("recall.limit", 5, 6, "", ()))
    suite = write_suite(tmp_path / "s", {"id": "a", "query": "gateway port", "relevant": ["f_x"]})

    for _ in range(3):
        home.evaluation.run(suite, use="pull")

    (incident,) = (home.context.home / "incidents").iterdir()
    assert "Tuning changed recall.limit from 5. Undo it: crewmem" in incident.read_text()
    assert incident.read_text().endswith("eval rollback\n")


def test_corpus_needs_no_times_and_bad_items_are_named(home, tmp_path):
    case = {"id": "a", "query": "when does the lighthouse open", "relevant": ["d1"]}
    item = {"id": "d1", "text": "The lighthouse opens at noon on Sundays."}
    suite = write_suite(tmp_path / "s", case, corpus=[item])
    assert home.evaluation.run(suite, use="pull").metrics["mrr"].value == 1.0
    bad = [
        {"id": "x"},
        *(item | {"id": kind, "kind": kind, "ts": "noon"} for kind in ("fact", "entry")),
    ]
    write_suite(tmp_path / "s", case, corpus=[*bad, item, {**item, "id": "../n", "kind": "note"}])
    with (tmp_path / "s/corpus.jsonl").open("a") as corpus:
        corpus.write("\n{\n")
    assert home.evaluation.run(suite, use="pull").metrics["mrr"].value == 1.0
    assert [each.message.partition(" is not")[0] for each in home.context.warnings] == [
        f"line {number} of the corpus" for number in (1, 2, 3, 5, 6)
    ]
    write_suite(tmp_path / "s", case, corpus=bad)
    with pytest.raises(DamagedError, match="see line 1: 'text' is missing"):
        home.evaluation.run(suite, use="pull")


def test_capture_makes_cases_that_run_accepts(home):
    fact = home.facts.add("The gateway listens on port 7443").id
    home.recall("gateway port")
    home.recall("who won the chess championship")
    home.facts.vote(fact, up=True)

    name, cases = home.evaluation.capture()

    assert sorted(case["should_inject"] for case in cases) == [False, True]
    assert home.evaluation.load(name).errors == ()
    assert home.evaluation.run(name, use="pull").metrics["recall_at_k"].value == 1


def make_suite():
    lines = [json.dumps({"id": f"c{i}", "query": "q", "relevant": ["f_a"]}) for i in range(80)]
    recovery = [
        json.dumps({"id": f"r{i}", "recovery": {"agent": "a"}, "expect": ["x"]}) for i in range(8)
    ]
    unanswerable = [
        json.dumps({"id": f"u{i}", "query": "q", "relevant": [], "category": c})
        for i in range(20)
        for c in ("far", "chatter")
    ]
    return read_suite(*lines, *recovery, *dict.fromkeys(unanswerable))


def make_evaluate(better_when, block=lambda settings: "x"):
    def evaluate(part, use, settings):
        def retrieve(case, use, settings):
            shown = ("f_a",) if case.should and better_when(case, settings) else ()
            return evaluation_system.Retrieval(shown, block(settings), 1.0)

        system = SimpleNamespace(
            retrieve=retrieve, recover=lambda case: "x", find_promoted=lambda case: ()
        )
        return run_suite(part, system, use=use, k=5, settings=settings)

    return evaluate


def test_step_that_is_better_on_both_halves_is_chosen():
    low = SETTINGS["hooks.min_relevance"]
    evaluate = make_evaluate(
        lambda case, settings: settings["hooks.min_relevance"] < low or case.id.endswith("1")
    )

    chosen, _ = try_steps(make_suite(), SETTINGS, evaluate)

    assert (chosen.parameter, chosen.new) == ("hooks.min_relevance", round(low - 0.05, 4))


def test_step_that_was_rolled_back_is_not_tried_again(home):
    low = SETTINGS["hooks.min_relevance"]
    evaluate = make_evaluate(
        lambda case, settings: settings["hooks.min_relevance"] < low or case.id.endswith("1")
    )
    chosen, _ = try_steps(make_suite(), SETTINGS, evaluate)
    store = home.evaluation.configs
    store.apply(chosen)
    store.rollback()

    again, tried = try_steps(make_suite(), SETTINGS, evaluate, rolled_back=store.list_rolled_back())

    assert again is None
    assert "it was rolled back" in [step.reason for step in tried]


def test_workspaces_of_a_home_share_what_was_tuned(home):
    home.registry.add_workspace("other")
    clock = lambda: datetime(2026, 5, 2, tzinfo=UTC)  # noqa: E731
    other = ConfigStore(home.context.derive(workspace="other", clock=clock), home.journal)
    own = home.evaluation.configs
    own.apply(TriedStep("hooks.min_relevance", 0.6, 0.55, ""))
    with pytest.raises(ConflictError):
        ConfigStore(home.context.derive(workspace="other"), home.journal).check_may_apply()
    newest = other.apply(TriedStep("recall.limit", 5, 6, ""))

    assert own.rollback().id == newest
    assert load_settings(home.context.home)["hooks.min_relevance"] == 0.55


def test_configuration_that_somebody_returns_to_is_applied(home):
    def store(day):
        clock = lambda: datetime(2026, 5, day, tzinfo=UTC)  # noqa: E731
        return ConfigStore(home.context.derive(clock=clock), home.journal)

    store(1).apply(TriedStep("hooks.min_relevance", 0.6, 0.55, ""))
    second = store(2).apply(TriedStep("recall.limit", 5, 6, ""))
    for day in (3, 4):
        store(day).rollback()
    assert all(each.rolled_back_at for each in store(4).list_configs())

    store(5).rollback(second)

    assert [each.rolled_back_at for each in store(5).list_configs()] == [None, None]
    assert store(6).rollback().id == second


def test_step_that_is_worse_on_the_held_out_half_is_skipped():
    held_out = {case.id for case in split_suite(make_suite())[1].cases}
    low = SETTINGS["hooks.min_relevance"]

    def is_shown(case, settings):
        is_changed = settings["hooks.min_relevance"] < low
        return is_changed != (case.id in held_out)

    chosen, tried = try_steps(make_suite(), SETTINGS, make_evaluate(is_shown))

    assert chosen is None
    (step,) = (s for s in tried if s.parameter == "hooks.min_relevance" and s.new < low)
    assert step.reason.endswith("on the held-out half")


def test_step_that_finds_more_in_larger_blocks_is_skipped():
    low = SETTINGS["hooks.min_relevance"]

    chosen, tried = try_steps(
        make_suite(),
        SETTINGS,
        make_evaluate(
            lambda case, settings: settings["hooks.min_relevance"] < low or case.id.endswith("1"),
            lambda settings: "x " * (200 if settings["hooks.min_relevance"] < low else 100),
        ),
    )

    assert chosen is None
    (step,) = (s for s in tried if s.parameter == "hooks.min_relevance" and s.new < low)
    assert step.reason == "avg_injected_tokens is worse on the tuning half"


def test_steps_keep_the_pull_threshold_at_most_at_the_push_threshold():
    settings = SETTINGS.replace(recall__min_relevance=0.5, hooks__min_relevance=0.5)

    steps = [(p.setting, new) for p, _, new in list_steps(settings, 0)]

    assert ("recall.min_relevance", 0.55) not in steps
    assert ("hooks.min_relevance", 0.45) not in steps


def test_day_of_tuning_is_that_of_the_time_zone(home):
    at = datetime(2026, 5, 1, 23, tzinfo=UTC)  # in Berlin it is the next day already
    settings = home.context.settings.replace(timezone="Europe/Berlin")

    def store(hours):
        clock = lambda: at + timedelta(hours=hours)  # noqa: E731
        return ConfigStore(home.context.derive(settings=settings, clock=clock), home.journal)

    store(0).apply(TriedStep("hooks.min_relevance", 0.6, 0.55, ""))
    with pytest.raises(ConflictError):
        store(2).check_may_apply()
    store(24).check_may_apply()


def test_applied_step_is_rolled_back_byte_for_byte(home):
    tuned = home.context.home / "tuned.toml"
    tuned.write_text("# mine\n[recall]\nlimit = 4\n")
    store = ConfigStore(home.context, home.journal)

    store.apply(TriedStep("hooks.min_relevance", 0.6, 0.55, ""))
    assert load_settings(home.context.home)["hooks.min_relevance"] == 0.55
    with pytest.raises(ConflictError):
        store.check_may_apply()
    home.evaluation.configs.rollback()

    assert tuned.read_text() == "# mine\n[recall]\nlimit = 4\n"
    with pytest.raises(NotFoundError):
        home.evaluation.configs.rollback()


def test_rollback_to_a_configuration_undoes_the_later_ones(home):
    for day, new in enumerate((0.55, 0.5, 0.45)):
        clock = lambda day=day: NOW + timedelta(days=day)  # noqa: E731
        later = home.context.derive(clock=clock)
        ConfigStore(later, home.journal).apply(TriedStep("hooks.min_relevance", 0.6, new, ""))
    first = home.evaluation.configs.list_configs()[-1]

    assert home.evaluation.configs.rollback(first.id[:8]) == first

    assert load_settings(home.context.home)["hooks.min_relevance"] == 0.55
    undone = [each.rolled_back_at is not None for each in home.evaluation.configs.list_configs()]
    assert undone == [True, True, False]


def test_agents_do_not_evaluate(home):
    with pytest.raises(RefusedError):
        home.as_actor(Actor("agent", "winch")).evaluation.run("sample")
