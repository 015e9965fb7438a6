"""Laws that hold for any input: times, ids, appends, merges, the hash chain, versions."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crewmem.errors import RefusedError, UsageError
from crewmem.files.appending import BOM, join_lines
from crewmem.files.decoding import decode
from crewmem.hosts.merge import merge_texts
from crewmem.ids import is_id, new_id, resolve_prefix, shorten_all
from crewmem.journal.store import Journal
from crewmem.journal.verify import verify_chains
from crewmem.times import day_start, format_time, local_day, parse_time, parse_when


def moments(first_year: int, last_year: int) -> st.SearchStrategy[datetime]:
    # Hypothesis takes limits without a time zone.
    limits = datetime(first_year, 1, 3), datetime(last_year, 12, 29)  # noqa: DTZ001
    return st.datetimes(*limits, timezones=st.just(UTC))


MOMENTS = moments(1, 9999)
ZONES = st.sampled_from(
    # A night without midnight, a day that never was, half hours, and thirty minutes of summer.
    ["America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Cairo"]
).map(ZoneInfo)
LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=8))


@given(MOMENTS)
def test_stored_time_is_read_back_to_the_millisecond(moment):
    found = parse_time(format_time(moment))
    assert timedelta() <= moment - found < timedelta(milliseconds=1)


@given(MOMENTS, MOMENTS)
def test_stored_times_are_ordered_as_text(one, other):
    if one <= other:
        assert format_time(one) <= format_time(other)


@given(moments(1900, 2100), ZONES)
def test_day_holds_its_moments(moment, zone):
    day = local_day(moment, zone)
    assert day_start(day, zone) <= moment
    assert moment < day_start(day + timedelta(days=1), zone) or zone.key == "Pacific/Apia"


@given(st.text(), MOMENTS, ZONES, st.booleans())
def test_typed_time_is_a_time_or_a_usage_error(text, now, zone, end):
    try:
        found = parse_when(text, now=now, zone=zone, end=end)
    except UsageError:
        return
    assert parse_time(format_time(found))


@given(st.lists(st.binary(min_size=12, max_size=12), min_size=1, max_size=20, unique=True))
def test_short_ids_name_one_each(randoms):
    ids = [new_id("f", lambda _, random=random: random) for random in randoms]
    assert all(map(is_id, ids))
    for whole, short in shorten_all(ids).items():
        candidates = [each for each in set(ids) if each.startswith(short)]
        assert resolve_prefix(short, candidates, "fact") == whole


@given(
    st.binary(max_size=60),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
)
def test_append_keeps_what_was_there(before, text):
    if not text.strip("\r\n"):
        return
    try:
        after = join_lines(before, text)
    except RefusedError:
        assert decode(before)[1]
        return
    kept = before.rstrip(b"\r\n")
    assert after.startswith(kept)
    assert after.endswith(b"\n")
    more = after[len(kept) :]
    if kept and kept != BOM:
        assert more[:1] in (b"\r", b"\n")
    said = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    assert more.replace(b"\r\n", b"\n").strip(b"\n") == said.encode()


@given(LINES, LINES)
def test_merge_of_one_side_is_that_side(base, ours):
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (base, ours))
    assert merge_texts(old, old, new).text == new
    assert merge_texts(old, new, old).text == new
    assert merge_texts(old, new, new).text == new


@given(LINES, LINES, LINES)
def test_merge_loses_no_new_line(base, theirs, ours):
    old, one, other = ("".join(f"{line}\n" for line in lines) for lines in (base, theirs, ours))
    merged = merge_texts(old, one, other).text.split("\n")
    assert {*theirs, *ours} - set(base) <= set(merged)


CHAINED = (
    "id", "workspace_id", "crew_id", "agent_id", "mission_id", "chain", "ts", "entry_type",
    "severity", "priority", "actor_type", "actor_id", "origin", "summary", "payload", "salt",
    "summary_digest", "payload_digest", "refs", "trace_id", "span_id", "expires_at", "prev_hash",
    "entry_hash",
)  # fmt: skip


@pytest.mark.parametrize("column", CHAINED)
def test_any_change_of_an_entry_breaks_the_chain(column, home):
    journal: Journal = home.journal
    for number in range(3):
        journal.append("note.made", f"entry {number}", payload={"n": number})
    db = home.context.db
    before = db.value(f"select {column} from journal_entries where seq = 2")
    db.execute(f"update journal_entries set {column} = ? where seq = 2", ((before or "") + "x",))
    assert any(report.broken for report in verify_chains(home.context))


CONTENTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60)


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CONTENTS.filter(str.strip), min_size=2, max_size=4, unique=True))
def test_every_version_can_be_restored_to_the_byte(home, contents):
    path = home.context.workspace_dir / ".memory" / "laws.md"
    written = {}
    for text in contents:
        result = home.memory.write(text, file="workspace:laws.md", mode="replace")
        written[result.version] = path.read_bytes()
    for version, content in written.items():
        if version:
            home.memory.restore("workspace:laws.md", version)
            assert path.read_bytes() == content
