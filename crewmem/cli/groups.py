"""The groups whose commands are in several modules. Only the invoked command's is imported."""

import click

from crewmem.cli.command import Group


@click.group(
    cls=Group,
    lazy_commands={
        "read": "memory:read",
        "write": "memory:write",
        "append": "memory:append",
        "list": "memory:list_",
        "status": "memory:status",
        "reindex": "memory:reindex",
        "search": "memory_search:search",
        "scan": "memory_scan:scan",
        "log": "memory_versions:log",
        "diff": "memory_versions:diff",
        "restore": "memory_versions:restore",
        "prune": "memory_versions:prune",
        "purge": "memory_versions:purge",
        "health": "memory_health:memory_health",
        "prompt": "memory_prompt:prompt",
    },
)
def memory() -> None:
    """Search, read and write memory files."""


@click.group(
    cls=Group,
    lazy_commands={
        "add": "fact:add",
        "list": "fact:list_",
        "show": "fact:show",
        "edit": "fact_change:edit",
        "vote": "fact_change:vote",
        "pin": "fact_change:pin",
        "share": "fact_change:share",
        "forget": "fact_change:fact_forget",
        "restore": "fact_change:restore",
        "purge": "fact_change:purge",
        "condense": "fact_change:condense",
        "rollup": "fact_change:rollup",
    },
)
def fact() -> None:
    """List and manage facts."""


@click.group(
    cls=Group,
    lazy_commands={
        "add": "journal:add",
        "list": "journal:list_",
        "show": "journal:show",
        "pin": "journal:pin",
        "relate": "journal:relate",
        "verify": "journal:verify",
        "compact": "journal:compact",
        "purge": "journal:purge",
        "import": "journal:import_",
        "search": "journal_search:search",
    },
)
def journal() -> None:
    """Read and write the journal."""
