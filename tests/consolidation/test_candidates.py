from datetime import date

import pytest

from crewmem.consolidation.candidates import (
    Candidate,
    Evidence,
    drop_templates,
    find_candidates,
    find_topic,
    hash_text,
)
from crewmem.consolidation.cluster import find_known, merge_candidates
from crewmem.text.lasting import classify_section, find_cues
from crewmem.text.statements import read_statements


def observe(note, day="2026-05-04", owner="harbor/ada"):
    ref = f"agent:{owner}/daily/{day}.md"
    return find_candidates(note, ref=ref, day=day, owner=owner, origin="agent")


def marked(note):
    return {each.text: each.kind for each in observe(note) if each.is_marked}


def candidates(*observations):
    flat = [each for group in observations for each in group]
    return merge_candidates(flat, [], workspace="default", crew="harbor")


def test_statements_are_compared_by_words_if_embedding_fails():
    asked = []
    said = ["The crane needs oil every Friday morning", "Oil the crane on Friday before work"]
    days = ("2026-05-01", "2026-05-02")
    flat = [
        each
        for text, day in zip(said, days, strict=True)
        for each in observe(f"## Lessons learned\n- {text}\n", day=day)
    ]
    found, _ = merge_candidates(flat, [], workspace="w", crew="c", embed=asked.append)
    assert asked == [said]
    assert sorted(each.text for each in found) == sorted(said)


def test_sections_are_classified_in_several_languages():
    assert classify_section("💡 Lessons learned (week 3)") == "lesson"
    assert classify_section("Nächste Schritte") == "action"
    assert classify_section("Key decisions") == "decision"
    assert classify_section("Entscheidungen:") == "decision"
    assert classify_section("Lecciones") == "lesson"
    assert classify_section("Files changed") == "noise"
    assert classify_section("Quarterly harbour tour") == ""


def test_item_under_lessons_learned_is_marked_after_one_occurrence():
    assert marked("## Lessons learned\n- Staging needs a fresh dump after every migration\n") == {
        "Staging needs a fresh dump after every migration": "lesson"
    }


@pytest.mark.parametrize(
    ("heading", "item"),
    [("Lessons learned", "Pumps need two seconds"), ("Decisions", "**Billing:** monthly")],
)
def test_short_item_under_a_lasting_heading_is_marked(heading, item):
    assert marked(f"## {heading}\n- {item}\n")


def test_item_under_the_german_heading_is_marked():
    note = "## Erkenntnisse\n- Umlaute gehen beim Upload verloren\n"
    assert marked(note) == {"Umlaute gehen beim Upload verloren": "lesson"}


def test_line_with_a_marker_is_marked_and_loses_the_marker():
    note = (
        "- Decision: the office uses pnpm\n- Merke: Backups vor dem Update prüfen\n"
        "- Never deploy on Fridays\n- the proxy drops headers #lesson\n"
    )
    assert list(marked(note)) == [
        "the office uses pnpm",
        "Backups vor dem Update prüfen",
        "Never deploy on Fridays",
        "the proxy drops headers #lesson",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Workflow: every berth is booked by two people",
        "Protocol: the gauges must speak MQTT 5, never MQTT 3",
        "Umgangston: immer höflich, nie länger als drei Sätze",
        "Policy: two reviewers for every chart",
    ],
)
def test_label_that_names_the_subject_stays(line):
    assert list(marked(f"## Rules\n- {line}\n")) == [line]


@pytest.mark.parametrize(
    ("heading", "line", "kind"),
    [
        ("Decisions", "Database: PostgreSQL, because the team knows it.", "decision"),
        ("Lessons", "Server: two fans failed at once, order them in pairs.", "lesson"),
    ],
)
def test_label_of_facts_names_the_subject_of_a_decision_or_lesson(heading, line, kind):
    assert marked(f"## {heading}\n- {line}\n") == {line: kind}


def test_status_done_boxes_and_routine_are_not_marked():
    note = """\
# 2026-05-04

**Status:** ✅ COMPLETE
## Done
- Merged PR #12
- 14 of 20 tests pass
## Lessons learned
- [x] Write the report
## Daily checklist
- [ ] Always check the mail
## Commits
- 9f31c2e fix the build
"""
    assert marked(note) == {}


