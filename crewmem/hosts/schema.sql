-- Tables of a store besides the shared tables of the home, which are added as they are.

-- The store: one row.
create table store (
    one integer primary key check (one = 1),
    store_id text not null,
    schema integer not null,
    position bigint not null,
    hash text not null,
    journal_seq bigint not null
);

-- Transactions in order, without gaps.
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

-- Their rows; after a purge blank.
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

-- What a model made of texts: a cache. A purge empties that of its workspace.
create table embeddings (
    workspace_id text not null,
    store text not null,                 -- memory, facts or journal
    model text not null,
    vector_key bigint not null,          -- hash of the text
    vectors bytea not null,              -- float32, little-endian, a row for each piece of a text
    primary key (workspace_id, store, model, vector_key)
);

-- How far each mirror is.
create table mirrors (
    host text primary key,
    position bigint not null,
    seen_at timestamptz not null
);

-- Jobs that run once per workspace.
create table leases (
    name text primary key,
    host text not null,
    until timestamptz not null
);

-- Which role may read and write which workspace; the owner of the tables has all.
create table workspace_roles (
    workspace_id text not null,
    role_name text not null,
    primary key (workspace_id, role_name)
);
