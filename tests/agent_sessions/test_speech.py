import pytest

from crewmem.sessions.index import SpokenTurn
from crewmem.sessions.speech import PATTERNS, extract_statements, list_turn_places, strip_injected
from crewmem.sessions.takeaways import find_takeaways
from crewmem.sessions.turns import ASSISTANT
from crewmem.text.judgement import TurnPlace, judge_speech


def texts(text, role="user"):
    return [statement.full_text for statement in extract_statements(text, role)]


@pytest.mark.parametrize("name", PATTERNS.tables)
def test_pattern_matches_its_examples_only(name):
    for example in PATTERNS.tables[name]["examples"]:
        assert PATTERNS[name].search(example), example
    for example in PATTERNS.tables[name]["counter_examples"]:
        assert not PATTERNS[name].search(example), example


def test_injected_memory_is_not_a_statement():
    text = (
        '<recalled-memory trust="untrusted">\n- never deploy on mondays, ever\n</recalled-memory>\n'
        "[MEMORY RECOVERY — context restored after compaction]\nold things\n[END MEMORY RECOVERY]\n"
        "please look at the dock plan"
    )
    assert strip_injected(text).strip() == "please look at the dock plan"


def test_unclosed_block_extends_to_the_end():
    assert strip_injected("hello <system-reminder>always obey").strip() == "hello"


def test_link_named_like_a_block_is_kept():
    said = "[Persona](docs/persona.md) must never name a customer"
    assert strip_injected(said) == said


def test_code_and_pasted_output_are_not_statements():
    text = (
        "the ledger must stay sorted by date\n```\nalways run this code\n```\n"
        "2026-05-01 10:00 ERROR never gets here\n"
        "npm ERR! you should always check the log\n"
        "error: must have a value\n"
        "Running the suite in /srv/build ...\n"
    )
    assert texts(text) == ["the ledger must stay sorted by date"]


def test_sentence_that_begins_with_a_command_is_a_statement():
    said = [
        "npm test must stay under two minutes.",
        "git history on main is linear",
        "ssh keys expire after 90 days",
        "go modules stay vendored",
        "export dates as ISO",
        "import customers only at night",
    ]
    commands = ["npm run build", "git rebase main", "cd ..", "make check", "git commit -m fixed"]
    commands += ["import os", "import queue as q", "docker compose up -d", "export LANG=C"]
    assert texts("\n".join([*said, *commands])) == said


def test_pasted_file_has_no_statements():
    assert texts("we must always do this\n" * 2000) == []


def test_person_has_a_statement_per_line_and_agent_per_sentence():
    text = "The tide table is wrong. It must use local time because the pilots do."
    assert len(texts(text, "user")) == 1
    assert texts(text, "assistant") == [
        "The tide table is wrong.",
        "It must use local time because the pilots do.",
    ]


def test_reason_belongs_to_the_statement_before_it():
    [statement] = extract_statements(
        "We keep two queues for the ledger. Because the tax office reads one of them.", "assistant"
    )
    assert statement.text.endswith("Because the tax office reads one of them.")


@pytest.mark.parametrize(
    "text",
    [
        "Operation stopped by hook: tests must pass before every commit",
        "Stop hook feedback: you must always run the linter",
        "Stop hook feedback:\n- [lint.sh]: always run the linter\n\nIt must pass before you stop.",
        "PreToolUse:Bash hook returned blocking error\nnever commit to main directly",
        "[Request interrupted by user for tool use]",
        "You are an expert reviewer.\n\nAlways answer in JSON. Never mention style.",
    ],
)
def test_text_of_hook_or_program_is_not_a_statement(text):
    assert texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "##[error] the node version must always be 20",
        "build UNKNOWN STEP 2026-05-01T10:00:02Z the lock file must always be committed",
        "CI says: FAILED test_a - the total must always be 3",
        "the linter complains: prefer-const must be used instead of let",
        "remote: error: changes must always be made through a pull request",
        "dependabot[bot]: the coverage must never fall below 80 percent",
        "src/Motor.cs(88,13): error CS0103: a name must never be used before it exists",
    ],
)
def test_line_of_a_build_log_is_not_learned(text):
    assert find_takeaways([SpokenTurn(1, 0, "user", text, "", "")]) == []


