"""What texts cite, and what they say twice."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.health.citations import Citation, citations, put_away
from crewmem.health.facts import facts

PATHS = ("AGENT.md", "daily/2026-04-14.md", "crew:harbor/CREW.md", "topics/a-b.md")


@settings(max_examples=80, deadline=None)
@given(
    path=st.sampled_from(PATHS),
    line=st.integers(1, 9_999_999),
    before=st.sampled_from(["", "(", "see ", "**Source:** ", "`", '"']),
    after=st.sampled_from(["", ")", ".", ", x", "-9", "@1a2b3c", "`", ":"]),
    above=st.integers(0, 3),
)
def test_a_file_and_a_line_are_found_wherever_they_stand(
    path, line, before, after, above
):
    """With the line of the text, whatever is around them."""
    text = "\n" * above + f"{before}{path}:{line}{after}"
    assert [*citations(text)] == [Citation(above + 1, path, line)]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab.md:/12-\n @x", max_size=60))
def test_what_is_found_stands_there(text):
    """Nothing is made up."""
    for each in citations(text):
        assert str(each) in text.splitlines()[each.at - 1]


def test_what_is_no_file_of_ours_is_no_citation():
    """Addresses of the web, paths that lead up, and other files."""
    for text in (
        "https://example.com/AGENT.md:12",
        "../AGENT.md:12",
        "src/app.py:12",
        "AGENT.md",
        "AGENT.md:0",
        "AGENT.md:12345678",
        "AGENT.md:12abc",
        "x" * 300 + ".md:1",
    ):
        assert [*citations(text)] == [], text


def test_notes_of_a_day_are_looked_for_where_they_are_put_away():
    """Below the year; other files stay where they are."""
    away = "agent:harbor/mira/daily/archive/2026/2026-04-14.md"
    assert put_away("agent:harbor/mira/daily/2026-04-14.md") == away
    assert put_away("daily/2026-04-14.md") == "daily/archive/2026/2026-04-14.md"
    for path in ("CREW.md", away, "daily/plan.md"):
        assert put_away(path) == ""


FACT = "The pier is closed on Sundays"


@settings(max_examples=60, deadline=None)
@given(
    mark=st.sampled_from(["", "- ", "* ", "  - ", "12. ", "- [x] ", "1) "]),
    dress=st.sampled_from(["{}", "**{}**", "_{}_", "`{}`"]),
    end=st.sampled_from(["", ".", "!", " (seen 2026-04-12, 2026-04-19)", ";"]),
    spaced=st.sampled_from([" ", "  ", "\t"]),
    upper=st.booleans(),
)
def test_a_fact_is_the_same_however_it_is_dressed(mark, dress, end, spaced, upper):
    """Marks, emphasis, case, white space and the stop at the end do not matter."""
    said = FACT.upper() if upper else FACT
    line = mark + dress.format(said.replace(" ", spaced)) + end
    assert [*facts(f"# Head\n\n{line}\n")] == [(3, FACT.lower())]


def test_what_says_nothing_by_itself_is_no_fact():
    """Headings, remarks, tables, quotes, code, and what is too short."""
    text = """
# The pier is closed on Sundays
<!-- the pier is closed on Sundays -->
| the pier | is closed | on Sundays |
> the pier is closed on Sundays
see below
**Source:** agent:harbor/mira/daily/2026-04-12.md:4, twice
```
the pier is closed on Sundays
```
~~~ text
the pier is closed on Sundays
"""
    assert [*facts(text)] == []
    assert [*facts(f"```\nx\n```\n{FACT}")] == [(4, FACT.lower())]


def test_other_facts_are_other_facts():
    """A number that differs is a difference."""
    (one,), (two,) = facts("It takes 3 days to dry"), facts("It takes 4 days to dry")
    assert one != two
