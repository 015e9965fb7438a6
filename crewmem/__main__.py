"""Start the command line: ``python -m crewmem``, and the script ``crewmem``."""

import gc
import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line and end the process with its status."""
    # Most commands end before garbage collection frees anything; it would cost a fifth of the time.
    gc.set_threshold(100_000, 50, 50)
    # Matrix products of this size are slower with several threads. Set before numpy is imported.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_missing_streams()
    try:
        from crewmem.cli.main import run  # here, so that importing this module costs nothing

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # before `run` began or after it ended
        status = INTERRUPTED
    gc.freeze()  # spares a last collection of every object at exit
    sys.exit(status)


def _open_missing_streams() -> None:
    """Open closed standard streams on /dev/null, so that no file gets their descriptors."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            # The lowest free descriptor is the stream's own.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


if __name__ == "__main__":
    main()
