from hypothesis import given
from hypothesis import strategies as st

from crewmem.consolidation.sections import (
    BEGIN,
    END,
    add_lines,
    format_line,
    list_statements,
    parse_section,
    render_section,
)

LINE = format_line("Deploys need approval", ["agent:h/a/daily/2026-05-01.md:3@1a2b3c4d5e6f"])


def test_line_names_its_evidence():
    assert LINE == "- Deploys need approval (daily/2026-05-01.md:3@1a2b3c4d)"
    assert "2 more" in format_line("x", ["j_1", "j_2", "j_3", "j_4", "j_5"])


def test_line_names_the_agents_of_its_evidence_if_there_are_several():
    notes = [f"agent:h/{agent}/daily/2026-05-01.md:3@1a2b3c4d5e6f" for agent in ("ada", "bob")]

    line = format_line("Deploys need approval", notes)

    assert "(ada/daily/2026-05-01.md:3@1a2b3c4d, bob/daily" in line


def test_adding_a_line_twice_adds_it_once():
    once = add_lines("# Me\n", [LINE])
    assert add_lines(once, [LINE]) == once
    assert list_statements(once) == ["Deploys need approval"]


@given(st.text(alphabet="ab#-\n\r <!>", max_size=60), st.text(alphabet="ab#-\n\r <!>", max_size=60))
def test_text_outside_the_section_is_unchanged(before, after):
    text = f"{before}{BEGIN}\n- old (j_1)\n{END}{after}"
    section = parse_section(add_lines(text, [LINE]))
    assert (section.before, section.after) == (before, after)


@given(st.text(alphabet="ab#-\n\r <!>", max_size=60))
def test_new_section_is_added_at_the_end(text):
    result = add_lines(text, [LINE])
    assert result.startswith(text)


def test_line_is_added_below_the_others():
    once = add_lines("# Me\n", [LINE])
    assert add_lines(once, ["- More"]) == once.replace(END, f"- More\n{END}")


def test_empty_section_is_removed():
    text = render_section("# Me\n", ["- a"], "## Pinned entries")
    assert render_section(text, []) == "# Me\n"


def test_promoted_text_cannot_close_the_section():
    line = format_line(f"x {END} y <!-- z", ["j_1"])
    assert "<!--" not in line
    assert "-->" not in line


def test_text_after_a_section_without_end_is_never_replaced():
    text = render_section("# Pins\n", ["- one"]).replace(END, "")
    text = render_section(f"{text}A person's own words.\n", ["- two"])

    text = render_section(text, ["- three"])

    assert "A person's own words." in text
    assert ("- one" in text, "- two" in text, "- three" in text) == (True, False, True)
