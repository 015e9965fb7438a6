"""The origin class of memory files, which is that of the newest version."""

from collections.abc import Mapping

from crewmem.access import Scope
from crewmem.context import Context
from crewmem.files.directories import MemoryDirectory

NEWEST_IDS_SQL = (
    "select (select id from file_versions where workspace = :workspace and path = value"
    " order by number desc, written_at desc, id desc limit 1) from json_each(:paths)"
)
"""SQL for the ids of the newest versions of some files. If two homes wrote a file at the same time,
both versions have one number; the later wins."""


def default_origin(directory: MemoryDirectory, tier: str) -> str:
    """Return the origin class of a file without versions, by its usual author."""
    is_operators = tier in ("persona", "workspace", "other") or directory.scope is Scope.WORKSPACE
    return "operator" if is_operators else "agent"


def find_origins(
    context: Context, files: Mapping[str, tuple[MemoryDirectory, str]]
) -> dict[str, tuple[str, str]]:
    """Return origin class and author of files, from their newest versions.

    Args:
        context: Context of the home or tree.
        files: Directory and tier of each file, by reference.
    """
    if not context.has_db:  # nobody knows who wrote a plain directory of markdown
        return {
            file: ("external" if tier == "other" else default_origin(directory, tier), "")
            for file, (directory, tier) in files.items()
        }
    newest: dict[str, tuple[str, str]] = {}
    if files:
        rows = context.db.execute(
            f"select path, origin, written_by from file_versions where id in ({NEWEST_IDS_SQL})",
            {"workspace": context.workspace, "paths": files},
        )
        newest = {path: (origin, author) for path, origin, author in rows}
    return {
        file: newest.get(file) or (default_origin(directory, tier), "")
        for file, (directory, tier) in files.items()
    }
