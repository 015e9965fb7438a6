"""Commands of `crewmem eval`, in process."""

import json
import shlex

import pytest

CASE = {"id": "a", "query": "which port does the gateway use", "relevant": ["f1"]}
FACT = {"id": "f1", "kind": "fact", "text": "The gateway listens on port 7443", "ts": ""}


@pytest.fixture
def suite(tmp_path):
    def write(*cases):
        path = tmp_path / "suite"
        path.mkdir(exist_ok=True)
        (path / "corpus.jsonl").write_text(json.dumps(FACT))
        lines = [each if isinstance(each, str) else json.dumps(each) for each in cases]
        (path / "suite.jsonl").write_text("\n".join(lines))
        return str(path / "suite.jsonl")

    return write


def test_run_prints_not_applicable_and_bad_lines(crewmem, suite):
    text = crewmem("eval", "run", "--suite", suite(CASE, "nope"), "--use", "pull")

    assert "not stored, because --save was not given" in text
    assert "n/a" in text
    assert "line 2 of the suite is not a case" in crewmem.err
    data = crewmem.json("eval", "run", "--suite", suite(CASE), "--use", "pull")
    assert data["metrics"]["false_injection_rate"]["value"] is None
    assert data["metrics"]["recall_at_k"]["value"] == 1


@pytest.mark.parametrize("words", ["eval run", "eval gate", "eval tune"])
def test_missing_suite_hints_the_setting_that_every_command_reads(crewmem, words):
    for value, status in (("", 2), ("away.jsonl", 4)):
        crewmem("config", "set", "eval.suite", value)
        crewmem(*words.split(), status=status)
        hint = shlex.split(crewmem.err.splitlines()[-1])
        assert hint[-4:] == ["config", "set", "eval.suite", "sample"]


def test_case_of_an_agent_that_is_gone_costs_its_line(crewmem, suite):
    gone = {**CASE, "id": "b", "agent": "nobody"}

    data = crewmem.json("eval", "run", "--suite", suite("nope", CASE, gone), "--use", "pull")

    assert data["metrics"]["recall_at_k"] == {"value": 1, "low": 1, "high": 1, "cases": 1}
    assert [error["line"] for error in data["errors"]] == [1, 3]
    assert "there is no agent 'nobody'" in data["errors"][1]["reason"]


def test_gate_does_not_pass_on_a_suite_without_a_good_line(crewmem, suite):
    crewmem("eval", "gate", "--suite", suite("nope", "[]"), status=5)
    assert "no line of the suite" in crewmem.err


def test_runs_without_a_common_case_are_not_compared(crewmem, suite):
    one = crewmem.json("eval", "run", "--suite", suite(CASE), "--save")["id"]
    other = crewmem.json("eval", "run", "--suite", suite({**CASE, "id": "b"}), "--save")["id"]
    text = crewmem("eval", "compare", one, other)
    assert text == f"{one} and {other} have no case in common.\n"


def test_gate_ends_with_one_and_names_the_gate(crewmem, suite):
    wrong = suite({**CASE, "relevant": [], "category": "far"})

    text = crewmem("eval", "gate", "--suite", wrong, "--use", "pull", status=1)

    assert "failed        false_far_rate" in text
    assert crewmem("eval", "gate", "--suite", suite(CASE), "--use", "pull")


def test_show_and_compare_stored_runs(crewmem, suite):
    first = crewmem.json("eval", "run", "--suite", suite(CASE), "--save", "--use", "pull")["id"]
    wrong = suite({**CASE, "relevant": ["f2"]})
    second = crewmem.json("eval", "run", "--suite", wrong, "--save", "--use", "pull")["id"]

    assert first[:6] in crewmem("eval", "show")
    assert "gateway" in crewmem("eval", "show", first)
    assert "recall_at_k" in crewmem("eval", "compare", first, second)


def test_tune_without_apply_changes_nothing(crewmem, suite, tmp_path):
    assert "Nothing was applied" in crewmem("eval", "tune", "--suite", suite(CASE))
    assert not (tmp_path / "home" / "tuned.toml").exists()
    crewmem("eval", "rollback", status=4)


def test_suite_must_be_named_and_there(crewmem):
    crewmem("eval", "run", status=2)
    crewmem("eval", "run", "--suite", "missing.jsonl", status=4)
    crewmem("eval", "run", "--suite", "sample", "--config", "nonsense", status=2)


def test_suite_and_backups_of_jobs_are_relative_to_the_home(crewmem, suite, monkeypatch):
    suite(CASE)
    crewmem("config", "set", "eval.suite", "../suite/suite.jsonl")
    crewmem("config", "set", "backup_dir", "backups")
    monkeypatch.chdir("/")

    assert "1 suite run" in crewmem("timers", "run", "eval")
    crewmem("timers", "run", "backup")
    crewmem("eval", "run")

    assert list(crewmem.home.glob("backups/*.tar.gz"))
    assert f"{crewmem.home}/backups" in crewmem("timers", "install", "--systemd", "--print")


def test_job_fails_when_the_gate_is_missed_and_nothing_is_tuned(crewmem, suite):
    crewmem("config", "set", "eval.suite", suite({**CASE, "relevant": [], "category": "far"}))

    text = crewmem("timers", "run", "eval", status=1)

    assert "default/eval: failed" in text
    assert "1 suite run, missed gates: false_injection_rate 1.00" in text
    command = text.split("see: ")[1].split(", ")[0]
    assert "failed" in crewmem(*shlex.split(command)[1:])
    assert "the last run is failed" in crewmem("timers", "run", "tune")


def test_job_passes_when_a_gate_has_no_cases_and_nothing_is_tuned(crewmem, suite):
    crewmem("config", "set", "eval.suite", suite(CASE))

    text = crewmem("timers", "run", "eval")

    assert "default/eval: ok, 1 suite run" in text
    assert "not measured, because cases are missing: " in text
    assert "the last run is not measured" in crewmem("timers", "run", "tune")


def test_passed_run_of_another_suite_does_not_let_the_own_one_be_tuned(crewmem, suite):
    crewmem("config", "set", "eval.suite", suite({**CASE, "relevant": [], "category": "far"}))
    crewmem("timers", "run", "eval", status=1)
    crewmem("eval", "run", "--suite", "sample", "--save")

    assert "the last run is failed" in crewmem("timers", "run", "tune")
