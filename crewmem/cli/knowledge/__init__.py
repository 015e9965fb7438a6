"""The commands on what agents have told each other."""
