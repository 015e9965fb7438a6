"""Write to a memory file as durably as crewmem, and no more than that.

``python durable_write.py HOME FILE TEXT``: FILE of the agent's directory, below HOME.
Under a lock, content and file are brought to the disk, each by a temporary file, fsync,
rename and fsync of the directory; version, journal and index are three commits.
"""

import fcntl
import os
import secrets
import sys
import zlib
from pathlib import Path

import apsw

try:
    from _sha256 import sha256  # type: ignore[import-not-found]
except ImportError:
    from _sha2 import sha256  # type: ignore[import-not-found]


def durably(directory: Path, name: str, content: bytes) -> None:
    """Make *name* in *directory* hold *content*."""
    temporary = directory / f".{name}.{secrets.token_hex(8)}.tmp"
    opened = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(opened, content)
    os.fsync(opened)
    os.close(opened)
    temporary.rename(directory / name)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    os.fsync(folder)
    os.close(folder)


def record(home: Path, ref: str, name: str, size: int) -> None:
    """Add a version and an entry to the database of *home*."""
    db = apsw.Connection(str(home / "crewmem.db"))
    db.execute("pragma synchronous = full; begin immediate")
    newest = db.execute(
        """
        select id from memory_versions
         where workspace_id = 'bare' and path = ?
         order by seq desc limit 1
        """,
        (ref,),
    ).fetchone()
    at, version = "2026-05-01T09:30:00.000Z", f"v_{secrets.token_hex(6)}"
    db.execute(
        """
        insert into memory_versions
               (id, workspace_id, path, tier, sha256, bytes, parent, written_at,
                written_by, operation, kept)
        values (?, 'bare', ?, 'agent', ?, ?, ?, ?, 'agent:mira', 'append', ?)
        """,
        (version, ref, name, size, newest and newest[0], at, name),
    )
    db.execute(
        """
        insert into journal_entries
               (id, workspace_id, ts, entry_type, severity, priority, actor_type,
                summary, payload, refs, payload_text, prev_hash, entry_hash)
        values (?, 'bare', ?, 'memory.updated', 'info', 'normal', 'agent', ?, '{}',
                '{}', '', ?, ?)
        """,
        (f"j_{version[2:]}", at, f"{ref}: {size} bytes", name, name),
    )
    db.execute("commit")
    db.close()


def index(memory: Path, file: str, text: str) -> None:
    """Bring the words of *file* into the index of *memory*."""
    db = apsw.Connection(str(memory / "index.sqlite"))
    db.execute("begin immediate")
    sql = "select first_chunk, chunks from files where name = ?"
    first, chunks = db.execute(sql, (file,)).fetchone()
    last = first + chunks - 1
    db.execute("delete from words where rowid between ? and ?", (first, last))
    db.execute("delete from chunks where id between ? and ?", (first, last))
    db.execute("insert into chunks values (?, 1, 1, 1, '', ?)", (first, text))
    db.execute(
        "insert into words (rowid, heading, body) values (?, '', ?)", (first, text)
    )
    db.execute("commit")
    db.close()


def write(home: Path, file: str, text: str) -> None:
    """Append *text* to *file*."""
    memory = home / "workspaces/default/crews/harbor/agents/mira/.memory"
    with Path(memory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        content = Path(memory / file).read_bytes() + text.encode() + b"\n"
        name = sha256(content).hexdigest()
        kept = home / "versions" / name[:2]
        kept.mkdir(parents=True, exist_ok=True)
        durably(kept, name, zlib.compress(content))
        durably(memory, file, content)
        record(home, f"agent:harbor/mira/{file}", name, len(content))
    index(memory, file, content.decode())


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