@pytest.mark.parametrize("remark", ["(vor 7 min)", "(il y a 3 jours)"])
def test_remark_in_parentheses_is_never_learned(remark):
    note = f"## Decisions\n- {remark}\n\nThe crane stopped.\n\n{remark}\n\nDecision: {remark}\n"
    assert not [each.text for each in observe(note) if remark in each.text]


def test_open_task_is_an_action_item():
    assert marked("## TODO\n- [ ] Rotate the deploy key every month\n") == {
        "Rotate the deploy key every month": "action_item"
    }


def test_short_statement_gets_its_topic():
    note = "## Vegetable box\n### Decisions\n- Monthly bills only\n"
    assert "Vegetable box: Monthly bills only" in marked(note)


def test_evidence_names_file_line_and_hash():
    (found,) = [e for e in observe("# Day\n\n- Never deploy on Fridays\n") if e.is_marked]
    digest = hash_text("- Never deploy on Fridays")
    [place] = found.evidence
    assert str(place) == f"agent:harbor/ada/daily/2026-05-04.md:3@{digest}"


def test_line_of_two_days_is_one_recurring_candidate():
    line = "- The deploy key is in the vault.\n"
    (found,), contradictions = candidates(observe(line), observe(line, "2026-05-06"))
    assert found.recurs
    assert [each.day for each in found.evidence] == ["2026-05-04", "2026-05-06"]
    assert not contradictions


def test_line_of_two_agents_belongs_to_the_crew():
    line = "- The deploy key is in the vault.\n"
    (found,), _ = candidates(observe(line), observe(line, owner="harbor/kim"))
    assert (found.recurs, found.agent) == (True, "")


def test_line_that_one_note_repeats_does_not_recur():
    (found,), _ = candidates(observe("- The deploy key is in the vault.\n" * 2))
    assert not found.recurs


def test_reversed_statements_contradict_and_do_not_recur():
    one = observe("- Use pnpm, never npm, in the web repository.\n")
    other = observe("- Use npm, never pnpm, in the web repository.\n", "2026-05-06")
    found, contradictions = candidates(one, other)
    assert len(found) == 2
    assert not any(each.recurs for each in found)
    assert len(contradictions) == 1


def test_records_with_one_label_do_not_contradict():
    lines = [f"Limit: never load more than {tons} tons" for tons in (4, 5, 7, 9)]
    found, contradictions = candidates(*(observe(line) for line in lines))
    assert len(found) == 4
    assert not contradictions


def test_statements_that_differ_only_in_a_value_are_records():
    line = "The north winch was switched over (decision: run it on drum d{})"
    seven = [observe(line.format(n), f"2026-05-0{n}") for n in range(1, 8)]
    assert candidates(*seven)[1] == []
    two = [observe(f"- Decision: run the north winch on drum d{n}") for n in (1, 2)]
    assert len(candidates(*two)[1]) == 1


def test_reports_of_two_days_do_not_contradict():
    report = "- Invoice run took {} minutes; the webhook answered 503 twice, retried"
    two = [observe(report.format(n), f"2026-05-0{n}") for n in (4, 6)]
    assert candidates(*two)[1] == []
    state = "- Production max_connections is {}"
    two = [observe(state.format(n), f"2026-05-0{n}") for n in (4, 6)]
    assert len(candidates(*two)[1]) == 1


def test_statement_contradicts_a_known_fact():
    found, _ = candidates(observe("## Facts\n- The deck is built of elm, not oak.\n"))
    same_as, contradictions = find_known(found, {"f_1": "The deck is built of oak, not elm."})
    assert not same_as
    assert [ref for _, ref in contradictions] == ["f_1"]


def test_known_statement_is_found():
    line = "- The deploy key is in the vault.\n"
    found, _ = candidates(observe(line), observe(line, "2026-05-06"))
    same_as, _ = find_known(found, {"AGENT.md:3": "the deploy key is in the vault"})
    assert same_as == {found[0].id: "AGENT.md:3"}


