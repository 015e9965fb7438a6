"""The Python API: homes that are closed and opened again, and wrong arguments."""

import subprocess
import sys

import apsw
import pytest

from crewmem.context import LOCK_FILE
from crewmem.errors import ConflictError, NotFoundError, UsageError
from crewmem.facts.fact import Owner
from crewmem.storage.locks import lock
from crewmem.storage.sqlite import convert_error


def fill(home, root):
    root.mkdir()
    line = '{"role": "user", "content": "The harbor crane is out", "ts": "2026-05-01T09:00:00Z"}\n'
    (root / "s1.jsonl").write_text(line)
    home.sessions.logs.sync(program="plain", root=root)
    home.facts.add("The harbor crane lifts 40 t", entities=["crane"])
    home.memory.write(
        "# Crane\n\nThe harbor crane is blue.\n", tier="topic", key="crane", crew="web"
    )
    entry = home.journal.append("deploy.done", "The harbor crane was moved", crew="web")
    home.journal.select_episode(entry)


def test_closed_home_is_opened_again_by_the_next_use(home, home_path, tmp_path):
    fill(home, tmp_path / "logs")

    def look():
        found = [home.search("harbor crane", stores=[s]).hits for s in home.searcher.stores]
        return [[hit.ref for hit in hits] for hits in found], home.find_mentions("crane")

    before = look()
    assert all(before[0])
    for _ in range(2):
        home.close()
        assert look() == before
        assert home.sessions.search("crane").hits
        assert home.recall("harbor crane").hits
    assert not home.context.warnings


def test_home_is_open_after_another_actor_of_it_was_closed(home):
    with home.as_actor("agent:ada") as ada:
        ada.memory.note("the pump is loud")
        ada.facts.add("The pump is loud")
    assert [hit.text for hit in home.search("loud pump", stores=["facts"])] == ["The pump is loud"]
    assert ada.facts.list(limit=1).facts[0].content == "The pump is loud"
    home.close()
    assert ada.facts.list(limit=1).facts[0].content == "The pump is loud"
    ada.close()


def test_agent_that_was_removed_changes_nothing_more(home):
    home.registry.add_crew("yard")
    home.registry.add_agent("pat", crew="yard")
    with home.as_actor("agent:pat") as pat:
        pat.facts.add("The pump is loud")
        home.registry.remove_agent("pat")
        for change in (
            lambda: pat.facts.add("The pump is quiet"),
            lambda: pat.memory.note("The pump is off"),
            lambda: pat.journal.add("pump.off", "The pump is off"),
        ):
            with pytest.raises(NotFoundError, match="agent 'pat' was removed"):
                change()
    texts = [fact.content for fact in home.facts.list().facts]
    assert texts == ["The pump is loud"]
    assert not list(home.context.agent_memory("yard", "pat").rglob("*.md"))


def test_write_does_not_follow_an_agent_to_its_old_crew(home):
    home.registry.add_crew("yard")
    home.registry.add_agent("pat", crew="yard")
    home.registry.add_crew("pier")
    with home.as_actor("agent:pat") as pat:
        pat.memory.note("one")
        home.registry.set_agent("pat", crew="pier")
        with pytest.raises(ConflictError, match="its files are agent:pier/pat/"):
            pat.memory.note("two")
    assert not home.context.agent_dir("yard", "pat").exists()


def test_move_of_an_agent_waits_for_a_write_of_its_files(home):
    home.registry.add_crew("yard")
    home.registry.add_agent("pat", crew="yard")
    home.registry.add_crew("pier")
    old = home.context.agent_memory("yard", "pat")
    with lock(old / LOCK_FILE):
        mover = subprocess.Popen(
            [
                *(sys.executable, "-m", "crewmem", "--home", home.context.home),
                *("agent", "set", "pat", "--crew", "pier"),
            ]
        )
        with pytest.raises(subprocess.TimeoutExpired):
            mover.wait(1.5)
        assert old.is_dir()
    assert mover.wait(30) == 0
    assert not old.exists()


def test_statement_that_a_partial_index_answers_is_prepared_once(home):
    table, calls = home.facts.table, []

    def authorize(*call):  # SQLite calls it while it prepares a statement
        calls.append(call)
        return apsw.SQLITE_OK

    home.context.db.connection.authorizer = authorize
    table.active_twin("one", Owner("workspace"))
    prepared = len(calls)
    table.active_twin("another", Owner("workspace"))
    assert prepared
    assert len(calls) == prepared


def test_use_of_a_closed_database_is_no_damage(home, home_path, tmp_path):
    fill(home, tmp_path / "logs")
    index = home.sessions.open_index()
    home.close()
    with pytest.raises(UsageError, match="after it was closed"):
        index.one("select 1")
    assert (home_path / "sessions.sqlite").exists()
    assert convert_error(RuntimeError("x")).code == "database-damaged"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda home: home.facts.add(None), "the text must be a str, not NoneType"),
        (lambda home: home.facts.show(5), "the id must be a str, not int"),
        (lambda home: home.search(None), "the query must be a str, not NoneType"),
        (lambda home: home.search("x", limit="5"), "the limit must be an int, not str"),
        (lambda home: home.search("x", stores="facts"), "stores must be a list of names"),
        (lambda home: home.search("x", since="today"), "since must be a datetime, not str"),
        (lambda home: home.recall("x", kinds="decision"), "kinds must be a list of names"),
        (lambda home: home.sessions.search(5), "the query must be a str, not int"),
        (lambda home: home.memory.note(b"x"), "the text must be a str, not bytes"),
        (lambda home: home.memory.write(None, tier="agent"), "the text must be a str"),
        (lambda home: home.memory.read(None), "the file must be a str, not NoneType"),
        (lambda home: home.journal.add(None, "x"), "the type of the entry must be a str"),
    ],
)
def test_argument_of_a_wrong_type_is_named(home, call, message):
    with pytest.raises(TypeError, match=message):
        call(home)


def test_budget_may_be_a_number_of_tokens(home):
    home.facts.add("The harbor crane lifts 40 t")
    assert (
        home.recall("harbor crane", budget=500).text
        == home.recall("harbor crane", budget="500t").text
    )


def test_module_and_home_can_be_explored(home, home_path):
    done = subprocess.run(
        [sys.executable, "-c", "import crewmem; print(crewmem.errors.UsageError, dir(crewmem))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "UsageError" in done.stdout
    assert all(f"'{name}'" in done.stdout for name in ("Home", "Tree", "errors", "open"))
    assert repr(home) == f"<Home {home_path}, default, as operator:kim>"
