-- The words of one memory directory. Derived: delete the file and reindex.

-- How the index was made: 'chunk_chars', 'max_file_bytes', 'indexed_at' (nanoseconds
-- since 1970), how many 'files', 'chunks' and 'bytes' are indexed, how many 'rows' the
-- full text has, and how many others were 'deleted' by somebody else than crewmem.
create table about (
    key text primary key,
    value any not null
) strict, without rowid;

-- One row a directory that was walked; '' is the memory directory itself.
create table directories (
    path text primary key,       -- below the memory directory, with forward slashes
    listing blob not null,       -- names and stamps of its files, as files/listing.py packs them
    sign blob not null           -- as long as it holds the names are these, as files/signs.py packs it
) strict, without rowid;

-- One row a markdown file that was seen, also one that could not be indexed.
create table files (
    id integer primary key,
    directory text not null,     -- as in directories
    name text not null,
    tier text not null,
    size integer not null,       -- in bytes
    mtime_ns integer not null,
    content_hash blob,           -- of its bytes; null when it was skipped
    first_chunk integer,         -- its chunks have consecutive ids from here
    chunks integer not null,
    lossy integer not null,      -- 1 when bytes were replaced because they are not UTF-8
    skipped text,                -- why it is not indexed, else null
    unique (directory, name)
) strict;

-- What a search says it could not search; nearly always nothing.
create index files_left on files (directory, name) where skipped is not null or lossy;

-- One row a chunk, in the order of its file.
create table chunks (
    id integer primary key,
    file_id integer not null,
    first_line integer not null, -- counted from 1
    last_line integer not null,  -- inclusive
    heading text not null,       -- breadcrumb below the file
    body text not null           -- as it is shown
) strict;

-- The words of the chunks, by chunk id. Contentless: what is indexed differs from
-- what is shown (the heading column also holds the words of the file's name, and of
-- front matter only the values; letters of scripts without spaces stand apart), and
-- the text is kept once.
create virtual table words using fts5(
    heading,
    body,
    content = '',
    contentless_delete = 1,
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- How many chunks hold each stem.
create virtual table vocabulary using fts5vocab(words, row);

-- Who deletes rows by hand leaves an index that misses them, and nothing to tell it by.
create trigger files_deleted after delete on files begin
    update about set value = value + 1 where key = 'deleted';
end;
create trigger chunks_deleted after delete on chunks begin
    update about set value = value + 1 where key = 'deleted';
end;
