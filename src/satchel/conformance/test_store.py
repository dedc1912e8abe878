"""Collected by `pytest --pyargs satchel.conformance`: the store that `--satchel-store` names. It must not know which."""

from __future__ import annotations

from satchel.conformance.store_contract import StoreContract


class TestStore(StoreContract):
    """The store contract."""
