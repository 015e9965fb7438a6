"""Where logs lie: in directories, compressed, in a database; and what is left out."""

import json
import os
from contextlib import closing

import apsw
import pytest
from transcripts.logs import Reader, claude, codex, grow, pi

from crewmem.backends import zstd
from crewmem.db.connect import Mode, connect
from crewmem.errors.transcripts import PackedError
from crewmem.transcripts import cursor_store
from crewmem.transcripts.compactions import count
from crewmem.transcripts.feed import opened
from crewmem.transcripts.find import Root, find, is_log
from crewmem.transcripts.formats import openclaw
from crewmem.transcripts.openclaw_store import Rows, sessions
from crewmem.transcripts.source import owner, owners

RULE = "Never push to main directly."


def found(folder, belongs=is_log):
    return find([Root(str(folder), "", belongs, openclaw.agent)])


# Directories


def test_links_that_lead_out_are_refused(tmp_path):
    """A link to elsewhere is not followed, and told; one that stays in is passed."""
    logs, outside = tmp_path / "logs", tmp_path / "outside"
    logs.mkdir()
    outside.mkdir()
    grow(outside / "secret.jsonl", claude(RULE))
    grow(logs / "own.jsonl", claude(RULE))
    (logs / "file.jsonl").symlink_to(outside / "secret.jsonl")
    (logs / "folder").symlink_to(outside)
    (logs / "within.jsonl").symlink_to("own.jsonl")
    (logs / "nowhere.jsonl").symlink_to("/nowhere/at/all.jsonl")
    seen = found(logs)
    assert [each.path for each in seen.sources] == ["own.jsonl"]
    refused = {each.path.rpartition("/")[2] for each in seen.refused}
    assert refused == {"file.jsonl", "folder", "nowhere.jsonl"}


def test_odd_files_are_no_logs(tmp_path):
    """A FIFO, a socket's name and what is nested without end hold nothing up."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    deep = tmp_path
    for _ in range(16):
        deep = deep / "d"
        deep.mkdir()
    grow(deep / "deep.jsonl", claude(RULE))
    grow(tmp_path / "own.jsonl", claude(RULE))
    seen = found(tmp_path)
    assert [each.path for each in seen.sources] == ["own.jsonl"]
    assert "nested too deep" in seen.refused[0].why


def test_a_file_is_found_once(tmp_path):
    """A hard link is the same file; the newest change comes last."""
    grow(tmp_path / "old.jsonl", claude(RULE))
    grow(tmp_path / "new.jsonl", claude(RULE))
    os.link(tmp_path / "old.jsonl", tmp_path / "other.jsonl")
    os.utime(tmp_path / "old.jsonl", (1, 1))
    assert found(tmp_path).sources[0].mtime_ns == 10**9
    assert len(found(tmp_path).sources) == 2


def test_a_log_that_becomes_a_link_is_not_read(tmp_path):
    """What was a file when it was found, and is a link by now, is refused."""
    path = tmp_path / "s.jsonl"
    grow(path, claude(RULE))
    (source,) = found(tmp_path).sources
    path.unlink()
    path.symlink_to("/etc/passwd")
    from crewmem.errors.disk import UnsafePathError

    with pytest.raises(UnsafePathError):
        opened(source, None, None)


# Whose they are


@pytest.mark.parametrize(
    ("harness", "whose", "project", "slug"),
    [
        ("claude", "", "/srv/app/api", "ledger"),
        ("claude", "", "/srv/application", "winch"),
        ("claude", "", "", "winch"),
        ("codex", "", "/home", None),
        ("openclaw", "main", "", "pilot"),
        ("openclaw", "Winch", "", "winch"),
        ("openclaw", "not a slug", "", None),
    ],
)
def test_the_nearest_name_counts(harness, whose, project, slug):
    """A directory counts before the program's agent, and that before the program."""
    known = owners(
        "claude=winch /srv/app/=ledger openclaw/main=pilot", "w", is_usual=True
    )
    assert owner(harness, whose, project, known) == slug


