"""Schemas that grow."""

import pytest


@pytest.fixture
def schema(reachable):
    """``schema("create table a (x)", …)``: a schema of these steps, by its name."""

    def write(*steps):
        folder = reachable / "schema"
        folder.mkdir(exist_ok=True)
        for number, sql in enumerate(steps, 1):
            (folder / f"{number:04}_step.sql").write_text(sql, "utf-8")
        return str(folder)

    return write
