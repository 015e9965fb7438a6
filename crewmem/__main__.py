"""Start the command line: ``python -m crewmem``, and the script ``crewmem``."""

import gc
import os
import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line and end the process with its status."""
    # Most commands end before a collection could free anything; it costs them a fifth.
    gc.set_threshold(100_000, 50, 50)
    # Products of this size are slower with several threads. It must be set before numpy starts.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_missing_streams()
    try:
        from crewmem.cli.main import run  # here, so that importing this module costs nothing

        status = run(sys.argv[1:])
    except KeyboardInterrupt:  # before `run` began or after it ended
        status = INTERRUPTED
    gc.freeze()  # or the interpreter would look at every object again before it ends
    sys.exit(status)


def _open_missing_streams() -> None:
    """Lead streams that were closed to /dev/null, so that no file gets their numbers."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            # The lowest free number is that of the stream.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


if __name__ == "__main__":
    main()