def test_line_under_one_heading_in_most_notes_is_template():
    def note(day):
        lines = f"- The pier looks fine as usual\n- Crane {day} needs a new rope\n"
        return observe(f"## Notes\n{lines}", day)

    days = [f"2026-05-0{number}" for number in range(1, 6)]
    kept = drop_templates([each for day in days for each in note(day)])
    assert not any("pier" in each.text for each in kept)
    assert any("rope" in each.text for each in kept)


def test_fragment_of_a_task_in_most_notes_is_template():
    days = [f"2026-05-0{number}" for number in range(1, 6)]
    found = [each for day in days for each in observe("## TODO\n- [ ] Standup\n", day)]
    assert not any(each.is_marked for each in found)
    assert drop_templates(found) == []


def test_candidate_id_does_not_depend_on_the_order_of_inputs():
    line = "- The deploy key is in the vault.\n"
    first, _ = candidates(observe(line), observe(line, "2026-05-06"))
    second, _ = candidates(observe(line, "2026-05-06"), observe(line))
    assert first[0].id == second[0].id


def test_origin_of_evidence_is_kept():
    place = Evidence("j_1", "", "2026-05-01", origin="external")
    said = Candidate("Use the mirror of the vendor", "", [place], 0.9, is_marked=True)
    (found,), _ = merge_candidates([said], [], workspace="w", crew="c")
    assert isinstance(found, Candidate)
    assert found.evidence[0].origin == "external"


def marked_texts(text):
    found = find_candidates(text, ref="n.md", day="2026-05-04", owner="c/a", origin="agent")
    return [each.text for each in found if each.is_marked]


def test_nested_fragment_gets_its_item_in_front():
    note = "# 2026-05-04\n\n## Decisions\n- Redis\n  - no persistence\n"

    assert marked_texts(note) == ["Redis: no persistence"]


def test_day_of_the_week_is_not_a_topic():
    assert marked_texts("# Dienstag\n\n### Entscheidungen\n- Kein Kubernetes\n") == [
        "Kein Kubernetes"
    ]


def test_short_chinese_task_is_a_task():
    assert marked_texts("## 待办\n- [ ] 每年更新证书\n") == ["每年更新证书"]


def test_renamed_name_is_not_a_correction():
    kinds = marked(
        "## Corrections\n- `PIER_IDS` → `BERTH_IDS`\n- The gate opens at six, not at seven\n"
    )
    assert kinds["The gate opens at six, not at seven"] == "correction"
    assert kinds.get("`PIER_IDS` → `BERTH_IDS`", "fact") == "fact"


SUBJECTS = [
    (
        (
            "## Greenhouse\n### Facts\nThe watering computer:\n"
            "- Stores its plan in `beds.csv` and needs no network\n"
        ),
        "The watering computer: Stores its plan in `beds.csv` and needs no network",
    ),
    (
        ("# Choir practice\n## Room in the town hall\n### Facts\n- Two keys, at the caretaker\n"),
        "Room in the town hall: Two keys, at the caretaker",
    ),
    (
        "## Proofing chamber\n### Decisions\n- The component holds 28 degrees for hours\n",
        "Proofing chamber: The component holds 28 degrees for hours",
    ),
    (
        "# Umbau der Backstube\n## Regeln für Rezeptkarten\n- Format: immer A5, quer\n",
        "Regeln für Rezeptkarten: Format: immer A5, quer",
    ),
    (
        (
            "## Fakten\nDer Brutschrank im Keller:\n"
            "- Meldet jede Abweichung von einem Grad per SMS\n"
        ),
        "Der Brutschrank im Keller: Meldet jede Abweichung von einem Grad per SMS",
    ),
    (
        "## Leihräder\n### Entscheidungen\n- Diese bekommen nur Mitglieder des Vereins\n",
        "Leihräder: Diese bekommen nur Mitglieder des Vereins",
    ),
]


@pytest.mark.parametrize(("note", "expected"), SUBJECTS)
def test_item_without_subject_gets_it_in_front(note, expected):
    assert expected in marked_texts(note)


@pytest.mark.parametrize(
    "item",
    [
        "Pumps need two seconds between two starts",
        "Ask the harbour master before a crane is moved",
        "Es wurde entschieden, den Kai nachts zu sperren",
        "Die Umlaute gehen beim Hochladen verloren",
        "Quittungen am Ende jedes Monats genau prüfen",
        "The pier office issues the permits for moorings",
    ],
)
def test_item_with_subject_is_unchanged(item):
    assert marked_texts(f"## Mooring\n### Lessons learned\n- {item}\n") == [item]


