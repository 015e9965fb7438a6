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
        "Where store is journal, the record is: `episode hit`; where it is memories: "
        "`memory hit`.",
        ("episode hit", "memory hit"),
    ),
    "recall": Answer(
        "hits",
        "hit",
        "Where store is journal, the record is: `episode hit`; where it is memories: "
        "`memory hit`. Beside them are the other fields of `laid before a model`.",
        ("episode hit", "memory hit", "laid before a model"),
    ),
    "remember": one("remembered"),
    "get": one("memory, held"),
    "forget": one("memory, changed"),
    "vote": one("voted"),
    "doctor": many("finding"),
    "memory search": hits("hit"),
    "memory read": one("document"),
    "memory prompt": one("prompt"),
    "memory write": one("written"),
    "memory append-daily": one("written"),
    "memory quarantine list": many("refused text"),
    "memory quarantine show": one("refused text, shown"),
    "memory quarantine release": one("written"),
    "memory quarantine drop": one("refused text"),
    "memory list": many("file"),
    "memory scan": many("flagged"),
    "memory status": many("standing"),
    "memory reindex": many("reindexed"),
    "memory log": many("version"),
    "memory show": one("version, shown"),
    "memory diff": one("difference"),
    "memory restore": one("written"),
    "memory prune": one("pruned"),
    "journal add": one("entry"),
    "journal list": many("entry"),
    "journal get": one("entry"),
    "journal count": many("count"),
    "journal pin": one("change of a priority"),
    "journal verify": one("verified"),
    "journal compact": one("compacted"),
    "journal import": one("imported"),
    "export": one("bundle, exported"),
    "import": one("import"),
    "embedder status": one("embedder, chosen"),
    "embedder install": one("model, installed"),
    "embedder test": one("embedder, tested"),
    "episodes recall": Answer(
        "hits",
        "episode hit",
        "Beside them are the other fields of `recalled`, and with --render the block "
        "as context. With --queries it is a list of these, each with the id of its "
        "question as query.",
        ("recalled",),
    ),
    "episodes sweep": one("sweep"),
    "episodes list": many("episode"),
    "episodes add": many("episode, added"),
    "episodes relations list": many("relation"),
    "episodes relations add": one("relation, added"),
    "episodes reembed": many("reembedded"),
    "operator observe": one("observed"),
    "operator show": one("known of a person"),
    "operator forget": one("erased"),
    "operator delete": one("erased"),
    "operator opt-out": one("erased"),
    "memories list": many("memory, held"),
    "memories history": one("history"),
    "memories correct": one("memory, changed"),
    "memories supersede": one("memory, changed"),
    "memories restore": one("memory, changed"),
    "memories done": one("memory, changed"),
    "memories drop": one("memory, changed"),
    "memories purge": one("memory, purged"),
    "memories condense": Answer(
        "list", "condensed", "With --undo it holds one record: `undone`.", ("undone",)
    ),
    "memories rollup": one("rollup"),
    "memories daily": many("memory, held"),
    "knowledge share": many("shared"),
    "knowledge promote": many("shared"),
    "knowledge reject": one("rejected"),
    "knowledge corrections": many("memory, held"),
    "knowledge signals": many("signal"),
    "knowledge maintain": many("step"),
    "proposals list": many("proposal"),
    "proposals show": one("proposal"),
    "proposals diff": one("proposal, compared"),
    "proposals explain": one("proposal, explained"),
    "proposals approve": one("decided"),
    "proposals reject": one("decided"),
    "scratch add": one("note"),
    "scratch list": many("note"),
    "scratch digest": one("digested"),
    "scratch clear": one("notes, dropped"),
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
REFUSED = Field("text", "text", "What was refused; without --raw lacking secrets.")
MADE = Field("made", "list of texts", "Files and directories that were made.")

HOME = (
    Field("home", "text", "The home."),
    Field("workspace", "text", "The workspace that is in it."),
    Field("made", "true or false", "Whether anything was missing, and was made."),
    Field("sample", "a record: sample or null", "What --sample added.", ("sample",)),
    Field("next", "text", "The command to go on with."),
)

DROPPED = (
    Field("session", "text", "The session that they were of."),
    Field("dropped", "number", "How many there were."),
)

PURGED = (Field("id", "text", "The id that it had."),)

