"""How a persona posts where it does not say. Nobody else is told."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import update

from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.personas.tables import persona

AUDIENCES = ("public", "unlisted", "followers", "direct")
QUOTE_POLICIES = ("public", "followers", "nobody")
LONGEST_LANGUAGE = 35  # RFC 5646, section 4.4.1


@dataclass(frozen=True)
class Defaults:
    """What is to change; the rest (None) stays, and the language "" is none.

    Raises InvalidInput for what there is not.
    """

    audience: str | None = None
    sensitive: bool | None = None
    language: str | None = None
    quote_policy: str | None = None

    def __post_init__(self) -> None:
        """Refuse what there is not."""
        if self.audience is not None and self.audience not in AUDIENCES:
            raise InvalidInput(f"There is no audience “{self.audience[:40]}”.", f"Use {', '.join(AUDIENCES)}.")
        if self.quote_policy is not None and self.quote_policy not in QUOTE_POLICIES:
            raise InvalidInput(f"There is no policy “{self.quote_policy[:40]}”.", f"Use {', '.join(QUOTE_POLICIES)}.")
        word = self.language
        if word and not (len(word) <= LONGEST_LANGUAGE and word.isascii() and word.replace("-", "").isalnum()):
            raise InvalidInput("This is no language.", "A language is a code such as en.")


async def prefer(tx: Transaction, persona_id: int, new: Defaults) -> None:
    """From now on the persona posts so. Raises NotFound for no persona."""
    given: dict[str, Any] = {"audience": new.audience, "sensitive": new.sensitive, "quote_policy": new.quote_policy}
    changes = {name: value for name, value in given.items() if value is not None}
    if new.language is not None:
        changes["language"] = new.language or None
    if changes:
        done = await tx.execute(update(persona).where(persona.c.id == persona_id).values(**changes))
        if not done.rowcount:
            raise NotFound("There is no such persona.")