@pytest.mark.parametrize(("heading"), ["Facts", "Decisions", "Lessons learned"])
def test_item_without_subject_under_a_heading_without_topic_is_not_learned(heading):
    assert marked_texts(f"## {heading}\n- Reads from the queue once an hour\n") == []


@pytest.mark.parametrize(
    "note",
    [
        (
            "## Root cause\n1. Opened the sluice at low tide\n2. Flooded the lower meadow\n"
            "3. Tried to close the gate by hand\n"
            "4. The gate jammed because the chain was never greased\n"
        ),
        (
            "## Hergang\n- Ofen um fünf gestartet\n- Teig ging über die Form\n"
            "- Der Ofen ging aus, weil die Sicherung nur 10 A verträgt\n"
        ),
    ],
)
def test_narrated_steps_are_not_learned_but_the_cause_is(note):
    assert not [text for text in marked_texts(note) if "because" not in text and "weil" not in text]


def test_line_that_only_announces_others_is_not_learned():
    assert (
        marked_texts("## Lessons learned\nAll of these held under the storm of last week:\n") == []
    )


def test_item_without_a_subject_does_not_recur():
    line = "- Reads the gauge once in every ten minutes\n"
    assert candidates(observe(line), observe(line, "2026-05-06"))[0] == []


def test_note_in_brackets_that_names_a_kind_is_not_the_topic():
    note = "## Rules for the north gate (IMPORTANT)\n- always by two persons\n"
    assert marked_texts(note) == ["Rules for the north gate: always by two persons"]


def test_short_report_of_work_is_neither_fact_nor_task():
    assert marked_texts("## Boat house\n### Facts\n- Painted the gate (16:20)\n") == []


@pytest.mark.parametrize(
    "note",
    [
        "## Facts\n- Repaired both winches of the north crane and greased their chains again\n",
        "## Facts\n- The winch was stopped for good at 17:15:51 and needs a new chain\n",
        "Built a page for all the gauges with:\n- The level of each basin is stored in metres\n",
        "## Next steps\n- Oil the crane of the north pier\n\nThe whole pier now has good light.\n",
    ],
)
def test_listed_changes_and_events_are_not_learned(note):
    assert [each for each in marked_texts(note) if "north pier" not in each] == []


def test_decision_or_lesson_in_a_list_of_changes_is_learned():
    note = "## Decisions\n- Moved the tide archive to the second server\n"
    assert marked_texts(note) == ["Moved the tide archive to the second server"]
    note = "Agreed with the pilots on:\n- No crane is moved in fog, whatever the schedule says\n"
    assert len(marked_texts(note)) == 1


def test_title_of_the_day_is_not_a_topic():
    note = "# 2026-05-04 — Move to the new quay\n\n## Environment\n- Debian 12 with PostgreSQL 16\n"
    assert marked(note) == {"Environment: Debian 12 with PostgreSQL 16": "fact"}


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Daily notes - 2026-05-04", "Never alone"),
        ("2026-05-04 — Friday", "Never alone"),
        ("Memory 2026-05-04 - Harbour lights", "Harbour lights: Never alone"),
        ("2026-05-04 — Pier 2: Harbour lights", "Pier 2: Harbour lights: Never alone"),
    ],
)
def test_day_in_a_title_is_not_part_of_the_topic(title, text):
    assert list(marked(f"# {title}\n\n## Lessons\n- Never alone\n")) == [text]


def test_item_that_points_to_another_line_gets_its_topic():
    note = "## Rules\nWhen cables are sorted:\n- Do not remove these pairs\n"
    assert list(marked(note)) == ["When cables are sorted: Do not remove these pairs"]


def test_item_below_a_cause_gets_the_heading_in_front():
    note = (
        "## Pump of the north basin\n"
        "- **Root cause:** The valve in the second pipe was mounted the wrong way round\n"
        "  - Never open it\n"
    )
    assert "Pump of the north basin: Never open it" in marked(note)


