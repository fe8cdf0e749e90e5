"""Looking up what a persona uploaded."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from sqlalchemy import bindparam, select

from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.media.tables import medium

WAITING, READY, FAILED = "waiting", "ready", "failed"
Use = Literal["post", "avatar", "header"]
WORN: tuple[Use, ...] = ("avatar", "header")  # what a persona has one of at most


@dataclass(frozen=True)
class Medium:
    """One row of `medium`: see the table for what each column means."""

    id: int
    actor_id: int
    use: Use
    state: str
    why: str
    kind: str
    alt: str
    focal_x: float | None
    focal_y: float | None
    blurhash: str
    colour: str
    width: int | None
    height: int | None
    duration: float | None
    animated: bool
    files: tuple[Mapping[str, Any], ...]
    source: str | None
    bytes: int
    post_id: int | None
    place: int
    created_at: float
    scheduled_id: int | None = None
    poster_source: str | None = None

    @property
    def unmade(self) -> tuple[str, ...]:
        """The stored names of what was uploaded and still waits, as it came."""
        return tuple(name for name in (self.source, self.poster_source) if name is not None)

    def file(self, role: str) -> Mapping[str, Any] | None:
        """The file that was made for this role (original, large, small, poster); None where there is none."""
        return next((file for file in self.files if file["role"] == role), None)


_FIELDS = tuple(field.name for field in fields(Medium))
_BY_ID = select(medium).where(medium.c.id == bindparam("id"))


def from_row(row: Any) -> Medium:
    """A Medium from a row that holds every column of the table under its own name."""
    values = {name: getattr(row, name) for name in _FIELDS}
    return Medium(**values | {"files": tuple(row.files)})


async def by_id(tx: Transaction, medium_id: int) -> Medium | None:
    """The upload with this number, whoever's it is."""
    row = await tx.first(_BY_ID, id=medium_id)
    return None if row is None else from_row(row)


async def by_ids(tx: Transaction, medium_ids: Collection[int]) -> dict[int, Medium]:
    """Those of these uploads that there are, by number, whosever they are."""
    if not medium_ids:
        return {}
    rows = await tx.all(select(medium).where(medium.c.id.in_(sorted(set(medium_ids)))))
    return {row.id: from_row(row) for row in rows}


async def known(tx: Transaction, medium_id: int) -> Medium:
    """The upload with this number; NotFound where there is none."""
    found = await by_id(tx, medium_id)
    if found is None:
        raise NotFound("There is no such upload.")
    return found
