import pytest

from crewmem.sessions.turns import (
    ASSISTANT,
    CALL,
    RESULT,
    SIDECHAIN,
    SUMMARY,
    SYNTHETIC,
    SYSTEM,
    TOOL,
    USER,
    Loss,
    Turn,
)
from crewmem.sessions.writer import find_summary, find_title, hash_turn, make_flags, read_outcome


@pytest.mark.parametrize(
    ("output", "stated", "status", "failed"),
    [
        ("3 passed", 0, 0, False),
        ("1 failed", 1, 1, True),
        ("Exit code 2\nno tests ran", None, 2, True),
        ("3 passed", None, None, False),
    ],
)
def test_result_of_a_command_has_its_outcome(output, stated, status, failed):
    turn = Turn(TOOL, output, exit_status=stated)
    assert read_outcome(turn, "pytest -q") == (status, failed)


def test_result_of_another_tool_has_the_outcome_that_the_program_states():
    assert read_outcome(Turn(TOOL, "error: no such file", failed=True), "") == (None, True)
    assert read_outcome(Turn(TOOL, "error: no such file"), "") == (None, None)


def test_flags_show_who_wrote_a_turn():
    turn = Turn(ASSISTANT, "done", sidechain=True, synthetic=True, summary=True)
    assert make_flags(turn) == SYNTHETIC | SIDECHAIN | SUMMARY
    assert make_flags(Turn(TOOL, "pytest", is_call=True)) == CALL
    assert make_flags(Turn(TOOL, "3 passed")) == RESULT


def test_loss_has_the_summary_right_after_it():
    mark = Turn(SYSTEM, "", loss=Loss("compacted", 900, 100), line=10)
    turns = [
        Turn(USER, "before", summary=True, line=9),
        mark,
        Turn(USER, "what was done", summary=True, line=12),
    ]
    assert find_summary(turns, mark) == "what was done"
    assert find_summary([mark, Turn(USER, "late", summary=True, line=14)], mark) == ""


def test_title_is_the_persons_first_message():
    turns = [
        Turn(USER, "a hook speaks", synthetic=True),
        Turn(ASSISTANT, "hello"),
        Turn(USER, "<system-reminder>be kind</system-reminder>"),
        Turn(USER, "mend  the\ncrane"),
        Turn(USER, "and the quay"),
    ]
    assert find_title(turns) == "mend the crane"
    tasks = [Turn("user", "look for the crane", sidechain=True), Turn("assistant", "x")]
    assert find_title(tasks[:1]) == "look for the crane"
    assert find_title(tasks) == ""
    assert find_title([]) == ""


def test_turn_of_claude_has_the_same_hash_in_any_session():
    turn = Turn(USER, "hello", message_id="m1")
    assert hash_turn(turn, "claude", "s1", "l1") == hash_turn(turn, "claude", "s2", "l2")
    assert hash_turn(turn, "codex", "s1", "l1") != hash_turn(turn, "codex", "s2", "l2")


def test_turn_without_id_is_hashed_by_its_position_in_the_session():
    turn = Turn(USER, "hello", at="2026-05-01T09:00:00.000Z", line=3)
    assert hash_turn(turn, "codex", "s1", "l1") == hash_turn(turn, "codex", "s1", "l2")
    assert hash_turn(turn, "codex", "s1", "l1") != hash_turn(turn, "codex", "s2", "l1")
    timeless = Turn(USER, "hello", line=3)
    for session, each in (("", turn), ("s1", timeless)):
        names = {hash_turn(each, "plain", session, log) for log in ("l1", "l2")}
        assert len(names) == 2
