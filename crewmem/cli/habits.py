"""Commands that people type from habit, and the crewmem command for each."""

SYNONYMS = {
    "ls": "list",
    "cat": "show",
    "get": "show",
    "find": "search",
    "new": "add",
    "update": "edit",
    "delete": "remove",
    "rm": "remove",
    "uninstall": "remove",
}
"""Words that other programs use, each with the word that crewmem uses."""

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
    "memory remove": ("memory write --mode replace --file FILE -",),
    "memory add": ("memory append --tier agent TEXT",),
    "memory edit": ("memory write --mode replace --tier agent -",),
    "fact remove": ("fact forget ID",),
    "fact history": ("fact show ID",),
    "journal remove": ("journal purge ID",),
    "sessions remove": ("sessions forget ID",),
    "timers start": ("timers install",),
    "config unset": ("config set NAME --default",),
}
"""Commands to suggest when an unknown one was typed. A command of a few groups, such as ``health``,
needs no line: these groups are searched."""


def find_instead(path: str, name: str, known: list[str]) -> tuple[str, ...]:
    """Return the commands that *name* may mean, without the name of the program.

    Args:
        path: The group that was searched, such as ``memory``; "" for the first level.
    """
    word = SYNONYMS.get(name, name)
    if word in known:
        return (f"{path} {word}".strip(),)
    return HABITS.get(f"{path} {word}".strip(), ())
