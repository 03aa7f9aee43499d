"""How long it takes to import what a notebook uses, above the start of Python: `imports.py`."""

from __future__ import annotations

import subprocess
import sys
import time

from measured import report

ROUNDS = 21
LIMIT_MS = 120
IMPORT = "from execution_planner import Planner, executable, notebook"


def main() -> None:
    """Start Python with and without the import, in turn. The package loads what is named."""
    # The first one compiles.
    start(IMPORT)
    extra = [start(IMPORT) - start("pass") for _ in range(ROUNDS)]
    report(f"`{IMPORT}`", extra, "ms", LIMIT_MS)


def start(program: str) -> float:
    """Milliseconds of a Python that runs this program."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True)
    return 1000 * (time.perf_counter() - begun)


if __name__ == "__main__":
    main()
