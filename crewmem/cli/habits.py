"""Commands that people type out of habit, and the crewmem commands to suggest."""

SYNONYMS = {
    "ls": "list",
    "cat": "show",
    "get": "show",
    "find": "search",
    "query": "search",
    "new": "add",
    "create": "add",
    "update": "edit",
    "delete": "remove",
    "rm": "remove",
    "uninstall": "remove",
    "accept": "approve",
    "decline": "reject",
}
"""Names of commands in other programs, each with the name that crewmem uses."""

HABITS: dict[str, tuple[str, ...]] = {
    "ask": ("search QUESTION",),
    "undo": ("memory restore FILE VERSION", "fact restore ID"),
    "list": ("memory list", "fact list", "journal list"),
    "show": ("fact show ID", "journal show ID", "memory read FILE"),
    "add": ("remember TEXT",),
    "remove": ("forget ID",),
    "check": ("doctor",),
    "version": ("--version",),
    "backup": ("export --out DIR",),
    "settings": ("config list",),
    "index": ("memory reindex",),
    "memory remove": ("memory write --mode replace --file FILE -",),
    "memory add": ("memory append --tier agent TEXT",),
    "memory edit": ("memory write --mode replace --tier agent -",),
    "fact remove": ("fact forget ID",),
    "fact search": ("search --in facts QUERY",),
    "fact history": ("fact show ID",),
    "journal tail": ("journal list --follow",),
    "journal remove": ("journal purge ID",),
    "sessions remove": ("sessions forget ID",),
    "timers start": ("timers install",),
    "config show": ("config list",),
    "config unset": ("config set NAME --default",),
}
"""Commands to suggest for an unknown one. Names that a few groups have, such as ``health``, are not
listed here, because the groups are searched for them."""


def find_alternatives(path: str, name: str, known: list[str]) -> tuple[str, ...]:
    """Return the commands that *name* may mean, without the program's name.

    Args:
        path: The group of the unknown command, such as ``memory``; "" for the first level.
        known: Names of the group's commands.
    """
    word = SYNONYMS.get(name, name)
    if word in known:
        return (f"{path} {word}".strip(),)
    return HABITS.get(f"{path} {word}".strip(), ())
