"""The process of the command line: `satchel` and `python -m satchel`. It owns what makes a start fast, and knows nothing else."""

from __future__ import annotations

import gc
import os
import sys


def main() -> int:
    """Carry out the process's command line and return its exit code."""
    # Importing makes objects that stay: collecting among them costs a fifth of a short command. `Session.open` ends this.
    gc.disable()
    # Else pydantic looks through every installed package for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    from satchel.cli.main import run

    return run()


if __name__ == "__main__":
    sys.exit(main())