def test_long_cause_is_learned_although_it_is_in_a_list():
    note = (
        "**Root causes:**\n"
        "1. The start script reads every gauge file, even those of closed basins\n"
        "2. The night job asks a question at the start, and nobody can answer it at night\n"
    )
    assert set(marked(note).values()) == {"lesson"}
    assert len(marked(note)) == 2


def test_task_that_remains_after_a_root_cause_analysis_is_learned():
    note = "## Root cause of the flood\n### Remaining\n- Order a new valve\n- Measure the basin\n"
    assert set(marked(note)) == {
        "Root cause of the flood: Order a new valve",
        "Root cause of the flood: Measure the basin",
    }


def test_open_question_is_a_task_and_other_questions_are_not_learned():
    question = "Do we need a second pump for the west basin?"
    assert marked(f"## Open questions\n- {question}\n") == {question: "action_item"}
    assert marked(f"## Lessons learned\n- {question}\n") == {}


def test_fact_below_the_name_of_an_installed_thing_is_learned():
    note = "## Gauge installed\n- The gauge needs a restart after every change of its address\n"
    assert len(marked(note)) == 1


def test_words_in_names_and_adjectives_do_not_name_a_kind():
    assert classify_section("Next.js upgrade") == ""
    assert classify_section("Wichtige Ereignisse") == ""
    assert classify_section("Offene Tasks") == "action"
    assert classify_section("Technische Details") == "fact"


def test_items_below_a_labelled_decision_get_its_text_in_front():
    note = (
        "## Storage of the gauges\n- **Decision:** Rent two cold rooms:\n"
        "  - Nordhafen for fish\n  - Südkai for fruit\n"
    )
    assert set(marked(note)) == {
        "Rent two cold rooms: Nordhafen for fish",
        "Rent two cold rooms: Südkai for fruit",
    }


def test_item_below_a_numbered_workflow_gets_its_name():
    note = (
        "## Rules\n**Berth booking workflow:**\n1. If the quay is full: pilots must wait outside\n"
    )
    assert set(marked(note)) == {
        "Berth booking workflow: If the quay is full: pilots must wait outside"
    }


@pytest.mark.parametrize(
    "line",
    [
        "- Fixed: gauge mismatch, crane icons not loaded (replaced with text)",
    ],
)
def test_report_or_intent_without_subject_is_not_marked(line):
    assert marked(f"## Pumps\n{line}\n") == {}


def test_spanish_report_of_work_is_not_a_task():
    note = (
        "## Pendiente\n- Se corrigió la bomba del muelle norte\n- Revisar la bomba del muelle sur\n"
    )
    assert marked(note) == {"Revisar la bomba del muelle sur": "action_item"}


def test_decision_is_recognized_by_its_wording():
    note = "## Pumps\n- We use the fine filter for every pump instead of the coarse one\n"
    assert marked(note) == {
        "We use the fine filter for every pump instead of the coarse one": "decision"
    }


def test_product_name_is_not_a_rule():
    plain, named = (
        find_cues(read_statements(f"- {each} moved the fish\n")[0])
        for each in ("Crane 3", "Crane 3 Pro")
    )
    assert plain.keys() == named.keys()


def test_chinese_headings_and_words():
    assert classify_section("决策内容") == "decision"
    assert classify_section("馆长的偏好") == "preference"
    assert classify_section("今日热门") == "noise"
    assert classify_section("数据真实性") == ""
    assert marked("## 社区\n- 讨论了非确定性的潮汐模型\n") == {}


def test_item_that_only_reports_work_is_not_a_lesson():
    note = (
        "## Learnings of the pump\n"
        "- Replaced the filters and painted the housing of the second pump\n"
        "- Replaced filters leak unless they are soaked for an hour\n"
    )
    assert list(marked(note)) == ["Replaced filters leak unless they are soaked for an hour"]


def test_bare_heading_is_not_a_topic():
    note = "## Ferry berths\n### Notes\n- Never without a pilot\n"
    assert set(marked(note)) == {"Ferry berths: Never without a pilot"}


