"""Finding passages of memory files."""

import os
import shutil
import sqlite3

import pytest
from files.conftest import OPERATOR, agent

from crewmem.errors.cli import NothingReadError
from crewmem.errors.disk import (
    NotADirectoryPathError,
    NotReadableError,
    PathMissingError,
)
from crewmem.errors.files import MemoryDirMissingError
from crewmem.files.locate import at_path
from crewmem.scope import Scope

DEPLOY = "# Agent\n\n## Deploys\n\nThe key is in the vault.\n\n## Lunch\n\nAt noon.\n"


def files(answer):
    return [hit.file for hit in answer.hits]


def test_a_natural_question_is_answered(find, memory):
    """Any word of a question is enough, and the best passage comes first."""
    directory = memory(AGENT=DEPLOY, notes="The harbour opens at six.\n")
    answer = find(directory, "where is the key for deploys?")
    assert answer.mode == "words"
    hit = answer.hits[0]
    assert (hit.file, hit.first_line, hit.last_line) == ("AGENT.md", 3, 5)
    assert hit.heading == "AGENT.md > Agent > Deploys"
    assert hit.snippet == "The **key** is in the vault."
    first, last = hit.matches[0]
    assert hit.snippet[first:last] == "key"
    assert hit.why.terms == ["key", "deploys"]


def test_every_piece_of_a_section_is_found_by_its_heading(find, memory):
    """The heading is known to all pieces of a section that was cut."""
    body = "\n\n".join(f"Paragraph {n}. " + "word " * 60 for n in range(12))
    directory = memory(AGENT=f"# Cranes\n\n{body}\n")
    answer = find(directory, "cranes", limit=50)
    lines = {n for h in answer.hits for n in range(h.first_line, h.last_line + 1)}
    texts = {n for n, line in enumerate(f"# Cranes\n\n{body}\n".split("\n"), 1) if line}
    assert len(answer.hits) > 3
    assert texts <= lines


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("foo_bar", "id.md"),
        ("bar", "id.md"),
        ("src/app.py", "path.md"),
        ("app", "path.md"),
        ("#1234", "issue.md"),
        ("zoe", "name.md"),
        ("Zoë", "name.md"),
        ("deployed", "verb.md"),
        ("schlüssel", "german.md"),
        ("schlussel", "german.md"),
    ],
)
def test_words_are_found_whole_by_part_and_folded(find, memory, query, found):
    """Identifiers and paths by part, accents and endings either way."""
    directory = memory(
        id="call foo_bar here\n",
        path="look into src/app.py first\n",
        issue="fixed in #1234\n",
        name="Zoë wrote this\n",
        verb="we deploy on Tuesdays\n",
        german="der Schlüssel liegt im Tresor\n",
    )
    assert files(find(directory, query))[0] == found


@pytest.mark.parametrize(
    "query",
    [
        "再起動",
        "データベース",
        "データベースの再起動方法",
        "東京",
        "日本語",
        "서울",
        '"再起動方法"',
    ],
)
def test_scripts_without_spaces_are_found_by_part(find, memory, query):
    """A clause is no word: what it is about stands somewhere in it."""
    directory = memory(
        ja="# 日本語メモ\n\n東京タワーで、データベースの再起動方法を書く。서울에서.\n",
        other="# Notes\n\nThe database in Tokyo was restarted. 動物 大方\n",
    )
    (hit,) = find(directory, query).hits
    assert hit.file == "ja.md"
    if query not in hit.heading:
        asked = query.strip('"')
        assert f"**{asked}**" in hit.snippet


def test_a_file_is_found_by_its_name(find, memory):
    """The words of a file's name count as a heading of it."""
    directory = memory({"topics/postgres.md": "Two hundred connections.\n"})
    assert files(find(directory, "postgres")) == ["topics/postgres.md"]
    assert find(directory, "md").hits == []


def test_a_topic_comes_before_a_daily_note_with_the_same_words(find, memory):
    """Tiers decide between equals."""
    text = "The rollback takes four minutes.\n"
    directory = memory({"daily/2026-04-01.md": text, "topics/z.md": text})
    assert files(find(directory, "rollback minutes"))[0] == "topics/z.md"


def test_phrases_prefixes_and_operators_are_understood(find, memory):
    """The operator language does what it says."""
    directory = memory(
        a="deploy key in the vault\n", b="key to deploy\n", c="deployment of staging\n"
    )
    assert files(find(directory, '"deploy key"')) == ["a.md"]
    assert set(files(find(directory, "deploym*"))) == {"c.md"}
    assert files(find(directory, "key NOT vault")) == ["b.md"]
    assert find(directory, "key AND vault").mode == "syntax"


def test_what_does_not_parse_is_asked_as_words_and_said(find, memory):
    """A query with broken operators still finds, and the answer says how."""
    directory = memory(AGENT=DEPLOY)
    for text in ('"deploys', "deploys AND", "vault AND lunch"):
        answer = find(directory, text)
        assert answer.mode == "fallback"
        assert answer.hits
        assert any("words were searched for" in each for each in answer.warnings)


