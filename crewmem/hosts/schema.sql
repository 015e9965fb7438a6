-- Tables of a shared store. The shared tables of a home are added with the same columns.

-- The store: one row.
create table store (
    one integer primary key check (one = 1),
    store_id text not null,
    schema integer not null,             -- version of the schema
    position bigint not null,            -- of the newest change
    hash text not null,                  -- of the newest change
    journal_seq bigint not null          -- highest seq of a journal entry
);

-- Changes: the transactions in order, without gaps. hosts/changes.py describes the columns.
create table changes (
    position bigint primary key,
    host text not null,
    actor text not null,
    at text not null,
    erases boolean not null,
    outbox text not null,
    digests json not null,
    previous text not null,
    hash text not null
);

-- Rows of changes. A purge blanks `row` and `salt`.
create table change_rows (
    position bigint not null,
    number integer not null,
    workspace_id text not null,
    table_name text not null,
    is_deleted boolean not null,
    key text not null,
    row json,
    salt text not null,
    digest text not null,
    primary key (position, number)
);
create index on change_rows (table_name, key);

-- Contents of file versions, compressed.
create table file_contents (
    workspace_id text not null,
    sha256 text not null,
    content bytea not null,
    primary key (workspace_id, sha256)
);

-- Cache of embeddings. A purge deletes those of its workspace.
create table embeddings (
    workspace_id text not null,
    store text not null,                 -- memory, facts or journal
    model text not null,
    vector_key bigint not null,          -- hash of the text
    vectors bytea not null,              -- float32, little-endian, one row per piece of the text
    primary key (workspace_id, store, model, vector_key)
);

-- Position of each mirror.
create table mirrors (
    host text primary key,
    position bigint not null,
    seen_at timestamptz not null
);

-- Leases of jobs, so that a job of a workspace runs on one host at a time.
create table leases (
    name text primary key,
    host text not null,
    until timestamptz not null
);

-- The workspaces that a role may read and write; the owner of the tables may use all.
create table workspace_roles (
    workspace_id text not null,
    role_name text not null,
    primary key (workspace_id, role_name)
);
