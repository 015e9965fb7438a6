import pytest

from crewmem.sessions.rows import CallRow, find_summary, find_title, hash_turn, make_rows
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

CALLED = CallRow(turn=7, log=2, call_id="c1", tool="Bash", command="pytest -q")


def rows_of(turn, **given):
    return make_rows(turn, 9, session=1, log=2, uid=5, **given)


def test_call_has_a_row_and_one_for_each_file():
    turn = Turn(
        3, 0, TOOL, "edit", tool="Edit", call_id="c1", files=("/a/Main.py", "b.md", "/a/Main.py")
    )
    rows = rows_of(turn._replace(is_call=True, is_change=True))
    assert rows.turn.flags == CALL
    assert (rows.call.turn, rows.call.tool, rows.call.call_id) == (9, "Edit", "c1")
    assert [(each.path, each.name, each.is_change) for each in rows.touched] == [
        ("/a/Main.py", "main.py", True),
        ("b.md", "b.md", True),
    ]
    assert rows.result is None


@pytest.mark.parametrize(
    ("output", "stated", "status", "failed"),
    [
        ("3 passed", 0, 0, 0),
        ("1 failed", 1, 1, 1),
        ("Exit code 2\nno tests ran", None, 2, 1),
        ("3 passed", None, None, 0),
    ],
)
def test_result_has_the_outcome_of_its_call(output, stated, status, failed):
    rows = rows_of(Turn(4, 0, TOOL, output, call_id="c1", exit_status=stated), call=CALLED)
    assert (rows.turn.flags, rows.turn.tool) == (RESULT, "Bash")
    assert tuple(rows.result) == (status, failed, 9, 7)
    assert rows.call is None


def test_result_of_unknown_call_is_stored():
    rows = rows_of(Turn(4, 0, TOOL, "3 passed", tool="Bash", call_id="c9"))
    assert (rows.turn.tool, rows.result) == ("Bash", None)


def test_flags_show_who_wrote_a_turn():
    turn = Turn(1, 0, ASSISTANT, "done", sidechain=True, synthetic=True, summary=True)
    assert rows_of(turn).turn.flags == SYNTHETIC | SIDECHAIN | SUMMARY


def test_loss_has_the_summary_right_after_it():
    mark = Turn(10, 0, SYSTEM, "", loss=Loss("compacted", 900, 100))
    turns = [
        Turn(9, 0, USER, "before", summary=True),
        mark,
        Turn(12, 0, USER, "what was done", summary=True),
    ]
    rows = rows_of(mark, loss=mark.loss, summary=find_summary(turns, mark))
    assert rows.words == ""
    assert tuple(rows.loss) == (9, "", "compacted", 900, 100, "what was done")
    assert find_summary([mark, Turn(14, 0, USER, "late", summary=True)], mark) == ""


def test_title_is_the_persons_first_message():
    turns = [
        Turn(1, 0, USER, "a hook speaks", synthetic=True),
        Turn(2, 0, ASSISTANT, "hello"),
        Turn(3, 0, USER, "<system-reminder>be kind</system-reminder>"),
        Turn(4, 0, USER, "mend  the\ncrane"),
        Turn(5, 0, USER, "and the quay"),
    ]
    assert find_title([rows_of(turn) for turn in turns]) == "mend the crane"
    assert find_title([]) == ""


def test_turn_of_claude_has_the_same_hash_in_any_session():
    turn = Turn(3, 0, USER, "hello", message_id="m1")
    assert hash_turn(turn, "claude", "s1", "l1") == hash_turn(turn, "claude", "s2", "l2")
    assert hash_turn(turn, "codex", "s1", "l1") != hash_turn(turn, "codex", "s2", "l2")


def test_turn_without_id_is_hashed_by_its_position_in_the_session():
    turn = Turn(3, 0, USER, "hello", at="2026-05-01T09:00:00.000Z")
    assert hash_turn(turn, "codex", "s1", "l1") == hash_turn(turn, "codex", "s1", "l2")
    assert hash_turn(turn, "codex", "s1", "l1") != hash_turn(turn, "codex", "s2", "l1")
    for session, timeless in (("", turn), ("s1", turn._replace(at=""))):
        names = {hash_turn(timeless, "plain", session, log) for log in ("l1", "l2")}
        assert len(names) == 2
