-- Watermarks of the sources of consolidation: notes, lessons files, the journal, session facts. A
-- source that has not changed is not read again.
create table consolidation_watermarks (
    workspace_id text not null,
    crew text not null,                     -- slug
    agent text not null,                    -- slug; empty: the crew's source
    source text not null,                   -- agent:harbor/ada/daily/2026-05-01.md | journal | facts
    position text not null,                 -- sha256 of a file, or time and id of the last row read
    read_at text not null,                  -- RFC 3339, UTC, milliseconds
    primary key (workspace_id, crew, agent, source)
) strict;

-- Candidates of consolidation: statements that must recur before promotion, and decided ones.
create table consolidation_candidates (
    id text not null primary key,           -- c_ and 12 hexadecimal digits, from owner and text
    workspace_id text not null,
    crew text not null,
    agent text not null,                    -- empty: the crew's candidate
    is_marked integer not null,             -- 1: a note marks it as durable; once is enough
    kind text not null,                     -- fact kind
    text text not null,                     -- wording of the first occurrence
    status text not null,                   -- open | proposed | applied | rejected
    first_day text not null,                -- 2026-05-01
    last_day text not null,                 -- open candidates are deleted 30 days after it
    evidence text not null,                 -- JSON: a list of each place's reference, hash, day,
                                            -- source, owner, origin and section
    origin text not null,                   -- operator | agent | external
    target text not null default '',        -- file or fact id it was promoted to
    probability real not null default 0,    -- probability that it is durable
    topic text not null default '',         -- heading or label line above it
    changed_at text not null
) strict;

create index consolidation_candidates_owner
    on consolidation_candidates (workspace_id, crew, agent, status);
