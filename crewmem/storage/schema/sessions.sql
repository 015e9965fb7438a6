-- The index of session logs: derived from the logs and their kept copies. If the file is deleted,
-- the next `sessions sync` rebuilds it. One database for all workspaces of a home.

create table meta (key text not null primary key, value text not null) strict;

-- One row per log: a file of JSON lines, a document, or a session in another program's database.
-- A file that replaced another of the same name is a separate log.
create table logs (
    key integer not null primary key,
    id text not null unique,                -- l_ and 12 base32 characters: name of its kept copy
    path text not null,                     -- absolute
    inner text not null,                    -- id of the session in a database; else empty
    generation integer not null,            -- number of earlier logs with the same path
    program text not null,                  -- claude | codex | openclaw | gemini | opencode | plain
    workspace_id text not null,
    session integer,                        -- null until it has a turn
    inode integer not null,
    size integer not null,                  -- when it was last read
    mtime_ns integer not null,
    mark text not null,                     -- sha256 of the first bytes and of those before `offset`
    offset integer not null,                -- bytes that are indexed
    line integer not null,                  -- lines that are indexed
    fingerprint text not null,              -- of a document or session in a database
    copy_size integer not null,             -- bytes of the kept copy that contain those lines
    state text not null                     -- JSON: what the format's reader needs to continue
) strict;

create index logs_path on logs (path, inner, generation);

create table sessions (
    key integer not null primary key,
    id text not null unique,                -- s_ and 12 base32 characters, from program and native_id
    workspace_id text not null,
    agent_id text,                          -- slug; null: the workspace's operator
    crew_id text,
    program text not null,
    native_id text not null,                -- the program's own id
    project text not null,                  -- directory; empty when unknown
    branch text not null,
    title text not null,
    sidechain integer not null,             -- 1: a sub-agent's
    first_at text not null,
    last_at text not null,
    turns integer not null,
    drops integer not null                  -- large drops in context size without a summary
) strict;

create index sessions_time on sessions (workspace_id, last_at);

create table turns (
    key integer not null primary key,
    session integer not null,
    log integer not null,
    line integer not null,
    part integer not null,                  -- position of the turn within its line
    at text not null,                       -- empty when unknown
    role text not null,                     -- user | assistant | tool | system
    text text not null,                     -- secrets redacted, tool outputs shortened
    message_id text not null,
    uid integer not null unique,            -- equal in logs that repeat a turn, so it is indexed once
    tool text not null,
    flags integer not null                  -- 1 synthetic, 2 sidechain, 4 summary, 8 call, 16 result
) strict;

create index turns_place on turns (session, line, part);
create index turns_log on turns (log, line);

create virtual table turn_text using fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Bytes that FTS5 collects before it writes a segment: fewer merges when a long log is read.
insert into turn_text (turn_text, rank) values ('hashsize', 16777216);
-- Segments are merged sixteen at once, not a few with every batch.
insert into turn_text (turn_text, rank) values ('automerge', 0);

-- Tool calls and their results.
create table calls (
    turn integer not null primary key,
    log integer not null,
    call_id text not null,
    tool text not null,
    command text not null,                  -- shell command; else empty
    exit_status integer,
    failed integer,                         -- 0 or 1; null without a result
    result integer                          -- turn of the result
) strict;

create index calls_id on calls (log, call_id);
create index calls_command on calls (command, turn) where command <> '';

-- Files that a call read or changed.
create table touched (
    turn integer not null,
    path text not null,                     -- as the program wrote it
    name text not null,                     -- last component, in lower case
    is_change integer not null,
    primary key (turn, path)
) strict, without rowid;

create index touched_name on touched (name);
