"""``crewmem memory``: what its verbs print, in each format."""

import os
import subprocess
import sys

import pytest

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
    assert crewmem(*search, tree, "--as", "nobody").status == 3


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
