"""What is known of how persons work, as it is typed: observed, shown, erased."""

import json
import os
import shutil
import signal
import zlib
from contextlib import closing

import pytest
from cli.test_episodes_commands import by_letters, environ_of
from homes import HARBOR, copied, stamps
from services import serving

from crewmem.cli.operator.persons import FIELDS
from crewmem.db.connect import Mode, connect, fetch, transaction
from crewmem.prompt.operator_fact import FactField
from crewmem.prompt.slug import user_slug

SLUG = user_slug("ada", "default")
CREW = "workspaces/default/crews/harbor/shared/.memory"
MIRA = "workspaces/default/crews/harbor/agents/mira/.memory"
CARD = f"{CREW}/users/{SLUG}.md"
PEER = f"{MIRA}/peers/{SLUG}.md"

SAID = [
    {"role": "user", "content": "Hi, I'm on the xylem team. Maybe I own the winch."},
    {"role": "assistant", "content": "I own the harbor crane."},
    {"role": "user", "content": "I prefer quokka tables. Please reply in German."},
]


@pytest.fixture(autouse=True)
def _harbor(home):
    """Make a home with a crew of a lead and an agent."""
    copied(home, *HARBOR)


@pytest.fixture
def observe(crewmem, tmp_path):
    """``observe("I use vim.", "--agent", "mira")``: hand in what ada said."""

    def run(said, *words, user="ada", **more):
        file = tmp_path / "turns.jsonl"
        records = said if isinstance(said, list) else [{"role": "user", "text": said}]
        file.write_text("".join(f"{json.dumps(each)}\n" for each in records))
        return crewmem(
            *("operator", "observe", "--user", user, "--turns", file, *words), **more
        )

    return run


@pytest.fixture
def operator(crewmem):
    """``operator("show")``: do something with what is known of ada."""

    def run(verb, *words, **more):
        return crewmem("operator", verb, *words, "--user", "ada", **more)

    return run


def test_what_a_person_said_becomes_a_card(observe, home):
    """Direct statements are taken; the rest is refused, and it is said why."""
    ran = observe(SAID, "--crew", "harbor", "--json")
    data = ran.json["data"]
    assert (ran.status, data["ref"]) == (0, f"crew:harbor/users/{SLUG}.md")
    assert (home / CARD).read_text() == (
        "- role: on the xylem team\n- prefers: quokka tables\n"
    )
    assert [
        (each["field"], each["quote"], each["became"]) for each in data["facts"]
    ] == [
        ("role", "I'm on the xylem team", "new"),
        ("prefers", "I prefer quokka tables", "new"),
    ]
    assert [each["reason"] for each in data["refused"]] == ["guess", "order"]
    assert all(each["rule"] for each in data["refused"])
    assert (data["turns"], data["others"], data["changed"]) == (2, 1, True)
    assert data["version"].startswith("v_")


def test_an_agents_card_is_its_own(observe, home):
    """A peer card lies with the agent, and is no other's."""
    assert observe("I use vim.", "--agent", "mira").status == 0
    assert (home / PEER).read_text() == "- tooling: vim\n"
    assert not (home / CARD).exists()


def test_the_same_turns_twice_change_nothing(observe, home):
    """No byte, no version, no entry; and it is said."""
    observe(SAID)
    before = stamps(home / CREW), dump(home)
    ran = observe(SAID, "--json")
    assert not ran.json["data"]["changed"]
    assert {each["became"] for each in ran.json["data"]["facts"]} == {"same"}
    assert (stamps(home / CREW), dump(home)) == before


def inside(home):
    """Return all that is in *home*: SQLite comes and goes beside the database."""
    return {path: trace for path, trace in stamps(home).items() if path != str(home)}


def dump(home):
    """Return what the database holds, as far as it is about persons and files."""
    with closing(connect(home / "crewmem.db", Mode.READ)) as db:
        return [
            fetch(db, f"select * from {table}")  # noqa: S608 - a name of ours
            for table in (
                "operator_facts",
                "operator_consents",
                "operator_audit",
                "memory_versions",
                "journal_entries",
            )
        ]


