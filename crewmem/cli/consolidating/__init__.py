"""Consolidation in a workspace: its tools, a run of it, and how that is told."""
