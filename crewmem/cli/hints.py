"""The commands that hints may suggest: those that the user can run here."""

from crewmem.cli.main import find_command
from crewmem.context import Context

WRITING_WORDS = frozenset(
    {"init", "remember", "forget", "note", "sweep", "sync", "import", "consolidate", "append"}
    | {"write", "add", "set", "share", "vote", "edit", "remove", "install", "reembed", "reindex"}
    | {"prune", "purge", "condense", "rollup", "restore", "run", "rollback", "compact", "pin"}
    | {"approve", "reject", "--fix", "--measure"}
)
"""Words and options that mark a command as one that changes the home."""

OPERATOR_COMMANDS = (
    *("agent", "config", "crew", "decay --apply", "embedder install", "embedder reembed", "eval"),
    *("fact purge", "fact rollup", "hooks", "import", "journal compact", "journal import"),
    *("journal purge", "memory prune", "memory purge", "operator", "sync", "timers", "workspace"),
)
"""Groups and commands that only operators may run."""


def can_run(context: Context, command: str, *arguments: str) -> bool:
    """Return whether the user can run *command* with *arguments*.

    In a tree it must take ``--path``, in a read-only home it must not write, and the actor must be
    allowed to run it.
    """
    if context.tree is not None:
        if not takes_path(command):
            return False
    elif context.read_only:
        options = [word for word in arguments if word.startswith("--")]
        if not WRITING_WORDS.isdisjoint([*command.split(), *options]):
            return False
    if command.startswith("review"):
        return context.access.may_review
    if context.access.is_operator:
        return True
    words = [*command.split(), *arguments]
    return "--fix" not in words and not any(
        words[: len(each.split())] == each.split() for each in OPERATOR_COMMANDS
    )


def takes_path(command: str) -> bool:
    """Return whether *command* has the option ``--path``."""
    called = find_command(command.split())
    return called is not None and any(option.name == "path" for option in called.command.params)