def test_touched_fields_change_and_others_stay(observe, operator):
    """What was said of a field before is gone with its quote."""
    observe(SAID)
    observe("I prefer newts now. I use vim.")
    (card,) = operator("show", "--json").json["data"]["cards"]
    assert [(each["field"], each["value"]) for each in card["lines"]] == [
        ("role", "on the xylem team"),
        ("prefers", "newts"),
        ("tooling", "vim"),
    ]
    assert card["lines"][1]["quote"] == "I prefer newts now"
    assert card["lines"][1]["observed_by"] == "operator:ada"


def test_a_dry_run_only_tells(observe, home):
    """What would be is what is; nothing is written."""
    before = inside(home)
    dry = observe(SAID, "--dry-run", "--json").json["data"]
    assert inside(home) == before
    done = observe(SAID, "--json").json["data"]
    differ = {name for name in done if done[name] != dry[name]}
    assert differ <= {"dry_run", "version", "notes"}


def test_over_the_cap_the_newest_fields_are_left_out(observe, home):
    """It is said which, and no quote of them is kept."""
    environ = {"CREWMEM_CAPS_USER": "30"}
    ran = observe(SAID, environ=environ)
    assert "the card is full: prefers did not fit" in ran.stderr
    assert (home / CARD).read_text() == "- role: on the xylem team\n"
    facts, *_ = dump(home)
    assert [row[3] for row in facts] == ["role"]
    assert observe(SAID, "--strict", environ=environ).status == 1


def test_bad_lines_are_told_and_the_good_ones_kept(crewmem, home):
    """Also when they come in on standard input."""
    text = 'words\n{"role": "user", "text": "I use vim."}\n'
    text += '{"role": "user", "text": 5}\n{"role": "user", "text": "Fine."}\n'
    ran = crewmem("operator", "observe", "--user", "ada", "--turns", "-", stdin=text)
    assert ran.status == 0
    assert "line 1: it is not JSON" in ran.stderr
    assert "line 3: it does not say what was said" in ran.stderr
    assert (home / CARD).read_text() == "- tooling: vim\n"


def test_where_nothing_is_a_turn_it_fails(crewmem, observe):
    """And where nobody spoke as the person, it is said."""
    ran = crewmem("operator", "observe", "--user", "ada", "--turns", "-", stdin="words")
    assert ran.status == 5
    assert "it does not say who spoke" in ran.stderr
    ran = observe([{"speaker": "ben", "text": "I use vim."}])
    assert ran.status == 0
    assert "no turn is of 'ada': there speaks ben" in ran.stderr


def test_a_secret_is_refused_and_not_repeated(observe, home):
    """It is in no answer, and nowhere in the home."""
    key = "AKIA" + "Q7ZJ4N2M5KCW3X6P"
    for form in ("--json", "-q"):
        ran = observe(f"I use the key {key} for deploys. I use vim.", form)
        assert ran.status == 0
        assert key not in ran.stdout + ran.stderr
    assert held(home, key) == []


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("delete", "--yes"),
        ("forget", "role", "--yes"),
        ("opt-out", "--yes"),
        ("opt-out", "--undo"),
        ("observe", "--turns", "-"),
    ],
)
@pytest.mark.parametrize("actor", ["agent:mira", "lead:pilot"])
def test_only_operators_may(observe, operator, home, words, actor):
    """Agents and leads get the rule, and no byte of a card."""
    observe(SAID)
    before = stamps(home / CREW)
    ran = operator(*words, "--as", actor)
    assert (ran.status, ran.stdout) == (8, "")
    assert "only operators may" in ran.stderr
    assert "quokka" not in ran.stderr
    assert stamps(home / CREW) == before


