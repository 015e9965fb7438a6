"""Lines of session logs, as the programs write them, and reading them on a bench."""

import json
import os
from contextlib import closing

from claims import Bench

from crewmem.threats.scan import redacted, scan
from crewmem.transcripts import cursor_store
from crewmem.transcripts.extract import Extractor, Means
from crewmem.transcripts.feed import opened
from crewmem.transcripts.find import Root, find, is_log
from crewmem.transcripts.formats import knowing, openclaw
from crewmem.transcripts.learn import Learner
from crewmem.transcripts.log import Log, is_done
from crewmem.transcripts.read import look
from crewmem.transcripts.turn import Place, State

AGENT = "mira"


def line(**fields):
    """Return a line of JSON with its end."""
    return (json.dumps(fields) + "\n").encode()


def said(text, number=1, role="user", **more):
    """Return a line of plain JSON in which *role* says *text*."""
    at = f"2026-04-30T10:{number % 60:02}:00Z"
    return line(**{"role": role, "content": text, "ts": at, "session": "s1", **more})


def claude(text, number=1, role="user", **more):
    """Return a line of Claude Code."""
    return line(
        **{
            "type": role,
            "uuid": f"u{number}",
            "sessionId": "s9",
            "timestamp": f"2026-04-30T10:{number % 60:02}:00.000Z",
            "cwd": "/srv/app",
            "gitBranch": "main",
            "isSidechain": False,
            "message": {"role": role, "content": text},
            **more,
        }
    )


def codex(kind, number=1, **payload):
    """Return a line of Codex."""
    at = f"2026-04-30T10:{number % 60:02}:00.000Z"
    return line(timestamp=at, type=kind, payload=payload)


def pi(kind, number=1, **more):
    """Return a line of OpenClaw."""
    at = f"2026-04-30T10:{number % 60:02}:00.000Z"
    return line(type=kind, id=f"a{number}", parentId=None, timestamp=at, **more)


def turns(content, form=None):
    """Return the turns that the lines of *content* hold, and the state behind them."""
    state, found = State(), []
    for number, text in enumerate(content.splitlines(keepends=True), 1):
        record = json.loads(text)
        form = form or knowing(record)
        found += form.turns(record, Place(number, 0, len(text)), state)
    return found + state.held, state


def redact(text):
    """Return *text* without its secrets."""
    secrets = [each for each in scan(text) if each.category == "secret"]
    return redacted(text, secrets) if secrets else text


class Reader:
    """Reads the logs of a directory on, for one agent, on a bench."""

    def __init__(self, folder, *, unpack=None, crews=("harbor",)):
        self.folder, self.bench, self.unpack = folder, Bench(), unpack
        self.crews = [*crews]

    @property
    def db(self):
        return self.bench.db

    def read(self, *, asker=None, form=None, is_past=False, is_plan=False, days=0):
        """Read on in all logs; return what came of each."""
        root = Root(str(self.folder), "", is_log, openclaw.agent)
        desk = self.bench.desk(days=days)
        means = Means(desk, scan, redact, asker, is_plan, is_past)
        return [
            read
            for source in find([root]).sources
            if (read := self._read(source, desk, means, form))
        ]

    def _read(self, source, desk, means, form):
        cursor = cursor_store.find(self.db, "default", source.name)
        log = Log(
            source.name,
            "",
            source.file,
            source.size,
            source.mtime_ns,
            source.device,
            source.inode,
            form,
            cursor,
        )
        if is_done(log):
            return None
        if form is None:
            with closing(opened(source, None, self.unpack)) as stream:
                log = log._replace(form=look(stream, None).form)
        learner = Learner(
            desk, AGENT, self.crews, scan=scan, tokenize=self.bench.tokenize
        )
        with closing(opened(source, cursor, self.unpack)) as stream:
            extractor = Extractor(log, stream, learner, means)
            extractor.run(AGENT)
        return extractor.done

    def memories(self):
        """Return the kinds and contents of what is held, in order of content."""
        sql = "select kind, content from memories where status = 'active' order by 2"
        return self.db.execute(sql).fetchall()

    def learned(self):
        """Return all that was ever learned, each with how often."""
        sql = """
            select content, count(*) from memories group by 1 order by 1
        """
        return self.db.execute(sql).fetchall()

    def events(self, kind):
        """Return the payloads of events of a type, in order."""
        sql = "select payload from journal_entries where entry_type = ? order by seq"
        found = self.db.execute(sql, (kind,)).fetchall()
        return [json.loads(each) for (each,) in found]


def grow(path, content):
    """Add to a log, as its program does."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, content)
    finally:
        os.close(descriptor)
