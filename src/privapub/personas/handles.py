"""Which handles there may be (pure)."""

import re

from privapub.errors import InvalidInput

_HANDLE = re.compile(r"[A-Za-z0-9_]{1,30}")

# Names that would be taken for the server's own voice, or that mean a place.
RESERVED = frozenset(
    {
        "abuse", "actor", "actors", "account", "accounts", "admin", "administrator", "all", "anonymous", "api",
        "application", "everyone", "help", "here", "hostmaster", "inbox", "info", "instance", "internal", "mod",
        "moderator", "moderators", "nobody", "noreply", "no_reply", "official", "owner", "postmaster", "privapub",
        "public", "relay", "root", "security", "server", "staff", "support", "sysadmin", "system", "webmaster",
    }
)  # fmt: skip


def check(handle: str) -> str:
    """The handle in lower case, by which it is unique; InvalidInput where it cannot be one."""
    if not _HANDLE.fullmatch(handle):
        raise InvalidInput(
            f"“{handle[:40]}” cannot be a handle.", "Use 1 to 30 of the letters a to z, digits and the underscore."
        )
    if handle.lower() in RESERVED:
        raise InvalidInput(f"The handle “{handle}” is reserved.", "Choose another one.")
    return handle.lower()