def test_a_pair_may_name_a_workspace():
    """What is said to be of one workspace is of no other; the rest is of the usual."""
    text = "claude=winch claude=lab/crane codex=lab/ledger"
    assert owners(text, "lab", is_usual=False) == {"claude": "crane", "codex": "ledger"}
    assert owners(text, "default", is_usual=True) == {"claude": "winch"}
    assert owners(text, "other", is_usual=False) == {}


# Compressed


pytestmark_zstd = pytest.mark.skipif(
    not zstd.is_there(), reason="zstandard is not installed"
)


def packed(content):
    from zstandard import ZstdCompressor

    return ZstdCompressor().compress(content)


def rollout(*texts):
    lines = [codex("session_meta", id="c1", cwd="/srv/app")]
    for number, text in enumerate(texts, 1):
        lines.append(codex("event_msg", number, type="user_message", message=text))
    return b"".join(lines)


@pytestmark_zstd
def test_a_log_that_is_compressed_is_the_same_log(tmp_path):
    """Compressed in place, a log is read on from where it was left."""
    reader = Reader(tmp_path, unpack=zstd.unpack)
    plain = tmp_path / "rollout-1.jsonl"
    grow(plain, rollout(RULE))
    reader.read()
    plain.unlink()
    content = rollout(RULE, "Use Postgres 16 for staging.")
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(packed(content))
    (read,) = reader.read()
    assert read.turns == 1
    assert [text for _, text in reader.memories()] == [
        RULE,
        "Use Postgres 16 for staging.",
    ]
    (cursor,) = cursor_store.every(reader.db, "default")
    assert (cursor.path, cursor.offset) == (str(plain), len(content))
    assert reader.read() == []


@pytestmark_zstd
def test_of_two_the_plain_one_counts(tmp_path):
    """Where a log lies there twice, what is not compressed is the newer."""
    grow(tmp_path / "rollout-1.jsonl", rollout(RULE))
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(packed(rollout("ok")))
    assert [each.is_packed for each in found(tmp_path).sources] == [False]


@pytestmark_zstd
@pytest.mark.parametrize(
    "content", [b"", b"nothing of the kind", packed(b"x" * 99)[:-5]]
)
def test_what_is_damaged_is_a_failure_of_that_log(tmp_path, content):
    """A compressed file that cannot be read says so, or holds no line."""
    from crewmem.errors.transcripts import LogDamagedError

    (tmp_path / "rollout-1.jsonl.zst").write_bytes(content)
    (source,) = found(tmp_path).sources
    told = source.file
    with closing(opened(source, None, zstd.unpack)) as feed:
        try:
            assert [*feed.lines()] == []
        except LogDamagedError as error:
            told = error.path
    assert told == source.file == str(tmp_path / "rollout-1.jsonl.zst")


def test_without_the_library_it_is_said(tmp_path):
    """What cannot be unpacked here is told with what would."""
    (tmp_path / "rollout-1.jsonl.zst").write_bytes(b"x")
    (source,) = found(tmp_path).sources
    with pytest.raises(PackedError) as failure:
        opened(source, None, None)
    assert "zstd" in failure.value.hint


# A database


@pytest.fixture(name="database")
def _database(tmp_path):
    """A database as OpenClaw keeps sessions in, open and being written."""
    path = tmp_path / "mira/agent/openclaw-agent.sqlite"
    path.parent.mkdir(parents=True)
    db = apsw.Connection(str(path))
    db.execute("pragma journal_mode = wal")
    db.execute(
        """
        create table transcript_events (session_id text, seq integer, event_json text,
            event_zstd blob, event_utf8_bytes integer, created_at integer,
            primary key (session_id, seq))
        """
    )
    yield path, db
    db.close()


