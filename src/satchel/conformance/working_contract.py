"""The contract of a place for working memory, put together from its parts. It must not know any place."""

from __future__ import annotations

from satchel.conformance.working_listing import WorkingListing
from satchel.conformance.working_saving import WorkingSaving


class WorkingContract(WorkingSaving, WorkingListing):
    """What every `WorkingStore` does. A test class inherits it and offers the fixture `working`: a place without sessions."""
