"""What the tests of stores share."""

from .postgres_server import postgres

__all__ = ["postgres"]
