"""Every command with its line of help. The order is the order of the help.

The help of the program and of a group is printed from here, so that asking for it
imports no command. A command lives in the module of its name: ``crewmem memory
search`` is ``search_command`` in ``crewmem/cli/memory/search.py``. A test holds each
line against the command's own docstring.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Table = dict[str, str | tuple[str, "Table"]]

TABLE: Table = {
    "init": "Make a home for crewmem, with a sample crew if asked.",
    "status": "Show the state of the memory on one screen, and the next step.",
    "search": "Find what memory files, the journal and memories hold, in one list.",
    "recall": "Lay before a model what is remembered of a question.",
    "remember": "Hold something to be true.",
    "get": "Show a memory, whole, with how far it is trusted.",
    "forget": "Put a memory away: nothing finds it any more.",
    "vote": "Say of a memory that it holds, or that it does not.",
    "recover": "Lay before an agent that lost its context what it was doing.",
    "doctor": "Check everything there is, and repair what is safe to repair.",
    "memory": (
        "Find, read and write memory files.",
        {
            "search": "Find passages of memory files that answer a question.",
            "read": "Print a memory file.",
            "write": "Write to a memory file.",
            "append-daily": "Add a line to today's notes.",
            "list": "List memory files with their size, age and share of the cap.",
            "scan": "Look for hidden instructions and secrets in memory files.",
            "status": "Show what of each memory directory is indexed.",
            "health": "Tell how healthy memory is: one score of five metrics.",
            "reindex": "Bring the index of memory directories up to date.",
            "quarantine": (
                "Look after texts that were refused.",
                {
                    "list": "List texts that were refused, oldest first.",
                    "show": "Show a text that was refused, and why.",
                    "release": "Write a text that was refused, its rules allowed.",
                    "drop": "Remove a text that was refused, for good.",
                },
            ),
            "prompt": "Print the memory of an agent as a part of its system prompt.",
            "log": "List the versions of a memory file, newest first.",
            "show": "Print a version of a memory file.",
            "diff": "Show how two versions of a memory file differ.",
            "restore": "Make a memory file what it was in a version.",
            "prune": "Drop old versions of memory files.",
        },
    ),
    "journal": (
        "Add to the journal of what happened, and look into it.",
        {
            "add": "Add an entry to the journal.",
            "list": "List entries of the journal, newest first.",
            "get": "Show an entry of the journal, whole.",
            "count": "Count entries of the journal by type, day or agent.",
            "pin": "Change the priority of an entry of the journal.",
            "verify": "Check that the journal is whole and unchanged.",
            "compact": "Archive old entries that nothing needs, and sum them up.",
            "import": "Add entries to the journal from a file of JSON lines.",
        },
    ),
    "episodes": (
        "Recall what is worth it from the journal.",
        {
            "recall": "Find the episodes that answer a question.",
            "sweep": "Embed what is new, and bring memory indexes up to date.",
            "list": "List episodes with their weight, newest first.",
            "add": "Make entries worth recalling that were not selected by themselves.",
            "relations": (
                "See and say how entries are related.",
                {
                    "list": "List relations between entries, newest first.",
                    "add": "Say that one entry contradicts or supports another.",
                },
            ),
            "reembed": "Give all episodes vectors of the embedder that is set now.",
        },
    ),
    "operator": (
        "Know how persons work, from what they said; and erase it.",
        {
            "observe": "Note how a person works, from what they said of it.",
            "show": "Show what is known of a person, and what they said.",
            "forget": "Erase one field of what is known of a person.",
            "delete": "Erase all that is known of a person.",
            "opt-out": "Erase all that is known of a person, and observe them no more.",
        },
    ),
    "memories": (
        "Look into what is held to be true, and change what becomes of it.",
        {
            "list": "List what is held to be true, latest change first.",
            "history": "Show what a memory said before, its votes and its relations.",
            "correct": "Say what is so in the place of a memory.",
            "supersede": "Let one memory take the place of another.",
            "restore": "Hold a memory to be true again that was put away.",
            "done": "Say of an action item that it is done.",
            "drop": "Say of an action item that nobody will do it.",
            "pin": "Keep a memory from aging, and lay it first when a session starts.",
            "purge": "Erase a memory for good, with all that it said before.",
            "condense": "Make one summary of memories that say much the same.",
            "rollup": "Sum up days and weeks, and let details age behind them.",
            "daily": "Show the summary of a day, or what was held then.",
        },
    ),
    "knowledge": (
        "Share what one knows with crews and the workspace.",
        {
            "share": "Tell a crew, or the whole workspace, what one knows.",
            "promote": "Share a memory with a crew, or with the workspace.",
            "reject": "Keep that something was rejected, and why.",
            "corrections": "List what several agents were corrected for.",
            "signals": "Show what several agents came across in the last seven days.",
            "maintain": "Promote what agents agree on, and let fade the rest.",
        },
    ),
    "proposals": (
        "Decide what waits for a person.",
        {
            "list": "List what waits for a person, newest first.",
            "show": "Show a proposal: what would be done, and what it rests on.",
            "diff": "Show what approving a proposal would change.",
            "explain": "Tell why a proposal waits, and what speaks for it.",
            "approve": "Do what was proposed, at once.",
            "reject": "Do nothing of what was proposed; it is kept, with why.",
        },
    ),
    "consolidate": (
        "Make lasting memory of notes and of what happened.",
        {"run": "Make lasting memory of daily notes and of what happened."},
    ),
    "scratch": (
        "Note what a session works with, for a while.",
        {
            "add": "Note something for a session.",
            "list": "List one's own notes, oldest first.",
            "digest": "Remember the notes of a session as one memory.",
            "clear": "Drop one's own notes of a session.",
        },
    ),
    "transcripts": (
        "Learn from the session logs of agents' programs.",
        {
            "extract": "Learn from the session logs of agents' programs.",
            "status": "Show how far session logs are read, and what of them waits.",
            "show": "Show a session log turn by turn, and what was learned of it.",
        },
    ),
    "eval": (
        "Measure whether recall finds the right thing.",
        {
            "run": "Measure recall with a suite of questions.",
            "runs": "List runs of suites that were kept, newest first.",
            "show": "Show a run of a suite: its metrics, its gates and its cases.",
            "compare": "Tell how two runs differ, and whether beyond noise.",
            "capture": "Make cases of a suite out of what was really asked.",
            "gate": "Measure recall, and end with 1 when it misses a gate.",
        },
    ),
    "tune": (
        "Tune recall by what a suite measures.",
        {
            "run": "Try a step of a setting of recall, and tell whether it is better.",
            "history": "List what was tuned, newest first.",
            "rollback": "Take back what was tuned, and all that was tuned after it.",
        },
    ),
    "decay": "Report what fades, faintest first; with --apply let it fade.",
    "export": "Write memory into a bundle of plain files: a directory or a .tar.gz.",
    "import": "Take memory in from a bundle, a directory or another program's notes.",
    "embedder": (
        "Look after what turns texts into vectors.",
        {
            "status": "Show which embedder is used and why, and what others lack.",
            "install": "Bring the model that runs in process into the home.",
            "test": "Embed a text, to see whether the embedder works, and how fast.",
        },
    ),
    "timers": (
        "Let jobs look after memory, with systemd, cron or by hand.",
        {
            "show": "Show the jobs, or the files that systemd or cron has of them.",
            "install": "Install timers that run the jobs, with systemd or cron.",
            "remove": "Remove the timers of this home from systemd and the crontab.",
            "status": "Show how each job came out, when it is due, and what runs it.",
            "run": "Run a job, or all that are due.",
        },
    ),
    "workspace": (
        "Register workspaces: nothing crosses from one to another.",
        {
            "add": "Add a workspace.",
            "list": "List the workspaces.",
            "show": "Show a workspace and its crews.",
            "set": "Change a workspace.",
            "remove": "Take a workspace out of the registry; its files stay.",
        },
    ),
    "crew": (
        "Register crews: teams of agents that share memory.",
        {
            "add": "Add a crew and make its shared memory.",
            "list": "List the crews of the workspace.",
            "show": "Show a crew and its agents.",
            "set": "Change a crew: its lead, members and settings.",
            "remove": "Take a crew out of the registry; its files stay.",
        },
    ),
    "agent": (
        "Register agents: the members of crews.",
        {
            "add": "Add an agent to a crew and make its memory.",
            "list": "List the agents of the workspace.",
            "show": "Show an agent.",
            "set": "Change an agent: its memory, description and settings.",
            "remove": "Take an agent out of the registry; its files stay.",
        },
    ),
    "config": (
        "Show and change settings.",
        {
            "list": "List every setting with its value.",
            "get": "Print the value of a setting.",
            "set": "Set a setting in the configuration file.",
            "path": "Print the path of the configuration file.",
        },
    ),
    "completion": (
        "Print the completion script of a shell.",
        {
            "bash": "Print the completion script for bash.",
            "zsh": "Print the completion script for zsh.",
            "fish": "Print the completion script for fish.",
        },
    ),
}

HIDDEN = {
    "feedback": "Say of a memory that it holds, or that it does not, as vote.",
    "events": "Show entries of the journal as they come, as journal list --follow.",
    "prime": "Lay before a model what a session starts with, as recall does.",
    "generate": "Write what is generated: man/, completions/, the scanner's table.",
}
"""Commands in no help: what other tools taught people, and for who works on crewmem."""

HIDDEN_OF = {
    "knowledge confirm": "Say of a memory that it holds, as vote --up.",
    "knowledge contradict": "Say of a memory that it does not hold, as vote --down.",
    "knowledge list": "List what is shared, as memories list.",
    "knowledge search": "Find what is shared, as search.",
}
"""The same of groups, by group and word."""

ALIASES = {"memory hybrid": "search"}
"""Other words for commands of groups, by group and word: what other tools say."""
