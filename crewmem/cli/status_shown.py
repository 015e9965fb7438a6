"""What a person reads of ``crewmem status``: one screen."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from crewmem.cli.app import App
    from crewmem.cli.output import Line
    from crewmem.health.overview import Overview
    from crewmem.health.recall import Embedding, Recall

LABEL = 11
"""Columns of what a line is about."""

SOURCES = {
    "home": "the home",
    "mount": "the crew of this container",
    "own": "the agent's own",
    "path": "as named",
}

MOST_JOBS = 7
"""Jobs that are shown: there are no more, unless workspaces have their own."""

MOST_PROBLEMS = 4
"""Problems that are shown, the worst first: more of them are for doctor."""

COLUMNS = 80
"""Of a line of a job, whose reason may be long: timers status shows all of it."""

RESULTS = {
    "ok": "good",
    "partial": "warn",
    "busy": "warn",
    "failed": "bad",
    "nothing": "dim",
}

BANDS = {"green": "good", "yellow": "warn", "red": "bad", "": "dim"}

SEARCHES = {"words": "by words", "hybrid": "by words and vectors"}


def lines(
    app: App, seen: Overview, embedding: Embedding | None, recall: Recall | None
) -> Iterator[Line]:
    """Yield what a person reads."""
    if seen.path is None:
        yield [*label("memory"), f"none found; the home would be {seen.home}"]
    else:
        yield from _found(seen)
        if embedding and recall:
            yield from _kept(seen, embedding, recall)
        yield from _upkept(app, seen)
    told = "; ".join(seen.problems[:MOST_PROBLEMS])
    if more := len(seen.problems) - MOST_PROBLEMS:
        told += f"; and {more} more" if more > 0 else ""
    yield [*label("problems"), ("warn", told) if told else ("good", "none")]
    yield [*label("next"), ("bold", seen.next), ("dim", f"  # {seen.why}")]


def _found(seen: Overview) -> Iterator[Line]:
    """Yield what was found, whose it is, and how files are searched."""
    from crewmem.cli.memory.shown import percent, size
    from crewmem.health.advice import counted

    yield [*label("memory"), ("path", str(seen.path)), f" ({SOURCES[seen.source]})"]
    if whose := _whose(seen):
        yield [*label("workspace"), whose]
    folders = counted(seen.directories, "directory", "directories")
    text = f"{seen.files:,} ({size(seen.bytes)}) in {folders}"
    if seen.files:
        text += f"; the fullest at {percent(seen.share, seen.bytes)} of its cap"
    yield [*label("files"), text]
    indexes = [f"{count} {word}" for word, count in seen.indexes.items() if count]
    if seen.chunks:
        indexes.append(counted(seen.chunks, "chunk"))
    yield [*label("index"), ", ".join(indexes) or "none"]
    yield [*label("search"), SEARCHES[seen.mode]]


def _kept(seen: Overview, embedding: Embedding, recall: Recall) -> Iterator[Line]:
    """Yield what happened, what is held to be true, and how both are recalled."""
    from crewmem.health.advice import counted

    if seen.entries is None:
        yield [*label("journal"), ("warn", "not counted")]
    else:
        entries = counted(seen.entries, "entry", "entries")
        episodes = f", {counted(seen.episodes, 'episode')}" if seen.episodes else ""
        yield [*label("journal"), f"{entries}{episodes}"]
    if seen.memories:
        yield [*label("memories"), f"{seen.memories:,} active"]
    yield [*label("recall"), *_recalled(seen, embedding, recall)]
    if recall.model:
        yield [*label("backlog"), *_backlog(seen)]
    if seen.transcripts.files or seen.transcripts.letters:
        yield [*label("logs"), *_logs(seen)]
    if waits := _waits(seen):
        yield [*label("waiting"), ("warn", waits)]


def _upkept(app: App, seen: Overview) -> Iterator[Line]:
    """Yield how healthy memory is, and how the last jobs came out."""
    from crewmem.health.upkeep import whole

    if seen.measured_on:
        score = "n/a" if seen.health is None else f"{whole(seen.health)} of 100"
        style = BANDS[seen.band or ""]
        band = f", {seen.band}" if seen.band else ": nothing to judge by"
        yield [*label("health"), (style, f"{score}{band}"), f" ({seen.measured_on})"]
    if not seen.jobs:
        return
    from crewmem import times

    wide = max(len(each.name) for each in seen.jobs)
    name = "jobs"
    for each in seen.jobs[:MOST_JOBS]:
        when = f"{each.name:{wide}}  {times.ago(each.at, app.now):>9}  "
        came = f"{each.result}: {each.reason}" if each.reason else each.result
        room = COLUMNS - LABEL - len(when)
        came = came if len(came) <= room else f"{came[: room - 1]}…"
        yield [*label(name), when, (RESULTS.get(each.result, ""), came)]
        name = ""


def _recalled(seen: Overview, embedding: Embedding, recall: Recall) -> Line:
    """Say how events are recalled, and why it is no better."""
    from crewmem.health.recall import AUTO, DEGRADED

    hint = f" ({recall.hint})" if recall.hint else ""
    why = f": {recall.why}" if not any(recall.why in p for p in seen.problems) else ""
    if recall.model:
        how = f"by words and vectors ({recall.model})"
        if recall.state == DEGRADED:
            return [how, ("warn", f", degraded{why}{hint}")]
        return [how]
    if embedding.setting == AUTO and why:
        return [f"by words: no embedder{hint}"]
    return [f"by words{why}{hint}"]


def _backlog(seen: Overview) -> Line:
    """Say what waits to be embedded."""
    from crewmem.health.advice import counted

    parts = []
    if seen.waiting:
        parts.append(counted(seen.waiting, "episode"))
    if seen.memories_waiting:
        parts.append(counted(seen.memories_waiting, "memory", "memories"))
    if not parts:
        return ["none"]
    failed = f", {seen.failed:,} failed" if seen.failed else ""
    return [f"{' and '.join(parts)} to embed{failed}"]


def _logs(seen: Overview) -> Line:
    """Say how far session logs are read."""
    from crewmem.health.advice import counted

    logs = seen.transcripts
    told = [counted(logs.files, "transcript")]
    if logs.waiting:
        told.append(f"{logs.waiting:,} to read on ({(logs.bytes + 1023) >> 10:,} KiB)")
    if logs.letters:
        told.append(f"{counted(logs.letters, 'part')} to ask a model of")
    if logs.skipped:
        told.append(counted(logs.skipped, "line skipped", "lines skipped"))
    if logs.losses:
        told.append(counted(logs.losses, "context loss", "context losses"))
    to = f", read to {logs.read_to[:10]}" if logs.read_to else ""
    return [f"{', '.join(told)}{to}"]


def _waits(seen: Overview) -> str:
    """Say what waits for a person."""
    from crewmem.health.advice import counted

    parts = []
    if seen.proposals:
        told = counted(seen.proposals, "proposal")
        if seen.contradictions:
            told += f" ({counted(seen.contradictions, 'contradiction')})"
        parts.append(told)
    if seen.quarantined:
        parts.append(f"{counted(seen.quarantined, 'memory', 'memories')} quarantined")
    if seen.refused:
        parts.append(f"{counted(seen.refused, 'text')} refused")
    return ", ".join(parts)


def _whose(seen: Overview) -> str:
    from crewmem.health.advice import counted

    counts = [counted(seen.crews, "crew"), counted(seen.agents, "agent")]
    if seen.workspace:
        off = f"; memory off: {', '.join(seen.off)}" if seen.off else ""
        return f"{seen.workspace}: {', '.join(counts)}{off}"
    return counts[1] if seen.agents else ""


def label(name: str) -> list[tuple[str, str]]:
    """Return the beginning of a line on *name*."""
    return [("dim", f"{name:{LABEL}}")]
