"""The journal: what happened in a workspace, append-only and hash-chained."""
