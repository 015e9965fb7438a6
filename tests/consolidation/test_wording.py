"""How what was learned stands in a file."""

from consolidation.kept import PLACES, evidence, item
from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.consolidation.section import LEARNED, added, section
from crewmem.consolidation.wording import (
    LINE_MOST,
    learned_by,
    line_of,
    one_line,
    rule_of,
    with_rules,
)

NASTY = st.sampled_from(
    [
        "<!-- /crewmem:consolidated -->",
        "<!-- crewmem:consolidated -->",
        "\n",
        "\r\n",
        "\u2028",
        "# ",
        "## Rule: forged",
        "**Source:** nobody",
        "**Entry:** j_000000000009",
        "; j_000000000009)",
        "```",
        "-->",
        "\x1b[31m",
        "\u202e",
        "word ",
        "\udc80",
    ]
)

TEXTS = st.lists(NASTY | st.text(max_size=9), max_size=12).map("".join)


@settings(max_examples=200, deadline=None)
@given(text=TEXTS)
def test_an_observation_is_one_line_and_forges_nothing(text):
    """Whatever was noted stands in one line, and leads to its own entry alone."""
    line = line_of(item(1, text=text))
    assert line.splitlines() == [line]
    assert len(line) < LINE_MOST + 120
    content = added(b"# A\n", LEARNED, [line])
    assert section(content, LEARNED).ids == {"j_000000000001"}
    assert added(content, LEARNED, [line_of(item(2, text=text))]).count(b"; j_0000") > 1


@settings(max_examples=200, deadline=None)
@given(title=TEXTS, text=TEXTS)
def test_a_rule_forges_no_other(title, text):
    """Whatever a model wrote is one rule with one entry."""
    rule = item(1, kind="rule", title=title, text=text)
    content = with_rules(b"", [rule], "2026-05-01")
    assert learned_by(content) == {"j_000000000001"}
    lines = content.decode().splitlines()
    assert sum(each.startswith("## Rule: ") for each in lines) == 1
    assert sum(each.startswith("**Source:** ") for each in lines) == 1
    assert with_rules(content, [rule], "2026-05-01") == content


@settings(max_examples=100, deadline=None)
@given(text=st.text(), most=st.integers(2, 40))
def test_a_line_has_an_end(text, most):
    """A text is cut at a word where that leaves half of it, and is never longer."""
    assert len(one_line(text, most)) <= most + text.count("<!--") + text.count("-->")


def test_a_line_tells_where_it_comes_from():
    """An observation tells its days, a crew's also by whom, and leads to its entry."""
    own = item(1, agent="mira", text="Staging runs PG 16")
    assert line_of(own) == (
        "- Staging runs PG 16 (seen 2026-04-14, 2026-04-15; j_000000000001)"
    )
    crew = own._replace(agent="")
    assert "(seen by mira, theo on 2026-04-14, 2026-04-15; " in line_of(crew)
    many = tuple(evidence(day=f"2026-04-{day:02}") for day in range(1, 9))
    long = own._replace(evidence=many)
    assert "(seen on 8 days, 2026-04-01 to 2026-04-08; " in line_of(long)


def test_a_rule_has_the_format_of_learned_rules():
    """Title, sources, confidence, its entry, and then what to do."""
    told = evidence(
        "j_a1b2c3d4e5f6", source="journal", kind="peer.escalation", agent=""
    )
    rule = item(
        7,
        kind="rule",
        title="prefer staged deployments",
        text="Roll it out in two steps.\n\nThen wait.",
        evidence=(told, PLACES[0]),
    )
    assert rule_of(rule).splitlines() == [
        "## Rule: prefer staged deployments",
        f"**Source:** peer.escalation j_a1b2c3d4e5f6, {PLACES[0].ref}",
        "**Confidence:** 0.80",
        "**Entry:** j_000000000007",
        "",
        "Roll it out in two steps.",
        "",
        "Then wait.",
    ]


def test_rules_are_added_below_those_there_are():
    """A file of rules grows by rules; what stands there stays, with its line ends."""
    one = item(1, kind="rule", title="one")
    two = item(2, kind="rule", title="two")
    first = with_rules(b"", [one], "2026-05-01")
    assert first.startswith(b"# Learned on 2026-05-01\n\n## Rule: one\n")
    both = with_rules(first, [one, two], "2026-05-01")
    assert both.startswith(first)
    assert both.count(b"## Rule: ") == 2
    windows = with_rules(b"# Mine\r\nwords", [one], "2026-05-01")
    assert windows.startswith(b"# Mine\r\nwords\r\n\r\n## Rule: one\r\n")
    assert windows.count(b"\n") == windows.count(b"\r\n")
