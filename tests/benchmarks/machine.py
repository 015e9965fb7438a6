"""What a run was measured on."""

from __future__ import annotations

import os
import platform


def machine() -> dict[str, object]:
    """Return what bears on the figures; load is the mean of the last minute."""
    import apsw

    return {
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }
