"""Scanner for attacks, suspicious text and secrets.

A `Scanner` belongs to a home (`Context.scanner`): `scan` lists the findings of a text, `make_safe`
prepares a text for a model or a person. `safe_text.remove_attacks` leaves what may be stored.
`secrets.redact` removes secrets without a home. docs/security.md has the threat model.
"""