def test_text_copied_from_terminal_is_not_a_statement():
    pasted = [f"  {number}. The crane must never turn here".ljust(60) for number in range(3)]
    own = "the crane must never turn at night"

    assert texts("\n".join([*pasted, "", own])) == [own]


def test_words_of_displeasure_are_not_learned():
    for text in ("no, that's horrible.", "no that is ugly, i hate it", "nope, terrible"):
        assert find_takeaways([SpokenTurn(1, 0, "user", text, "", "")]) == []


def test_question_of_a_person_is_not_kept():
    [statement] = extract_statements("should every pier always have its own queue?", "user")
    assert not judge_speech(statement, "user").is_lasting


def test_remark_in_parentheses_is_not_kept():
    [statement] = extract_statements("Lesson: (il y a 3 jours)", "user")
    assert not judge_speech(statement, "user").is_lasting


def test_turn_place_has_question_before_and_next_speaker():
    turns = [
        ("user", extract_statements("the total is wrong on the invoice", "user")),
        ("assistant", extract_statements("Let me look at the totals.", "assistant")),
        ("assistant", extract_statements("Shall it be computed on the server?", "assistant")),
        ("user", extract_statements("on the server, never in the browser", "user")),
    ]
    first, working, asking, answer = list_turn_places(turns)
    assert (first.is_first, first.is_answer) == (True, False)
    assert (working.is_final, asking.is_final) == (False, True)
    assert (answer.is_first, answer.is_answer) == (False, True)


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
def test_orders_for_current_work_are_not_lasting(text):
    for place in (None, TurnPlace(is_brief=True)):
        assert not any(
            judge_speech(each, "user", place).is_lasting
            for each in extract_statements(text, "user")
        )


@pytest.mark.parametrize(
    ("text", "learned"),
    [
        (
            "And a pump may be swapped. That is no error, the import must accept it.",
            "A pump may be swapped. That is no error, the import must accept it.",
        ),
        ("genau, immer über Merge Request, nie direkt", "Immer über Merge Request, nie direkt"),
    ],
)
def test_statement_is_learned_once_with_context_and_without_opening(text, learned):
    turn = SpokenTurn(1, 0, "user", text, "", "")

    assert [each.text for each in find_takeaways([turn])] == [learned]


@pytest.mark.parametrize(
    ("text", "is_lasting"),
    [
        ("Let's take Caddy for the proxy, not nginx, because it renews certificates.", True),
        ("Use ruff instead of pylint in this repository.", True),
        ("All heights are stored in centimetres.", True),
        ("Our tablets have no camera, so nothing may ask for a photo.", True),
        ("the printer eats every second label since tuesday", False),
        ("Add a page with the opening hours to the site.", False),
        ("Let's look into why the feed is empty.", False),
    ],
)
def test_decision_in_first_turn_is_learned(text, is_lasting):
    [statement] = extract_statements(text, "user")
    [place] = list_turn_places([("user", [statement])])

    assert judge_speech(statement, "user", place).is_lasting == is_lasting


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Never deploy on Fridays.", "preference"),
        ("From now on, write the minutes in German.", "preference"),
        ("We decided to keep two queues because the tax office reads one.", "decision"),
        ("Remind me to renew the pier licence in June.", "action_item"),
    ],
)
def test_clear_statements_are_lasting_and_have_their_kind(text, kind):
    [statement] = extract_statements(text, "user")
    judged = judge_speech(statement, "user")
    assert judged.probability >= 0.75
    assert judged.kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("以后航海日志都用英文写", "preference"),
        ("不要用旧的潮汐表，用领航员的。", "preference"),
        ("我们决定每周检查一次吊车。", "decision"),
        ("今後は必ず潮位表を先に見てください。", "preference"),
        ("私たちは港の時計を基準にすることにしました。", "decision"),
        ("앞으로 항해 일지는 영어로 써 주세요.", "preference"),
        ("Всегда проверяй таблицу приливов.", "preference"),
        ("Мы решили держать две очереди.", "decision"),
    ],
)
def test_lasting_statements_in_other_scripts_are_kept(text, kind):
    [statement] = extract_statements(text, "user")
    judged = judge_speech(statement, "user")
    assert judged.is_lasting
    assert judged.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "请把这个浮标改成红色。",
        "看一下吊车的报错信息",
        "このブイを赤くしてください。",
        "이 부표를 빨간색으로 바꿔 주세요.",
        "Покрась этот буй в красный цвет.",
    ],
)
def test_request_for_current_work_in_other_script_is_not_kept(text):
    assert not any(
        judge_speech(each, "user").is_lasting for each in extract_statements(text, "user")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            (
                "Wait, the console has an error:\n\nPlease register the crane before it is moved."
                "\n\nThe crane must have a name."
            ),
            [],
        ),
        (
            (
                "I get these warnings:\nThe crane is used before it is registered.\n\n"
                "Please never hide warnings."
            ),
            ["Please never hide warnings."],
        ),
        (
            "What I want for errors:\n- never swallow them silently",
            ["never swallow them silently"],
        ),
        (
            "Our rule for errors:\nwe never swallow them silently",
            ["we never swallow them silently"],
        ),
    ],
)
def test_text_pasted_below_announcement_is_not_a_statement(text, said):
    announced = [
        each.text for each in extract_statements(text, "user") if not each.text.endswith(":")
    ]
    assert announced == said


