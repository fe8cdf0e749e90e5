"""Where what is backed up stands, and what every step on the disk needs."""

import os
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url

from privapub.backups.manifest import Kind

MEDIA = "media"


@dataclass(frozen=True)
class Place:
    """An installation: its folder, its database, the address it answers at, and where PostgreSQL's programs are.

    `server` is the major version of the PostgreSQL (0 with SQLite); `tools` the folder of its programs, or ""; `kept`
    the folder of the media where that is not the one in `data`.
    """

    data: Path
    database: str
    base_url: str
    domain: str
    tools: str = ""
    server: int = 0
    kept: Path | None = None

    @property
    def url(self) -> URL:
        """The database's URL, taken apart."""
        return make_url(self.database)

    @property
    def kind(self) -> Kind:
        """Which kind of database it is."""
        return "sqlite" if self.url.get_backend_name() == "sqlite" else "postgresql"

    @property
    def file(self) -> Path:
        """The file of SQLite."""
        return Path(self.url.database or "")

    @property
    def media(self) -> Path:
        """The folder of the media, which may not be there."""
        return self.kept or self.data / MEDIA


def sync_folder(folder: Path) -> None:
    """See that the names in a folder are on the disk (where the system lets a folder be opened)."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def move(source: Path, target: Path) -> None:
    """Give a whole file its name; raises FileExistsError where the name is taken, by whomever and however late."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if target.exists():
            raise FileExistsError(target) from None
        source.rename(target)
    else:
        source.unlink()
    sync_folder(target.parent)
