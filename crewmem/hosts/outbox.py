"""The outbox: commands that wait until the shared store can be reached.

It belongs to this host; its rows are not shared.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from crewmem.context import Context
from crewmem.ids import new_id
from crewmem.storage.sqlite import Database, transaction


class QueuedCommand(NamedTuple):
    """A command as it was typed.

    Attributes:
        arguments: The words of the command line.
        input: What it read from standard input.
    """

    id: str
    workspace: str
    actor: str
    arguments: Sequence[str]
    input: str
    queued_at: str


def add_command(
    context: Context,
    actor: str,
    arguments: Sequence[str],
    given: str,
    queued_at: str,
    *,
    item: str = "",
) -> str:
    """Queue a command of the context's workspace behind the others; return its id.

    Args:
        given: What it read from standard input.
        item: Its id; by default a new one.
    """
    item = item or new_id("o", context.random)
    words = json.dumps(list(arguments), ensure_ascii=False)
    with transaction(context.db, local=True):
        context.db.execute(
            "insert into outbox (id, workspace_id, actor, arguments, input, queued_at)"
            " values (?, ?, ?, ?, ?, ?)",
            (item, context.workspace, actor, words, given, queued_at),
        )
    return item


def list_commands(db: Database) -> list[QueuedCommand]:
    """Return the commands of all workspaces, in the order in which they were queued."""
    rows = db.all(
        "select id, workspace_id, actor, arguments, input, queued_at from outbox order by rowid"
    )
    return [QueuedCommand._make(row)._replace(arguments=json.loads(row[3])) for row in rows]


def count_commands(db: Database) -> int:
    """Return how many commands wait."""
    return int(db.value("select count(*) from outbox"))


def remove_command(db: Database, item: str) -> None:
    """Take a command out, inside the open transaction."""
    db.execute("delete from outbox where id = ?", (item,))
