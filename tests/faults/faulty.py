"""Runs ``crewmem`` and stops it, or fails a call, at the n-th change of the disk.

``python faulty.py kill|fail N -- ARGUMENTS`` counts calls of ``os`` that write; SQLite's own
writes are not seen, so commits are counted by wrapping ``Database.execute``.
The exit status is 99 where it was killed; the count of an undisturbed run is printed by ``count``.
"""

import errno
import os
import sys

import apsw

from crewmem.cli.main import run
from crewmem.storage.sqlite import Database, explain_error

CALLS = ("write", "fsync", "rename", "replace", "unlink", "mkdir", "link", "ftruncate")
CHANGES = ("commit", "insert", "update", "delete", "begin", "savepoint", "release")


def main() -> int:
    kind, at, arguments = sys.argv[1], int(sys.argv[2]), sys.argv[4:]
    seen = 0

    def count() -> bool:
        nonlocal seen
        seen += 1
        return kind != "count" and seen == at

    def wrap(name):
        real = getattr(os, name)

        def call(*args, **options):
            if name == "write" and args[0] in (1, 2):
                return real(*args, **options)
            if count():
                if kind == "kill":
                    os._exit(99)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **options)

        setattr(os, name, call)

    for name in CALLS:
        wrap(name)
    real_execute = Database.execute

    def execute(self, sql, *args):
        if sql.lstrip()[:9].lower().startswith(CHANGES) and count():
            if kind == "kill":
                os._exit(99)
            raise explain_error(apsw.FullError("database or disk is full"), self.path)
        return real_execute(self, sql, *args)

    Database.execute = execute
    status = run(arguments)
    if kind == "count":
        sys.stderr.write(f"\ncount {seen}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
