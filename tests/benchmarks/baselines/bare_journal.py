"""A straightforward script that keeps a journal: ``bare_journal.py FILE DATABASE``.

It has no command line, no chain of hashes and no episodes: it reads JSON lines and
inserts row by row into the table that crewmem has; triggers keep the full text; one
commit.
"""

import json
import sys
from pathlib import Path

import apsw

from crewmem.db.migrate import steps

INSERT = """
    insert into journal_entries
        (seq, id, workspace_id, crew_id, agent_id, ts, entry_type, severity, priority,
         actor_type, actor_id, summary, payload, payload_text, refs, trace_id,
         prev_hash, entry_hash)
    values (?, ?, 'default', ?, ?, ?, ?, 'info', 'normal', ?, ?, ?, ?, ?, ?, ?, '', '')
"""


def keep(file: str, database: str) -> None:
    """Keep the entries of *file* in a new *database*."""
    Path(database).unlink(missing_ok=True)
    db = apsw.Connection(database)
    for _, sql in steps("crewmem")[:2]:
        db.execute(sql)
    with db, Path(file).open(encoding="utf-8") as lines:
        for seq, line in enumerate(lines, start=1):
            entry = json.loads(line)
            payload = entry.get("payload", {})
            db.execute(
                INSERT,
                (
                    seq,
                    entry["id"],
                    entry["crew_id"],
                    entry["agent_id"],
                    entry["ts"],
                    entry["entry_type"],
                    entry["actor_type"],
                    entry["actor_id"],
                    entry["summary"],
                    json.dumps(payload),
                    " ".join(map(str, payload.values())),
                    json.dumps(entry["refs"]),
                    entry["trace_id"],
                ),
            )
    db.close()


if __name__ == "__main__":
    keep(*sys.argv[1:])
