-- Workspaces, crews and agents. Removing one keeps its row, so that adding it again restores it.

-- A workspace: hard isolation, nothing crosses it.
create table workspaces (
    name text not null primary key,         -- a slug, as all names here
    description text not null default '',
    created_at text not null,               -- RFC 3339, UTC, milliseconds
    removed_at text                         -- null: registered
) strict;

-- A crew: a team of agents in a workspace.
create table crews (
    workspace_id text not null,
    name text not null,
    lead text not null default '',          -- slug of the agent that leads it; it may be added later
    description text not null default '',
    sharing text not null default 'review', -- review | lead | members: who may share facts
    consolidation text not null default 'auto',  -- auto | review
    created_at text not null,
    removed_at text,
    primary key (workspace_id, name)
) strict;

-- An agent. Its files are in its home crew.
create table agents (
    workspace_id text not null,
    slug text not null,
    crew text not null,                     -- its home crew
    memory integer not null default 1,      -- 0: excluded from prompts, hooks and jobs
    description text not null default '',
    created_at text not null,
    removed_at text,
    primary key (workspace_id, slug)
) strict;

create index agents_crew on agents (workspace_id, crew, slug);

-- Memberships of agents in crews other than their home crew.
create table memberships (
    workspace_id text not null,
    agent text not null,
    crew text not null,
    primary key (workspace_id, agent, crew)
) strict, without rowid;

create index memberships_crew on memberships (workspace_id, crew, agent);

-- Directories that an agent works in. Local: paths never leave the host.
create table agent_projects (
    workspace_id text not null,
    agent text not null,
    directory text not null,                -- absolute, symbolic links resolved
    repository text not null,               -- git's common directory; empty: no repository
    subdirectory text not null,             -- path within the work tree; empty: its root
    primary key (workspace_id, agent, directory)
) strict, without rowid;

create index agent_projects_directory on agent_projects (directory);
create index agent_projects_repository on agent_projects (repository) where repository <> '';
