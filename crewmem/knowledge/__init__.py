"""What agents have told each other: memories that are shared, and how good they are."""
