"""`python -m satchel` is the command line. It knows nothing else."""

import sys

from satchel.cli.main import run

sys.exit(run())
