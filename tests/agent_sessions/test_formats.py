import json
from time import process_time

import apsw
import pytest
from agent_sessions.conftest import SAMPLES

from crewmem.sessions.calls import read_call, read_exit_status
from crewmem.sessions.formats import FORMATS, find_format, get_format
from crewmem.sessions.formats.base import get_count, read_time
from crewmem.sessions.programs import PROGRAMS
from crewmem.sessions.turns import State, shorten


def read(name, program):
    format_, state, turns = get_format(program), State(), []
    path = SAMPLES / name
    if path.suffix == ".json":
        document = format_.split_document(json.loads(path.read_text()))
        state, records = document.state, enumerate(document.records)
    else:
        lines = enumerate(path.read_text().splitlines(), start=1)
        records = [(number, json.loads(line)) for number, line in lines if line[0] == "{"]
    for number, record in records:
        turns += format_.read_turns(record, number, state)
    return state, turns


def read_records(program, *records):
    state, turns = State(), []
    for number, record in enumerate(records, start=1):
        turns += get_format(program).read_turns(record, number, state)
    return state, turns


def list_said(turns):
    return [turn.text for turn in turns if turn.role == "user" and not turn.synthetic]


def make_claude_line(uuid, content, **fields):
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "sessionId": "s", "message": message, **fields}


def make_queued(uuid, prompt, **fields):
    attachment = {"type": "queued_command", "prompt": prompt, **fields}
    return {"type": "attachment", "uuid": uuid, "sessionId": "s", "attachment": attachment}


LOGS_OF_LINES = [
    ("claude.jsonl", "claude"),
    ("codex.jsonl", "codex"),
    ("openclaw.jsonl", "openclaw"),
    ("gemini.jsonl", "gemini"),
    ("plain.jsonl", "plain"),
]

ODD_VALUES = (
    None,
    True,
    -5,
    10**30,
    float("inf"),
    "x",
    [],
    [None],
    ["x"],
    [[]],
    [{}],
    {},
    {"a": []},
)


