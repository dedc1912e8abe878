"""The contract of a store, put together from its parts. It must not know any store."""

from __future__ import annotations

from satchel.conformance.store_documents import Documents
from satchel.conformance.store_erasing import Erasing
from satchel.conformance.store_index import Indexing
from satchel.conformance.store_log import Logging
from satchel.conformance.store_reading import Reading
from satchel.conformance.store_threads import Threads
from satchel.conformance.store_writing import Writing


class StoreContract(Writing, Reading, Logging, Erasing, Indexing, Documents, Threads):
    """What every store does, the same and in the same order. A test class inherits it and offers the fixture `store`: an empty store."""
