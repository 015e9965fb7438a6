"""Who works here: workspaces, their crews, and the crews' agents."""
