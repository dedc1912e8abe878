"""Commands for moving in: sources, migrate, verify, undo, imports.

It must not know any foreign format.
"""

from __future__ import annotations

import typer


def register(app: typer.Typer) -> None:
    """Add this noun's commands."""
