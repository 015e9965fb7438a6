"""The registry of workspaces, crews and agents."""
