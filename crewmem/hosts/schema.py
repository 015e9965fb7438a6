"""The tables of a store in PostgreSQL."""

from collections.abc import Iterable
from pathlib import Path

from crewmem.hosts.changes import Table

POSTGRES_TYPES = {
    "text": "text",
    "integer": "bigint",
    "real": "double precision",
    "blob": "bytea",
}


def make_schema(tables: Iterable[Table]) -> str:
    """Return the statements that make the tables of a store, with its access rules."""
    parts = [Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")]
    for table in tables:
        columns = [
            f"{name} {POSTGRES_TYPES[kind]}" + (" not null" if name in table.required else "")
            for name, kind in table.columns.items()
        ]
        parts.append(
            f"create table {table.name} (\n    "
            + ",\n    ".join([*columns, f"primary key ({', '.join(table.key)})"])
            + "\n);"
        )
        parts.append(_policy(table.name, table.workspace))
        if table.key[0] != table.workspace:
            parts.append(f"create index on {table.name} ({table.workspace});")
    parts.append("create unique index on journal_entries (workspace_id, id);")
    parts.append("create index on file_versions (stored_sha256);")
    parts += [
        _policy(name, "workspace_id") for name in ("change_rows", "file_contents", "embeddings")
    ]
    return "\n".join(parts)


def _policy(table: str, column: str) -> str:
    return (
        f"alter table {table} enable row level security;\n"
        f"create policy by_workspace on {table} using (exists (select 1 from workspace_roles r"
        f" where r.workspace_id = {table}.{column} and pg_has_role(r.role_name, 'member')));"
    )
