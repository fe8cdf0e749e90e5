"""Whether an error says that the database cannot be used at the moment: it is away, full, locked or read-only. Pure.

Whoever asked does well to ask again later; the same error would be a fault of ours if it said that a table is missing.
"""

import errno
import sqlite3

from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

# What such errors are, seen from far: `is_outage` tells which of them it is.
ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, OSError)

_SQLITE = frozenset(
    {
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL,
    }
)  # fmt: skip
# Classes of SQLSTATE: no connection; no resources (a full disk too); stopped by the operator; the system's own trouble.
_POSTGRESQL = ("08", "53", "57", "58")
# Read-only; and what another try heals: a deadlock, two writers of one row.
_STATES = frozenset({"25006", "40001", "40P01"})
_NUMBERS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOENT})


def is_outage(error: BaseException) -> bool:
    """Whether the same thing may well go right a little later."""
    if isinstance(error, NoConnectionFree):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and _says_so(error.orig))
    return _says_so(error)


def _says_so(error: BaseException) -> bool:
    if isinstance(error, sqlite3.ProgrammingError) and "closed database" in str(error):  # it has no number
        return True
    if isinstance(error, sqlite3.Error):
        return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in _SQLITE
    state = getattr(error, "sqlstate", None)
    if isinstance(state, str):
        return state.startswith(_POSTGRESQL) or state in _STATES
    if isinstance(error, OSError):  # nobody listens where the database should, or a disk is full
        return isinstance(error, ConnectionError | TimeoutError) or error.errno in _NUMBERS
    return type(error).__name__ in {"InterfaceError", "InternalClientError"}  # of a driver: its connection was lost
