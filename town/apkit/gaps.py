"""What apkit cannot do as it is, filled in: answers, contexts that it has not bundled, and webfinger without https."""

import contextlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import apmodel.loader
from apkit.client.asyncio import ActivityPubClient
from apkit.models import Note as ApkitNote
from apkit.models import Object
from apmodel.registry import registry
from pydantic import Field, field_validator
from remembered import args


class Note(ApkitNote):
    """A note that may answer another: apkit takes no id there, and refuses every answer with a 400."""

    in_reply_to: str | Object | dict | None = Field(default=None)

    @field_validator("tag", mode="before")
    @classmethod
    def one_tag(cls, tags: object) -> object:
        """Apkit as it is refuses a tag outside a list, with a 400."""
        return [tags] if args.patient and isinstance(tags, dict) else tags


registry.register(Note, "https://www.w3.org/ns/activitystreams#Note")

_bundled_contexts = apmodel.loader.create_document_loader


def _contexts(*given: Any, **named: Any) -> Callable[..., dict]:
    """Contexts that apkit has not bundled count as empty here: it would fetch them from the web."""
    load = _bundled_contexts(*given, **named)

    def loader(url: str, options: dict | None = None) -> dict:
        with contextlib.suppress(Exception):
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
