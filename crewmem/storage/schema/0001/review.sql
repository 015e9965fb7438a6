-- The review queue. A closed item stays, with who decided what, when and why.
create table review_items (
    id text not null primary key,           -- r_ and 12 base32 characters
    workspace_id text not null,
    kind text not null,                     -- plan share fact contradiction voted-down quarantine
                                            -- merge outbox import skill
    status text not null default 'open',    -- open | approved | rejected
    title text not null,                    -- one line, for listings
    payload text not null,                  -- JSON; fields of each kind: review/store.py
    crew text not null default '',          -- slug of the crew whose lead may decide
    agent text not null default '',         -- slug of the agent it is about
    fact_id text not null default '',       -- the fact it is about
    item_key text not null default '',      -- unique among the open items of a kind
    created_by text not null,               -- actor, agent:ada
    created_at text not null,               -- RFC 3339, UTC, milliseconds
    decided_by text not null default '',
    decided_at text not null default '',
    decision text not null default '{}',    -- JSON: options of approve, and results
    reason text not null default ''         -- why it was rejected
) strict;

create index review_items_open on review_items (workspace_id, status, kind, item_key);
create index review_items_fact on review_items (fact_id) where fact_id <> '';
