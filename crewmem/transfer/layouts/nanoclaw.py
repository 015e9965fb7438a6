"""NanoClaw groups: a directory for each chat, and one that all groups read."""

from crewmem.access import Scope
from crewmem.errors import UsageError
from crewmem.transfer.contents import Contents, ImportOptions, Layout, Text, name_topics
from crewmem.transfer.import_source import Source

SHARED = "global"
"""The group that all groups read."""


def matches(source: Source) -> bool:
    """Return whether there are groups with a CLAUDE.md."""
    return any(
        name.startswith("groups/") and name.lower().endswith("/claude.md") for name in source.files
    )


def read(source: Source, options: ImportOptions) -> Contents:
    """Return the memory of one group, for the agent, and of the shared group, for its crew.

    Raises:
        UsageError: If there are several groups and none was named, or an unknown one.
    """
    in_groups = [name for name in source.files if name.startswith("groups/")]
    named = {name.split("/")[1] for name in in_groups if name.count("/") > 1}
    groups = sorted(named - {SHARED})
    is_valid = options.group in (*groups, SHARED) if options.group else len(groups) <= 1
    if not is_valid:
        raise UsageError(
            f"name one of the groups {', '.join(groups)} with --group", code="group-missing"
        )
    group = options.group or next(iter(groups), SHARED)
    contents = Contents(origin="agent")
    pages = []
    for name in source.files:
        parts = name.split("/")
        if parts[0] != "groups" or len(parts) < 3:
            contents.leave_out(name, "it is outside the groups")
        elif parts[1] not in (group, SHARED):
            contents.leave_out(name, f"it belongs to the group {parts[1]}")
        elif name not in source.markdown():
            continue
        elif len(parts) == 3 and parts[2].lower() == "claude.md":
            is_shared = parts[1] == SHARED
            contents.texts.append(
                Text(
                    name,
                    "AGENT.md" if options.agent and not is_shared else "CREW.md",
                    source.read_text(name),
                    scope=Scope.CREW if is_shared else None,
                    may_split=True,
                )
            )
        else:
            pages.append(name)
    for name, file in name_topics(pages).items():
        scope = Scope.CREW if name.split("/")[1] == SHARED else None
        contents.texts.append(Text(name, file, source.read_text(name), scope=scope, may_split=True))
    contents.leave_out_others(source)
    return contents


LAYOUT = Layout("nanoclaw", matches, read)
