"""What apkit cannot do as it is, filled in: answers, polls, quotes, profiles that move, contexts that it has not
bundled, and webfinger without https.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import apmodel.loader
from apkit.client.asyncio import ActivityPubClient
from apkit.models import Accept as ApkitAccept
from apkit.models import Activity, Object
from apkit.models import Create as ApkitCreate
from apkit.models import Note as ApkitNote
from apkit.models import Person as ApkitPerson
from apkit.models import Question as ApkitQuestion
from apkit.models import Update as ApkitUpdate
from apmodel._core._jsonjd.loader import PRELOAD_JSONLD_PATH_MAPPINGS
from apmodel.registry import registry
from pydantic import Field, SerializeAsAny, field_validator
from remembered import args


class Note(ApkitNote):
    """A note that may answer another: apkit takes no id there, and refuses every answer with a 400."""

    in_reply_to: str | Object | dict | None = Field(default=None)
    quote: str | None = Field(default=None)
    quote_authorization: str | None = Field(default=None)

    @field_validator("tag", mode="before")
    @classmethod
    def one_tag(cls, tags: object) -> object:
        """Apkit as it is refuses a tag outside a list, with a 400."""
        return [tags] if args.patient and isinstance(tags, dict) else tags


class Question(ApkitQuestion):
    """A poll with its answers: apkit takes one answer only, and refuses a list of them with a 400."""

    one_of: Any = Field(default=None)
    any_of: Any = Field(default=None)
    end_time: str | None = Field(default=None)
    voters_count: int | None = Field(default=None)
    in_reply_to: str | Object | dict | None = Field(default=None)
    quote: str | None = Field(default=None)
    quote_authorization: str | None = Field(default=None)


class Person(ApkitPerson):
    """Somebody who shows pinned posts, and may move."""

    featured: str | None = Field(default=None)
    moved_to: str | None = Field(default=None)
    also_known_as: list[str] | None = Field(default=None)


class Accept(ApkitAccept):
    """An answer whose result is named by its id: apkit takes a whole document there, and answers an id with a 400."""

    result: Any = Field(default=None)


class Create(ApkitCreate):
    """Apkit sends of an object only what every object has: no answers of a poll, no quote."""

    object: SerializeAsAny[str | Object | dict | None] = Field(default=None)


class Update(ApkitUpdate):
    """The same."""

    object: SerializeAsAny[str | Object | dict | None] = Field(default=None)


class QuoteRequest(Activity):
    """FEP-044f, of which apkit knows nothing."""

    type: str | None = Field(default="QuoteRequest", kw_only=True, frozen=True)
    instrument: Any = Field(default=None)


registry.register(Note, "https://www.w3.org/ns/activitystreams#Note")
registry.register(Question, "https://www.w3.org/ns/activitystreams#Question")
registry.register(Person, "https://www.w3.org/ns/activitystreams#Person")
registry.register(Accept, "https://www.w3.org/ns/activitystreams#Accept")
registry.register(Create, "https://www.w3.org/ns/activitystreams#Create")
registry.register(Update, "https://www.w3.org/ns/activitystreams#Update")
registry.register(QuoteRequest, "https://w3id.org/fep/044f#QuoteRequest")

_bundled_contexts = apmodel.loader.create_document_loader


def _contexts(*given: Any, **named: Any) -> Callable[..., dict]:
    """Contexts that apkit has not bundled count as empty here: it would fetch them from the web, and stand still."""
    load = _bundled_contexts(*given, **named)

    def loader(url: str, options: dict | None = None) -> dict:
        if url in PRELOAD_JSONLD_PATH_MAPPINGS:
            return load(url, options or {})
        return {"contextUrl": None, "documentUrl": url, "document": {"@context": {}}}

    return loader


apmodel.loader.create_document_loader = _contexts


class Client(ActivityPubClient):
    """apkit asks `acct:` addresses by https only; on the loopback there is no https."""

    async def _request(self, method: str, str_or_url: Any, **named: Any) -> Any:
        url = str(str_or_url)
        if url.startswith("https:") and urlsplit(url).hostname in ("localhost", "127.0.0.1"):
            url = "http:" + url.removeprefix("https:")
        return await super()._request(method, url, **named)
