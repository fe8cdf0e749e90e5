"""PostgreSQL's own client programs: finding them, and telling them where the database is but nobody its password."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import URL

from privapub.errors import OperatorError

# The parameters of a database URL that libpq takes from its environment (PostgreSQL documentation, "Environment
# Variables" of libpq); what else stands in a URL is a setting of the session.
_VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "database": "PGDATABASE",
    "dbname": "PGDATABASE",
    "password": "PGPASSWORD",
    "passfile": "PGPASSFILE",
    "service": "PGSERVICE",
    "servicefile": "PGSERVICEFILE",
    "ssl": "PGSSLMODE",
    "sslmode": "PGSSLMODE",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcrl": "PGSSLCRL",
    "ssl_min_protocol_version": "PGSSLMINPROTOCOLVERSION",
    "ssl_max_protocol_version": "PGSSLMAXPROTOCOLVERSION",
    "target_session_attrs": "PGTARGETSESSIONATTRS",
    "krbsrvname": "PGKRBSRVNAME",
    "gsslib": "PGGSSLIB",
    "options": "PGOPTIONS",
}
_SPACE, _ESCAPED = re.compile(r"([\\ ])"), r"\\\1"
_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")


def environment(url: URL, outer: Mapping[str, str]) -> dict[str, str]:
    """The variables by which libpq finds the database: a command line can be read by everyone on the machine."""
    values: dict[str, str] = {}
    for name, value in url.query.items():
        values[name] = value if isinstance(value, str) else ",".join(value)
    whole = (("host", url.host), ("port", url.port), ("user", url.username), ("database", url.database))
    values |= {name: str(value) for name, value in (*whole, ("password", url.password)) if value not in {None, ""}}
    ours = {_VARIABLES[name]: value for name, value in values.items() if name in _VARIABLES}
    session = [f"-c {name}={_SPACE.sub(_ESCAPED, value)}" for name, value in values.items() if name not in _VARIABLES]
    if session:
        ours["PGOPTIONS"] = " ".join([*([ours["PGOPTIONS"]] if "PGOPTIONS" in ours else []), *session])
    return {**outer, "LC_ALL": "C", **ours}


def find(name: str, folder: str, server: int) -> Path:
    """The path of pg_dump, pg_restore or psql: in this folder, or on the PATH where it is "".

    `server` is the server's major version, below which the program must not be. Raises OperatorError that says what to
    install.
    """
    where = f"in {folder}" if folder else "on the PATH"
    hint = (
        f"Install PostgreSQL's client programs {server} or newer (Debian: postgresql-client-{server}), "
        "or name their folder with PRIVAPUB_PG_TOOLS."
    )
    found = shutil.which(name, path=folder or None)
    if found is None:
        raise OperatorError(f"There is no {name} {where}.", hint)
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout  # noqa: S603 - the operator's own program
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        said = ""
    version = _VERSION.search(said)
    if version is None:
        raise OperatorError(f"{found} does not tell its version.", hint)
    if int(version[1]) < server:
        raise OperatorError(f"{found} is of PostgreSQL {version[1]}, and the server is {server}.", hint)
    return Path(found)


def what_it_said(errors: bytes) -> str:
    """The first line in which a program says what went wrong: those after it may hold what is in the rows."""
    lines = [line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "fatal" in line.lower()]
    return (telling or lines or ["it did not say why"])[0]


def outer() -> dict[str, str]:
    """The environment that this process was started with."""
    return dict(os.environ)
