"""Moving in: read another tool's memories, take them over with a receipt for each, prove that they arrived, and undo it.

It speaks to any `Memory`, embedded or remote, and must not know which store is behind it.
"""

from satchel.migrate.catalogue import KINDS, SourceInfo, detect, sources
from satchel.migrate.mapping import split_pairs
from satchel.migrate.report import MigrationReport
from satchel.migrate.run import migrate
from satchel.migrate.undo import undo
from satchel.migrate.verification import VerificationReport
from satchel.migrate.verify import verify

__all__ = ["KINDS", "MigrationReport", "SourceInfo", "VerificationReport", "detect", "migrate", "sources", "split_pairs", "undo", "verify"]