@pytest.mark.parametrize("actor", ["agent:mira", "lead:pilot"])
def test_cards_are_in_nothing_that_agents_read(crewmem, observe, actor):
    """No search, listing, reading, version or journal of theirs tells of one."""
    observe(SAID, "--crew", "harbor")
    observe(SAID, "--agent", "mira")
    for words in (
        ("memory", "search", "quokka"),
        ("search", "quokka"),
        ("memory", "list"),
        ("memory", "read", f"users/{SLUG}.md"),
        ("memory", "log", f"crew:harbor/users/{SLUG}.md"),
        ("memory", "log", f"agent:harbor/mira/peers/{SLUG}.md"),
        ("journal", "list", "--json"),
    ):
        ran = crewmem(*words, "--as", actor)
        assert "quokka tables" not in ran.stdout, words
        assert SLUG not in ran.stdout, words


def test_a_language_model_picks_more(observe, operator, tmp_path, home):
    """What it quotes is checked; with --dry-run nothing is written of it."""
    said = "Pull requests get my review before lunch. I use vim."
    pick = {
        "key": "process",
        "value": "reviews before lunch",
        "quote": "my review before lunch",
        "source": "stated",
    }
    false = {**pick, "key": "role", "value": "captain", "quote": "I am the captain"}
    program = tmp_path / "loom"
    program.write_text(
        f"#!/bin/sh\ncat > /dev/null\necho '{json.dumps([pick, false])}'"
    )
    program.chmod(0o755)
    asked = ("--llm-command", program)
    assert observe(said, *asked, "--dry-run").status == 0
    assert not (home / CARD).exists()
    ran = observe(said, *asked, "--json").json["data"]
    assert [each["field"] for each in ran["facts"]] == ["process", "tooling"]
    assert [each["reason"] for each in ran["refused"]] == ["quote_not_in_transcript"]
    assert "reviews before lunch" in (home / CARD).read_text()
    operator("opt-out", "--yes")
    program.write_text("#!/bin/sh\ntouch asked")
    assert observe(said, *asked).status == 8
    assert not (tmp_path / "asked").exists()


def test_a_language_model_that_fails_is_a_warning(observe, home):
    """What is stated directly is taken all the same."""
    ran = observe("I use vim.", "--llm-command", "false")
    assert (ran.status, "only direct statements" in ran.stderr) == (0, True)
    assert (home / CARD).read_text() == "- tooling: vim\n"


# Erasing


def held(home, *texts):
    """Return what in *home* holds one of *texts*: files, versions, databases."""
    found = []
    for path in sorted(home.rglob("*")):
        if not path.is_file():
            continue
        content = path.read_bytes()
        if "versions" in path.parts:
            content += zlib.decompress(content)
        if any(text.encode() in content for text in texts):
            found.append(str(path.relative_to(home)))
    return found


WORDS = ("quokka", "xylem")


def littered(home, observe, crewmem):
    """Leave traces of ada all over the home, as time and accidents do."""
    observe(SAID, "--crew", "harbor")
    observe(SAID, "--agent", "mira")
    observe("I prefer newts.", "--crew", "harbor")
    observe("I'm on the zyzzyva team.", "--crew", "harbor")
    for folder, name in ((CREW, "users"), (MIRA, "peers")):
        for leftover in (
            f"{SLUG}.md.lock",
            f".{SLUG}.md.0123456789abcdef.tmp",
            f"{SLUG}.md~",
        ):
            (home / folder / name / leftover).write_text("- prefers: quokka tables\n")
        (home / folder / ".quarantine").mkdir()
        (home / folder / ".quarantine" / f"{'0' * 64}.md").write_text(
            f"---\nref: crew:harbor/users/{SLUG}.md\n---\n- prefers: quokka tables\n"
        )
    crewmem("memory", "reindex")
    crewmem("memory", "search", "tables")
    with closing(connect(home / "crewmem.db", Mode.READ)) as db:
        older = connect(home / "crewmem.db.before-0099", Mode.CREATE)
        with closing(older), older.backup("main", db, "main") as running:
            running.step()
    assert len(held(home, *WORDS)) > 8


