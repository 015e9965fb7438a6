-- Evidence for the fields of people's profiles: verbatim quotes. The profile itself is a memory
-- file, users/<slug>.md of a crew or peers/<slug>.md of an agent.
create table operator_fields (
    workspace_id text not null,
    subject text not null,                -- pseudonym of 16 hex digits, as in the file name
    crew_id text not null,                -- crew whose profile it is
    agent_id text not null default '',    -- agent of a peer card; '' for the crew's profile
    key text not null,                    -- role, owns, constraint …
    value text not null,
    quote text not null,                  -- exact excerpt of one of the person's turns
    turn integer not null,                -- number of that turn, counted from 1
    learned_at text not null,
    primary key (workspace_id, subject, crew_id, agent_id, key)
) strict;

-- People who opted out of profiles.
create table operator_optouts (
    workspace_id text not null,
    subject text not null,
    opted_out_at text not null,
    primary key (workspace_id, subject)
) strict;
