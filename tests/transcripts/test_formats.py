"""Formats of session logs: what each line says, and what it does not."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts.logs import claude, codex, line, pi, said, turns

from crewmem.cli.transcripts.roots import HARNESSES as TYPED
from crewmem.settings.shapes import PROGRAMS
from crewmem.transcripts.formats import FORMATS, HARNESSES, knowing
from crewmem.transcripts.formats.claude import CONTINUED
from crewmem.transcripts.formats.content import StrangeLineError, instant
from crewmem.transcripts.turn import Place, State

QUICK = settings(max_examples=80, deadline=None)

SAID = "Never push to main directly."


def texts(found, role):
    return [each.text for each in found if each.role == role and each.text]


def test_the_command_line_knows_all_formats():
    """Every format can be named."""
    assert TYPED == HARNESSES
    assert {*HARNESSES} == PROGRAMS


SAMPLES = {
    "openclaw": pi("message", message={"role": "user", "content": SAID}),
    "claude": claude(SAID),
    "codex": codex("event_msg", type="user_message", message=SAID),
    "plain": said(SAID),
}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.NAME)
def test_a_line_is_of_one_format(form):
    """A line is known by the format that it is of, and by no other."""
    record = json.loads(SAMPLES[form.NAME])
    assert [each.NAME for each in FORMATS if each.knows(record)] == [form.NAME]
    assert knowing(record) is form


@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_person_says_is_told_alike(name):
    """A turn has its program, time, role and text, whatever the format."""
    (turn,), _ = turns(SAMPLES[name])
    assert (turn.harness, turn.role, turn.text) == (name, "user", SAID)
    assert turn.at == datetime(2026, 4, 30, 10, 1, tzinfo=UTC)
    assert (turn.sidechain, turn.synthetic, turn.summary) == (False, False, False)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "message",
                    "payload",
                    "content",
                    "role",
                    "text",
                    "id",
                    "usage",
                    "item",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)

KINDS = (
    "user",
    "assistant",
    "system",
    "message",
    "session",
    "compaction",
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "custom_message",
    "?",
)


@QUICK
@given(st.sampled_from(FORMATS), st.sampled_from(KINDS), values, values, values)
def test_no_line_is_too_strange(form, kind, one, two, three):
    """Whatever stands in its fields, a line says something, nothing, or is counted."""
    record = {"type": kind, "message": one, "payload": two, "content": three}
    record |= {"summary": one, "timestamp": two, "role": three, "sessionId": one}
    form.knows(record)
    state = State()
    try:
        found = list(form.turns(record, Place(1, 0, 9), state))
    except StrangeLineError:
        return
    for turn in found:
        assert turn.key
        assert "\0" not in turn.text
    json.dumps(state.kept)


def test_half_a_character_is_a_bad_line():
    """A text that no database can hold makes a line that is counted."""
    with pytest.raises(StrangeLineError):
        turns(b'{"role": "user", "content": "\\ud83d"}\n')


@pytest.mark.parametrize(
    ("value", "year"),
    [
        (1772352005000, 2026),
        (1772352005, 2026),
        (1772352005.5, 2026),
        ("2026-03-01T08:00:05.000Z", 2026),
        ("2026-03-01T08:00:05+02:00", 2026),
        (True, None),
        (-5, None),
        (1e300, None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_times_are_read_as_they_come(value, year):
    """Seconds, milliseconds and RFC 3339 are times; others are none."""
    found = instant(value)
    assert (found and found.year) == year


# OpenClaw

SESSION = line(type="session", version=3, id="0f3c", cwd="/srv/app")


def test_openclaw_tells_where_it_works():
    """Turns are of the session that the first line names."""
    found, _ = turns(SESSION + SAMPLES["openclaw"])
    assert [(each.session, each.project) for each in found] == [("0f3c", "/srv/app")]
    assert found[0].id == "0f3c/a1"


def test_openclaw_tells_of_tools_shortly():
    """Of what a tool said the beginning is kept; thoughts and images are not."""
    content = [
        {"type": "thinking", "thinking": "secret thought"},
        {"type": "text", "text": "Noted."},
        {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {}},
        {"type": "image", "data": "AAAA"},
    ]
    answer = {
        "role": "toolResult",
        "toolName": "bash",
        "content": [{"type": "text", "text": "x" * 999}],
        "isError": True,
    }
    found, _ = turns(
        pi("message", 1, message={"role": "assistant", "content": content})
        + pi("message", 2, message=answer)
    )
    assert [(each.role, each.tool) for each in found] == [
        ("assistant", ""),
        ("tool", "bash"),
        ("tool", "bash"),
    ]
    assert found[0].text == "Noted."
    assert found[2].text.startswith("error: xxx")
    assert len(found[2].text) < 250


def test_openclaw_says_nothing_by_saying_so():
    """NO_REPLY is no answer, and the flush before a compaction is nobody's wish."""
    flush = "Pre-compaction memory flush: store durable memories. Always append."
    found, _ = turns(
        pi("message", 1, message={"role": "assistant", "content": "NO_REPLY"})
        + pi("message", 2, message={"role": "user", "content": flush})
    )
    assert [each.text for each in found if not each.synthetic] == [""]


def test_openclaw_marks_a_compaction():
    """The mark tells the tokens; its summary is a model's."""
    found, _ = turns(
        SESSION + pi("compaction", 4, summary="Staging uses PG16.", tokensBefore=120000)
    )
    mark, summary = found
    assert (mark.loss.how, mark.loss.before) == ("compaction", 120000)
    assert summary.summary
    assert summary.text == "Staging uses PG16."


