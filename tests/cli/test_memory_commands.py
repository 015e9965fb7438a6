"""``crewmem memory``: what its verbs print, in each format."""

import os
import subprocess
import sys

import pytest

from crewmem.cli.incident import report

TEXT = "# Agent\n\n## Deploys\n\nThe key is in the vault.\n"


@pytest.fixture
def tree(memory):
    """A directory that is named, outside of any home."""
    return memory({"daily/2026-04-30.md": "- 09:00 — vault opened\n"}, AGENT=TEXT)


def test_a_hit_has_every_field_of_the_contract(crewmem, tree):
    """The fields all stores share, then those of files."""
    ran = crewmem("memory", "search", "-p", tree, "--json", "deploy", "key")
    assert ran.status == 0
    data = ran.json["data"]
    assert data["mode"] == "words"
    hit = data["hits"][0]
    shared = ["ref", "store", "scope", "owner", "title", "snippet"]
    assert list(hit)[:6] == shared
    assert {"score", "at", "why", "path", "file", "heading", "tier"} <= set(hit)
    assert (hit["file"], hit["first_line"], hit["last_line"]) == ("AGENT.md", 3, 5)
    assert hit["snippet"] == "The **key** is in the vault."
    read = crewmem("memory", "read", "-p", tree, hit["ref"])
    assert read.stdout == "## Deploys\n\nThe key is in the vault.\n"


def test_plain_hits_are_lines_that_editors_open(crewmem, tree):
    """``path:line: snippet``, without marks."""
    ran = crewmem("memory", "search", "-p", tree, "key")
    assert ran.stdout == f"{tree}/AGENT.md:5: The key is in the vault.\n"


def test_on_a_terminal_matches_are_highlighted(crewmem, tree):
    """File and lines, heading, and the snippet with its matches in colour."""
    ran = crewmem("memory", "search", "-p", tree, "key", tty=True)
    first, second = ran.stdout.splitlines()
    assert "AGENT.md:3-5" in first
    assert "Agent > Deploys" in first
    assert second == "  The \x1b[1;33mkey\x1b[0m is in the vault."
    plain = crewmem("memory", "search", "-p", tree, "key", "--no-color", tty=True)
    assert "\x1b" not in plain.stdout


def test_jsonl_is_a_hit_a_line(crewmem, tree):
    """For streams."""
    ran = crewmem("memory", "search", "-p", tree, "vault", "-F", "jsonl")
    assert len(ran.stdout.splitlines()) == 2
    assert ran.stdout.startswith('{"ref": ')


def test_finding_nothing_is_done(crewmem, tree):
    """Status 0 and valid JSON; 1 only if asked for."""
    ran = crewmem("memory", "search", "-p", tree, "--json", "unheard")
    assert (ran.status, ran.json["data"]) == (0, {"mode": "words", "hits": []})
    ran = crewmem("memory", "search", "-p", tree, "unheard")
    assert (ran.status, ran.stdout) == (0, "")
    assert "Nothing found" in ran.stderr
    assert crewmem("memory", "search", "-p", tree, "--exit-code", "x").status == 1


@pytest.mark.parametrize("query", ["---", "???", '""', "   ", "\x00", "\udcff", "*"])
def test_no_query_is_an_error(crewmem, tree, query):
    """Whatever is typed finds something or nothing."""
    ran = crewmem("memory", "search", "-p", tree, "--json", "--", query)
    assert ran.status == 0
    assert ran.json["schema"] == 1


def test_a_limit_out_of_range_is_clamped_and_said(crewmem, tree):
    """A clamp is a warning."""
    ran = crewmem("memory", "search", "-p", tree, "--json", "-l", "99", "vault")
    assert ran.json["warnings"] == ["--limit 99 is out of range; it was taken as 50"]
    ran = crewmem("memory", "search", "-p", tree, "--json", "-l", "0", "vault")
    assert len(ran.json["data"]["hits"]) == 1


