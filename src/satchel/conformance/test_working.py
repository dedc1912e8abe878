"""Collected by `pytest --pyargs satchel.conformance`: the place that `--satchel-working` names. It must not know which."""

from __future__ import annotations

from satchel.conformance.working_contract import WorkingContract


class TestWorking(WorkingContract):
    """The contract of working memory."""
