-- What is known of how persons work, besides the cards in users/ and peers/: what they
-- said, word for word, whether they want to be known, and who looked. No row names a
-- person: who it is of is told by the slug of the name.

-- One row a person of whom something was kept, or who does not want that.
create table operator_consents (
    workspace_id text not null,
    slug text not null,                 -- 16 hex digits, as the card is called
    opted_out integer not null check (opted_out in (0, 1)),
    opted_out_at text,                  -- RFC 3339, UTC, milliseconds
    updated_at text not null,
    primary key (workspace_id, slug)
) strict, without rowid;

-- One row a line of a card that was observed, with the evidence for it.
create table operator_facts (
    workspace_id text not null,
    slug text not null,
    card text not null,                 -- as crew:harbor/users/<slug>.md
    field text not null,                -- role, owns, constraint, ...
    value text not null,
    quote text not null,                -- of the person's own turns
    observed_at text not null,
    observed_by text not null,          -- an actor
    primary key (workspace_id, slug, card, field)
) strict, without rowid;

-- One row a time that somebody wrote, read or erased what is known of a person. What it
-- was that they erased is not in it.
create table operator_audit (
    id integer primary key,
    workspace_id text not null,
    slug text not null,
    at text not null,
    actor text not null,
    action text not null
        check (action in ('write', 'read', 'forget', 'delete', 'opt_out', 'opt_in')),
    card text,                          -- null for all of them
    fields text not null default ''     -- names of fields, parted by spaces
) strict;

create index operator_audit_by_person on operator_audit (workspace_id, slug, id);