def test_stored_escapes_do_not_reach_a_terminal(crewmem, memory):
    """ANSI and OSC in notes and in names are shown, not obeyed."""
    directory = memory({"x\x1b[2J.md": "see \x1b]0;title\x07 and \u202eevil vault\n"})
    for tty in (False, True):
        ran = crewmem(
            "memory", "search", "-p", directory, "vault", "--no-color", tty=tty
        )
        assert "\x1b" not in ran.stdout
        assert "\\x1b]0;title\\x07 and \\u202eevil" in ran.stdout
        ran = crewmem("memory", "list", "-p", directory, "--no-color", tty=tty)
        assert "x\\x1b[2J.md" in ran.stdout
    ran = crewmem("memory", "search", "-p", directory, "vault", "--json")
    assert ran.stdout.isascii()
    assert "\x1b" not in ran.stdout


def test_read_makes_a_file_visible_on_a_terminal_only(crewmem, memory):
    """A pipe gets the bytes; a terminal gets no control characters unless --raw."""
    directory = memory(AGENT="one\x1b[31m\n\ttwo\r\n")
    there = ("memory", "read", "-p", directory, "AGENT.md")
    assert crewmem(*there).stdout == "one\x1b[31m\n\ttwo\r\n"
    assert crewmem(*there, tty=True).stdout == "one\\x1b[31m\n\ttwo\\r\n"
    assert crewmem(*there, "--raw", tty=True).stdout == "one\x1b[31m\n\ttwo\r\n"
    document = crewmem(*there, "--json").json["data"]
    assert document["text"] == "one\x1b[31m\n\ttwo\r\n"
    assert document["tier"] == "agent"


def test_list_flags_what_is_wrong(crewmem, memory):
    """Caps, names that are no date, days to come, odd files."""
    directory = memory(
        {
            "AGENT.md": "x" * 4001,
            "PERSONA.md": "x" * 1300,
            "daily/2026-02-30.md": "x",
            "daily/2027-01-01.md": "x",
            "lessons.md": "x" * 64_001,  # but for a byte
            "fine.md": "x",
        }
    )
    (directory / "link.md").symlink_to("fine.md")
    listed = crewmem("memory", "list", "-p", directory, "--json").json["data"]
    assert {entry["file"]: entry["flags"] for entry in listed} == {
        "AGENT.md": ["over-cap"],
        "PERSONA.md": ["near-cap"],
        "daily/2026-02-30.md": ["bad-name"],
        "daily/2027-01-01.md": ["future"],
        "fine.md": [],
        "lessons.md": ["over-cap"],
        "link.md": ["odd"],
    }


def test_status_tells_how_the_index_stands(crewmem, tree):
    """Missing, fresh, stale, unusable; and writes nothing."""

    def standing():
        (one,) = crewmem("memory", "status", "-p", tree, "--json").json["data"]
        return one

    assert (standing()["state"], standing()["stale"]) == ("missing", 2)
    crewmem("memory", "reindex", "-p", tree)
    assert (standing()["state"], standing()["chunks"]) == ("fresh", 3)
    (tree / "new.md").write_text("new\n")
    assert (standing()["state"], standing()["stale"]) == ("stale", 1)
    (tree / "index.sqlite").write_bytes(b"junk" * 999)
    assert standing()["state"] == "unusable"
    assert "not a SQLite database" in standing()["trouble"]


