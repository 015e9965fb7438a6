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
    "search": "Find what memory files and the journal hold, in one list.",
    "doctor": "Check everything there is, and repair what is safe to repair.",
    "memory": (
        "Find, read and index memory files.",
        {
            "search": "Find passages of memory files that answer a question.",
            "read": "Print a memory file.",
            "list": "List memory files with their size, age and share of the cap.",
            "scan": "Look for hidden instructions and secrets in memory files.",
            "status": "Show what of each memory directory is indexed.",
            "reindex": "Bring the index of memory directories up to date.",
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
    "decay": "Report what fades, faintest first; with --apply let it fade.",
    "embedder": (
        "Look after what turns texts into vectors.",
        {
            "status": "Show which embedder is used and why, and what others lack.",
            "install": "Bring the model that runs in process into the home.",
            "test": "Embed a text, to see whether the embedder works, and how fast.",
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
    "events": "Show entries of the journal as they come, as journal list --follow.",
    "generate": "Write man/ and completions/ from the commands themselves.",
}
"""Commands in no help: what other tools taught people, and for who works on crewmem."""

ALIASES = {"memory hybrid": "search"}
"""Other words for commands of groups, by group and word: what other tools say."""
