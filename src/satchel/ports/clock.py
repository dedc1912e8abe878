"""`Clock`: what tells the present, and what tests move by days. It must not know who asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime. Tests move it by days."""
