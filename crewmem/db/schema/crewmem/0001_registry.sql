-- Who works here. The files of crews and agents stay when a row goes.

-- One row a workspace: hard isolation, nothing crosses it.
create table workspaces (
    name text primary key,              -- a slug, as all names here
    description text not null default '',
    created_at text not null            -- RFC 3339, UTC, milliseconds
) strict, without rowid;

-- One row a crew: a team of agents in a workspace.
create table crews (
    workspace text not null references workspaces (name),
    name text not null,
    lead text,                          -- slug of the agent that leads it; may come later
    description text not null default '',
    settings text not null default '{}',  -- JSON object: what differs from the defaults
    created_at text not null,
    primary key (workspace, name)
) strict, without rowid;

-- One row an agent. Its files are in its home crew.
create table agents (
    workspace text not null,
    slug text not null,
    crew text not null,                 -- its home crew
    memory integer not null default 1,  -- 0: left out of prompts, recall and jobs
    description text not null default '',
    settings text not null default '{}',  -- JSON object: what differs from the defaults
    created_at text not null,
    primary key (workspace, slug),
    foreign key (workspace, crew) references crews (workspace, name)
) strict, without rowid;

create index agents_by_crew on agents (workspace, crew, slug);

-- One row a membership beside the home crew.
create table memberships (
    workspace text not null,
    slug text not null,
    crew text not null,
    primary key (workspace, slug, crew),
    foreign key (workspace, slug) references agents (workspace, slug) on delete cascade,
    foreign key (workspace, crew) references crews (workspace, name) on delete cascade
) strict, without rowid;

create index memberships_by_crew on memberships (workspace, crew, slug);