@pytest.mark.parametrize(
    "words", [("delete", "--yes"), ("opt-out", "--yes")], ids=["delete", "opt-out"]
)
def test_what_is_erased_is_nowhere(observe, operator, crewmem, home, words):
    """No file, version, index or database of the home holds a word of it."""
    littered(home, observe, crewmem)
    hashes = [each["sha256"] for each in writes(crewmem)]
    assert held(home, *hashes)
    with closing(connect(home / "crewmem.db", Mode.READ)):  # so its -wal stays
        ran = operator(*words, "--json")
        assert held(home, *WORDS, *hashes) == []
    done = ran.json["data"]
    assert (ran.status, done["done"], done["changed"]) == (0, True, True)
    assert len(done["cards"]) == 2
    assert (done["files"], done["versions"], done["quarantined"]) == (8, 4, 2)
    assert held(home, *WORDS, "newts", "zyzzyva", "Maybe I own") == []
    assert [path for path in home.rglob("*") if SLUG in path.name] == []
    assert crewmem("memory", "search", "tables").status == 0
    assert writes(crewmem) == [{}] * 4
    assert crewmem("journal", "verify").status == 0


def writes(crewmem):
    """Return what the journal holds of writes of ada's cards, oldest first."""
    listed = crewmem("journal", "list", "--type", "memory.updated", "--json")
    found = [each for each in listed.json["data"] if "a card in" in each["summary"]]
    assert not [each for each in found if SLUG in each["summary"]]
    return [each["payload"] for each in found]


def test_the_journal_forgets_what_a_card_weighed(observe, operator, crewmem):
    """A line is short: by a hash and a size it can be guessed."""
    observe("I'm on the zyzzyva team.")
    observe("I prefer newts.")
    assert all(each["sha256"] for each in writes(crewmem))
    operator("forget", "prefers", "--yes")
    newest, second, first = writes(crewmem)
    assert second == {}
    assert [each["operation"] for each in (newest, first)] == ["observe", "observe"]
    operator("opt-out", "--yes")
    assert writes(crewmem) == [{}] * 3
    assert crewmem("journal", "verify").status == 0


def test_without_the_key_of_the_chain_nothing_is_erased(observe, operator, home):
    """What was signed is emptied by who can sign for it; who cannot is told first."""
    key = {"CREWMEM_CHAIN_KEY": "0123456789abcdef0123456789abcdef"}
    observe(SAID, environ=key)
    before = (home / CARD).read_bytes()
    for words in (("delete", "--yes"), ("forget", "role", "--yes")):
        ran = operator(*words)
        assert (ran.status, "CREWMEM_CHAIN_KEY" in ran.stderr) == (3, True)
        assert (home / CARD).read_bytes() == before
    assert operator("delete", "--yes", environ=key).status == 0
    assert not (home / CARD).exists()


def test_a_field_is_forgotten_everywhere(observe, operator, crewmem, home):
    """With its quotes, and the versions that held it; the rest stays."""
    littered(home, observe, crewmem)
    hashes = [each["sha256"] for each in writes(crewmem) if "operation" in each][1:]
    assert held(home, *hashes) == ["crewmem.db", "crewmem.db.before-0099"]
    done = operator("forget", "prefers", "--yes", "--json").json["data"]
    assert done["field"] == "prefers"
    assert held(home, "quokka", "newts", *hashes) == []
    older = ("--home", aside(home), "journal", "verify")
    assert crewmem(*older).status == 0
    assert (home / CARD).read_text() == "- role: on the zyzzyva team\n"
    assert (home / PEER).read_text() == "- role: on the xylem team\n"
    cards = operator("show", "--json").json["data"]["cards"]
    assert [line["quote"] for card in cards for line in card["lines"]] == [
        "I'm on the zyzzyva team",
        "I'm on the xylem team",
    ]
    assert crewmem("doctor", "--only", "versions", "--strict").status == 0
    assert operator("forget", "prefers", "--yes").status == 4


def aside(home):
    """Make a home of the older database that lies in *home*; return it."""
    made = home.parent / "older"
    shutil.copytree(home, made)
    shutil.copyfile(home / "crewmem.db.before-0099", made / "crewmem.db")
    return made


def test_a_field_that_nobody_knows_costs_no_other(observe, operator, crewmem, home):
    """Also in an older database nothing goes but the field that was named."""
    littered(home, observe, crewmem)
    older = (home / "crewmem.db.before-0099").read_bytes()
    assert b"xylem" in older
    assert operator("forget", "language", "--yes").status == 4
    assert b"xylem" in (home / "crewmem.db.before-0099").read_bytes()