def test_errors_have_their_status(crewmem, tree, tmp_path):
    """Each in the family that the manual page names."""
    (tmp_path / "empty").mkdir()
    search = ("memory", "search", "x", "-p")
    assert crewmem(*search, tmp_path / "nowhere").status == 4
    assert crewmem(*search, tmp_path / "empty").status == 4
    assert crewmem(*search, tree / "AGENT.md").status == 4
    assert crewmem("memory", "search").status == 2
    assert crewmem(*search, tree, "--since", "soon").status == 2
    assert crewmem("memory", "read", "-p", tree, "nothing.md").status == 4
    assert crewmem("memory", "read", "-p", tree, "../x").status == 8
    assert crewmem(*search, tree, "--as", "nobody").status == 2
    assert crewmem(*search, "").status == 2
    assert crewmem("memory", "read", "", "-p", tree).status == 2
    assert crewmem("memory", "read", "--tier", "topic", "-p", tree).status == 2
    junk = {"CREWMEM_ACTOR": "junk"}
    assert crewmem(*search, tree, environ=junk).status == 3
    assert crewmem("--home", tree / "AGENT.md", "memory", "list").status == 4


def test_a_search_takes_its_words_from_standard_input(crewmem, tree):
    """``-`` stands for it; and a time far away is no error."""
    ran = crewmem("memory", "search", "-", "-p", tree, "--json", stdin="the key\n")
    assert ran.json["data"]["hits"][0]["file"] == "AGENT.md"
    far = crewmem("memory", "search", "key", "-p", tree, "--since", "9999-12-31")
    assert (far.status, far.stdout) == (0, "")


def test_standard_input_is_text_of_a_size(crewmem, tree):
    """A whole book is refused; a long page is cut, and that is said."""
    ran = crewmem("memory", "search", "-", "-p", tree, stdin="x" * (1 << 20) + "y")
    assert ran.status == 8
    page = "the key " + "word " * 3_000
    ran = crewmem("memory", "search", "-", "-p", tree, "--json", stdin=page)
    assert ran.json["data"]["hits"][0]["file"] == "AGENT.md"
    (warning,) = ran.json["warnings"]
    assert warning.startswith("the query is long; its first 10,000 characters")
    ran = crewmem("memory", "search", "-p", tree, "--json", "key", "x" * 9_000)
    assert ran.json["warnings"] == []


def test_why_is_told_to_people_too(crewmem, tree):
    """Below each hit, on a terminal and in a pipe; JSON has it anyway."""
    plain = crewmem("memory", "search", "-p", tree, "key", "--explain")
    first, second, *_ = plain.stdout.splitlines()
    assert ": " in first
    assert second.startswith("  score ")
    assert second.endswith("rank 1 by words; holds key")
    table = crewmem("memory", "search", "-p", tree, "key", "--explain", tty=True)
    assert "holds key" in table.stdout
    asked = ("memory", "search", "-p", tree, "key", "--json")
    assert crewmem(*asked).stdout == crewmem(*asked, "--explain").stdout


def test_hybrid_is_another_word_for_search(crewmem, tree):
    """It answers alike, and is in no help."""
    words = ("-p", tree, "key", "--json")
    ran = crewmem("memory", "hybrid", *words)
    assert ran.stdout == crewmem("memory", "search", *words).stdout
    assert ran.status == 0
    assert "hybrid" not in crewmem("memory", "--help").stdout
    assert crewmem("crew", "hybrid").status == 2


def test_a_search_that_has_to_index_much_shows_how_far_it_is(crewmem, memory):
    """To who looks at a terminal, and nobody else."""
    directory = memory({f"topics/{at}.md": f"note {at}\n" for at in range(200)})
    words = ("memory", "search", "-p", directory, "note")
    ran = crewmem(*words, tty=True, environ={"TERM": "xterm"})
    assert "Indexing" in ran.stderr
    assert "200/200" in ran.stderr
    assert crewmem(*words).stderr == ""


def test_verbose_says_where_a_search_looked(crewmem, tree):
    """Each directory, what was done about its index, and how long that took."""
    words = ("memory", "search", "-p", tree, "key")
    said = crewmem(*words, "-v").stderr
    assert said.startswith(f"{tree}: an index was made in memory in 0.")
    assert said.endswith(" s\n")
    crewmem("memory", "reindex", "-p", tree)
    said = crewmem(*words, "-v").stderr
    assert said.startswith(f"{tree}: the index was compared with the files in 0.")
    said = crewmem(*words, "-v", "--no-refresh").stderr
    assert said.startswith(f"{tree}: the index was taken as it is in 0.")
    assert crewmem(*words).stderr == ""