def test_one_ranking_over_directories(find, memory, tmp_path):
    """Scores are counted over all directories: a word that is rare in one and
    common in the other is worth the same in both."""
    crew = tmp_path / "crews" / "harbor"
    memory(
        {f"n{n}.md": f"key number {n} of many\n" for n in range(30)},
        at=crew / "agents" / "mira",
    )
    memory(CREW="# Crew\n\nkey number 31 of many\n", at=crew / "shared")
    answer = find(crew, "key number", scope=Scope.ALL, limit=50)
    plain = {round(hit.score / hit.why.prior, 3) for hit in answer.hits}
    assert max(plain) - min(plain) < 0.2
    assert {hit.owner for hit in answer.hits} == {"harbor", "harbor/mira"}


def test_where_nothing_answers_the_status_says_so(find, memory, reachable, nobody):
    """One that fails is a warning beside another; of several, all are one failure."""
    places = [
        memory(CREW="key\n", at=reachable / "shared"),
        memory(AGENT="key\n", at=reachable / "agents" / "ada"),
    ]
    places[0].chmod(0)
    with nobody():
        answer = find(reachable, "key")
        with pytest.raises(NotReadableError):
            find(places[0], "key")
    places[1].chmod(0)
    with nobody(), pytest.raises(NothingReadError) as all_failed:
        find(reachable, "key")
    assert files(answer) == ["AGENT.md"]
    assert [str(places[0]) in each for each in answer.warnings] == [True]
    assert all_failed.value.exit_code == 5
    assert [str(p) in str(all_failed.value) for p in places] == [True, True]


def test_an_agent_sees_its_own_its_crews_and_no_persons(find, memory, tmp_path):
    """Other agents' files, users/ and peers/ are in no answer of an agent."""
    crew = tmp_path / "crews" / "harbor"
    memory(
        {"peers/x.md": "secret peer\n", "AGENT.md": "secret mine\n"},
        at=crew / "agents" / "mira",
    )
    memory(AGENT="secret other\n", at=crew / "agents" / "bo")
    memory(
        {"users/y.md": "secret user\n", "CREW.md": "secret crew\n"}, at=crew / "shared"
    )
    places = at_path(crew, Scope.ALL)
    seen = [place for place in places if place.is_open_to(agent("mira"))]
    assert {place.owner for place in seen} == {"harbor", "harbor/mira"}
    mine = find(crew / "agents" / "mira", "secret", sight=agent("mira"))
    assert files(mine) == ["AGENT.md"]
    shared = find(crew, "secret", scope=Scope.CREW, sight=agent("mira"))
    assert files(shared) == ["CREW.md"]
    assert len(find(crew, "secret", scope=Scope.ALL, sight=OPERATOR).hits) == 5


def test_filters_come_before_ranking(find, memory):
    """A wanted tier is found however many better hits other tiers have."""
    many = {f"daily/2026-01-{day:02}.md": "vault vault\n" for day in range(1, 29)}
    more = {f"n{n}.md": "vault vault vault\n" for n in range(60)}
    directory = memory({**many, **more, "topics/t.md": "one vault\n"})
    assert files(find(directory, "vault", tiers=["topic"])) == ["topics/t.md"]


def test_a_search_answers_for_the_files_as_they_are(find, index, memory):
    """What was added, changed or removed since the index was made is known."""
    directory = memory(a="alpha\n", b="beta\n")
    index(directory)
    (directory / "a.md").write_text("gamma\n")
    (directory / "b.md").unlink()
    (directory / "c.md").write_text("delta\n")
    assert find(directory, "alpha").hits == []
    assert find(directory, "beta").hits == []
    assert files(find(directory, "gamma")) == ["a.md"]
    assert files(find(directory, "delta")) == ["c.md"]


def test_without_refresh_the_index_answers_as_it_is(find, index, memory, access):
    """``--no-refresh`` takes the index at its word."""
    directory = memory(a="alpha\n")
    index(directory)
    (directory / "a.md").write_text("gamma\n")
    how = access._replace(refresh=False)
    assert files(find(directory, "alpha", how=how)) == ["a.md"]


def test_a_tree_that_is_named_is_not_written(find, index, memory, snapshot):
    """Neither without an index, nor with a stale one."""
    directory = memory(a="alpha\n")
    before = snapshot(directory)
    assert find(directory, "alpha").hits
    assert snapshot(directory) == before
    index(directory)
    (directory / "b.md").write_text("beta\n")
    before = snapshot(directory)
    assert find(directory, "beta").hits
    assert snapshot(directory) == before


