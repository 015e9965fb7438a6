"""Runs ``crewmem`` and kills it, or lets a call fail, at the n-th change of the disk.

``python faulty.py`` reads trials from standard input, one JSON object a line, and answers each
with one. Every trial runs in a process of its own, forked from this one, which has imported
everything. Changes of the disk are the calls of ``os`` that write, and what SQLite writes,
syncs, truncates and deletes, seen through a VFS.

Kinds of trials:

- ``count``: nothing happens; the answer tells how many changes there are.
- ``kill``: the process ends at the n-th change. A write is half done by then.
- ``fail``: the n-th change fails with an error of the disk, once.
- ``full``: from the n-th change on, nothing can be written.
- ``INT``, ``TERM``: the signal arrives before the n-th call of ``os`` or statement of SQL.
"""

import errno
import json
import os
import signal
import sys
import tempfile
from importlib import import_module
from pkgutil import walk_packages

import apsw

import crewmem
from crewmem.cli.main import run
from crewmem.storage.sqlite import Database

KILLED = 99
GROWING = ("write", "mkdir", "link")
CALLS = (*GROWING, "fsync", "rename", "unlink", "ftruncate")


class Disk:
    """Counts changes, and disturbs the one that was asked for."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind, self.at, self.seen = kind, at, 0

    def change(self, call: str, half=lambda: None) -> int:
        """Count a change; return the error number that it fails with, or 0.

        Args:
            half: Does a part of it.
        """
        if self.kind in ("INT", "TERM"):
            return 0
        self.seen += 1
        if self.kind == "full":
            return errno.ENOSPC if self.seen >= self.at and call in GROWING else 0
        if self.seen != self.at or self.kind == "count":
            return 0
        if self.kind == "kill":
            half()
            os._exit(KILLED)
        return errno.EIO

    def step(self) -> None:
        """Count a point at which a signal may arrive."""
        if self.kind in ("INT", "TERM"):
            self.seen += 1
            if self.seen == self.at:
                signal.raise_signal(getattr(signal, f"SIG{self.kind}"))


def disturb(disk: Disk) -> None:
    """Lead every change of the disk past *disk*."""

    def wrap(name):
        real = getattr(os, name)

        def call(*args, **options):
            if name == "write" and args[0] in (1, 2):
                return real(*args, **options)
            disk.step()

            def half():
                if name == "write":
                    real(args[0], bytes(args[1])[: len(args[1]) // 2])

            if number := disk.change(name, half):
                raise OSError(number, os.strerror(number))
            return real(*args, **options)

        setattr(os, name, call)

    for name in CALLS:
        wrap(name)

    def fail(call, half=lambda: None):
        if number := disk.change(call, half):
            raise apsw.FullError if number == errno.ENOSPC else apsw.IOError

    class File(apsw.VFSFile):
        def __init__(self, name, flags):
            super().__init__("unix", name, flags)

        def xWrite(self, data, offset):  # noqa: N802
            half = bytes(data)[: len(data) // 2]
            fail("write", lambda: apsw.VFSFile.xWrite(self, half, offset))
            super().xWrite(data, offset)

        def xSync(self, flags):  # noqa: N802
            fail("fsync")
            super().xSync(flags)

        def xTruncate(self, size):  # noqa: N802
            fail("ftruncate")
            super().xTruncate(size)

    class FileSystem(apsw.VFS):
        def __init__(self):
            super().__init__("faulty", "unix", makedefault=True)

        def xOpen(self, name, flags):  # noqa: N802
            return File(name, flags)

        def xDelete(self, name, sync):  # noqa: N802
            fail("unlink")
            super().xDelete(name, sync)

    disk.vfs = FileSystem()
    # Of our errors, those that SQLite passes over would be printed with a traceback.
    sys.unraisablehook = lambda _: None
    real_execute = Database.execute

    def execute(self, sql, *args):
        disk.step()
        return real_execute(self, sql, *args)

    Database.execute = execute


def run_trial(trial: dict) -> dict:
    files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        for number, file in enumerate(files, 1):
            os.dup2(file.fileno(), number)
        disk = Disk(trial["kind"], trial["at"])
        disturb(disk)
        status = run(trial["arguments"])
        sys.stdout.flush()
        sys.stderr.flush()
        with os.fdopen(writer, "w") as counted:
            counted.write(str(disk.seen))
        os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as counted:
        count = counted.read()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    texts = []
    for file in files:
        file.seek(0)
        texts.append(file.read().decode("utf-8", "replace"))
    return {"status": status, "count": int(count or 0), "out": texts[0], "err": texts[1]}


def main() -> None:
    for module in walk_packages(crewmem.__path__, "crewmem."):
        if ".training" not in module.name and "__main__" not in module.name:
            import_module(module.name)
    for line in sys.stdin:
        print(json.dumps(run_trial(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