def test_front_matter_is_shown_as_fields(crewmem, memory):
    """Without the dashes around it, in one line, and at the line of the match."""
    text = (
        "---\ntitle: Deploys\ntags:\n  - keys\n  - vault\nowner: mira\n---\n\n# Rest\n"
    )
    directory = memory(AGENT=text)
    ran = crewmem("memory", "search", "-p", directory, "vault")
    shown = "title: Deploys; tags: - keys; - vault; owner: mira"
    assert ran.stdout == f"{directory}/AGENT.md:5: {shown}\n"


def test_lines_of_an_old_mac_are_lines(crewmem, memory):
    """A file whose lines end with a carriage return has them, and true numbers."""
    directory = memory(AGENT="# Deploys\r\rThe key is\rin the vault.\r")
    ran = crewmem("memory", "search", "-p", directory, "vault", "--json")
    (hit,) = ran.json["data"]["hits"]
    assert (hit["heading"], hit["line"]) == ("AGENT.md > Deploys", 4)
    ran = crewmem("memory", "read", "-p", directory, "AGENT.md:3-4")
    assert ran.stdout == "The key is\rin the vault.\r"


def test_without_a_registry_directories_tell_an_agents_crews(crewmem, home):
    """A lost database opens no other crew's memory."""
    crewmem("init", "--sample")
    crewmem("crew", "add", "other")
    shared = home / "workspaces/default/crews/other/shared/.memory"
    (shared / "CREW.md").write_text("othersecret\n")
    for left in home.glob("crewmem.db*"):
        left.unlink()
    mine = crewmem("--as", "agent:winch", "memory", "search", "othersecret", "--json")
    assert mine.json["data"]["hits"] == []
    crew = crewmem("--as", "agent:winch", "memory", "search", "deploy key", "--json")
    assert {hit["owner"] for hit in crew.json["data"]["hits"]} == {
        "harbor",
        "harbor/winch",
    }


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm"])
def test_a_fifo_beside_an_index_hangs_nobody(crewmem, tree, end):
    """It is said, the files are searched, and nothing is written."""
    crewmem("memory", "reindex", "-p", tree)
    os.mkfifo(tree / f"index.sqlite{end}")
    before = sorted(path.name for path in tree.iterdir())
    ran = crewmem("memory", "search", "key", "-p", tree, "--json")
    assert ran.json["data"]["hits"]
    assert ran.json["warnings"]
    (one,) = crewmem("memory", "status", "-p", tree, "--json").json["data"]
    assert one["state"] == "unusable"
    assert sorted(path.name for path in tree.iterdir()) == before


def test_scope_words_of_other_tools_are_understood(crewmem, tree):
    """``own`` is ``agent``; an unknown one is a usage error."""
    found = crewmem("memory", "search", "-p", tree, "-S", "own", "--json", "vault")
    assert len(found.json["data"]["hits"]) == 2
    assert crewmem("memory", "search", "-p", tree, "-S", "moon", "x").status == 2