@pytest.mark.parametrize("words", [("delete",), ("forget", "prefers")])
def test_what_is_left_in_older_databases_is_asked_about(
    observe, operator, crewmem, home, words
):
    """Where only they know it still, it is told and confirmed, as all else is."""
    littered(home, observe, crewmem)
    older, kept = home / "crewmem.db.before-0099", home.parent / "kept"
    shutil.copyfile(older, kept)
    assert operator(*words, "--yes").status == 0
    shutil.copyfile(kept, older)
    assert operator(*words).status == 8
    assert operator(*words, "--dry-run").stdout.count("in older databases") == 1
    asked = operator(*words, tty=True, stdin="n\n")
    assert (asked.status, older.read_bytes()) == (1, kept.read_bytes())
    assert operator(*words, "--yes", "--json").json["data"]["facts"] in {2, 4}
    assert held(home, "quokka", "newts") == []
    assert operator(*words, "--yes").status == 4


def test_what_is_erased_has_no_vector(observe, operator, crewmem, home):
    """By a vector, and by the hash it is found by, a short text can be guessed."""
    index = home / CREW / "index.sqlite"

    def vectors():
        with closing(connect(index, Mode.READ)) as db:
            sql = "select name from sqlite_master where name = 'vector_parts'"
            return fetch(db, sql) and fetch(db, "select vectors from vector_parts")

    with serving(by_letters) as service:
        letters = environ_of(service)
        observe(SAID, "--crew", "harbor")
        for words in (("forget", "prefers", "--yes"), ("delete", "--yes")):
            crewmem("episodes", "sweep", environ=letters)
            assert vectors()
            assert operator(*words).status == 0
            assert not vectors()


def test_backups_that_may_hold_it_are_named(observe, operator, crewmem, tmp_path):
    """What cannot be changed is said before, with what to do."""
    backups = {"CREWMEM_BACKUP_DIR": str(tmp_path / "backups")}
    observe(SAID, environ=backups)
    assert "backup" not in operator("forget", "role", "--yes", environ=backups).stderr
    assert crewmem("timers", "run", "backup", environ=backups).status == 0
    for words in (("delete", "--dry-run"), ("opt-out", "--yes")):
        said = operator(*words, environ=backups).stderr
        assert "1 backup in" in said
        assert "remove them" in said


def test_versions_without_the_field_stay(observe, operator, crewmem, home):
    """They are one chain all the same."""
    observe("I'm on the zyzzyva team.")
    observe("I prefer newts.")
    operator("forget", "prefers", "--yes")
    ran = crewmem("memory", "log", f"crew:harbor/users/{SLUG}.md", "--json")
    versions = ran.json["data"]
    assert len(versions) == 2
    assert versions[0]["parent"] == versions[1]["id"]
    assert held(home, "newts") == []


def test_a_card_without_its_last_field_is_gone(observe, operator, home):
    """An empty card would say that there is somebody to know."""
    observe("I use vim.")
    assert operator("forget", "tooling", "--yes").status == 0
    assert not (home / CARD).exists()
    assert held(home, "I use vim") == []


def test_what_was_killed_is_finished_by_the_next(observe, operator, crewmem, home):
    """Wherever erasing ends, erasing again leaves nothing."""
    for step in (3, 60, 300):
        littered(home, observe, crewmem)
        child = os.fork()
        if not child:
            killed_after(step)
            operator("delete", "--yes")
            os._exit(0)
        os.waitpid(child, 0)
        assert operator("delete", "--yes").status in {0, 4}
        assert held(home, *WORDS, "newts", "zyzzyva") == []
        for folder in (CREW, MIRA):
            (home / folder / ".quarantine").rmdir()
        (home / "crewmem.db.before-0099").unlink()