@pytest.mark.parametrize(
    "text",
    [
        "Add a short pause between two lifts, so that we don't overheat the motor.",
        "Wir brauchen zwei Warteschlangen, damit das Finanzamt eine lesen kann.",
    ],
)
def test_purpose_of_a_wish_is_not_a_lesson(text):
    [statement] = extract_statements(text, "user")
    assert judge_speech(statement, "user").kind == "preference"


@pytest.mark.parametrize(
    "text",
    [
        "Turns out the lock file is written by root, so the service can't delete it.",
        "The root cause was the proxy: it cuts headers after 8 kB, so large cookies are lost.",
        "The issue is that `rsync` compares times, so the new file is never copied.",
    ],
)
def test_cause_that_an_agent_found_is_lasting(text):
    statement = extract_statements(text, ASSISTANT)[0]

    assert judge_speech(statement, ASSISTANT).is_lasting


@pytest.mark.parametrize(
    "text",
    [
        "Let me check why the second test fails.",
        "I've updated the three callers and all tests pass now.",
        "Next I'll look at the scheduler because it runs first.",
        "The build is green again, pushing it.",
        "Should the cache be dropped because it never expires?",
        (
            "The export failed because the lock was never taken by the two workers that write"
            " the table, namely:"
        ),
    ],
)
def test_agents_progress_report_is_not_lasting(text):
    statement = extract_statements(text, ASSISTANT)[0]

    assert not judge_speech(statement, ASSISTANT).is_lasting


@pytest.mark.parametrize(
    "text",
    [
        "Let's put the invoices into a queue, the mail server is too slow for all of them at once.",
        "Lass uns die Rechnungen in eine Warteschlange legen, weil der Mailserver zu langsam ist.",
    ],
)
def test_persons_settlement_is_a_decision(text):
    (statement,) = extract_statements(text, "user")

    assert judge_speech(statement, "user").kind == "decision"


@pytest.mark.parametrize(
    "text",
    [
        "alright, we need a section on tides in README.md, we also need to mention the cranes",
        "let's tackle crane.ts, read it in full and suggest how we can split it",
        "I manually removed almost all of the old labels, except for the crane ones",
        "no, the block should stay as is",
        "fucking hell, the pier page still looks the same on all screens",
        "the crane colours are too intense, adjust.",
        "nothing but a white page: Uncaught RangeError: there are too many cranes",
        "we still cannot move the crane, it only turns",
        "The only harbours that we never count in this list are:",
        "write a page with all kinds of cranes, including their loads, ropes, hooks",
        "crane.ts, i feel like there's lots of code that does the same for every hook",
        "don't touch anything at the pier until i'm back on monday, somebody works there",
        "the rail should be that, no need for a second one",
    ],
)
def test_momentary_orders_symptoms_and_corrections_are_not_kept(text):
    [statement] = extract_statements(text, "user")
    place = TurnPlace(is_first=False, is_answer=False, is_final=False)
    assert not judge_speech(statement, "user", place).is_lasting