@pytest.mark.parametrize(
    "line",
    [
        "This rule applies from now on to every quay!",
        "Diese Regel gilt ab sofort für alle Kräne!",
        "Password of the old pump: `[redacted: named-value]`, should be `[redacted: named-value]`",
    ],
)
def test_line_that_is_unclear_alone_is_not_marked(line):
    assert not marked(f"## Lessons learned\n- {line}\n")


def test_task_that_three_later_notes_do_not_repeat_is_outdated():
    note = "## Next steps\n- [ ] Order new fenders for the north quay\n"
    (task,), _ = candidates(observe(note))
    assert not task.is_outdated_task({date(2026, 5, day) for day in (2, 3, 4, 5, 6)})
    assert task.is_outdated_task({date(2026, 5, day) for day in (4, 5, 6, 9)})
    (named,), _ = candidates(observe(note), observe(note, day="2026-05-06"))
    assert not named.is_outdated_task({date(2026, 5, day) for day in (4, 5, 6, 9)})


def test_lesson_is_never_an_outdated_task():
    (lesson,), _ = candidates(observe("## Lessons learned\n- Fenders of foam sink in winter\n"))
    assert not lesson.is_outdated_task({date(2026, 5, day) for day in range(5, 12)})


def test_label_that_contains_a_word_for_status_can_name_a_subject():
    note = "## Decisions\n1. **Sonar results privacy:** visible to the crew only, kept for a year\n"
    assert list(marked(note).values()) == ["decision"]


def test_report_of_changes_does_not_name_rules():
    note = "## Git safety hooks installed\n- Script: `/quay/hooks/block-gate.sh`\n"
    assert "preference" not in {each.kind for each in observe(note)}
    rules = "## Added safety rules for the quay\n- Never open the gate at night\n"
    assert list(marked(rules).values()) == ["preference"]


def test_short_decision_gets_the_heading_that_it_is_about():
    skipped = "## Sonar upgrade\n- Decision: skip entirely, the old one lasts for years\n"
    assert list(marked(skipped)) == ["Sonar upgrade: skip entirely, the old one lasts for years"]
    shelved = (
        "## RAG API of the port (charts) — shelved\n- Decision: Shelved, paper charts suffice now\n"
    )
    assert next(iter(marked(shelved))).startswith("RAG API of the port — shelved: ")
    kept = "## Sonar upgrade\n- Decision: keep the old sonar for another year\n"
    assert list(marked(kept)) == ["keep the old sonar for another year"]


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("12 winches moved to the mole", "12 winches moved to the mole"),
        ("3. Winches of the mole", "Winches of the mole"),
        ("14:30 - 15:00 Uhr Winches of the mole", "Winches of the mole"),
    ],
)
def test_number_of_a_heading_is_no_part_of_the_topic_but_an_amount_is(heading, topic):
    note = f"## {heading}\n\n- Reads from the queue\n"
    [statement] = read_statements(note)
    assert find_topic(statement) == topic


def test_item_below_do_not_keeps_the_negation():
    note = "## Crane work\n\n### Don't:\n1. ❌ Lift in fog (the pier lamp is no help)\n"
    assert list(marked(note)) == ["Don't: Lift in fog (the pier lamp is no help)"]
    note = "**不要：**\n- 在霧中啟動起重機，必須先等燈塔確認\n"
    assert list(marked(note)) == ["不要: 在霧中啟動起重機，必須先等燈塔確認"]


def test_crossed_rule_keeps_its_sign():
    note = "## Rules for berths\n- ❌ Two ferries at one berth while the ramp is open\n"
    assert list(marked(note)) == ["❌ Two ferries at one berth while the ramp is open"]


def test_tick_below_do_means_approval_and_elsewhere_completion():
    item = "- ✅ Ask the pilot before each lift of the crane\n"
    assert marked(f"### Do:\n{item}")
    assert not marked(f"## Requirements of the crane\n{item}")
    assert not marked(f"## Lessons\n{item}")


@pytest.mark.parametrize(
    "line",
    [
        "| Crane | ✅ | Needs a new chain before winter |",
        "| Crane | PASS | Needs a new chain before winter |",
        "| Crane | 正常 | Needs a new chain before winter |",
    ],
)
def test_row_with_a_state_of_today_is_not_learned(line):
    table = "## Facts\n\n| Part | Status | Notes |\n|---|---|---|\n"
    assert not marked(f"{table}{line}\n")
    assert marked(table.replace("Status", "Supplier") + line.replace("✅", "Harms") + "\n")


