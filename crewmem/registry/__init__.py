"""Workspaces, crews and agents: who works here, and where their files are."""