def test_the_real_program_prints_bytes_and_ends_quietly_in_a_closed_pipe(tree):
    """As a whole process: status, bytes, and nothing on stderr."""
    program = [sys.executable, "-m", "crewmem"]
    (tree / "bytes.md").write_bytes(b"caf\xe9\r\n")
    done = subprocess.run(
        [*program, "memory", "read", "-p", tree, "bytes.md"],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "."},
    )
    assert done.stdout == b"caf\xe9\r\n"
    (tree / "long.md").write_text("vault\n" * 200_000)
    closed = subprocess.Popen(
        [*program, "memory", "read", "-p", tree, "long.md"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    closed.stdout.read(10)
    closed.stdout.close()
    errors = closed.stderr.read()
    closed.stderr.close()
    assert (closed.wait(), errors) == (0, b"")


# What a reindex counts, and says


def counted(crewmem, directory, *options):
    """Reindex *directory*; return files, added, changed, removed."""
    ran = crewmem("memory", "reindex", "-p", directory, "--json", *options)
    (one,) = ran.json["data"]
    return tuple(one[name] for name in ("files", "added", "changed", "removed"))


def test_what_is_skipped_is_not_counted_as_added(crewmem, memory):
    """Files now are files before, and added, without removed; whatever was skipped."""
    directory = memory(
        {
            "big.md": b"x" * (8 * 1024 * 1024 + 1),
            "gone/big.md": b"x" * (8 * 1024 * 1024 + 1),
            "gone/small.md": "small",
            "lossy.md": b"caf\xe9\n",
        },
        AGENT=TEXT,
    )
    ran = crewmem("memory", "reindex", "-p", directory)
    assert "3 files, 4 chunks; 3 added, 2 skipped" in ran.stdout
    assert "bytes that are not UTF-8 were replaced" in ran.stderr
    (directory / "big.md").write_text("small now\n")
    assert counted(crewmem, directory) == (4, 1, 0, 0)
    (directory / "big.md").write_bytes(b"y" * (8 * 1024 * 1024 + 1))
    assert counted(crewmem, directory) == (3, 0, 0, 1)
    (directory / "big.md").write_bytes(b"z" * (8 * 1024 * 1024 + 2))
    assert counted(crewmem, directory) == (3, 0, 0, 0)
    (directory / "AGENT.md").write_text("other\n")
    (directory / "big.md").unlink()
    assert counted(crewmem, directory) == (3, 0, 1, 0)
    for path in (directory / "gone").iterdir():
        path.unlink()
    (directory / "gone").rmdir()
    assert counted(crewmem, directory) == (2, 0, 0, 1)
    assert counted(crewmem, directory, "--full") == (2, 2, 0, 0)


def test_a_lossy_file_is_in_the_index_and_not_skipped(crewmem, memory):
    """It is warned of, and is found."""
    directory = memory({"lossy.md": b"caf\xe9 vault\n"})
    ran = crewmem("memory", "reindex", "-p", directory)
    assert "; 1 added (" in ran.stdout
    assert "lossy.md: bytes that are not UTF-8 were replaced" in ran.stderr
    table = crewmem("memory", "status", "-p", directory).stdout.splitlines()
    assert table[1].split()[-4:-1] == ["0", "0", "words"]  # skipped, vectors, search


def test_a_quiet_timer_hears_only_what_is_new_or_wrong(crewmem, tree):
    """Nothing changed: no mail. JSON is an answer all the same."""
    quiet = ("memory", "reindex", "-q", "-p", tree)
    assert "2 added" in crewmem(*quiet).stdout
    ran = crewmem(*quiet)
    assert (ran.status, ran.stdout, ran.stderr) == (0, "", "")
    assert len(crewmem(*quiet, "--json").json["data"]) == 1
    assert "nothing changed" in crewmem("memory", "reindex", "-p", tree).stdout
    (tree / "lossy.md").write_bytes(b"caf\xe9\n")
    assert "1 added" in crewmem(*quiet).stdout
    assert crewmem(*quiet).stdout == ""
    (tree / "big.md").write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    assert "1 skipped" in crewmem(*quiet).stdout
    assert "1 skipped" in crewmem(*quiet).stdout
    (tree / "index.sqlite").write_bytes(b"junk" * 999)
    assert "3 added" in crewmem(*quiet).stdout


def test_verbose_says_what_was_done_on_the_way(crewmem, tree):
    """On stderr; not where JSON is wanted, nor where quiet is."""
    reindex = ("memory", "reindex", "-p", tree)
    assert f"{tree}: the index was brought up" in crewmem(*reindex, "-v").stderr
    assert f"{tree}: the index was compared" in crewmem(*reindex, "-v").stderr
    full = crewmem(*reindex, "--full", "-v")
    assert "the index was built anew (asked for) in " in full.stderr
    assert crewmem(*reindex).stderr == ""
    assert crewmem(*reindex, "-v", "-q").stderr == ""
    assert crewmem(*reindex, "-v", "--json").stderr == ""
    for word in ("status", "list"):
        asked = ("memory", word, "-p", tree)
        assert f"looked at {tree}" in crewmem(*asked, "-v").stderr
        assert "looked at" not in crewmem(*asked).stderr


def test_status_names_the_directory_in_full(crewmem, tree, monkeypatch):
    """Also one that was named from where one stands."""
    monkeypatch.chdir(tree.parent)
    ran = crewmem("memory", "status", "-p", ".memory")
    assert f"Memory in {tree}\n" in ran.stderr


def test_status_tells_each_directorys_path(crewmem, memory, tmp_path, monkeypatch):
    """From where one stands, so that it can be given to another command."""
    monkeypatch.chdir(tmp_path)
    for at in ("harbor/shared", "harbor/agents/ada"):
        memory(AGENT="x\n", at=tmp_path / at)
    head, *rows = crewmem("memory", "status", "-p", "harbor").stdout.splitlines()
    paths = [row.split()[-1] for row in rows]
    assert head.split()[-1] == "PATH"
    assert paths == ["harbor/shared/.memory", "harbor/agents/ada/.memory"]


def test_a_small_share_is_not_nothing(crewmem, memory):
    """Below one percent it is said to be so, and an empty file is at 0."""
    directory = memory({"AGENT.md": "x" * 39, "PERSONA.md": "x" * 15, "pins.md": ""})
    rows = crewmem("memory", "list", "-p", directory).stdout.splitlines()[1:]
    agent, persona, pins = sorted(rows)
    assert " <1% " in agent
    assert " 1% " in persona
    assert " 0% " in pins
    assert " <1% " in crewmem("memory", "status", "-p", directory).stdout


# Where a bug is reported


@pytest.fixture
def reported(tmp_path, home, monkeypatch):
    """Report a bug of a command line; return the directory the report is in."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    home.mkdir()
    person = tmp_path / "person"

    def call(*argv, **environ):
        environ = {"HOME": str(person), **environ}
        path = report([str(word) for word in argv], environ, RuntimeError("broken"))
        assert "RuntimeError: broken" in path.read_text()
        return path.parent

    return call


def test_a_bug_is_reported_in_the_home_that_was_meant(reported, home, tmp_path):
    """The one that was named, else the variable's, else the usual one."""
    other = tmp_path / "other"
    other.mkdir()
    usual = tmp_path / "person" / ".local/share/crewmem"
    usual.mkdir(parents=True)
    variable = {"CREWMEM_HOME": str(home)}
    assert reported("status", "--home", other, **variable) == other / "incidents"
    assert reported(f"--home={other}", "status", **variable) == other / "incidents"
    assert reported("status", **variable) == home / "incidents"
    assert reported("status") == usual / "incidents"
    assert reported("search", "--", "--home", other) == usual / "incidents"


def test_a_bug_is_reported_elsewhere_where_there_is_no_home(reported, tmp_path):
    """No home is made for it, and none that was not meant is used."""
    nowhere = tmp_path / "nowhere"
    kept = reported("status", "--home", nowhere, CREWMEM_HOME=str(tmp_path / "home"))
    assert kept.parent == tmp_path / "temporary"
    assert not nowhere.exists()
    assert reported("status", "--home").parent == tmp_path / "temporary"
    assert reported("status", HOME="").parent == tmp_path / "temporary"
