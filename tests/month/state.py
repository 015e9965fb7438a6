"""What a month came to: all that is kept, without ids and stamps that chance makes."""

import re

from . import life

MARKED = re.compile(r"<!-- crewmem:(\w+) -->\n(.*?)<!-- /crewmem:\1 -->", re.DOTALL)
ID = re.compile(r"\b[jmcp]_[0-9a-z]{12}\b")
EVIDENCE = re.compile(r" \(.*\)$")


def texts(crew):
    """Return each memory file of the crew, by its path below the crew's directory."""
    return {
        str(path.relative_to(crew.root)): path.read_text("utf-8")
        for path in sorted(crew.root.rglob("*.md"))
    }


def learned(crew):
    """Return (path, line) of all that consolidation wrote into files, without ids."""
    found = set()
    for path, text in texts(crew).items():
        for _, body in MARKED.findall(text):
            found |= {(path, ID.sub("…", line)) for line in body.splitlines()}
        if "/learned/" in path:
            found |= {(path, ID.sub("…", line)) for line in text.splitlines() if line}
    return found


def claims(found):
    """Return what was learned and where, whatever it rests on."""
    return {
        (path, EVIDENCE.sub("", line))
        for path, line in found
        if "/learned/" not in path
    }


def notes(crew):
    """Return every line of every daily note, by day and agent, wherever it lies."""
    lines = []
    for path, text in texts(crew).items():
        if "/daily/" in path:
            who, day = path.split("/")[1], path.rpartition("/")[2]
            lines += [(day, who, line) for line in text.splitlines() if line]
    return sorted(lines)


def memories(crew, at):
    """Return what is held: kind, status, owner and text of every memory."""
    words = ("memories", "list", "--status", "all", "--expired", "--limit", "200")
    found = [each["memory"] for each in crew.asked(at, *words)]
    return sorted(
        (
            each["kind"],
            each["status"],
            str(each["agent"]),
            each["title"],
            each["content"],
        )
        for each in found
    )


def entries(crew, at, kind):
    """Return summaries of the journal's entries of a type, without ids."""
    words = ("journal", "list", "--type", kind, "--limit", "1000", "--include-archive")
    return sorted(ID.sub("…", each["summary"]) for each in crew.asked(at, *words))


def state(crew, at):
    """Return all of it."""
    return {
        "learned": learned(crew),
        "files": {path: ID.sub("…", text) for path, text in texts(crew).items()},
        "memories": memories(crew, at),
        "rounds": entries(crew, at, "task.done"),
        "escalations": entries(crew, at, "peer.escalation"),
        "consolidated": entries(crew, at, "memory.consolidated"),
        "proposals": [each["title"] for each in crew.asked(at, "proposals", "list")],
    }


def said():
    """Return every line that somebody noted, by day and agent."""
    return sorted(
        (f"{deed.at:%Y-%m-%d}.md", deed.who, line(deed))
        for deed in life.life()
        if deed.words[0] == "shell" or deed.words[:2] == ("memory", "append-daily")
    )


def line(deed):
    """Return the line of a daily note that *deed* leaves."""
    if deed.words[0] == "shell":
        return deed.words[1]
    return f"- {deed.at:%H:%M} — {deed.words[2]}"
