"""The index's own rules."""

import hashlib

from crewmem.db.migrate import steps
from crewmem.files.store import SCHEMA_VERSION

SCHEMAS = {
    1: "e7826e6c054400ae",
    2: "daabc8394f2d397a",
    3: "cd06eedad6f3055b",
    4: "984d95b634b11b97",
}
"""The schema of each version of the index, as a hash of its text."""


def test_another_schema_has_another_version():
    """An index is rebuilt when its version differs, so a schema has its own."""
    ((_, sql),) = steps("index")
    digest = hashlib.sha256(sql.encode()).hexdigest()[:16]
    assert SCHEMAS[SCHEMA_VERSION] == digest
