from crewmem.text.statements import (
    Statement,
    read_statements,
    split_sentences,
    split_statement,
)

NOTE = """\
---
title: Monday
---
# 2026-05-04

## 09:30 - Deploys

**Key decisions:**
- Deploys need two approvals
- **Window:** Tuesday morning
  - never after four
- [x] told the team

**Lesson:** The cache must be cold
<!-- Decision: a comment -->
```
Decision: code
```
| System | Position |
|---|---|
| Jenkins | never again |

Tasks
-----
1. [ ] Write the runbook
   and link it
"""


def statements():
    return {each.text: each for each in read_statements(NOTE)}


def test_headings_code_comments_front_matter_and_table_heads_are_not_statements():
    assert list(statements()) == [
        "Deploys need two approvals",
        "Tuesday morning",
        "never after four",
        "told the team",
        "The cache must be cold",
        "never again",
        "Write the runbook and link it",
    ]


def test_statement_knows_its_surroundings():
    found = statements()
    assert found["Deploys need two approvals"].lead == "Key decisions"
    assert found["Tuesday morning"].label == "Window"
    assert found["told the team"].box == "done"
    assert found["The cache must be cold"].label == "Lesson"
    assert found["never again"].form == "row"
    task = found["Write the runbook and link it"]
    assert task.headings[-1] == "Tasks"
    assert (task.box, task.first_line, task.last_line) == ("open", 25, 26)


def test_lines_are_counted_from_one_after_front_matter():
    lines = NOTE.split("\n")
    for each in read_statements(NOTE):
        assert each.text.split()[0] in lines[each.first_line - 1]


def test_nested_item_names_its_parent():
    found = read_statements(NOTE)
    index = next(i for i, each in enumerate(found) if each.text == "Tuesday morning")
    assert found[index + 1].parent == index


def test_long_paragraph_is_split_into_sentences():
    text = "The importer reads Latin-1. " * 10
    assert [each.text for each in read_statements(text)] == ["The importer reads Latin-1."] * 10


def test_short_paragraph_is_split_before_significant_label():
    found = read_statements(
        "Spent two hours on a proxy error. Lesson: the path must end in a slash."
    )
    assert [(each.label, each.text) for each in found] == [
        ("", "Spent two hours on a proxy error."),
        ("Lesson", "the path must end in a slash."),
    ]


def test_time_stamp_is_removed_from_statement():
    (found,) = read_statements("- 09:30 — Deploys fail when the cache is cold")
    assert found.text == "Deploys fail when the cache is cold"


def test_any_text_is_read():
    for text in ("", "\n\n", "---", "- ", "**", "#", "|", "```", "a:", "- [ ]", "\ufeff---\n"):
        read_statements(text)


def test_line_with_a_time_of_day_begins_a_statement():
    text = "08:45 Disk of the gauge server is full, old logs deleted\n09:30 Logs rotate again\n"
    assert [each.text for each in read_statements(text)] == [
        "Disk of the gauge server is full, old logs deleted",
        "Logs rotate again",
    ]


def test_sentences_in_parentheses_are_not_split():
    text = "Remove the lamps (the old ones, right? nothing else), and keep the list. It is short."

    assert [each.text for each in split_statement(Statement(text))] == [
        "Remove the lamps (the old ones, right? nothing else), and keep the list.",
        "It is short.",
    ]


def test_row_of_a_wide_table_has_its_column_heads():
    table = (
        "| Gate | Opens | Closes |\n|---|---|---|\n| North | 6 am | |\n| South | 7 am | 9 pm |\n"
    )
    assert [each.full_text for each in read_statements(table)] == [
        "North: Opens: 6 am",
        "South: Opens: 7 am; Closes: 9 pm",
    ]


def test_tick_at_the_end_marks_a_done_item():
    [item] = read_statements("- Pump 3 runs again ✅\n")
    assert (item.text, item.box) == ("Pump 3 runs again", "ticked")


def test_emphasis_and_leading_symbols_are_removed():
    texts = ["ℹ️ The pump needs *clean* water", "*Written by the night shift*", "Keep *.log files"]
    assert [each.text for text in texts for each in read_statements(f"- {text}\n")] == [
        "The pump needs clean water",
        "Written by the night shift",
        "Keep *.log files",
    ]


def test_rule_ends_the_section_of_a_heading():
    note = "## Lessons\n- Oil the chain\n\n---\nWritten by Mirko\n\n## Tasks\n- Buy oil\n"
    assert [each.headings for each in read_statements(note)] == [("Lessons",), (), ("Tasks",)]


def test_bold_line_before_a_list_is_its_label_line():
    note = "**Second part of the long inspection (hall 3)**\n- The belt slips below ten degrees\n"
    [item] = read_statements(note)
    assert item.lead == "Second part of the long inspection (hall 3)"


def test_wide_colon_ends_a_label():
    text = "**正確做法**：先等燈塔確認\n\n原因：鏈條太舊\n\n港口規則：\n- 霧中不開起重機\n"
    found = [(each.label, each.lead, each.text) for each in read_statements(text)]
    assert found == [
        ("正確做法", "", "先等燈塔確認"),
        ("原因", "", "鏈條太舊"),
        ("", "港口規則", "霧中不開起重機"),
    ]


def test_sign_at_the_start_is_a_tick_or_a_cross():
    items = read_statements("- ✅ Pump 3 runs\n- ❌ Pump 4 runs\n- [x] Pump 5 runs\n")
    assert [each.box for each in items] == ["ticked", "crossed", "done"]


def test_name_with_two_underscores_at_both_ends_is_no_emphasis():
    [item] = read_statements("- `Pump` gets a __name__ in __init__, __and never__ later\n")
    assert item.text == "`Pump` gets a __name__ in __init__, and never later"


def test_other_case_stays_with_the_sentence_before_it():
    text = "Check in the setup that the pump is there. If not, print an error and go on."
    assert len(split_statement(Statement(text))) == 1


def test_wrapped_line_that_begins_with_bold_words_is_joined():
    text = (
        "**Crane 2 is never oiled in winter.** The oil gets hard below four,\n"
        "and the brake slips.\n\n"
        "**Owner of the crane:** the yard\n**Chain:** oiled in spring\n"
    )
    assert [each.text for each in read_statements(text)] == [
        "Crane 2 is never oiled in winter. The oil gets hard below four, and the brake slips.",
        "the yard",
        "oiled in spring",
    ]


def test_time_in_bold_with_a_colon_is_removed_from_statement():
    (found,) = read_statements("**19:14 UTC:** Kim: the gate stays open\n")
    assert (found.label, found.text) == ("Kim", "the gate stays open")


def test_full_stop_of_an_initial_or_title_does_not_end_a_sentence():
    text = "We met M. Moreno at the pier. Dr. Kim came later."
    assert split_sentences(text) == ["We met M. Moreno at the pier.", "Dr. Kim came later."]


def test_wrapped_lines_of_a_quotation_are_one_statement():
    note = (
        "> This journal is kept by the agent of the harbour. Each session has its day, its ships,\n"
        "> and what was decided.\n"
        "> Kim reads it.\n"
    )
    first, second = (each.text for each in read_statements(note))
    assert first.endswith("Each session has its day, its ships, and what was decided.")
    assert second == "Kim reads it."
