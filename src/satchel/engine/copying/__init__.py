"""A whole store copied into another, whatever each of them is (STO-7).

The source's change log is replayed into the target, so that any two stores will do and a copy goes on where it was killed. It must not
know any store.
"""

from satchel.engine.copying.bookmark import require_copyable, unfinished
from satchel.engine.copying.copier import Progress, copy_store
from satchel.engine.copying.report import CopyReport

__all__ = ["CopyReport", "Progress", "copy_store", "require_copyable", "unfinished"]
