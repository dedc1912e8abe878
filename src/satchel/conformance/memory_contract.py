"""The contract of a memory, put together from its parts. It must not know whether a memory is embedded or remote, or what it rests in."""

from __future__ import annotations

from satchel.conformance.memory_changing import Changing
from satchel.conformance.memory_forgetting import Forgetting
from satchel.conformance.memory_keeping import Keeping
from satchel.conformance.memory_packages import Packages
from satchel.conformance.memory_reading import Reading
from satchel.conformance.memory_recalling import Recalling
from satchel.conformance.memory_seeing import Seeing
from satchel.conformance.memory_sessions import Sessions
from satchel.conformance.memory_writing import Writing


class MemoryContract(Writing, Changing, Reading, Recalling, Forgetting, Packages, Seeing, Sessions, Keeping):
    """What every `Memory` does, whoever carries it out. A test class inherits it and offers the fixture `memory`.

    The memory may hold other things: each test keeps to scopes of its own.
    """
