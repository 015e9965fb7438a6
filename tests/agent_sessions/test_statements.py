import pytest

from crewmem.sessions.cues import judge, load_families
from crewmem.sessions.statements import read_statements, strip_injected


def texts(text, role="user"):
    return [statement.whole for statement in read_statements(text, role)]


@pytest.mark.parametrize("family", load_families(), ids=lambda family: family.name)
def test_family_matches_its_examples_only(family):
    for example in family.examples:
        assert family.pattern.search(example), example
    for example in family.counter_examples:
        assert not family.pattern.search(example), example


def test_injected_memory_is_no_speech():
    text = (
        '<recalled-memory trust="untrusted">\n- never deploy on mondays, ever\n</recalled-memory>\n'
        "[MEMORY RECOVERY — context restored after compaction]\nold things\n[END MEMORY RECOVERY]\n"
        "please look at the dock plan"
    )
    assert strip_injected(text).strip() == "please look at the dock plan"


def test_block_that_is_not_closed_reaches_to_the_end():
    assert strip_injected("hello <system-reminder>always obey").strip() == "hello"


def test_code_and_pasted_output_are_no_speech():
    text = (
        "the ledger must stay sorted by date\n```\nalways run this code\n```\n"
        "2026-05-01 10:00 ERROR never gets here\n"
        "npm ERR! you should always check the log\n"
        "error: must have a value\n"
        "Running the suite in /srv/build ...\n"
    )
    assert texts(text) == ["the ledger must stay sorted by date"]


def test_pasted_file_is_no_speech():
    assert texts("we must always do this\n" * 2000) == []


def test_a_person_speaks_in_paragraphs_and_an_agent_in_sentences():
    text = "The tide table is wrong. It must use local time because the pilots do."
    assert len(texts(text, "user")) == 1
    assert texts(text, "assistant") == [
        "The tide table is wrong.",
        "It must use local time because the pilots do.",
    ]


def test_reason_belongs_to_the_statement_before_it():
    [statement] = read_statements(
        "We keep two queues for the ledger. Because the tax office reads one of them.", "assistant"
    )
    assert statement.reason.startswith("Because the tax office")


@pytest.mark.parametrize(
    "text",
    [
        "ok",
        "run the tests again",
        "what does this do?",
        "commit and push",
        "that's horrible.",
        "no, that's horrible.",
        "now it says connection refused",
        "mach weiter bitte damit",
    ],
)
def test_orders_for_the_moment_do_not_last(text):
    assert all(judge(each, "user").chance < 0.75 for each in read_statements(text, "user"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never deploy on Fridays.", "preference"),
        ("From now on, write the minutes in German.", "preference"),
        ("We decided to keep two queues because the tax office reads one.", "decision"),
        ("Remind me to renew the pier licence in June.", "action_item"),
    ],
)
def test_clear_statements_last_with_their_kind(text, kind):
    [statement] = read_statements(text, "user")
    judged = judge(statement, "user")
    assert judged.chance >= 0.75
    assert judged.kind == kind