def test_row_of_a_changed_file_is_not_learned():
    table = "## Facts\n\n| Action | File | Detail |\n|---|---|---|\n"
    for action in ("Created", "MODIFIE", "Удалён"):
        assert not marked(f"{table}| {action} | `crane/chain.py` | the chain needs oil |\n")


@pytest.mark.parametrize(
    "item",
    [
        "The chain of crane 2 turned backwards (FIXED)",
        "La chaîne de la grue 2 tourne à l'envers (CORRIGE)",
        "Цепь второго крана крутится назад — ИСПРАВЛЕНО",
        "`3f9c2ab1` - fix: the chain of crane 2 must not turn backwards",
    ],
)
def test_settled_problem_or_commit_is_not_learned(item):
    assert not marked(f"## Lessons\n- {item}\n")


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Decouvertes", "lesson"),
        ("Prochaines etapes", "action"),
        ("Naechste Schritte", "action"),
        ("Симптом", "problem"),
        ("Проверено", "noise"),
        ("注意点", "rule"),
        ("動作確認", "noise"),
        ("正確做法", "rule"),
        ("원인", "lesson"),
        ("Known gaps", "problem"),
        ("Ações recomendadas", "action"),
        ("Required tools", "fact"),
        ("Error handling", "fact"),
        ("反馈", "preference"),
        ("Do", "rule"),
        ("Berths that do burn", ""),
        ("To decide", "action"),
    ],
)
def test_heading_in_other_languages_or_without_accents_is_classified(heading, kind):
    assert classify_section(heading) == kind


def test_author_after_the_day_is_not_a_topic():
    note = "## 2026-05-04 (late) — Nadia\n\n### Discoveries\n- Never alone\n"
    assert list(marked(note)) == ["Never alone"]


def test_topic_does_not_end_with_a_preposition():
    [statement] = read_statements("## Plan for 2026-05-04\n\n- Reads from the queue\n")
    assert not find_topic(statement).endswith("for")


@pytest.mark.parametrize(
    "line",
    [
        "**Status:** the berth planner waits for the API key of the harbour office (`HARBOUR_KEY`)",
        "**Fix:** the pump restarts with `pumpctl restart`, which takes 20 seconds",
        "**Symptom:** `GET /berths` returns 500 with `missing key` when the database is locked",
        "**Fehler:** der Aufruf `berths list` endet mit Status 3, wenn die Datenbank gesperrt ist",
    ],
)
def test_line_labelled_as_status_problem_or_fix_is_not_learned(line):
    assert not marked(f"- {line}\n")
    label, _, text = line.partition(":** ")
    assert marked(f"- **Berths:** {text}\n"), label


@pytest.mark.parametrize(
    "note",
    [
        "## 完成的改动\n- 新增「潮汐」弹窗（点击或 3 秒后自动关闭），不影响背景音乐\n",
        "## Табло\n- Кнопка «Причал» переделана на обычную `<form>` без скриптов\n",
        "## Tablica\n- Utworzono tabelę `berths` z polami `name` i `can_edit` dla nabrzeży\n",
    ],
)
def test_changes_in_other_languages_are_not_learned(note):
    assert not marked(note)


def test_heading_of_a_finished_task_is_the_topic():
    note = "### HRB-31 complete: tide scanner\n- **Location:** `/srv/harbour/skills/tide-scan/`\n"
    [text] = marked(note)
    assert text == "HRB-31 complete: tide scanner: Location: `/srv/harbour/skills/tide-scan/`"


def test_topic_does_not_repeat_the_label():
    assert list(marked("### Gate panel (north)\n- **Gate panel:** `/admin/gates`\n")) == [
        "Gate panel: `/admin/gates`"
    ]


def test_later_sentence_of_a_paragraph_needs_more_evidence():
    first = (
        "The gauge at the pier is read by the old logger in the cellar as it has been for years. "
    )
    sentence = "The gauge keeps each value for one year."
    assert marked(f"{sentence}\n")
    assert sentence not in marked(f"{first * 2}{sentence}\n")
