"""What people type from habit, and the command that does it."""

SYNONYMS = {
    "ls": "list",
    "cat": "show",
    "get": "show",
    "view": "show",
    "find": "search",
    "query": "search",
    "new": "add",
    "create": "add",
    "update": "edit",
    "del": "remove",
    "delete": "remove",
    "rm": "remove",
    "uninstall": "remove",
}
"""Words of other programs, each with the word that commands have for it here."""

HABITS: dict[str, tuple[str, ...]] = {
    "help": ("--help",),
    "ask": ("search QUESTION",),
    "undo": ("memory restore FILE VERSION", "fact restore ID"),
    "prompt": ("memory prompt",),
    "facts": ("fact list",),
    "notes": ("memory list",),
    "list": ("memory list", "fact list", "journal list"),
    "show": ("fact show ID", "journal show ID", "memory read FILE"),
    "add": ("remember TEXT",),
    "write": ("memory write --tier agent TEXT",),
    "read": ("memory read FILE",),
    "edit": ("fact edit ID TEXT",),
    "remove": ("forget ID",),
    "vote": ("fact vote ID --up",),
    "log": ("journal list",),
    "history": ("memory log FILE",),
    "check": ("doctor",),
    "version": ("--version",),
    "start": ("timers install",),
    "backup": ("export --out DIR",),
    "restore": ("memory restore FILE VERSION", "fact restore ID"),
    "settings": ("config list",),
    "memory remove": ("memory write --mode replace --file FILE -",),
    "memory add": ("memory append --tier agent TEXT",),
    "memory edit": ("memory write --mode replace --tier agent -",),
    "memory show": ("memory read FILE",),
    "memory undo": ("memory log FILE", "memory restore FILE VERSION"),
    "memory history": ("memory log FILE",),
    "fact remove": ("fact forget ID",),
    "fact log": ("fact show ID",),
    "fact history": ("fact show ID",),
    "fact undo": ("fact show ID", "fact edit ID TEXT", "fact restore ID"),
    "journal remove": ("journal purge ID",),
    "sessions remove": ("sessions forget ID",),
    "timers start": ("timers install",),
    "config unset": ("config set NAME --default",),
}
"""The commands to type instead of one that is not there."""


def find_instead(path: str, name: str, known: list[str]) -> tuple[str, ...]:
    """Return the commands that may be meant by *name*, without the name of the program.

    Args:
        path: The group that it was looked for in, such as ``memory``; "" for the first level.
        known: The commands of the group.
    """
    word = SYNONYMS.get(name, name)
    if word in known:
        return (f"{path} {word}".strip(),)
    return HABITS.get(f"{path} {word}".strip(), ())
