"""What happened in each workspace, in order, never rewritten."""
