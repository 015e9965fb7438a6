"""Scanner for attacks, suspicious text and secrets.

A `Scanner` belongs to a home (`Context.scanner`): `scan` lists what is found in a text, `screen`
decides what of it may be stored, `make_safe` makes it fit to be shown to a model or a person.
Secrets alone need no home: `secrets.redact` removes them. docs/security.md has the threat model.
"""
