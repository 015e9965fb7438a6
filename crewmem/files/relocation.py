"""Moving the memory directory of an agent to another crew."""

from contextlib import ExitStack

from crewmem.context import Context
from crewmem.errors import ConflictError
from crewmem.files.versions import Versions
from crewmem.storage.filesystem import make_directory


def move_agent_files(
    context: Context, slug: str, crew: str, new_crew: str, undo: ExitStack
) -> None:
    """Move the files of an agent to its new home crew, with their history.

    Joins the open transaction. The directory is moved last, so that repeating an interrupted
    command completes it.

    Args:
        undo: Moves the directory back if the transaction fails; see `undo_on_failure`.

    Raises:
        ConflictError: If the new crew already has files of an agent with this name.
    """
    source, target = context.agent_dir(crew, slug), context.agent_dir(new_crew, slug)
    is_here = source.exists()  # else there is none, or an interrupted run has moved it
    if is_here and target.exists():
        raise ConflictError(
            f"{target} already exists: move or remove it first", code="directory-exists"
        )
    Versions(context).rename_directory(f"agent:{crew}/{slug}/", f"agent:{new_crew}/{slug}/")
    if is_here:
        make_directory(target.parent, undo)
        source.rename(target)
        undo.callback(target.rename, source)
