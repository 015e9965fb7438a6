"""What every verb answers with as JSON: the table behind crewmem-json(5).

A new verb is one line of `ANSWERS`; a record that no other verb has is one more, of
`RECORDS`. What the fields mean stands in the ``Attributes:`` of the record's class.
Tests hold the table to the commands, and the commands to the table.
"""

from __future__ import annotations

from typing import NamedTuple


class Answer(NamedTuple):
    """What is under ``data``.

    Attributes:
        shape: ``one``: a record; ``list``: a list of them; ``hits``: what was found.
        record: What they are, a key of `RECORDS`.
        note: What else there is to know.
        others: Records that the note speaks of.
    """

    shape: str
    record: str
    note: str = ""
    others: tuple[str, ...] = ()


class Field(NamedTuple):
    """A field of a record.

    Attributes:
        kind: What stands there, in words.
        about: What it means; "" if nobody says.
        records: The records that it holds, by the manual's names for them.
    """

    name: str
    kind: str
    about: str
    records: tuple[str, ...] = ()


class Record(NamedTuple):
    """What becomes an object.

    Attributes:
        cls: Its class, as ``module:name``; "" if it has none.
        more: Fields that the command adds.
    """

    cls: str
    more: tuple[Field, ...] = ()


def one(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that does one thing."""
    return Answer("one", record, note)


def many(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that lists."""
    return Answer("list", record, note)


def hits(record: str, note: str = "") -> Answer:
    """Return the answer of a verb that finds."""
    return Answer("hits", record, note)


ANSWERS = {
    "init": one("home"),
    "status": one("overview"),
    "search": Answer(
        "hits",
        "hit",
        "Where store is journal, the record is: `episode hit`.",
        ("episode hit",),
    ),
    "doctor": many("finding"),
    "memory search": hits("hit"),
    "memory read": one("document"),
    "memory list": many("file"),
    "memory scan": many("flagged"),
    "memory status": many("standing"),
    "memory reindex": many("reindexed"),
    "journal add": one("entry"),
    "journal list": many("entry"),
    "journal get": one("entry"),
    "journal count": many("count"),
    "journal pin": one("change of a priority"),
    "journal verify": one("verified"),
    "journal compact": one("compacted"),
    "journal import": one("imported"),
    "embedder status": one("embedder, chosen"),
    "embedder install": one("model, installed"),
    "embedder test": one("embedder, tested"),
    "episodes recall": Answer(
        "hits",
        "episode hit",
        "Beside them are the other fields of `recalled`. With --queries it is a list "
        "of these, each with the id of its question as query.",
        ("recalled",),
    ),
    "episodes sweep": one("sweep"),
    "episodes list": many("episode"),
    "episodes add": many("episode, added"),
    "episodes relations list": many("relation"),
    "episodes relations add": one("relation, added"),
    "episodes reembed": many("reembedded"),
    "decay": Answer(
        "list", "fading", "With --apply it is a record: `decayed`.", ("decayed",)
    ),
    "workspace add": one("workspace, added"),
    "workspace list": many("workspace"),
    "workspace show": one("workspace"),
    "workspace set": one("workspace"),
    "workspace remove": one("workspace"),
    "crew add": one("crew, added"),
    "crew list": many("crew"),
    "crew show": one("crew"),
    "crew set": one("crew"),
    "crew remove": one("crew"),
    "agent add": one("agent, added"),
    "agent list": many("agent"),
    "agent show": one("agent"),
    "agent set": one("agent"),
    "agent remove": one("agent"),
    "config list": many("setting"),
    "config get": one("setting"),
    "config set": one("change of a setting"),
    "config path": one("path"),
    "completion bash": one("script"),
    "completion zsh": one("script"),
    "completion fish": one("script"),
}
"""By command."""

PATH = Field("path", "text", "Its memory directory.")
MADE = Field("made", "list of texts", "Files and directories that were made.")

HOME = (
    Field("home", "text", "The home."),
    Field("workspace", "text", "The workspace that is in it."),
    Field("made", "true or false", "Whether anything was missing, and was made."),
    Field("sample", "a record: sample or null", "What --sample added.", ("sample",)),
    Field("next", "text", "The command to go on with."),
)

RECORDS = {
    "home": Record("", HOME),
    "sample": Record("crewmem.registry.init:Sampled"),
    "overview": Record("crewmem.health.overview:Overview"),
    "finding": Record("crewmem.health.finding:Finding"),
    "hit": Record("crewmem.files.hit:Hit"),
    "why": Record("crewmem.files.hit:Why"),
    "document": Record("crewmem.files.read:Document"),
    "file": Record("crewmem.files.contents:Entry"),
    "flagged": Record("crewmem.files.scan:Flagged"),
    "standing": Record("crewmem.files.status:Standing"),
    "reindexed": Record("crewmem.files.reindex:Reindexed"),
    "skipped": Record("crewmem.files.skipped:Skipped"),
    "entry": Record("crewmem.journal.entry:Entry"),
    "count": Record("crewmem.journal.count:Count"),
    "change of a priority": Record("crewmem.journal.pin:Pinned"),
    "verified": Record("crewmem.journal.verify:Verified"),
    "break": Record("crewmem.journal.verify:Break"),
    "compacted": Record("crewmem.journal.compact:Compacted"),
    "group": Record("crewmem.journal.compaction:Group"),
    "imported": Record("crewmem.journal.importing:Imported"),
    "trouble": Record("crewmem.journal.importing:Trouble"),
    "embedder, chosen": Record("crewmem.cli.embedder.status:Standing"),
    "candidate": Record("crewmem.cli.embedder.status:Candidate"),
    "model, installed": Record("crewmem.backends.embed.install:Installed"),
    "embedder, tested": Record("crewmem.cli.embedder.test:Tested"),
    "episode hit": Record("crewmem.episodes.hit:Hit"),
    "why of an episode": Record("crewmem.episodes.hit:Why"),
    "recalled": Record("crewmem.episodes.hit:Recalled"),
    "sweep": Record("crewmem.cli.sweeping:Sweep"),
    "episode": Record("crewmem.episodes.listing:Listed"),
    "episode, added": Record("crewmem.episodes.add:Added"),
    "relation": Record("crewmem.episodes.relations_store:Related"),
    "relation, added": Record("crewmem.episodes.relate:Made"),
    "reembedded": Record("crewmem.episodes.reembed:Reembedded"),
    "fading": Record("crewmem.episodes.decay:Fading"),
    "decayed": Record("crewmem.episodes.decay:Decayed"),
    "workspace": Record("crewmem.registry.member:Workspace", (PATH,)),
    "workspace, added": Record("crewmem.registry.member:Workspace", (PATH, MADE)),
    "crew": Record("crewmem.registry.member:Crew", (PATH,)),
    "crew, added": Record("crewmem.registry.member:Crew", (PATH, MADE)),
    "agent": Record("crewmem.registry.member:Agent", (PATH,)),
    "agent, added": Record("crewmem.registry.member:Agent", (PATH, MADE)),
    "setting": Record("crewmem.cli.config.shown:Shown"),
    "change of a setting": Record("crewmem.cli.config.stored:Stored"),
    "path": Record("crewmem.cli.config.path:ConfigPath"),
    "script": Record("crewmem.cli.completion:Script"),
}
"""By what the manual calls them."""