def test_what_was_killed_in_an_older_database_is_finished(
    observe, operator, crewmem, home
):
    """What SQLite leaves beside one then is no database of its own."""
    littered(home, observe, crewmem)
    older = home / "crewmem.db.before-0099"
    child = os.fork()
    if not child:
        db = connect(older, Mode.WRITE)
        with transaction(db):
            db.execute("create table more (it)")
        os._exit(0)  # it is not closed
    os.waitpid(child, 0)
    assert older.with_name(f"{older.name}-wal").stat().st_size
    assert operator("delete", "--yes").status == 0
    assert held(home, *WORDS, "newts", "zyzzyva") == []


@pytest.mark.parametrize("words", [("delete",), ("forget", "prefers")])
def test_an_older_database_that_is_damaged_keeps_nothing_else(
    observe, operator, crewmem, home, words
):
    """All else is erased, in other copies too; then it is said what is left to do."""
    littered(home, observe, crewmem)
    damaged = home / "crewmem.db.before-0001"
    damaged.write_bytes(b"no database" * 999)
    ran = operator(*words, "--yes")
    assert (ran.status, damaged.name in ran.stderr) == (5, True)
    assert "remove this file" in ran.stderr
    assert held(home, "quokka", "newts") == []
    damaged.unlink()
    assert operator(*words, "--yes").status == 4


def killed_after(steps):
    """Let this process be killed at the so-many-th call that changes the disk."""
    left = steps
    calls = {name: getattr(os, name) for name in ("unlink", "fsync", "open")}

    def counted(name):
        def call(*args, **kwargs):
            nonlocal left
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return calls[name](*args, **kwargs)

        return call

    for name in calls:
        setattr(os, name, counted(name))


def test_who_opted_out_is_not_observed(observe, operator, home):
    """Nobody's turns are read for it; undone, they are, and nothing is back."""
    observe(SAID)
    assert operator("opt-out", "--yes").status == 0
    for words in (("--agent", "mira"), ("--dry-run",), ()):
        ran = observe(SAID, *words, "--json")
        assert ran.status == 8
        assert ran.error["code"] == "opted_out"
        assert "operator opt-out --undo" in ran.error["hint"]
    assert held(home, *WORDS) == []
    shown = operator("show", "--json").json["data"]
    assert (shown["opted_out"], shown["cards"]) == (True, [])
    assert operator("opt-out", "--undo").status == 0
    assert operator("show", "--json").json["data"]["opted_out"] is False
    assert observe(SAID).status == 0


def test_a_decision_that_comes_meanwhile_holds(observe, operator, home, monkeypatch):
    """Consent is asked again once nobody else can change it."""
    operator("opt-out", "--yes")
    monkeypatch.setattr("crewmem.cli.operator.observe.store_to_read", lambda _: None)
    assert observe(SAID).status == 8
    assert not (home / CARD).exists()


def test_whoever_wants_may_opt_out_before_anything_is_known(operator, observe):
    """And it is remembered without their name."""
    assert operator("opt-out", "--yes").status == 0
    assert observe(SAID).status == 8


def test_no_name_is_kept(observe, home, crewmem):
    """What is kept of a person is told by a slug, also after they opted out."""
    observe("I use vim.", user="Wilhelmina Quist")
    crewmem("operator", "opt-out", "--user", "Wilhelmina Quist", "--yes")
    assert held(home, "Wilhelmina", "Quist") == []


@pytest.mark.parametrize(
    "words", [("delete",), ("forget", "role"), ("opt-out",)], ids=str
)
def test_erasing_asks(observe, operator, home, words):
    """Without a terminal it refuses; on one it takes yes for an answer, only."""
    observe(SAID)
    before = stamps(home / CREW)
    ran = operator(*words)
    assert ran.status == 8
    assert "Add --yes" in ran.stderr
    ran = operator(*words, tty=True, stdin="n\n")
    assert (ran.status, "Nothing was erased" in ran.stdout) == (1, True)
    assert stamps(home / CREW) == before
    assert operator(*words, tty=True, stdin="y\n").status == 0
    assert stamps(home / CREW) != before


