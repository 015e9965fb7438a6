"""Ask a journal by words, in two steps: ``python two_steps.py DATABASE WORD...``.

The ten best by bm25 of those that hold any of the words, then what they say.
"""

import json
import sys

import apsw


def ask(path: str, words: list[str]) -> list[tuple[int, str]]:
    """Return the ten best entries of the journal at *path*."""
    db = apsw.Connection(path)
    expression = " OR ".join(f'"{word}"' for word in words)
    best = db.execute(
        """
        select rowid from journal_entries_fts where journal_entries_fts match ?
         order by bm25(journal_entries_fts) limit 10
        """,
        [expression],
    ).fetchall()
    marks = ",".join("?" * len(best))
    return db.execute(
        f"select seq, summary from journal_entries where seq in ({marks})",  # noqa: S608
        [seq for (seq,) in best],
    ).fetchall()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(ask(sys.argv[1], sys.argv[2:])) + "\n")