@pytest.mark.parametrize(
    ("path", "is_log", "whose"),
    [
        ("mira/sessions/0f3c.jsonl", True, "mira"),
        ("mira/sessions/0f3c-topic-7.jsonl", True, "mira"),
        ("mira/sessions/0f3c.jsonl.reset.2026-03-01", True, "mira"),
        ("mira/sessions/0f3c.jsonl.deleted.17.zst", True, "mira"),
        ("mira/sessions/cold/0123abcd.jsonl.zst", True, "mira"),
        ("mira/agent/openclaw-agent.sqlite", True, "mira"),
        ("mira/sessions/sessions.json.lock", False, "mira"),
        ("mira/qmd/sessions.md", False, ""),
    ],
)
def test_openclaw_is_known_by_its_paths(path, is_log, whose):
    """Logs, their archives and the newer database are found, by the agent's name."""
    openclaw = FORMATS[0]
    assert openclaw.belongs(path) is is_log
    assert openclaw.agent(f"/home/x/.openclaw/agents/{path}") == whose


# Claude Code


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"isCompactSummary": True},
        {"agentId": "a1"},
        {"origin": {"kind": "hook"}},
        {"message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
        {"message": {"role": "user", "content": "[Request interrupted by user]"}},
        {
            "message": {
                "role": "user",
                "content": CONTINUED,
            }
        },
    ],
)
def test_claude_knows_what_nobody_said(more):
    """Echoes, reminders, summaries and what helpers are told count as nobody's word."""
    (turn,), _ = turns(claude(SAID, **more))
    assert turn.synthetic or turn.sidechain or turn.summary


def test_claude_keeps_tools_apart():
    """What a tool answered stands among the user's lines, and is no user's."""
    content = [
        {"type": "tool_result", "tool_use_id": "t1", "content": SAID, "is_error": True}
    ]
    (turn,), _ = turns(claude("", message={"role": "user", "content": content}))
    assert (turn.role, turn.text) == ("tool", f"error: {SAID}")


@pytest.mark.parametrize("spelled", ["compactMetadata", "compact_metadata"])
def test_claude_marks_a_compaction(spelled):
    """The boundary tells the tokens, in either spelling."""
    told = {"trigger": "auto", "preTokens": 155000, "postTokens": 9000}
    if "_" in spelled:
        told = {"pre_tokens": 155000, "post_tokens": 9000}
    (turn,), _ = turns(
        claude("", role="system", subtype="compact_boundary", **{spelled: told})
    )
    assert turn.loss == ("compact_boundary", 155000, 9000)


def test_claude_counts_unknown_lines():
    """Bookkeeping is passed over; what nobody knows is counted by kind."""
    _, state = turns(
        claude("hello")
        + line(type="file-history-snapshot", messageId="m")
        + line(type="moon-phase", sessionId="s9")
    )
    assert state.kept["unknown"] == {"moon-phase": 1}


# Codex

META = codex("session_meta", id="c1", cwd="/srv/app", git={"branch": "main"})


def item(text, role="user", number=1):
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return codex("response_item", number, type="message", role=role, content=content)


def event(text, number=1):
    return codex("event_msg", number, type="user_message", message=text)


@pytest.mark.parametrize("order", [(item, event), (event, item)])
def test_codex_says_a_prompt_once(order):
    """A prompt that is an event and an item is one turn, in whatever order."""
    found, _ = turns(
        META + b"".join(each(SAID) for each in order) + item("Ok.", "assistant")
    )
    assert texts(found, "user") == [SAID]
    assert texts(found, "assistant") == ["Ok."]
    assert {(each.session, each.project, each.branch) for each in found} == {
        ("c1", "/srv/app", "main")
    }


def test_codex_without_events_has_items():
    """Where no event tells what a person said, items do, but what was put there."""
    found, _ = turns(
        META
        + item("<environment_context>x</environment_context>")
        + item("# AGENTS.md instructions: never touch main")
        + item(SAID)
        + item("Ok.", "assistant")
    )
    assert [
        each.text for each in found if each.role == "user" and not each.synthetic
    ] == [SAID]


def test_codex_of_the_first_year_has_no_envelope():
    """The oldest files are bare items behind a bare first line."""
    old = line(id="c0", timestamp="2025-06-01T00:00:00Z", instructions=None)
    old += line(
        type="message", role="user", content=[{"type": "input_text", "text": SAID}]
    )
    old += line(type="message", role="assistant", content=[])
    found, _ = turns(old)
    assert texts(found, "user") == [SAID]
    assert found[0].session == "c0"


def test_codex_takes_the_request_out_of_what_an_editor_sent():
    """Behind the heading of the request stands what a person asked."""
    text = f"# Context from my IDE setup:\n\n## My request for Codex:\n{SAID}"
    found, _ = turns(META + event(text))
    assert texts(found, "user") == [SAID]


def test_codex_marks_a_compaction():
    """What was compacted and the event of it are marks; the message is a summary."""
    found, _ = turns(
        META
        + codex("compacted", 3, message="Deploy day: Tuesday.", replacement_history=[])
        + codex("event_msg", 3, type="context_compacted")
    )
    assert [each.loss.how for each in found if each.loss] == [
        "compacted",
        "context_compacted",
    ]
    assert [each.text for each in found if each.summary] == ["Deploy day: Tuesday."]


def test_helpers_of_codex_are_a_side_chain():
    """What an agent says to a helper is not what a person says."""
    helper = codex("session_meta", id="c2", source={"subagent": {"depth": 1}})
    found, _ = turns(helper + event(SAID))
    assert all(each.sidechain for each in found)
