"""Scanner for attacks, suspicious text and secrets.

A `Scanner` belongs to a home (`Context.scanner`): `scan` lists the findings of a text, `screen`
decides which parts may be stored, `make_safe` prepares a text for a model or a person.
`secrets.redact` removes secrets without a home. docs/security.md has the threat model.
"""
