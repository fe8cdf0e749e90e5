"""How a persona posts where it does not say. Nobody else is told."""

from typing import Any

from sqlalchemy import update

from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.personas.tables import persona

AUDIENCES = ("public", "unlisted", "followers", "direct")
QUOTE_POLICIES = ("public", "followers", "nobody")
LONGEST_LANGUAGE = 35  # RFC 5646, section 4.4.1


async def prefer(
    tx: Transaction,
    persona_id: int,
    *,
    audience: str | None = None,
    sensitive: bool | None = None,
    language: str | None = None,
    quote_policy: str | None = None,
) -> None:
    """Change what is given and leave the rest; the language "" is none.

    Raises NotFound for no persona, InvalidInput for what there is not.
    """
    if audience is not None and audience not in AUDIENCES:
        raise InvalidInput(f"There is no audience “{audience[:40]}”.", f"Use {', '.join(AUDIENCES)}.")
    if quote_policy is not None and quote_policy not in QUOTE_POLICIES:
        raise InvalidInput(f"There is no policy “{quote_policy[:40]}”.", f"Use {', '.join(QUOTE_POLICIES)}.")
    if language and not (len(language) <= LONGEST_LANGUAGE and language.replace("-", "").isalnum()):
        raise InvalidInput("This is no language.", "A language is a code such as en.")
    given: dict[str, Any] = {"audience": audience, "sensitive": sensitive, "quote_policy": quote_policy}
    changes = {name: value for name, value in given.items() if value is not None}
    if language is not None:
        changes["language"] = language or None
    if changes:
        done = await tx.execute(update(persona).where(persona.c.id == persona_id).values(**changes))
        if not done.rowcount:
            raise NotFound("There is no such persona.")
