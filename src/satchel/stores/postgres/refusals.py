"""What a server's words of refusal mean for who reads them: what to mend, and whether to wait is of any use.

It must not know what was attempted. A driver gives the code of a statement's error, but of a refused connection only the words, which are
English on most servers: what is not known here is told as the server said it.
"""

from __future__ import annotations

import re

_REFUSED = (
    (r'database "[^"]*" does not exist', "make it first, as in: createdb NAME"),
    (r'role "[^"]*" does not exist', "name another user in the URL, as in postgresql://USER@host/database, or make this one"),
    (r"password authentication failed", "the URL's user or password is wrong"),
    (r"no password supplied", "give one in the URL (user:password@host), in PGPASSWORD or in ~/.pgpass"),
    (
        r"no pg_hba\.conf entry|authentication failed for user",
        "its pg_hba.conf says who may come in, from where and how",
    ),
    (r"does not support SSL|SSL was required", "leave sslmode out of the URL, or switch TLS on at the server"),
    (
        r"certificate verify failed|certificate has expired",
        "sslrootcert in the URL names who signed the server's certificate",
    ),
)
"""The server is there and says no: the same will be said a second later."""

_LACKING = (
    (r"failed to resolve host|could not translate host name", "is the host's name spelled right?"),
    (r"Connection refused", "is the server running, and on this port?"),
    (r"No such file or directory", "is the server running, and its socket in this folder?"),
    (r"permission denied to create extension", "have its owner run, once, in this database: CREATE EXTENSION vector"),
    (r"permission denied for database", "have its owner run: GRANT CREATE ON DATABASE … TO this user, or make the store as another user"),
    (r"permission denied for (?:schema|table|sequence)", "open the store as the user who made it, or have that user grant its tables"),
)


def is_refused(reason: str) -> bool:
    """Tell whether a server refused a connection for good, so that waiting for it is in vain."""
    return _found(_REFUSED, reason) is not None


def advice_on(reason: str) -> str | None:
    """Return what may be done about it, where that is known."""
    return _found(_REFUSED + _LACKING, reason)


def _found(table: tuple[tuple[str, str], ...], reason: str) -> str | None:
    return next((advice for pattern, advice in table if re.search(pattern, reason)), None)
