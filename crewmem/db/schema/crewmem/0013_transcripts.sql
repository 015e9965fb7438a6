-- How far session logs are read, what was learned of them, and what they lost.

-- One row a log: up to where it was read, and what has to be known to read on.
create table transcript_cursors (
    workspace_id text not null,
    path text not null,                 -- without the end that says it is compressed
    session text not null default '',   -- of a database that holds several; else ''
    agent_id text not null,             -- whose memories are made of it
    harness text not null,
    device integer not null,
    inode integer not null,
    head_bytes integer not null,        -- of how many bytes the next is; of rows: 0
    head_sha256 text not null,          -- of its beginning
    tail_sha256 text not null default '',   -- of what is before at_byte
    at_byte integer not null,           -- the byte behind the last line that was read
    line integer not null,              -- its number
    state text not null default '{}',   -- JSON: what the format knows of lines before
    size integer not null,              -- of the file when it was read to its end
    mtime_ns integer not null,          -- the same, when it was last changed
    turns integer not null default 0,
    skipped integer not null default 0, -- lines that could not be read
    skipped_lines text not null default '[]',   -- JSON: the numbers of the first
    drops integer not null default 0,   -- of tokens, without any summary
    turn_at text,                       -- of the newest turn
    learned_at text,                    -- of the newest turn of which anything is kept
    read_at text not null,
    primary key (workspace_id, path, session)
) strict, without rowid;

-- One row a turn that something was learned of: read again, it is not told again.
create table transcript_learned (
    workspace_id text not null,
    agent_id text not null,
    turn text not null,                 -- by what it is known in any file
    content_hash text not null,         -- of the memory
    kind text not null,
    memory text not null,               -- its id
    at text not null,
    primary key (workspace_id, agent_id, turn, content_hash)
) strict, without rowid;

-- What a language model was to be asked, and could not: it is asked again.
create table transcript_letters (
    seq integer primary key,
    id text not null,                   -- d_ and 12 characters
    workspace_id text not null,
    agent_id text not null,
    harness text not null,
    path text not null,
    session text not null default '',
    first_byte integer not null,        -- that the part begins at
    last_byte integer not null,         -- behind it
    line integer not null,              -- how many lines are before it
    state text not null,                -- JSON: what the format knew there
    turns_sha256 text not null,         -- of what was said in it
    attempts integer not null,
    error text not null,                -- of the last try
    first_at text not null,
    next_at text not null,
    status text not null default 'open' check (status in ('open', 'given up', 'gone')),
    unique (workspace_id, id),
    unique (workspace_id, agent_id, path, session, first_byte, last_byte)
) strict;

create index letters_due on transcript_letters (workspace_id, status, next_at);

-- One row a time that a program lost context, and what was given back.
create table context_losses (
    seq integer primary key,
    id text not null,                   -- l_ and 12 characters
    workspace_id text not null,
    agent_id text not null,
    harness text not null,
    session text not null,
    key text not null,                  -- of the mark, so that it is told once
    how text not null,                  -- the mark by which it was seen
    at text not null,
    before_tokens integer,
    after_tokens integer,
    detected_at text not null,
    recovered_at text,
    recovered_tokens integer,
    recovered text not null default '[]',   -- JSON: the ids of what was given back
    unique (workspace_id, id),
    unique (workspace_id, agent_id, key)
) strict;

create index losses_by_session
    on context_losses (workspace_id, agent_id, session, at);
