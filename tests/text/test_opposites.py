"""Texts that look alike and say different things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crewmem.text.opposites import are_distinct, is_contradiction, is_opposite

OPPOSITE = [
    ("Never push to main", "Always push to main"),
    ("Deploys go out on Tuesday", "Deploys go out on Thursday"),
    ("Gate 3 is closed", "Gate 7 is closed"),
    ("Staging runs PG 15", "Staging runs PG 16"),
    ("It failed on runner one", "It failed on runner two"),
    ("Run migrations before the deploy", "Run migrations after the deploy"),
    ("Run migrations before deploys", "Run deploys before migrations"),
    ("The key is in the vault", "The key is not in the vault"),
    ("The key isn\u2019t in the vault", "The key is in the vault"),
    ("Enable retries on the gateway", "Disable retries on the gateway"),
    ("Wait 30 seconds", "Wait 30 minutes"),
    ("Der Export läuft", "Der Export läuft nicht"),
    ("Use oak, not elm", "Use elm, not oak"),
    (
        "Use pnpm, never npm, in the web repository.",
        "Use npm, never pnpm, in the web repository.",
    ),
    ("Use npm in the web repository", "Use pnpm, never npm, in the web repository"),
    ("Prefer composition over inheritance", "Prefer inheritance over composition"),
    ("Use tabs instead of spaces", "Use spaces instead of tabs"),
    ("No deploys on Friday", "Deploys on Friday"),
    ("The release is cut on Wednesdays", "The release is cut on Thursdays, not Wednesdays"),
    ("Deploy on Mondays", "Deploy on Tuesdays instead of Mondays"),
    ("Never deploy on Fridays", "Never deploy on Mondays"),
    ("主分支可以直接推送", "主分支不可以直接推送"),
    ("Деплой по пятницам разрешён", "Деплой по пятницам не разрешён"),
]

SAME = [
    ("Use WAL mode for SQLite", "Use WAL mode for SQLite databases"),
    ("The key is in the vault", "The key lies in the vault"),
    ("Tests must pass before merging", "Before merging, all tests must pass"),
    ("The API timeout is 30 seconds", "API requests time out after 30 seconds"),
    ("Do not use floats for money", "Never use floats for money"),
    ("Staging runs PG 16", "Staging runs PG 16 since 2026"),
    ("The build started late", "The build starts late"),
    ("Use pnpm in the web repository", "Use pnpm, never npm, in the web repository"),
    ("Use oak, not elm", "Use oak and not elm"),
    ("The release is cut on Thursdays", "The release is cut on Thursdays, not Wednesdays"),
]


@pytest.mark.parametrize(("a", "b"), OPPOSITE)
def test_opposite_statements_are_recognised(a, b):
    assert is_opposite(a, b)
    assert is_opposite(b, a)


@pytest.mark.parametrize(("a", "b"), SAME)
def test_statements_that_agree_are_not_opposite(a, b):
    assert not is_opposite(a, b)
    assert not is_opposite(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The office in Oslo opens at 9", "The office in Bergen opens at 9"),
        ("Ask Anna before a change of prices", "Ask Peter Lang before a change of prices"),
        ("The login form needs a captcha", "The signup form needs a captcha"),
        ("We use Postgres for the order service", "We use MySQL for the order service"),
        ("Die Rechnungen prüft Anna", "Die Rechnungen prüft Jörg"),
        ("东京办公室九点开门", "大阪办公室九点开门"),
    ],
)
def test_statements_about_two_things_are_distinct_and_no_contradiction(a, b):
    assert are_distinct(a, b)
    assert are_distinct(b, a)
    assert not is_contradiction(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The key is in the vault", "The key lies in the vault"),
        ("Do not use floats for money", "Never use floats for money"),
        ("Staging runs PG 16", "Staging runs PG 16 since 2026"),
        ("The build started late", "The build starts late"),
        ("Write colors in hex", "Write colours in hex"),
        ("Always run the linter before a commit", "Always run the linter before you commit"),
    ],
)
def test_statements_that_agree_are_not_distinct(a, b):
    assert not are_distinct(a, b)


@given(st.text(), st.text())
def test_no_text_is_opposite_to_itself_and_order_does_not_matter(a, b):
    assert not is_opposite(a, a)
    assert is_opposite(a, b) == is_opposite(b, a)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Backup finished 2026-05-01 with 12 files", "Backup finished 2026-05-02 with 14 files"),
        ("Bericht vom 3.5.2026: 4 Fehler", "Bericht vom 4.5.2026: 2 Fehler"),
        ("12 hours since the crane stopped", "14.5+ hours since the crane stopped"),
        ("No ship has called for 3+ days", "No ship has called for 5+ days"),
        ("Started: 2026-05-01 11:21 UTC", "Started: 2026-05-01 12:03 UTC"),
        ("`GET /ships` lists 20 a page", "`GET /cranes` lists 50 a page"),
        ("URLs: Backend: http://localhost:8000", "URLs: Frontend: http://localhost:3000"),
        ("Backend: port 8000", "Frontend: port 3000"),
        ("Customer Nordlys pays after 30 days", "Customer Havbris pays after 14 days"),
        ("Das Büro in Köln öffnet um 8 Uhr", "Das Büro in Bonn öffnet um 9 Uhr"),
        ("Server db-2 has 64 GB of memory", "Server db-3 has 32 GB of memory"),
    ],
)
def test_readings_code_and_things_that_differ_do_not_contradict(first, second):
    assert is_opposite(first, second)
    assert not is_contradiction(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The backup runs at 02:00", "The backup runs at 03:00"),
        ("The token lives for 15 minutes", "The token lives for 30 minutes"),
        ("The office in Oslo opens at 8", "The small office in Oslo opens at 9"),
        ("We use API v2", "We use API v3"),
        ("The audit is on 2026-05-01", "The audit is now on 2026-05-08"),
        ("Set `timeout: 30` on the gateway", "Set `timeout: 60` on the gateway"),
        ("Since 2026-05-01 the key is in the vault", "The key is not in the vault"),
        ("Run `make lint` before a push", "Never run `make lint` before a push"),
    ],
)
def test_statements_that_cannot_both_hold_contradict(first, second):
    assert is_contradiction(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Add pauses between the batches", "No batch processing with pauses"),
        ("Ship to the pier (crane app)", "Cannot ship to the pier"),
        (
            "Any weight on a label must use the fixed format, never rely on default formatting",
            "Use the fixed format when formatting any weight that ends up on a label",
        ),
        (
            "Disk writes only occur 500ms after the user stops moving the slider",
            "Multiple rapid slider changes result in a single disk write after 500ms",
        ),
        ("Accuracy: 10/10 with photos of ships", "Real pictures (from the port) = 90% accuracy"),
    ],
)
def test_statements_that_deny_something_else_do_not_contradict(first, second):
    assert not is_contradiction(first, second)
    assert not is_contradiction(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Widget number 0 needs 3 screws", "Widget number 1 needs 5 screws"),
        ("Issue #12 took 3 hours", "Issue #13 took 5 hours"),
        ("The widget 1 weighs 5 kg", "The widget 2 weighs 7 kg"),
        ("The service db-2 runs on host-5", "The service db-3 runs on host-7"),
    ],
)
def test_values_of_other_numbered_things_do_not_contradict(first, second):
    assert not is_contradiction(first, second)
    assert is_opposite(first, second)


def test_number_that_is_the_value_contradicts():
    assert is_contradiction("The port number 5432 is used", "The port number 5433 is used")
    assert is_contradiction("Python 3 builds the images", "Python 4 builds the images")


def test_chinese_word_with_a_negating_character_need_not_negate():
    assert not is_opposite("所有写入都必须确认", "所有写入都必须确认，无例外")
    assert not is_contradiction("所有写入都必须先确认", "所有写入都必须确认，无例外")
