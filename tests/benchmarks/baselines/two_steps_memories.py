"""Ask memories by words: ``python two_steps_memories.py DATABASE WORD...``.

The ten best by bm25 of those that hold any of the words, then what they say.
"""

import json
import sys

import apsw


def ask(path: str, words: list[str]) -> list[tuple[str, str]]:
    """Return the ten best memories at *path*."""
    db = apsw.Connection(path)
    expression = " OR ".join(f'"{word}"' for word in words)
    best = db.execute(
        """
        select rowid from memories_fts where memories_fts match ?
         order by bm25(memories_fts) limit 10
        """,
        [expression],
    ).fetchall()
    marks = ",".join("?" * len(best))
    return db.execute(
        f"select id, content from memories where seq in ({marks})",  # noqa: S608
        [seq for (seq,) in best],
    ).fetchall()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ask(sys.argv[1], sys.argv[2:])) + "\n")