def replace_each(value):
    """Yield copies of a JSON value, each with one of its parts replaced by an odd value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in items:
        odd = [*ODD_VALUES, *(replace_each(part) if isinstance(part, dict | list) else ())]
        for each in odd:
            copied = value.copy()
            copied[name] = each
            yield copied


@pytest.mark.parametrize(
    ("name", "program"),
    [*LOGS_OF_LINES, ("gemini.json", "gemini"), ("opencode.json", "opencode")],
)
def test_record_with_an_odd_value_is_read(name, program):
    format_, text = get_format(program), (SAMPLES / name).read_text()
    lines = text.splitlines() if name.endswith("l") else [text]
    for record in (json.loads(line) for line in lines if line[0] == "{"):
        for odd in replace_each(record):
            find_format(odd)
            state = State()
            document = format_.split_document(odd)
            turns = format_.read_turns(odd, 1, state)
            for message in document.records if document else ():
                turns += format_.read_turns(message, 1, state)
            for turn in turns:
                texts = (turn.text, turn.at, turn.message_id, turn.tool, turn.call_id, *turn.files)
                assert all(isinstance(text, str) for text in texts), odd
            json.dumps(state.dump())


@pytest.mark.parametrize(("name", "program"), LOGS_OF_LINES)
def test_format_is_recognised_by_its_lines(name, program):
    first = json.loads((SAMPLES / name).read_text().splitlines()[0])
    assert find_format(first).name == program


def test_number_too_large_for_sqlite_is_none():
    assert get_count({"input": 10**30, "total": 7}, "input", "total") == 7


def test_claude_marks_text_of_the_program_as_synthetic():
    state, turns = read("claude.jsonl", "claude")
    said = [turn.text[:20] for turn in turns if turn.role == "user" and not turn.synthetic]
    assert said == ["Never push to the re"]
    assert [turn.summary for turn in turns][-1]
    assert (state.project, state.branch) == ("/srv/harbor", "main")
    assert state.unknown == {"mystery-line": 1}


def test_claude_reads_calls_results_and_losses():
    _, turns = read("claude.jsonl", "claude")
    calls = [turn for turn in turns if turn.is_call]
    assert [call.tool for call in calls] == ["Bash", "Edit", "Bash"]
    assert calls[1].files == ("/srv/harbor/src/crane.py",)
    assert calls[1].is_change
    assert not any("hidden plan" in turn.text for turn in turns)
    [loss] = [turn.loss for turn in turns if turn.loss]
    assert (loss.mark, loss.before, loss.after) == ("compact_boundary", 155_000, 9_000)


def test_claude_reads_queued_message_once():
    words = "Use the tide table of the pilots, not the printed one."
    left = {"type": "queue-operation", "sessionId": "s", "content": words}
    state, turns = read_records(
        "claude",
        {**left, "operation": "enqueue"},
        {**left, "operation": "remove", "reason": "absorbed_mid_turn"},
        make_queued("q1", words, commandMode="prompt", origin={"kind": "human"}),
        make_queued("q2", [{"type": "text", "text": "And skip berth nine."}], commandMode="prompt"),
        make_queued("q3", "<task-notification>done", commandMode="task-notification"),
        {**left, "operation": "remove", "reason": "popped", "content": "Never mind."},
        make_queued("q4", "The other session is done.", origin={"kind": "peer"}),
        {"type": "attachment", "uuid": "q5", "attachment": {"type": "edited_text_file"}},
    )
    assert list_said(turns) == [words, "And skip berth nine."]
    assert len(turns) == 2
    assert state.unknown == {}


def test_claude_reads_reason_for_rejecting_a_call():
    no = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    reply = f"{no} To tell you how to proceed, the user said:\nKeep the old buoys.\nPaint them."
    note = "\n\nNote: The user's next message may contain a correction."
    quoted = f"notes.txt: {reply}"

    def give(output, failed=True):
        return [{"type": "tool_result", "tool_use_id": "t", "content": output, "is_error": failed}]

    asked = {"answers": {"Which harbour log should be kept?": "The paper one"}}
    _, turns = read_records(
        "claude",
        make_claude_line("a", give(reply + note)),
        make_claude_line("b", give(no)),
        make_claude_line("c", give(quoted)),
        make_claude_line("d", give("User has answered.", failed=False), toolUseResult=asked),
    )
    assert list_said(turns) == [
        "Keep the old buoys.\nPaint them.",
        "Which harbour log should be kept?\nThe paper one",
    ]
    assert [turn.part for turn in turns] == [0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("text", "fields", "said"),
    [
        (
            "<command-name>/plan</command-name><command-args>leave the pier out</command-args>",
            {"turnOrigin": "human"},
            ["/plan\nleave the pier out"],
        ),
        (
            "<command-name>/model</command-name>\n<command-args>opus</command-args>",
            {},
            [],
        ),
        ('<pasted_content id="7">\nTwo cranes.\n</pasted_content id="7">', {}, ["Two cranes.\n"]),
        (
            'Oil it.\n\n<pasted_content id="7">\nwinch: dry\ndrum: hot\n</pasted_content id="7">\n',
            {},
            ["Oil it.\n\n"],
        ),
        (
            'Rename\n<pasted_content id="7">\nthe old winch\n</pasted_content id="7">\nto capstan.',
            {},
            ["Rename\nthe old winch\nto capstan."],
        ),
        ("Another Claude session sent a message:\nThe pier is done.", {}, []),
        ("The pier is done.", {"promptSource": "system"}, []),
        ("The pier is done.", {"turnOrigin": "peer"}, []),
        ("Is the pier done?", {"promptSource": "typed"}, ["Is the pier done?"]),
    ],
)
def test_claude_separates_typed_text_from_the_programs(text, fields, said):
    _, turns = read_records("claude", make_claude_line("a", text, **fields))
    assert list_said(turns) == said


def test_claude_history_has_arguments_of_slash_commands():
    prompts = ["/review only the crane code", "/clear", "/srv/port is gone, where is it?"]
    records = [{"display": text, "timestamp": 1_780_000_000_000} for text in prompts]
    _, turns = read_records("claude", *records)
    assert list_said(turns) == ["/review\nonly the crane code", prompts[2]]


def test_claude_history_separates_what_was_pasted_and_run():
    def prompt(display, *pasted):
        contents = {str(n): {"type": "text", "content": text} for n, text in enumerate(pasted, 1)}
        return {"display": display, "pastedContents": contents, "timestamp": 1_780_000_000_000}

    _, turns = read_records(
        "claude",
        prompt("why? [Pasted text #1 +2 lines]", "winch: dry\ndrum: hot"),
        prompt("[Pasted text #1 +3 lines]", "Two winches.\nOne drum.\nNo brake."),
        prompt("[Pasted text #2 +9 lines]"),
        prompt("!make winch"),
    )
    assert list_said(turns) == [
        "why? [Pasted text #1 +2 lines]",
        "Two winches.\nOne drum.\nNo brake.",
        "[Pasted text #2 +9 lines]",
    ]
    assert [turn.text for turn in turns if turn.synthetic] == ["winch: dry\ndrum: hot"]
    assert [turn.command for turn in turns if turn.is_call] == ["make winch"]


def test_codex_stored_prompts_are_the_programs_text_except_for_the_persons_part():
    head = "---\ndescription: Plan a pier.\n---\n\n"
    old = (
        head
        + "The user input to you can be provided by the agent.\n\nUser input:\n\n{}\n\nNever skip."
    )
    typed = [old.format("Two piers."), old.format("$ARGUMENTS"), head + "Always plan a pier."]
    records = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        for text in (*typed, "---\nTwo lines above.")
    ]
    _, turns = read_records("codex", *records)
    assert list_said(turns) == ["Two piers.", "---\nTwo lines above."]
    assert len(turns) == 4


def test_codex_prompt_is_read_once_without_the_programs_text():
    state, turns = read("codex.jsonl", "codex")
    assert [t.text for t in turns if t.role == "user" and not t.synthetic] == [
        "Deploys only happen on Tuesdays.",
        "Check the crane again.",
    ]
    assert [t.text for t in turns if t.role == "assistant"] == ["Recorded."]
    assert [t.files for t in turns if t.tool == "apply_patch"] == [("Makefile",)]
    assert state.session == "c1"


def make_item(kind, **fields):
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def make_done(kind, **fields):
    item = {"type": kind, **fields}
    return {"type": "event_msg", "payload": {"type": "item_completed", "item": item}}


def make_codex_prompt(text, *kinds):
    content = [{"type": "input_text", "text": text}]
    told = {"content_item_kinds": list(kinds)}
    passed = {"internal_chat_message_metadata_passthrough": told}
    return make_item("message", role="user", content=content, **passed)


def test_codex_prompt_repeated_after_a_call_is_read_twice():
    def say(text):
        content = [{"type": "input_text", "text": text}]
        item = {"type": "message", "role": "user", "content": content}
        event = {"type": "user_message", "message": text}
        return [
            {"type": "response_item", "payload": item},
            {"type": "event_msg", "payload": event},
        ]

    call = {"type": "function_call", "name": "exec_command", "arguments": "{}", "call_id": "k"}
    called = {"type": "response_item", "payload": call}
    _, turns = read_records("codex", *say("continue"), called, *say("continue"))
    assert list_said(turns) == ["continue", "continue"]


def make_codex_head(at, **fields):
    return {"timestamp": f"2026-05-04T{at}Z", "type": "session_meta", "payload": fields}


def test_codex_turns_copied_from_the_parent_of_a_fork_are_the_programs():
    def say(at, role, text):
        kind = "input_text" if role == "user" else "output_text"
        payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": f"2026-05-04T{at}Z", "type": "response_item", "payload": payload}

    state, turns = read_records(
        "codex",
        make_codex_head("09:00:00.000", id="fork", forked_from_id="pier"),
        make_codex_head("09:00:00.001", id="pier"),
        say("09:00:00.020", "user", "Oil the winch."),
        say("09:00:00.030", "assistant", "It is oiled."),
        say("09:00:30.000", "user", "And the drum."),
        say("09:00:30.100", "assistant", "Both are oiled."),
    )
    assert [turn.text for turn in turns if not turn.synthetic] == [
        "And the drum.",
        "Both are oiled.",
    ]
    assert (state.session, state.sidechain, len(turns)) == ("fork", False, 4)


def test_codex_session_of_a_subagent_says_so():
    fields = {"id": "b", "session_id": "a", "parent_thread_id": "a", "thread_source": "subagent"}
    state, _ = read_records("codex", make_codex_head("09:00:00.000", **fields))
    assert (state.session, state.sidechain) == ("b", True)


def test_codex_reads_commands_and_changes_of_a_script():
    script = 'await tools.exec_command({"cmd": "make tide"});'
    command = ["/bin/bash", "-lc", "make tide"]
    changes = {"/srv/tide.mk": {"type": "update", "unified_diff": "+tide:"}}
    _, turns = read_records(
        "codex",
        make_item("custom_tool_call", name="exec", input=script, call_id="k1"),
        make_done(
            "CommandExecution", id="x1", command=command, exit_code=2, aggregated_output="no"
        ),
        make_done("FileChange", id="x2", changes=changes, status="completed"),
        make_done("McpToolCall", id="x3", server="sea", tool="ask", error={"message": "no net"}),
        make_done(
            "CommandExecution", id="x1", command=command, exit_code=2, aggregated_output="no"
        ),
        make_item(
            "custom_tool_call_output", call_id="k1", output={"type": "input_text", "text": "ok"}
        ),
        make_done("Reasoning", id="x4"),
    )
    calls = [turn for turn in turns if turn.is_call]
    assert [call.tool for call in calls] == ["exec", "exec_command", "apply_patch", "sea.ask"]
    assert calls[1].command == "make tide"
    assert (calls[2].files, calls[2].is_change) == (("/srv/tide.mk",), True)
    results = [
        (t.call_id, t.text, t.exit_status) for t in turns if t.role == "tool" and not t.is_call
    ]
    assert results == [
        ("x1", "no", 2),
        ("x2", "", None),
        ("x3", "no net", None),
        ("k1", "ok", None),
    ]


def test_codex_event_of_a_call_adds_only_its_exit_status():
    _, turns = read_records(
        "codex",
        make_item("function_call", name="exec_command", arguments='{"cmd": "make"}', call_id="k1"),
        make_done(
            "CommandExecution", id="k1", command=["make"], exit_code=2, aggregated_output="no"
        ),
        make_item("function_call_output", call_id="k1", output="no"),
    )
    assert [(turn.is_call, turn.exit_status) for turn in turns] == [(True, None), (False, 2)]
    assert turns[1].failed


def test_codex_command_that_fails_after_its_output_is_a_failure():
    done = {"id": "k1", "command": ["make"], "aggregated_output": "running\nno"}
    _, turns = read_records(
        "codex",
        make_item("function_call", name="exec_command", arguments='{"cmd": "make"}', call_id="k1"),
        make_item("function_call_output", call_id="k1", output="running"),
        make_done("CommandExecution", exit_code=2, **done),
    )
    assert [(turn.text, turn.exit_status) for turn in turns[1:]] == [
        ("running", None),
        ("running\nno", 2),
    ]


def test_codex_prompt_is_the_persons_part_of_an_item():
    stored = "## User Input\n\n```text\n{}\n```\n\nYou **MUST** consider the user input.\nUse tabs."
    _, turns = read_records(
        "codex",
        make_codex_prompt("Always answer in Danish.", "agents_md.instructions"),
        make_codex_prompt("Fill in the tide table.", "user.text"),
        make_codex_prompt("And the moon table.", "unknown"),
        make_codex_prompt(stored.format("leave out the moon")),
        make_codex_prompt(stored.format("")),
    )
    assert list_said(turns) == [
        "Fill in the tide table.",
        "And the moon table.",
        "leave out the moon",
    ]


def test_openclaw_reads_commands_of_the_person():
    _, turns = read("openclaw.jsonl", "openclaw")
    ran = [turn for turn in turns if turn.line == 5]
    assert ran[0].command == "ls nowhere"
    assert ran[0].call_id == ran[1].call_id != ""
    assert (ran[1].exit_status, ran[1].failed) == (2, True)
    assert [t.loss.before for t in turns if t.loss] == [120_000]


OPENCLAW_SENDER = (
    'Conversation info (untrusted metadata):\n```json\n{"chat": 4}\n```\n\n'
    'Sender (untrusted metadata):\n```json\n{"label": "Ines"}\n```\n\n'
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{OPENCLAW_SENDER}Le bac part à 7 h.", ["Le bac part à 7 h."]),
        (
            f"{OPENCLAW_SENDER}[Mon 2026-04-06 07:10 GMT+2] Le bac part à 7 h.\n[message_id: 9]",
            ["Le bac part à 7 h."],
        ),
        (
            (
                "System: [2026-04-06 07:09:00] Node: quay connected\n"
                "[Telegram Ines id:4 2026-04-06 07:10 UTC] The ferry leaves at 7."
            ),
            ["The ferry leaves at 7."],
        ),
        (
            (
                "[Chat messages since your last reply - for context]\nBo: no ferry today\n"
                "[Current message - respond to this]\nAsk the pilot."
            ),
            ["Ask the pilot."],
        ),
        (
            (
                "[Queued messages while agent was busy]\n\n---\nQueued #1\n"
                "[Mon 2026-04-06 07:10 UTC] Wait.\n\n---\nQueued #2\nAsk the pilot."
            ),
            ["Wait.\n\nAsk the pilot."],
        ),
        (
            "Sender (untrusted metadata):\nInes\n\nLe bac part à 7 h.\n\nOui.",
            ["Le bac part à 7 h.\n\nOui."],
        ),
        ("Sender (untrusted metadata):\n```json\n{}\n```\nOui.", ["Oui."]),
        ("Log: [2026-04-06 07:10:00] ferry left", ["Log: [2026-04-06 07:10:00] ferry left"]),
        ("A new session was started via /new or /reset. Greet the user.", []),
        ("[cron:17 Tides] Send the tide table every morning.", []),
        ("Read HEARTBEAT.md if it exists. Follow it strictly.", []),
        ("System: [2026-04-06 07:09:00] Node: quay connected", []),
    ],
)
def test_openclaw_strips_the_envelope_of_a_message(text, said):
    content = [{"type": "text", "text": text}]
    message = {"role": "user", "content": content}
    _, turns = read_records("openclaw", {"type": "message", "id": "a", "message": message})
    assert list_said(turns) == said
    assert len(turns) == 1


def make_openclaw_line(text):
    return {"type": "message", "message": {"role": "user", "content": text}}


@pytest.mark.parametrize(
    ("program", "record"),
    [
        ("openclaw", make_openclaw_line(f"Sender (untrusted metadata):\nx{' ' * 40_000}x")),
        ("claude", make_claude_line("a", "<command-name>" * 8000)),
        ("gemini", {"id": "a", "type": "user", "content": "\n" * 60_000 + "x"}),
    ],
)
def test_long_message_is_read_in_linear_time(program, record):
    started = process_time()
    read_records(program, record)
    assert process_time() - started < 3


def test_openclaw_reads_outcome_of_call_from_its_details():
    def make(**fields):
        message = {"role": "toolResult", "toolCallId": "t", "toolName": "exec", **fields}
        return {"type": "message", "message": {"isError": False, **message}}

    _, turns = read_records(
        "openclaw",
        make(details={"status": "completed", "exitCode": 0}),
        make(details={"status": "completed", "exitCode": 3}),
        make(details={"status": "forbidden"}),
    )
    assert [(turn.exit_status, turn.failed) for turn in turns] == [
        (0, False),
        (3, True),
        (None, True),
    ]


def test_openclaw_answer_is_read_without_delivery_directives():
    content = [{"type": "text", "text": "[[reply_to_current]] The quay is free."}]
    message = {"role": "assistant", "content": content}
    _, turns = read_records("openclaw", {"type": "message", "message": message})
    assert [turn.text for turn in turns] == ["The quay is free."]


def test_openclaw_marks_messages_of_another_session():
    provenance = {"kind": "inter_session"}
    message = {"role": "user", "content": "The quay is free.", "provenance": provenance}
    _, turns = read_records("openclaw", {"type": "message", "message": message})
    assert list_said(turns) == []


def test_gemini_document_and_lines():
    state, turns = read("gemini.json", "gemini")
    assert (state.session, state.project) == ("g1", "/srv/harbor")
    assert turns[0].line == 0
    assert [turn.text for turn in turns if turn.call_id and not turn.is_call] == [
        "Exit Code: 1\n2 failed"
    ]
    state, turns = read("gemini.jsonl", "gemini")
    assert [turn.text for turn in turns] == ["list the piers", "There are four piers."]
    assert state.title == "Piers"


def test_gemini_leaves_out_the_files_that_a_message_names():
    told = "\n--- Content from referenced files ---"
    parts = ["Read @tides.md first.", told, "\nContent from @tides.md:\n", "Never sail at noon."]
    content = [{"text": part} for part in [*parts, "\n--- End of content ---"]]
    _, turns = read_records("gemini", {"id": "a", "type": "user", "content": content})
    assert list_said(turns) == ["Read @tides.md first."]


def test_gemini_snapshot_is_the_summary_of_lost_context():
    snapshot = {"id": "b", "type": "user", "content": "<state_snapshot>Two piers.</state_snapshot>"}
    kept = {"id": "a", "type": "user", "content": "list the piers"}
    _, turns = read_records("gemini", kept, {"$set": {"messages": [snapshot, kept]}})
    assert list_said(turns) == ["list the piers"]
    assert [turn.summary for turn in turns] == [False, True]


def test_opencode_export():
    state, turns = read("opencode.json", "opencode")
    assert (state.session, state.title) == ("ses_1", "Tariffs")
    assert [turn.files for turn in turns if turn.is_change] == [("/srv/harbor/tariff.ts",)]
    assert [turn.exit_status for turn in turns if turn.failed] == [1]
    assert turns[-1].loss.mark == "compaction"


def test_opencode_database(tmp_path):
    path = tmp_path / "opencode.db"
    db = apsw.Connection(str(path))
    db.execute(
        "create table session (id text, directory text, title text);"
        "create table message (id text, session_id text, time_created integer, data text);"
        "create table part (id text, message_id text, session_id text, time_updated integer,"
        " data text)"
    )
    db.execute("insert into session values ('ses_9', '/srv/pier', 'Pier')")
    db.execute("insert into message values ('m1', 'ses_9', 1777881600000, '{\"role\": \"user\"}')")
    text = '{"type": "text", "text": "the pier is closed"}'
    db.execute("insert into part values ('p1', 'm1', 'ses_9', 5, ?)", (text,))
    db.close()
    format_ = get_format("opencode")
    [session] = format_.list_sessions(path)
    assert {session.id: session.fingerprint} == {"ses_9": "5:1"}
    document = session.load()
    turns = [
        t for n, r in enumerate(document.records) for t in format_.read_turns(r, n, document.state)
    ]
    assert [turn.text for turn in turns] == ["the pier is closed"]
    assert turns[0].at == "2026-05-04T08:00:00.000Z"


def make_opencode_database(path, messages):
    db = apsw.Connection(str(path))
    db.execute(
        "create table session_v2 (id text, parent_id text, directory text, title text);"
        "create table session_message (id text, session_id text, type text, seq integer,"
        " time_created integer, time_updated integer, data text);"
        "insert into session_v2 values ('ses_9', null, '/srv/lock', 'Lock')"
    )
    for seq, (kind, data) in enumerate(messages):
        row = (f"m{seq}", "ses_9", kind, seq, 1777881600000 + seq, 50 + seq, json.dumps(data))
        db.execute("insert into session_message values (?, ?, ?, ?, ?, ?, ?)", row)
    return db


def fingerprint(path):
    [session] = get_format("opencode").list_sessions(path)
    return session.fingerprint


def load(path):
    format_ = get_format("opencode")
    [session] = format_.list_sessions(path)
    document = session.load()
    turns = [
        t for n, r in enumerate(document.records) for t in format_.read_turns(r, n, document.state)
    ]
    return document.state, turns


def test_opencode_database_of_version_2(tmp_path):
    ran = {"status": "completed", "input": {"command": "make sluice"}, "metadata": {"exit": 2}}
    ran["content"] = [{"type": "text", "text": "no water"}]
    broken = {"status": "error", "input": {"path": "/srv/lock/gate.c"}}
    broken["error"] = {"message": "no such file"}
    content = [
        {"type": "reasoning", "text": "hidden"},
        {"type": "text", "text": "I fill the lock."},
        {"type": "tool", "id": "c1", "name": "shell", "state": ran},
        {"type": "tool", "id": "c2", "name": "read", "state": broken},
        {"type": "text", "text": "It leaks."},
    ]
    path = tmp_path / "opencode.db"
    db = make_opencode_database(
        path,
        [
            ("user", {"text": "Fill the lock before noon."}),
            ("assistant", {"content": content, "tokens": {"input": 900}}),
            ("shell", {"command": "ls gates", "output": "east", "exit": 0, "status": "exited"}),
            ("synthetic", {"text": "The file gate.c was attached."}),
            ("compaction", {"status": "running"}),
            ("compaction", {"status": "completed", "summary": "The lock leaks."}),
            ("idle", {}),
            ("telegram", {}),
        ],
    )
    assert fingerprint(path) == "57:8"
    state, turns = load(path)
    assert (state.project, state.title) == ("/srv/lock", "Lock")
    assert list_said(turns) == ["Fill the lock before noon."]
    assert [t.text for t in turns if t.role == "assistant"] == ["I fill the lock.", "It leaks."]
    results = [t for t in turns if t.role == "tool" and not t.is_call]
    assert [(t.text, t.exit_status, t.failed) for t in results] == [
        ("no water", 2, True),
        ("no such file", None, True),
        ("east", 0, False),
    ]
    assert [t.command for t in turns if t.is_call] == ["make sluice", "", "ls gates"]
    assert [t.text for t in turns if t.loss and t.summary] == ["The lock leaks."]
    assert state.unknown == {"message/telegram": 1}
    db.close()


def test_opencode_message_in_old_and_new_tables_is_read_once(tmp_path):
    path = tmp_path / "opencode.db"
    messages = [("user", {"text": "Open the east gate."}), ("user", {"text": "And the west one."})]
    db = make_opencode_database(path, messages)
    db.execute(
        "create table session (id text, directory text, title text);"
        "create table message (id text, session_id text, time_created integer, data text);"
        "create table part (id text, message_id text, session_id text, time_updated integer,"
        " data text);"
        "insert into session values ('ses_9', '/srv/lock', 'Old');"
        "insert into message values ('m0', 'ses_9', 1777881600000, '{\"role\": \"user\"}')"
    )
    part = {"type": "text", "text": "Open the east gate."}
    db.execute("insert into part values ('p1', 'm0', 'ses_9', 5, ?)", (json.dumps(part),))
    assert fingerprint(path) == "51:2 5:1"
    state, turns = load(path)
    assert list_said(turns) == ["Open the east gate.", "And the west one."]
    assert state.title == "Lock"
    db.close()


def test_openclaw_database(tmp_path):
    path = tmp_path / "openclaw-agent.sqlite"
    db = apsw.Connection(str(path))
    db.execute("create table transcript_events (session_id text, seq integer, event_json text)")
    lines = (SAMPLES / "openclaw.jsonl").read_text().splitlines()
    db.executemany(
        "insert into transcript_events values ('0f3c', ?, ?)", [*enumerate(lines, start=1)]
    )
    db.close()
    format_ = get_format("openclaw")
    [session] = format_.list_sessions(path)
    assert {session.id: session.fingerprint} == {"0f3c": "6:6"}
    document = session.load()
    assert len(document.records) == 6


def test_call_of_a_shell_names_the_command():
    assert read_call("shell", {"command": ["bash", "-lc", "make test"]}).command == "make test"
    patch = "*** Begin Patch\n*** Add File: a/b.py\n+x\n*** End Patch"
    assert read_call("apply_patch", patch).files == ("a/b.py",)


def test_exit_status_is_found_at_head_or_tail():
    assert read_exit_status("Exit code 3\nboom") == 3
    assert read_exit_status("x" * 500 + "\nCommand exited with code 2") == 2
    assert read_exit_status("all good") is None


def test_times_are_stored_alike():
    assert read_time(1777881600) == read_time(1777881600000) == "2026-05-04T08:00:00.000Z"
    assert read_time("2026-05-04T10:00:00+02:00") == "2026-05-04T08:00:00.000Z"
    assert read_time("yesterday") == ""


def test_long_output_keeps_head_and_tail():
    text = shorten("a" * 5000 + "z" * 5000)
    assert text.startswith("aaa")
    assert text.endswith("zzz")
    assert len(text) < 4200


def test_each_format_is_a_known_program():
    assert tuple(each.name for each in FORMATS) == PROGRAMS
