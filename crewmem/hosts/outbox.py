"""The outbox: commands that wait until the shared store can be reached.

It is local to this host.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from crewmem.context import Context
from crewmem.ids import new_id
from crewmem.storage.sqlite import Database, transaction


class QueuedCommand(NamedTuple):
    """A queued command.

    Attributes:
        arguments: The words of the command line.
        input: The text on standard input.
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
    input_text: str,
    queued_at: str,
    *,
    id_: str = "",
) -> str:
    """Queue a command of the context's workspace after the others; return its id.

    Args:
        input_text: The text on standard input.
        id_: Id of the command; a new one by default.
    """
    id_ = id_ or new_id("o", context.random)
    words = json.dumps(list(arguments), ensure_ascii=False)
    with transaction(context.db, local=True):
        context.db.execute(
            "insert into outbox (id, workspace_id, actor, arguments, input, queued_at)"
            " values (?, ?, ?, ?, ?, ?)",
            (id_, context.workspace, actor, words, input_text, queued_at),
        )
    return id_


def list_commands(db: Database) -> list[QueuedCommand]:
    """Return the queued commands of all workspaces, oldest first."""
    rows = db.all(
        "select id, workspace_id, actor, arguments, input, queued_at from outbox order by rowid"
    )
    return [QueuedCommand._make(row)._replace(arguments=json.loads(row[3])) for row in rows]


def count_commands(db: Database) -> int:
    """Return the number of queued commands."""
    return int(db.value("select count(*) from outbox"))


def remove_command(db: Database, id_: str) -> None:
    """Remove a command from the queue, inside the open transaction."""
    db.execute("delete from outbox where id = ?", (id_,))
