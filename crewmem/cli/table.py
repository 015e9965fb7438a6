"""Every command with its line of help. The order is the order of the help.

The help of the program and of a group is printed from here, so that asking for it
imports no command. A command lives in the module of its name: ``crewmem memory
search`` is ``search_command`` in ``crewmem/cli/memory/search.py``. A test holds each
line against the command's own docstring.
"""

from __future__ import annotations

TABLE: dict[str, str | tuple[str, dict[str, str]]] = {
    "init": "Make a home for crewmem, with a sample crew if asked.",
    "status": "Show the state of the memory on one screen, and the next step.",
    "doctor": "Check everything there is, and repair what is safe to repair.",
    "memory": (
        "Find, read and index memory files.",
        {
            "search": "Find passages of memory files by their words.",
            "read": "Print a memory file.",
            "list": "List memory files with their size, age and share of the cap.",
            "status": "Show what of each memory directory is indexed.",
            "reindex": "Bring the index of memory directories up to date.",
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

HIDDEN = {"generate": "Write man/ and completions/ from the commands themselves."}
"""Commands for those who work on crewmem; in no help."""