@pytest.mark.parametrize(
    "words", [("delete",), ("forget", "role"), ("opt-out",)], ids=str
)
def test_a_dry_run_of_erasing_is_what_comes_of_it(observe, operator, home, words):
    """And it changes no byte."""
    observe(SAID)
    before = inside(home)
    dry = operator(*words, "--dry-run", "--json").json["data"]
    assert inside(home) == before
    done = operator(*words, "--yes", "--json").json["data"]
    assert dry | {"dry_run": False, "done": True} == done


@pytest.mark.parametrize(
    "words", [("show",), ("delete", "--yes"), ("opt-out", "--undo")]
)
def test_who_is_not_known_is_not_there(operator, words):
    """A name that was misspelled is not taken for one that is erased."""
    ran = operator(*words)
    assert ran.status == 4
    assert "known of 'ada'" in ran.stderr


def test_everything_is_in_the_audit(observe, operator):
    """Who wrote, read and erased, newest first; what it was is not in it."""
    observe(SAID)
    observe(SAID)  # which changes nothing
    operator("show")
    operator("forget", "role", "--yes")
    operator("opt-out", "--yes", "--as", "operator:eve")
    operator("opt-out", "--undo")
    audit = operator("show", "--json").json["data"]["audit"]
    assert [(each["action"], each["actor"], each["fields"]) for each in audit] == [
        ("opt_in", "operator:ada", []),
        ("opt_out", "operator:eve", []),
        ("forget", "operator:ada", ["role"]),
        ("read", "operator:ada", []),
        ("write", "operator:ada", ["prefers", "role"]),
    ]
    assert "write crew:harbor" in operator("show", "--audit").stdout


def test_what_went_before_a_model_is_in_the_audit(crewmem, observe, operator, home):
    """Once a day for each card and who asked, and only where it was laid."""
    observe(SAID)
    observe("I use vim.", "--agent", "mira")
    laid = ("memory", "prompt", "--agent", "mira", "--opener")
    for actor in ("agent:mira", "agent:mira", "operator:eve"):
        assert "quokka" in crewmem(*laid, "ada", "--as", actor).stdout
    crewmem(*laid, "ada", "--as", "operator:bob", "--explain")
    crewmem(*laid, "bob")
    crewmem("memory", "prompt", "--agent", "otto")
    seen = [
        (each["actor"], each["card"])
        for each in operator("show", "--json").json["data"]["audit"]
        if each["action"] == "read"
    ]
    cards = (f"agent:harbor/mira/peers/{SLUG}.md", f"crew:harbor/users/{SLUG}.md")
    assert sorted(seen) == [
        (actor, card) for actor in ("agent:mira", "operator:eve") for card in cards
    ]
    crewmem(*laid, "ada", "--as", "agent:mira", "--now", "2026-05-03T00:00:00Z")
    sql = (
        "select count(*) from operator_audit where action = 'read' and card is not null"
    )
    with closing(connect(home / "crewmem.db", Mode.READ)) as db:
        assert fetch(db, sql) == [(6,)]


def test_a_directory_of_the_home_that_was_named_is_the_homes(crewmem, observe, home):
    """What is laid is in the audit, also where the agent's directory was named."""
    observe(SAID)
    tree = home / "workspaces/default/crews/harbor"
    laid = ("memory", "prompt", "--agent", "mira", "--opener", "ada", "-p", tree)
    assert "quokka" in crewmem(*laid, "--as", "operator:eve").stdout
    audit = crewmem("operator", "show", "--user", "ada", "--json").json["data"]["audit"]
    assert ("operator:eve", f"crew:harbor/users/{SLUG}.md", "read") in [
        (each["actor"], each["card"], each["action"]) for each in audit
    ]


def test_looking_makes_no_database(crewmem, home, tmp_path):
    """In a home that has none nothing is noted, which is said: it would be empty."""
    tree = tmp_path / "bare"
    shutil.copytree(home / "workspaces", tree / "workspaces")
    (tree / CARD).parent.mkdir(parents=True, exist_ok=True)
    (tree / CARD).write_text("- prefers: quokka tables\n")
    before = stamps(tree)
    laid = ("memory", "prompt", "--agent", "mira", "--opener", "ada")
    for words in (("operator", "show", "--user", "ada"), laid):
        ran = crewmem("--home", tree, *words)
        assert (ran.status, "quokka tables" in ran.stdout) == (0, True)
        assert f"is not noted: {tree} has no database" in ran.stderr
    assert stamps(tree) == before


