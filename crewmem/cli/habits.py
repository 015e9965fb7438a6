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

HABITS = {
    "help": "crewmem --help",
    "list": "crewmem memory list, crewmem fact list or crewmem journal list",
    "show": "crewmem fact show ID, crewmem journal show ID or crewmem memory read FILE",
    "add": "crewmem remember TEXT",
    "write": "crewmem memory write --tier agent TEXT",
    "read": "crewmem memory read FILE",
    "edit": "crewmem fact edit ID TEXT",
    "remove": "crewmem forget ID",
    "vote": "crewmem fact vote ID --up",
    "log": "crewmem journal list",
    "history": "crewmem memory log FILE",
    "check": "crewmem doctor",
    "version": "crewmem --version",
    "start": "crewmem timers install",
    "backup": "crewmem export --out DIR",
    "restore": "crewmem memory restore FILE VERSION or crewmem fact restore ID",
    "settings": "crewmem config list",
    "memory remove": "crewmem memory write --mode replace, or remove the file; versions stay",
    "memory add": "crewmem memory append --tier agent TEXT",
    "memory edit": "crewmem memory write --mode replace --tier agent -",
    "memory show": "crewmem memory read FILE",
    "fact remove": "crewmem fact forget ID",
    "journal remove": "crewmem journal purge ID",
    "sessions remove": "crewmem sessions forget ID",
    "timers start": "crewmem timers install",
    "config unset": "crewmem config set NAME --default",
}
"""What to type instead of a command that is not there."""


def find_instead(path: str, name: str, known: list[str]) -> str:
    """Return what to type instead of the command *name*; "" when nobody knows.

    Args:
        path: The group that it was looked for in, such as ``memory``; "" for the first level.
        known: The commands of the group.
    """
    word = SYNONYMS.get(name, name)
    if word in known:
        return " ".join(filter(None, ("crewmem", path, word)))
    return HABITS.get(f"{path} {word}".strip(), "")