def test_the_cache_keeps_an_index_for_a_tree_that_is_not_written(
    find, memory, access, tmp_path, snapshot
):
    """The second search meets a fresh index, and changes are brought in there."""
    directory = memory(a="alpha\n")
    how = access._replace(cache=tmp_path / "cache")
    before = snapshot(directory)
    assert find(directory, "alpha", how=how).hits
    (kept,) = (tmp_path / "cache").glob("*/index.sqlite")
    stamp = kept.stat().st_mtime_ns
    assert find(directory, "alpha", how=how).hits
    assert kept.stat().st_mtime_ns == stamp
    assert snapshot(directory) == before
    (directory / "b.md").write_text("beta\n")
    assert files(find(directory, "beta", how=how)) == ["b.md"]


def test_a_copied_tree_is_fresh(find, index, memory, tmp_path):
    """A copy has other inodes; its index answers without being brought up to date."""
    directory = memory(a="alpha\n", b="beta\n")
    os.utime(directory / "a.md", ns=(1, 1))
    os.utime(directory / "b.md", ns=(1, 1))
    index(directory)
    copy = tmp_path / "copy" / ".memory"
    shutil.copytree(directory, copy)
    os.rename(copy / "a.md", copy / "x")  # noqa: PTH104 - not through our own code
    os.rename(copy / "x", copy / "a.md")  # noqa: PTH104
    db = sqlite3.connect(copy / "index.sqlite")
    db.execute("update chunks set body = 'marked ' || body")
    db.commit()
    db.close()
    assert find(copy, "alpha").hits[0].snippet.startswith("marked")


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"not a database, but a text of some length\n" * 40,
        b"SQLite format 3\x00" + bytes(4096),
    ],
    ids=["empty", "text", "header"],
)
def test_a_broken_index_is_said_and_the_files_are_searched(
    find, index, memory, snapshot, damage
):
    """Never "nothing found" from an index that cannot be read."""
    directory = memory(a="alpha\n")
    index(directory)
    (directory / "index.sqlite").write_bytes(damage)
    before = snapshot(directory)
    answer = find(directory, "alpha")
    assert files(answer) == ["a.md"]
    assert answer.warnings
    assert snapshot(directory) == before


def test_an_index_that_is_damaged_inside_is_said(find, index, memory):
    """Damage that is met in the middle of a search costs a warning, not the answer."""
    text = "".join(f"## Part {n}\n\n{'alpha beta ' * 40}\n" for n in range(60))
    directory = memory(a=text)
    index(directory)
    path = directory / "index.sqlite"
    content = bytearray(path.read_bytes())
    content[8192:-8192] = b"\xff" * (len(content) - 16384)
    path.write_bytes(content)
    answer = find(directory, "alpha")
    assert files(answer)[0] == "a.md"
    assert any("damaged" in warning for warning in answer.warnings)


def test_a_foreign_index_is_said(find, memory):
    """Another program's database under that name is left alone."""
    directory = memory(a="alpha\n")
    db = sqlite3.connect(directory / "index.sqlite")
    db.execute("create table memory_meta (key text primary key, value text)")
    db.close()
    answer = find(directory, "alpha")
    assert files(answer) == ["a.md"]
    assert any("but not crewmem's" in each for each in answer.warnings)


def test_skipped_files_are_reported(find, memory):
    """A link, a FIFO and a file that is too large are named with the reason."""
    directory = memory(a="alpha\n", big="alpha " * 300_000)
    (directory / "link.md").symlink_to("a.md")
    os.mkfifo(directory / "pipe.md")
    (warning,) = find(directory, "alpha").warnings
    for reason in ("big.md (larger than", "link.md (it is a link)", "pipe.md (it is a"):
        assert reason in warning


def test_bytes_that_are_not_utf8_are_searched(find, memory):
    """They are replaced, and the rest of the file is found."""
    directory = memory({"a.md": b"\xff\xfe alpha \x00 beta\r\n\r\ngamma\r\n"})
    assert files(find(directory, "beta")) == ["a.md"]
    assert find(directory, "gamma").hits[0].last_line == 3


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_no_word_of_utf16_is_found_so_it_is_reported(find, memory, encoding):
    """As it stands it would be letters with zeros between them."""
    mark = "" if encoding == "utf-16" else "\ufeff"
    directory = memory({"wide.md": f"{mark}# Wide\n\nalpha\n".encode(encoding)})
    answer = find(directory, "alpha")
    assert not answer.hits
    assert ["wide.md (it is UTF-16" in each for each in answer.warnings] == [True]


def test_a_path_that_is_none_says_what_was_tried(find, tmp_path):
    """No such path, a file, and a directory without memory are different errors."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(PathMissingError):
        find(tmp_path / "nowhere", "x")
    with pytest.raises(NotADirectoryPathError):
        find(tmp_path / "file", "x")
    with pytest.raises(MemoryDirMissingError) as error:
        find(tmp_path / "empty", "x")
    assert str(tmp_path / "empty" / ".memory") in str(error.value)