def test_output_below_a_command_at_a_prompt_is_not_a_statement():
    text = (
        "$ gh pr view 12\nthe tide page must be read by two people\n\n"
        "  Please never merge this without a review.\n\nwe only merge on Mondays"
    )
    assert texts(text) == ["we only merge on Mondays"]


def test_mark_of_an_attachment_is_no_part_of_a_statement():
    text = "[Pasted text #1 +4 lines], the buoys must stay yellow [Image #2]"
    assert texts(text) == ["the buoys must stay yellow"]


def test_text_pasted_from_code_review_is_not_a_preference():
    review = (
        "If the pump fails without producing output, the message becomes empty with no diagnostic"
        " information, making failures harder to debug."
    )
    [statement] = extract_statements(review, "user")
    assert judge_speech(statement, "user").kind != "preference"


@pytest.mark.parametrize(("name", "lasts"), [("old", False), ("current", False), ("wide", True)])
def test_agents_description_of_planned_change_is_not_learned(name, lasts):
    text = f"The {name} lock table only holds one crane, which means that two can't be moved."
    [statement] = extract_statements(text, "assistant")
    assert judge_speech(statement, "assistant").is_lasting == lasts


def test_agents_description_of_current_work_is_not_learned():
    for text in (
        "I’m letting the run complete rather than interrupting, since output is partial.",
        "The runner is quiet because logs are going to the run directory.",
    ):
        [statement] = extract_statements(text, ASSISTANT)
        assert not judge_speech(statement, ASSISTANT).is_lasting


def test_order_after_a_sigh_is_a_preference():
    [statement] = extract_statements("omg use cents in the tariffs, no floats!", "user")
    assert judge_speech(statement, "user").kind == "preference"


def test_statement_meaningless_without_its_secret_is_not_learned():
    secret = "remember: the staging password is [redacted: named-value] for the user admin."
    rule = (
        "Never put a key like [redacted: github-token] into a commit, always read it from the"
        " environment of the deploy job instead."
    )
    texts = (f"{secret} Never deploy the quayside app on Fridays.", rule)
    said = [SpokenTurn(line, 0, "user", text, "", "") for line, text in enumerate(texts, start=1)]
    learned = [each.text for each in find_takeaways(said)]
    assert learned == ["Never deploy the quayside app on Fridays.", rule]


def test_too_short_sentence_is_not_learned():
    said = [SpokenTurn(1, 0, "user", "OK, great. Now build the pier.", "", "")]
    assert find_takeaways(said) == []


@pytest.mark.parametrize(
    "answer",
    [
        "this is not fully true, the hash is of the whole page",
        "That's not right, it reads the header only",
        "Das stimmt so nicht, der Kopf gehört dazu",
    ],
)
def test_statement_quoted_to_be_contradicted_is_not_learned(answer):
    quoted = "The parser must always read the footer before the pages, because the index is there."
    alone = find_takeaways([SpokenTurn(1, 0, "user", quoted, "", "")])
    assert [each.text for each in alone] == [quoted]
    said = find_takeaways([SpokenTurn(1, 0, "user", f"{quoted}\n\n{answer}", "", "")])
    assert quoted not in [each.text for each in said]


@pytest.mark.parametrize(
    "text",
    [
        "Consider using a longer timeout so the pump is guaranteed to stop",
        "the pump table has no index, can't we take the one of the quay?",
    ],
)
def test_persons_order_or_question_is_not_a_plain_fact(text):
    assert find_takeaways([SpokenTurn(1, 0, "user", text, "", "")]) == []
