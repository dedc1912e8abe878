"""What the tests of stores share."""

from .postgres_server import postgres
from .redis_server import redis_server

__all__ = ["postgres", "redis_server"]
