"""The hash chain: the hashes of entries, and the heads of chains. `verify` checks them.

A workspace has one chain for each home. The hash of an entry covers its fields as written, salted
digests of summary and payload, and the hash of the previous entry. Because only digests are
hashed, purging a text does not break the chain. The hashed text is a JSON array in UTF-8 without
white space, so any program can check it. A keyed hash (``k…``) detects tampering; a plain one
detects only accidents.
"""

import hmac
from collections.abc import Iterator, Sequence
from hashlib import sha256
from json.encoder import encode_basestring as quote
from typing import Any, NamedTuple

from crewmem.context import Context
from crewmem.errors import SettingsError
from crewmem.ids import new_id
from crewmem.journal.entry import COLUMNS, PRIORITIES, DumpedEntry, Row, dump, said_text
from crewmem.text.tokens import search_text

FIRST = ""
"""Previous hash of the first entry of a chain."""

SALT_BYTES = 16

KEYED = "k"
"""Prefix of a keyed hash; a plain hash has only hexadecimal digits."""


KEY_HINT = "set CREWMEM_CHAIN_KEY to the key that the home was written with"

HASHED = Row._fields.index("seq")
"""Number of fields that the hash covers."""


class Head(NamedTuple):
    """The end of a chain.

    Attributes:
        entries: Number of entries ever appended.
    """

    entries: int
    last_hash: str


def make_digest(salt: str, text: str) -> str:
    """Return the salted digest of a summary or payload."""
    return sha256(f"{salt}\n{text}".encode()).hexdigest()


def sign(text: str, key: str) -> str:
    """Return the hash of *text*, keyed unless *key* is empty."""
    if not key:
        return sha256(text.encode()).hexdigest()
    return KEYED + hmac.digest(key.encode(), text.encode(), "sha256").hex()


def is_signed(signature: str, text: str, key: str) -> bool:
    """Return whether *signature* is the keyed or plain hash of *text*.

    Raises:
        SettingsError: If it is keyed and there is no key.
    """
    if not signature.startswith(KEYED):
        return signature == sign(text, "")
    if not key:
        raise key_missing()
    return signature == sign(text, key)


def hashed_text(row: Sequence[Any]) -> str:
    """Return the text that the hash of *row*, with its first priority, covers.

    The fields from `seq` on may be missing.
    """
    # All fields are text or null, so this is valid JSON; it is faster than a JSON encoder.
    quoted = ["null" if field is None else quote(str(field)) for field in row[:HASHED]]
    return f'["entry",{",".join(quoted)}]'


def matches_hash(context: Context, row: Row) -> bool:
    """Return whether *row* matches its hash with any priority."""
    return any(
        is_signed(row.entry_hash, hashed_text(row._replace(priority=priority)), context.chain_key)
        for priority in PRIORITIES
    )


def blank_row(row: Row) -> Row:
    """Return *row* as a purge leaves it, without its text."""
    return row._replace(summary="", payload="{}", search_text="", salt="")


SIGNED_TABLES = {
    "head": ("journal_chains", "workspace_id, chain, entries, last_hash"),
    "checkpoint": (
        "journal_checkpoints",
        "workspace_id, chain, number, created_at, reason, removed",
    ),
    "priority": (
        "journal_entry_priorities",
        "workspace_id, entry_id, number, set_at, set_by, from_priority, to_priority, reason",
    ),
    "purge": ("journal_purges", "workspace_id, entry_id, purged_by, purged_at"),
}
"""Signed records about entries, by kind: their table, and the columns that are signed."""


def store_signed(context: Context, kind: str, *fields: Any) -> None:
    """Store a signed record; *fields* are the columns after ``workspace_id``."""
    table, columns = SIGNED_TABLES[kind]
    values = (context.workspace, *fields)
    context.db.execute(
        f"insert or replace into {table} ({columns}, signature) values ({'?, ' * len(values)}?)",
        (*values, sign(dump([kind, *values]), context.chain_key)),
    )


def load_signed(
    context: Context, kind: str, condition: str, **params: Any
) -> Iterator[tuple[list[Any], bool]]:
    """Yield the fields of the records of a kind, in order, and whether the signature is right.

    Raises:
        SettingsError: If a record is signed with a key and there is no key.
    """
    table, columns = SIGNED_TABLES[kind]
    for *values, signature in context.db.execute(
        f"select {columns}, signature from {table} where workspace_id = :workspace"
        f" and {condition} order by 2, 3, 4, 5",
        {"workspace": context.workspace, **params},
    ):
        yield values[1:], is_signed(signature, dump([kind, *values]), context.chain_key)


