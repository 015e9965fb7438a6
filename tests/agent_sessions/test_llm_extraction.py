import json
import sys

import pytest
from agent_sessions.test_learning import facts_of, write
from local_server import run_service

from crewmem.storage.http import TRIES


def use_model(home, tmp_path, body):
    script = tmp_path / "model.py"
    script.write_text(f"import json, sys\ntext = sys.stdin.read()\n{body}\n")
    home.context.settings = home.context.settings.replace(
        llm="command", llm_command=f"{sys.executable} {script}"
    )


def test_facts_of_a_model_need_an_exact_quote(home, root, tmp_path):
    answer = [
        {
            "turn": 0,
            "quote": "the hoist never lifts more than ten tons",
            "kind": "preference",
            "content": "The hoist must not lift more than ten tons.",
            "importance": 5,
        },
        {"turn": 0, "quote": "the hoist may lift anything", "kind": "fact", "content": "Made up."},
        {"turn": 7, "quote": "the hoist never lifts", "kind": "fact", "content": "No such turn."},
        "nonsense",
    ]
    use_model(home, tmp_path, f"print(json.dumps({answer!r}))")
    write(root / "a.jsonl", ("user", "Remember: the hoist never lifts more than ten tons, ever."))
    report = home.sessions.logs.sync(root=root)
    assert [learned.text for learned in report.learned] == [
        "The hoist must not lift more than ten tons."
    ]
    fact = facts_of(home)["The hoist must not lift more than ten tons."]
    assert fact.spans[0]["quote"] == "the hoist never lifts more than ten tons"
    assert fact.origin == "operator"


def test_fact_of_retried_window_has_evidence_of_its_session(home, root, tmp_path):
    content = "The hoist must not lift more than ten tons."
    quote = "the hoist never lifts more than ten tons"
    answer = [{"turn": 0, "quote": quote, "kind": "preference", "content": content}]
    text = "Remember: the hoist never lifts more than ten tons, ever."
    use_model(home, tmp_path, f"print({json.dumps(answer)!r})")
    write(root / "a.jsonl", ("user", text))
    home.sessions.logs.sync(root=root)
    use_model(home, tmp_path, "sys.exit(1)")
    write(root / "b.jsonl", ("user", text), session="p2")
    home.sessions.logs.sync(root=root)
    home.context.db.execute("update extraction_retries set next_at = '2026-01-01'")
    use_model(home, tmp_path, f"print({json.dumps(answer)!r})")

    assert home.sessions.logs.sync(root=root).waiting == 0

    fact = facts_of(home)[content]
    assert len({span["session"] for span in fact.spans}) == 2
    assert home.sessions.forgetting.plan(fact.spans[0]["session"]).kept_facts == [fact.id]


def test_model_that_does_not_answer_is_asked_once_a_run(home, root, tmp_path):
    calls = tmp_path / "calls"
    use_model(home, tmp_path, f"open({str(calls)!r}, 'a').write('.')\nsys.exit(1)")
    for day in ("Fridays", "Mondays", "Sundays"):
        said = f"Never deploy the {day.lower()} train on {day}."
        write(root / f"{day}.jsonl", ("user", said), session=day)
    report = home.sessions.logs.sync(root=root)
    assert (len(report.learned), report.waiting, calls.read_text()) == (3, 3, ".")
    home.context.db.execute("update extraction_retries set next_at = '2026-01-01'")
    assert home.sessions.logs.sync(root=root).waiting == 3
    assert calls.read_text() == ".."


@pytest.mark.parametrize(("status", "asked"), [(404, 1), (400, 3), (503, TRIES)])
def test_service_that_refuses_a_window_is_asked_about_the_others(home, root, status, asked):
    for day in ("Fridays", "Mondays", "Sundays"):
        said = f"Never deploy the {day.lower()} train on {day}."
        write(root / f"{day}.jsonl", ("user", said), session=day)
    with run_service() as service:
        service.answer = lambda *_: (status, {"error": "no"})
        home.context.settings = home.context.settings.replace(llm="ollama", llm_url=service.url)
        home.sessions.logs.sync(root=root)
        assert len(service.asked) == asked


def test_window_that_failed_often_is_still_retried(home, root, tmp_path):
    use_model(home, tmp_path, "sys.exit(1)")
    write(root / "a.jsonl", ("user", "Never deploy on Fridays."))
    for _ in range(12):
        home.sessions.logs.sync(root=root)
        home.context.db.execute("update extraction_retries set next_at = '2026-01-01'")
    use_model(home, tmp_path, "print('[]')")
    assert home.sessions.logs.sync(root=root).waiting == 0


def test_phrases_are_used_until_a_failed_window_is_retried(home, root, tmp_path):
    use_model(home, tmp_path, "sys.exit(1)")
    write(root / "a.jsonl", ("user", "Never deploy on Fridays."))
    report = home.sessions.logs.sync(root=root)
    assert [learned.text for learned in report.learned] == ["Never deploy on Fridays."]
    assert report.waiting == 1
    home.context.db.execute("update extraction_retries set next_at = '2026-01-01'")
    answer = [
        {
            "turn": 0,
            "quote": "Never deploy on Fridays.",
            "kind": "preference",
            "content": "No deploys on Fridays.",
        }
    ]
    use_model(home, tmp_path, f"print({json.dumps(answer)!r})")
    assert home.sessions.logs.sync(root=root).waiting == 0
    assert list(facts_of(home)) == ["Never deploy on Fridays."]
