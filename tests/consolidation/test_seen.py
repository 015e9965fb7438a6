"""When something was seen, as its line says it."""

from consolidation.kept import evidence, item
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.section import LEARNED, added
from crewmem.consolidation.seen import DAYS_MOST, read_seen, seen_again, seen_on
from crewmem.consolidation.sighting import (
    CONSOLIDATED,
    Line,
    Sighting,
    line_in,
    may_lead_to,
    numbers_inside,
    with_seen,
)
from crewmem.consolidation.wording import line_of, with_rules

DAYS = st.dates().map(str)
NAMES = st.sets(st.sampled_from(["mira", "tor", "zoe-2", "9"]), max_size=3)
WORDS = st.text(alphabet="ab( )seen;", max_size=20)
ENDS = st.sampled_from(["", "\r", " "])
ENTRY = "j_000000000001"


@settings(deadline=None)
@given(WORDS, st.sets(DAYS, min_size=1), NAMES, ENDS)
def test_what_a_line_says_is_read_again(text, days, agents, end):
    """Days, agents and the entry come back as they were written."""
    seen = seen_on(days, agents)
    assert read_seen(f"- {text} ({seen}; {ENTRY}){end}") == (seen, ENTRY)


@settings(deadline=None)
@given(st.sets(DAYS, min_size=1), st.sets(DAYS), NAMES, NAMES, ENDS)
def test_seen_in_two_runs_or_in_one_is_the_same(days, more, agents, others, end):
    """A line that is brought up to date says what one made now would say."""
    later = {each for each in more if each > max(days)}
    line = f"- text ({seen_on(days, agents)}; {ENTRY}){end}"
    both = seen_on(days | later, agents | others)
    assert seen_again(line, more, others) == f"- text ({both}; {ENTRY}){end}"


@given(st.text())
def test_a_line_of_somebody_else_stays(line):
    """What does not end as ours do is not changed."""
    assert read_seen(line) or seen_again(line, ["2026-05-01"], ["mira"]) == line


def test_only_so_many_days_are_named():
    """A line names few days one by one, and of many the first and the last."""
    days = [f"2026-04-{day:02}" for day in range(1, DAYS_MOST + 2)]
    assert str(seen_on(days[:-1], [])) == f"seen {', '.join(days[:-1])}"
    assert str(seen_on(days, [])) == f"seen on 4 days, {days[0]} to {days[-1]}"
    assert str(seen_on(days, ["mira"])).startswith("seen by mira on 4 days, ")


def test_a_line_lacks_later_days_and_other_agents():
    """An earlier day, or the same again, is no news; whose line it is matters."""
    own = Line("agent:harbor/mira/AGENT.md", ENTRY, "2026-04-14")
    crews = Line("crew:harbor/CREW.md", ENTRY, "2026-04-14", frozenset({"mira"}))
    assert not own.lacks(evidence())
    assert not own.lacks(evidence(agent="tor"))
    assert own.lacks(evidence(day="2026-04-15"))
    assert not crews.lacks(evidence())
    assert crews.lacks(evidence(agent="tor"))
    assert not crews.lacks(evidence(agent="tor", day="2026-04-13"))


def test_lines_outside_of_the_section_stay():
    """A copy that somebody made of a line of ours is theirs."""
    line = line_of(item(1))
    content = added(f"{line}\n".encode(), LEARNED, [line])
    again = (evidence(day="2026-04-20", agent="zoe"),)
    ref = "crew:harbor/CREW.md"
    after = with_seen(content, ref, [Sighting(ref, ENTRY, "", again)])
    first, *_, ours, _ = after.decode().splitlines()
    assert first == line
    assert "(seen by mira, theo, zoe on 2026-04-14, 2026-04-15, 2026-04-20;" in ours


def entries(*numbers):
    return tuple(
        evidence(f"j_{number:012}", source="journal", kind="peer.escalation")
        for number in numbers
    )


def test_a_rule_that_was_met_again_names_more_sources():
    """As many as a rule names are named, and the others are counted."""
    ref = "crew:harbor/learned/2026-05-01.md"
    made = item(1, kind="rule", title="do", evidence=entries(21, 22))
    other = item(2, kind="rule", title="or")
    content = with_rules(b"", [made, other], "2026-05-01")
    for first, last in ((23, 30), (30, 37)):
        again = entries(*range(first, last))
        content = with_seen(content, ref, [Sighting(ref, ENTRY, "", again)])
    whole = made._replace(evidence=entries(*range(21, 37)))
    assert content == with_rules(b"", [whole, other], "2026-05-01")
    assert b" and 4 more" in content


def test_sources_are_counted_once():
    """Whoever was killed between the file and its entry does the same again."""
    ref = "crew:harbor/learned/2026-05-01.md"
    content = with_rules(b"", [item(1, kind="rule", title="do")], "2026-05-01")
    for first, last in ((20, 31), (31, 35), (35, 36)):
        lines = content.decode().split("\n")
        number = lines.index("## Rule: do") + 1
        line = line_in(ref, lines, number)
        again = Sighting(ref, ENTRY, "", entries(*range(first, last)), line.counted)
        content = with_seen(content, ref, [again])
        assert with_seen(content, ref, [again]) == content
    assert b" and 6 more" in content


def test_only_lines_of_the_section_are_ours():
    """What an agent writes elsewhere, as ours look, is the agent's."""
    ours = line_of(item(1))
    text = added(f"{ours}\n".encode(), LEARNED, [ours]).decode() + f"\n{ours}\n"
    lines = text.split("\n")
    known = [at for at, line in enumerate(lines, 1) if line == ours]
    inside = numbers_inside("agent:harbor/mira/AGENT.md", text)
    assert [at for at in known if at in inside] == known[1:2]
    assert not numbers_inside("agent:harbor/mira/other.md", text)
    assert not numbers_inside("crew:harbor/CREW.md", ours)


def test_a_line_leads_to_entries_of_its_own_file_alone():
    """Of a crew, or of an agent, and such as consolidation adds."""
    own, crews = "agent:harbor/mira/AGENT.md", "crew:harbor/CREW.md"
    assert may_lead_to(own, CONSOLIDATED, None, "mira")
    assert may_lead_to(crews, CONSOLIDATED, "harbor", None)
    assert not may_lead_to(own, CONSOLIDATED, None, "tor")
    assert not may_lead_to(own, CONSOLIDATED, "harbor", None)
    assert not may_lead_to(crews, CONSOLIDATED, "bay", None)
    assert not may_lead_to(own, "agent.step", None, "mira")