class Chains:
    """The chains of a workspace; this home appends to one of them."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def find_name(self) -> str:
        """Return the name of this home's own chain; "" before its first entry."""
        return self._context.db.value("select value from home_names where name = 'chain'") or ""

    def own_name(self) -> str:
        """Return the name of this home's own chain; create it if there is none."""
        name = self.find_name()
        if not name:
            name = new_id("h", self._context.random)
            self._context.db.execute(
                "insert into home_names (name, value) values ('chain', ?)", (name,)
            )
        return name

    def head(self, chain: str) -> Head:
        """Return the head of *chain*.

        Raises:
            SettingsError: If it is keyed, and there is no key or another one.
        """
        context = self._context
        row = context.db.one(
            "select entries, last_hash, signature from journal_chains"
            " where workspace_id = ? and chain = ?",
            (context.workspace, chain),
        )
        if row is None:
            return Head(0, FIRST)
        *fields, signature = row
        head = Head(*fields)
        if head.last_hash.startswith(KEYED):
            text = dump(["head", context.workspace, chain, *head])
            if not is_signed(signature, text, context.chain_key) and self._is_other_key(head):
                raise SettingsError(
                    "the journal's hash chain is keyed with another key than CREWMEM_CHAIN_KEY",
                    code="chain-key-wrong",
                    hint=KEY_HINT,
                )
        return head

    def _is_other_key(self, head: Head) -> bool:
        """Return whether the last entry of a keyed chain does not match its hash either.

        Where only the head was changed, writing goes on, and `verify` tells.
        """
        context = self._context
        row = context.db.one(
            f"select {COLUMNS} from journal_entries where workspace_id = ? and entry_hash = ?",
            (context.workspace, head.last_hash),
        )
        return row is not None and not matches_hash(context, Row(*row))

    def require_key(self) -> None:
        """Raise SettingsError if the own chain is keyed, and there is no key or another one."""
        self.head(self.find_name())

    def set_head(self, chain: str, head: Head) -> None:
        """Store the head of *chain*."""
        store_signed(self._context, "head", chain, *head)

    def extend(self, entries: Sequence[DumpedEntry]) -> list[Row]:
        """Return the rows of *entries* for the own chain, and move its head behind them."""
        context, chain = self._context, self.own_name()
        workspace, key = context.workspace, context.chain_key
        count, last_hash = self.head(chain)
        salts = context.random(SALT_BYTES * len(entries)).hex()
        first, rows = self.next_seq(), list[Row]()
        for index, (entry, payload, refs) in enumerate(entries):
            salt = salts[2 * SALT_BYTES * index : 2 * SALT_BYTES * (index + 1)]
            hashed = (  # in the order of the fields of a row
                entry.id or new_id("j", context.random),
                workspace,
                entry.crew_id,
                entry.agent_id,
                entry.mission_id,
                chain,
                entry.ts or context.now_text,
                entry.entry_type,
                entry.severity,
                entry.priority,
                entry.actor_type,
                entry.actor_id,
                entry.origin,
                make_digest(salt, entry.summary),
                make_digest(salt, payload),
                refs,
                entry.trace_id,
                entry.span_id,
                entry.expires_at,
                last_hash,
            )
            last_hash = sign(hashed_text(hashed), key)
            words = search_text(said_text(entry.summary, entry.payload))
            rows.append(Row(*hashed, first + index, entry.summary, payload, words, salt, last_hash))
        self.set_head(chain, Head(count + len(rows), last_hash))
        return rows

    def next_seq(self) -> int:
        """Return the number of the next entry; all workspaces share the numbers."""
        # A shared store may have entries of workspaces that are not in this mirror.
        return 1 + int(
            self._context.db.value(
                "select max(coalesce((select max(seq) from journal_entries), 0),"
                " coalesce((select journal_seq from shared_store), 0))"
            )
        )

    def add_checkpoint(self, chain: str, rows: Sequence[Row]) -> None:
        """Record that *rows* of one chain, in its order, were removed by compaction."""
        runs: list[list[Any]] = []
        for row in rows:
            if runs and runs[-1][1] == row.prev_hash:
                runs[-1][1] = row.entry_hash
                runs[-1][2] += 1
            else:
                runs.append([row.prev_hash, row.entry_hash, 1])
        context = self._context
        number = context.db.value(
            "select coalesce(max(number), 0) + 1 from journal_checkpoints"
            " where workspace_id = ? and chain = ?",
            (context.workspace, chain),
        )
        reason, now = "compaction", context.now_text
        store_signed(context, "checkpoint", chain, number, now, reason, dump(runs))


def key_missing() -> SettingsError:
    """Return the error for a keyed chain when there is no key."""
    return SettingsError(
        "the journal's hash chain is keyed, and CREWMEM_CHAIN_KEY is not set",
        code="chain-key-missing",
        hint=KEY_HINT,
    )
