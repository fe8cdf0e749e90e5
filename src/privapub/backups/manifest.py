"""What a backup says of itself, and whether it belongs here (pure)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from privapub.errors import Conflict, InvalidInput
from privapub.migrations.halves import serves

FORMAT = 1

Kind = Literal["sqlite", "postgresql"]
NAMES: dict[Kind, str] = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


class Database(msgspec.Struct, frozen=True):
    """The database's copy: of which kind, with which schema; its size in bytes and its hash."""

    kind: Kind
    schema: str
    bytes: int
    sha256: str


class Media(msgspec.Struct, frozen=True):
    """The media: how many files and bytes; the hash is of a line for each file, in their order in the backup."""

    files: int
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """The last file of a backup: `version` is the program's, `made_at` RFC 3339."""

    format: int
    version: str
    base_url: str
    domain: str
    made_at: str
    database: Database
    media: Media


class _Format(msgspec.Struct):
    format: int


def encode(manifest: Manifest) -> bytes:
    """As the backup holds it."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


def decode(text: bytes) -> Manifest:
    """What `encode` wrote; raises InvalidInput for anything else."""
    try:
        if (found := msgspec.json.decode(text, type=_Format).format) != FORMAT:
            raise InvalidInput(
                f"The backup has format {found}, and this program reads format {FORMAT}.",
                "Restore it with the PrivaPub that made it.",
            )
        return msgspec.json.decode(text, type=Manifest)
    except (msgspec.DecodeError, RecursionError):
        raise InvalidInput("The manifest of the backup cannot be read.") from None


def judge(
    manifest: Manifest, *, kind: str, revisions: Sequence[str], base_url: str, domain: str, other_domain: bool
) -> None:
    """Whether a backup may be restored where these settings hold, by a program that knows these schemas.

    Raises Conflict, with what to do, where not.
    """
    if manifest.database.kind != kind:
        raise Conflict(
            f"The backup is of {NAMES[manifest.database.kind]}, and the settings name another kind of database.",
            "Look at PRIVAPUB_DATABASE_URL.",
        )
    schema = manifest.database.schema
    if schema not in revisions and not serves(schema, revisions[-1]):
        raise Conflict(
            f"The backup has schema {schema}, which is newer than this program, whose last is {revisions[-1]}.",
            f"Install PrivaPub {manifest.version} or newer.",
        )
    theirs, ours = (manifest.base_url, manifest.domain), (base_url, domain)
    if theirs != ours and not other_domain:
        raise Conflict(
            f"The backup is of {theirs[1]} at {theirs[0]}, and the settings say {ours[1]} at {ours[0]}. "
            "The addresses of its personas are in the backup, and other servers know them by these alone.",
            "Set PRIVAPUB_BASE_URL and PRIVAPUB_HANDLE_DOMAIN to what they were. "
            "To look into a copy that speaks to nobody, say --other-domain.",
        )