def test_a_home_that_cannot_be_written_is_shown(
    crewmem, observe, home, reachable, nobody
):
    """That somebody looked cannot be noted then, which is said."""
    observe(SAID)
    crewmem("operator", "show", "--user", "ada")  # imports what it needs
    place = reachable / "home"
    shutil.copytree(home, place)
    for path in [place, *place.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = stamps(place)
    laid = ("memory", "prompt", "--agent", "mira", "--opener", "ada")
    crewmem(*laid)
    for words in (("operator", "show", "--user", "ada"), laid):
        with nobody():
            ran = crewmem("--home", place, *words)
        assert (ran.status, "quokka tables" in ran.stdout) == (0, True)
        assert "is not noted" in ran.stderr
        assert stamps(place) == before


def test_lines_written_by_hand_have_no_evidence(observe, operator, home):
    """They are shown, and stay when more is observed."""
    observe("I use vim.")
    (home / CARD).write_text("- role: lead by hand\n- tooling: emacs\n")
    observe("I prefer tabs.")
    (card,) = operator("show", "--json").json["data"]["cards"]
    assert [(each["value"], each["quote"]) for each in card["lines"]] == [
        ("lead by hand", None),
        ("emacs", None),
        ("tabs", "I prefer tabs"),
    ]
    assert "written by hand" in operator("show").stdout
    assert held(home, "I use vim") == []


def test_one_card_can_be_shown(observe, operator):
    """That of a crew, or of an agent; one that nobody has is not there."""
    observe(SAID, "--crew", "harbor")
    observe("I use vim.", "--agent", "mira")

    def refs(*words):
        return [
            card["ref"].partition(f"/{SLUG}")[0]
            for card in operator("show", *words, "--json").json["data"]["cards"]
        ]

    both = ["crew:harbor/users", "agent:harbor/mira/peers"]
    assert refs() == both
    assert refs("--crew", "harbor") == both[:1]
    assert refs("--agent", "mira") == refs("--agent", "mira", "--crew", "harbor")
    assert refs("--agent", "mira") == both[1:]
    assert operator("show", "--crew", "reef").status == 4
    assert operator("show", "--agent", "nobody").status == 4


def test_another_workspace_knows_nothing(observe, crewmem):
    """Nothing of a person crosses from one workspace to another."""
    observe(SAID)
    crewmem("crew", "add", "bay", "-w", "lab")
    ran = crewmem("operator", "show", "--user", "ada", "-w", "lab")
    assert ran.status == 4
    crewmem("operator", "opt-out", "--user", "ada", "-w", "lab", "--yes")
    assert observe("I use vim.").status == 0


def test_whose_card_is_asked_where_it_is_not_clear(observe, crewmem):
    """One crew is meant; of several one is named."""
    assert observe("I use vim.").status == 0
    crewmem("crew", "add", "bay")
    ran = observe("I use vim.")
    assert ran.status == 2
    assert "--crew: there are bay, harbor" in ran.stderr
    assert observe("I use vim.", "--crew", "bay").status == 0
    assert observe("I use vim.", "--crew", "reef").status == 4
    assert observe("I use vim.", "--agent", "nobody").status == 4
    assert observe("I use vim.", "--agent", "mira", "--crew", "bay").status == 2


def test_an_agent_whose_memory_is_off_gets_no_card(observe, crewmem, home):
    """But what is there can be forgotten."""
    observe("I use vim. I prefer tabs.", "--agent", "mira")
    crewmem("agent", "set", "mira", "--memory", "off")
    assert observe("I prefer newts.", "--agent", "mira").status == 8
    ran = crewmem("operator", "forget", "tooling", "--user", "ada", "--yes")
    assert ran.status == 0
    assert (home / PEER).read_text() == "- prefers: tabs\n"


def test_the_fields_are_those_of_the_facts():
    """Completion and help know them without importing what knows more."""
    assert list(FIELDS) == list(FactField)