def put(db, seq, content, session="s1", *, as_zstd=False):
    row = (session, seq, None if as_zstd else content.decode(), None, len(content), seq)
    if as_zstd:
        row = (session, seq, None, packed(content), len(content), seq)
    db.execute(
        "insert or replace into transcript_events values (?, ?, ?, ?, ?, ?)", row
    )


def message(text, number=1):
    return pi("message", number, message={"role": "user", "content": text})


def test_sessions_of_a_database_are_read_as_they_grow(database):
    """Rows are lines; what is there is read, and nothing is left beside it."""
    path, db = database
    put(db, 0, message("hello"))
    put(db, 5, message(RULE, 2))
    before = sorted(each.name for each in path.parent.iterdir())
    ((name, newest, _),) = sessions(str(path))
    assert (name, newest) == ("s1", 5)
    rows = Rows(str(path), "s1", None)
    assert [each.number for each in rows.lines()] == [0, 5]
    assert sorted(each.name for each in path.parent.iterdir()) == before


@pytestmark_zstd
def test_compressed_rows_are_rows(database):
    """A row whose text was moved into the compressed column says the same."""
    path, db = database
    put(db, 0, message(RULE), as_zstd=True)
    put(db, 1, message("ok", 2))
    db.execute("update transcript_events set event_json = null where seq = 1")
    rows = Rows(str(path), "s1", zstd.unpacked)
    contents = [each.content for each in rows.lines()]
    assert json.loads(contents[0])["message"]["content"] == RULE
    assert contents[1] == b""
    with pytest.raises(PackedError):
        [*Rows(str(path), "s1", None).lines()]


def test_a_database_of_another_kind_has_no_sessions(tmp_path):
    """What has no such table keeps nothing that is known, and is no failure."""
    path = tmp_path / "openclaw-agent.sqlite"
    with closing(apsw.Connection(str(path))) as db:
        db.execute("create table auth (x)")
    assert sessions(str(path)) == []


# Counted elsewhere


def counted(folder, reader, number, updated):
    path = folder / "mira/sessions/sessions.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    entry = {"sessionId": "0f3c", "compactionCount": number, "updatedAt": updated}
    path.write_text(json.dumps({"agent:mira:main": entry, "bad": 7}))
    (source,) = [e for e in found(folder).sources if e.path.endswith("sessions.json")]
    return count(source, "mira", reader.bench.desk())


def test_a_count_that_grew_is_a_loss(tmp_path):
    """What OpenClaw counts beyond what its log tells was lost; history is taken."""
    reader, at = Reader(tmp_path), 1777629600000
    assert counted(tmp_path, reader, 3, at) == 0
    assert counted(tmp_path, reader, 4, at + 1) == 1
    assert counted(tmp_path, reader, 4, at + 2) == 0
    (event,) = reader.events("compaction.detected")
    assert event["how"] == "compactionCount"


def test_a_count_that_the_log_tells_of_is_no_other_loss(tmp_path):
    """The mark in the log and the count of it are one loss, hours apart or not."""
    reader, at = Reader(tmp_path), 1777629600000
    assert counted(tmp_path, reader, 0, at) == 0
    grow(
        tmp_path / "mira/sessions/0f3c.jsonl",
        pi("session", version=3) + pi("compaction", 2, summary="x", tokensBefore=9),
    )
    session = tmp_path / "mira/sessions/0f3c.jsonl"
    content = session.read_bytes().replace(b'"id": "a1"', b'"id": "0f3c"')
    session.write_bytes(content)
    reader.read()
    assert counted(tmp_path, reader, 1, at + 1) == 0
    assert len(reader.events("compaction.detected")) == 1


def test_reading_leaves_no_trace(database):
    """To look into another program's database takes no lock and changes no byte."""
    path, db = database
    put(db, 0, message(RULE))
    db.close()
    content = path.read_bytes()
    sessions(str(path))
    [*Rows(str(path), "s1", None).lines()]
    assert path.read_bytes() == content
    with closing(connect(path, Mode.WRITE)) as again:
        assert again.execute("select count(*) from transcript_events").fetchall()
