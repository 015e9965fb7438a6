"""The card of a person."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crewmem.prompt.operator_card import fields_of, merged, without
from crewmem.prompt.operator_fact import Fact, FactField

VALUES = st.text(
    st.characters(categories=["L", "N"], include_characters=" -:"), min_size=1
).map(lambda text: " ".join(text.split()) or "x")

FACTS = st.dictionaries(st.sampled_from(FactField), VALUES).map(
    lambda said: [Fact(field, value, "quote") for field, value in said.items()]
)

NO_CAP = 1 << 20


def facts(**said):
    return [Fact(FactField(field), value, "quote") for field, value in said.items()]


def test_silent_fields_stay_and_touched_ones_change():
    """In the order in which they were established; what is new comes last."""
    before = b"- role: engineer\n- prefers: tabs\n"
    after = merged(before, facts(timezone="UTC", role="lead"), NO_CAP)
    assert after.content == b"- role: lead\n- prefers: tabs\n- timezone: UTC\n"
    assert after.dropped == ()


def test_lines_of_other_kinds_stay():
    """What a person wrote by hand is not crewmem's to drop."""
    before = b"# Ada\r\n* ROLE : lead \n- pet: cat\n"
    after = merged(before, facts(role="lead", owns="docks"), NO_CAP)
    assert after.content == b"# Ada\n* ROLE : lead \n- pet: cat\n- owns: docks\n"


def test_over_the_cap_the_newest_lines_go():
    """Whole lines, from the end, and it is said which."""
    before = b"- role: engineer\n- prefers: tabs\n"
    after = merged(before, facts(role="a much longer role", owns="docks"), 30)
    assert after.content == b"- role: a much longer role\n"
    assert after.dropped == ("owns", "prefers")


def test_a_line_twice_becomes_one():
    """Where the field is touched."""
    after = merged(b"- role: a\n- role: b\n", facts(role="c"), NO_CAP)
    assert after.content == b"- role: c\n"


def test_without_its_only_field_a_card_is_nothing():
    """Then there is no card."""
    assert without(b"- role: a\n", FactField.ROLE) == b""
    assert without(b"- role: a\n- owns: b\n", FactField.ROLE) == b"- owns: b\n"
    assert without(b"# Ada\n- role: a\n", FactField.ROLE) == b""


@settings(deadline=None)
@given(FACTS, FACTS, st.integers(0, 300))
def test_a_merge_keeps_the_cap_and_the_order(old, new, cap):
    """Never over; what is kept is the beginning; said again, it changes nothing."""
    before = merged(b"", old, NO_CAP).content
    after = merged(before, new, cap)
    assert len(after.content) <= cap
    said = fields_of(after.content)
    wanted = {fact.field: fact.value for fact in [*old, *new]}
    assert said == dict(list(wanted.items())[: len(said)])
    assert {*after.dropped} == wanted.keys() - said.keys()
    again = merged(after.content, [each for each in new if each.field in said], cap)
    assert again.content == after.content


@settings(deadline=None)
@given(st.binary(max_size=200), FACTS)
def test_what_is_not_understood_survives(content, new):
    """Bytes that are no UTF-8 stay as they are, wherever they stand."""
    after = merged(content, new, NO_CAP).content
    kept = [
        line
        for line in content.removeprefix(b"\xef\xbb\xbf")
        .replace(b"\r\n", b"\n")
        .split(b"\n")
        if b":" not in line
    ]
    assert all(line in after for line in kept)
