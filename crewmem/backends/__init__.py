"""Programs and services that crewmem leans on, each behind a Protocol."""
