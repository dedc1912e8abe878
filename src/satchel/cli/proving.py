"""Commands that prove: conformance of a server, and the demonstration.

It must not know any test or any step.
"""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
