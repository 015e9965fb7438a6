-- Items that wait for a person, of every kind. A closed item stays with its decision: who, when,
-- what and why.
create table review_items (
    id text not null primary key,           -- r_ and 12 base32 characters
    workspace_id text not null,
    kind text not null,                     -- plan share fact contradiction voted-down quarantine
                                            -- merge outbox import skill
    status text not null default 'open',    -- open | approved | rejected
    title text not null,                    -- one line, for listings
    payload text not null,                  -- JSON; what each kind holds: review/store.py
    crew text not null default '',          -- slug of the crew whose lead may decide
    agent text not null default '',         -- slug of the agent it is about
    fact_id text not null default '',       -- the fact it is about
    item_key text not null default '',      -- two open items never have the same kind and key
    created_by text not null,               -- actor, agent:ada
    created_at text not null,               -- RFC 3339, UTC, milliseconds
    decided_by text not null default '',
    decided_at text not null default '',
    decision text not null default '{}',    -- JSON: the options of approve, and what was done
    reason text not null default ''         -- of a rejection
) strict;

create index review_items_open on review_items (workspace_id, status, kind, item_key);
create index review_items_fact on review_items (fact_id) where fact_id <> '';