RECORDS = {
    "home": Record("", HOME),
    "sample": Record("crewmem.registry.init:Sampled"),
    "overview": Record("crewmem.health.overview:Overview"),
    "finding": Record("crewmem.health.finding:Finding"),
    "hit": Record("crewmem.files.hit:Hit"),
    "why": Record("crewmem.files.hit:Why"),
    "prompt": Record("crewmem.cli.memory.prompt:Prompt"),
    "section of a prompt": Record("crewmem.prompt.assemble:Placed"),
    "document": Record("crewmem.files.read:Document"),
    "written": Record("crewmem.files.written:Written"),
    "refused text": Record("crewmem.files.quarantine:Refused"),
    "refused text, shown": Record("crewmem.files.quarantine:Refused", (REFUSED,)),
    "file": Record("crewmem.files.contents:Entry"),
    "version": Record("crewmem.files.version:Version"),
    "version, shown": Record("crewmem.cli.memory.show:Shown"),
    "difference": Record("crewmem.cli.differing:Difference"),
    "hunk": Record("crewmem.files.diff:Hunk"),
    "pruned": Record("crewmem.files.prune:Pruned"),
    "pruned file": Record("crewmem.files.prune:PrunedFile"),
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
    "bundle, exported": Record("crewmem.cli.export:Exported"),
    "left out": Record("crewmem.bundles.reading:LeftOut"),
    "import": Record("crewmem.bundles.importing:Imported"),
    "memories, imported": Record("crewmem.memories.taken:Taken"),
    "step of an import": Record("crewmem.bundles.plan:Step"),
    "brought": Record("crewmem.bundles.restore:Brought"),
    "embedder, chosen": Record("crewmem.cli.embedder.status:Standing"),
    "candidate": Record("crewmem.cli.embedder.status:Candidate"),
    "model, installed": Record("crewmem.backends.embed.install:Installed"),
    "embedder, tested": Record("crewmem.cli.embedder.test:Tested"),
    "episode hit": Record("crewmem.episodes.hit:Hit"),
    "laid before a model": Record("crewmem.cli.recalling_run:Laid"),
    "index line": Record("crewmem.recall.index:Line"),
    "fate": Record("crewmem.cli.recalling_laid:Fate"),
    "why of an episode": Record("crewmem.episodes.hit:Why"),
    "recalled": Record("crewmem.episodes.hit:Recalled"),
    "sweep": Record("crewmem.cli.sweeping:Sweep"),
    "episode": Record("crewmem.episodes.listing:Listed"),
    "episode, added": Record("crewmem.episodes.add:Added"),
    "relation": Record("crewmem.episodes.relations_store:Related"),
    "relation, added": Record("crewmem.episodes.relate:Made"),
    "reembedded": Record("crewmem.episodes.reembed:Reembedded"),
    "observed": Record("crewmem.prompt.operator_observe:Observed"),
    "fact": Record("crewmem.prompt.operator_observe:Taken"),
    "not taken": Record("crewmem.prompt.operator_fact:Refusal"),
    "bad line": Record("crewmem.prompt.operator_turn:BadLine"),
    "known of a person": Record("crewmem.prompt.operator_show:Known"),
    "card": Record("crewmem.prompt.operator_show:Shown"),
    "line of a card": Record("crewmem.prompt.operator_cards:Line"),
    "look": Record("crewmem.prompt.operator_store:Looked"),
    "erased": Record("crewmem.prompt.operator_erased:Erased"),
    "memory": Record("crewmem.memories.memory:Memory"),
    "memory, held": Record("crewmem.memories.held:Held"),
    "memory, changed": Record("crewmem.memories.change:Changed"),
    "memory, purged": Record("", PURGED),
    "condensed": Record("crewmem.memories.condense:Condensed"),
    "undone": Record("crewmem.memories.condense:Undone"),
    "rollup": Record("crewmem.memories.rollup:Rollup"),
    "rolled": Record("crewmem.memories.rollup:Rolled"),
    "aged": Record("crewmem.memories.rollup:Aged"),
    "memory hit": Record("crewmem.memories.hit:Hit"),
    "why of a memory": Record("crewmem.memories.hit:Why"),
    "remembered": Record("crewmem.memories.remember:Remembered"),
    "near": Record("crewmem.memories.similar:Near"),
    "trust": Record("crewmem.memories.trust:Trust"),
    "cast vote": Record("crewmem.memories.trust:Vote"),
    "voted": Record("crewmem.memories.vote:Voted"),
    "history": Record("crewmem.memories.held:History"),
    "revision": Record("crewmem.memories.revisions_store:Revision"),
    "edge": Record("crewmem.memories.edges_store:Edge"),
    "shared": Record("crewmem.knowledge.share:Shared"),
    "signal": Record("crewmem.knowledge.signals:Signal"),
    "step": Record("crewmem.knowledge.maintain:Step"),
    "rejected": Record("crewmem.knowledge.corrections:Rejected"),
    "proposal": Record("crewmem.proposals.proposal:Proposal"),
    "proposal, compared": Record("crewmem.proposals.explain:Change"),
    "proposal, explained": Record("crewmem.proposals.explain:Case"),
    "decided": Record("crewmem.proposals.review:Decided"),
    "note": Record("crewmem.memories.scratch_store:Note"),
    "digested": Record("crewmem.memories.scratch:Digested"),
    "notes, dropped": Record("", DROPPED),
    "fading": Record("crewmem.memories.fading:Fading"),
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
