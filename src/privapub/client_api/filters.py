"""Filters, as the second version of the API knows them: with words and posts; and as the first does, word by word."""

from collections.abc import Mapping
from typing import Any

from privapub import clock
from privapub.client_api import params, statuses
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Endpoint
from privapub.client_api.shapes.filter import (
    Filter,
    FilterKeyword,
    FilterStatus,
    V1Filter,
    keyword,
    named,
    of_filter,
    v1,
)
from privapub.errors import InvalidInput
from privapub.timelines import filter_parts, filters
from privapub.timelines.filter_parts import Change
from privapub.timelines.matching import ACTIONS, HIDE, PLACES, WARN

LONGEST = 100 * 366 * 86_400  # seconds after which a filter ends at the latest


async def every(call: Call) -> list[Filter]:
    """`GET /api/v2/filters`."""
    async with call.server.database.read() as tx:
        return [of_filter(each) for each in await filters.of(tx, call.me)]


async def one(call: Call) -> Filter:
    """`GET /api/v2/filters/{id}`."""
    async with call.server.database.read() as tx:
        return of_filter(await filters.by_id(tx, call.me, call.id()))


async def create(call: Call) -> Filter:
    """`POST /api/v2/filters`."""
    now = clock.now()
    changes = _changes(call)
    if not call.text("title").strip():
        raise InvalidInput("Title can't be blank")
    async with call.server.database.write() as tx:
        number = await filters.add(
            tx,
            call.me,
            call.text("title"),
            places=_places(call),
            action=_action(call),
            ends_at=_end(call, now),
            now=now,
        )
        if changes:
            await filter_parts.words(tx, call.me, number, changes, now)
        return of_filter(await filters.by_id(tx, call.me, number))


async def change(call: Call) -> Filter:
    """`PUT /api/v2/filters/{id}`: what is not given stays."""
    now = clock.now()
    changes = _changes(call)
    async with call.server.database.write() as tx:
        await filters.change(
            tx,
            call.me,
            call.id(),
            title=call.text("title") if call.has("title") else None,
            places=_places(call) if call.has("context") else None,
            action=_action(call) if call.has("filter_action") else None,
            now=now,
        )
        if "expires_in" in call.given:
            await filters.expire(tx, call.me, call.id(), _end(call, now))
        if changes:
            await filter_parts.words(tx, call.me, call.id(), changes, now)
        return of_filter(await filters.by_id(tx, call.me, call.id()))


async def remove(call: Call) -> dict[str, Any]:
    """`DELETE /api/v2/filters/{id}`."""
    async with call.server.database.write() as tx:
        await filters.by_id(tx, call.me, call.id())
        await filters.remove(tx, call.me, call.id())
    return {}


async def keywords(call: Call) -> list[FilterKeyword]:
    """`GET /api/v2/filters/{filter_id}/keywords`."""
    async with call.server.database.read() as tx:
        return [keyword(word) for word in (await filters.by_id(tx, call.me, call.id("filter_id"))).words]


async def add_keyword(call: Call) -> FilterKeyword:
    """`POST /api/v2/filters/{filter_id}/keywords`."""
    new = Change(None, call.text("keyword"), bool(call.flag("whole_word", default=True)))
    async with call.server.database.write() as tx:
        (made,) = await filter_parts.words(tx, call.me, call.id("filter_id"), [new], clock.now())
    return keyword(made)


async def one_keyword(call: Call) -> FilterKeyword:
    """`GET /api/v2/filters/keywords/{id}`."""
    async with call.server.database.read() as tx:
        return keyword((await filter_parts.with_word(tx, call.me, call.id()))[1])


async def change_keyword(call: Call) -> FilterKeyword:
    """`PUT /api/v2/filters/keywords/{id}`."""
    word = call.text("keyword") if call.has("keyword") else None
    async with call.server.database.write() as tx:
        of, _ = await filter_parts.with_word(tx, call.me, call.id())
        changed = Change(call.id(), word, call.flag("whole_word"))
        (made,) = await filter_parts.words(tx, call.me, of.id, [changed], clock.now())
    return keyword(made)


async def remove_keyword(call: Call) -> dict[str, Any]:
    """`DELETE /api/v2/filters/keywords/{id}`."""
    async with call.server.database.write() as tx:
        of, _ = await filter_parts.with_word(tx, call.me, call.id())
        await filter_parts.words(tx, call.me, of.id, [Change(call.id(), gone=True)], clock.now())
    return {}


async def named_statuses(call: Call) -> list[FilterStatus]:
    """`GET /api/v2/filters/{filter_id}/statuses`."""
    async with call.server.database.read() as tx:
        return [named(each) for each in (await filters.by_id(tx, call.me, call.id("filter_id"))).post_ids]


async def add_status(call: Call) -> FilterStatus:
    """`POST /api/v2/filters/{filter_id}/statuses`: one that the persona may see."""
    which = call.ids("status_id")
    async with call.server.database.write() as tx:
        post = await statuses.seen(tx, which[0] if which else 0, call.me)
        return named(await filter_parts.name_post(tx, call.me, call.id("filter_id"), post.id, clock.now()))


async def one_status(call: Call) -> FilterStatus:
    """`GET /api/v2/filters/statuses/{id}`."""
    async with call.server.database.read() as tx:
        return named((await filter_parts.with_post(tx, call.me, call.id()))[1])


async def remove_status(call: Call) -> FilterStatus:
    """`DELETE /api/v2/filters/statuses/{id}`: what it was is the answer."""
    async with call.server.database.write() as tx:
        of, pair = await filter_parts.with_post(tx, call.me, call.id())
        await filter_parts.unname_post(tx, call.me, of.id, call.id())
    return named(pair)


async def every_v1(call: Call) -> list[V1Filter]:
    """`GET /api/v1/filters`: each word is one."""
    async with call.server.database.read() as tx:
        return [v1(each, word) for each in await filters.of(tx, call.me) for word in each.words]


async def one_v1(call: Call) -> V1Filter:
    """`GET /api/v1/filters/{id}`."""
    async with call.server.database.read() as tx:
        return v1(*await filter_parts.with_word(tx, call.me, call.id()))


async def create_v1(call: Call) -> V1Filter:
    """`POST /api/v1/filters`."""
    now = clock.now()
    phrase = _phrase(call)
    async with call.server.database.write() as tx:
        number = await filters.add(
            tx,
            call.me,
            phrase,
            places=_places(call),
            action=HIDE if call.flag("irreversible") else WARN,
            words=[(phrase, bool(call.flag("whole_word", default=True)))],
            ends_at=_end(call, now),
            now=now,
        )
        made = await filters.by_id(tx, call.me, number)
    return v1(made, made.words[0])


async def change_v1(call: Call) -> V1Filter:
    """`PUT /api/v1/filters/{id}`. What belongs to several words is not changed for one of them."""
    now = clock.now()
    async with call.server.database.write() as tx:
        of, word = await filter_parts.with_word(tx, call.me, call.id())
        alone = len(of.words) == 1 and not of.post_ids
        places = _places(call) if call.has("context") else None
        action = None if (hides := call.flag("irreversible")) is None else (HIDE if hides else WARN)
        others = (places is not None and set(places) != set(of.places)) or (action is not None and action != of.action)
        if not alone and (others or call.has("expires_in")):
            raise InvalidInput("Cannot change this filter keyword's parameters in this client")
        await filters.change(tx, call.me, of.id, places=places, action=action, now=now)
        if "expires_in" in call.given:
            await filters.expire(tx, call.me, of.id, _end(call, now))
        phrase = _phrase(call) if call.has("phrase") else None
        await filter_parts.words(tx, call.me, of.id, [Change(word.id, phrase, call.flag("whole_word"))], now)
        return v1(*await filter_parts.with_word(tx, call.me, word.id))


async def remove_v1(call: Call) -> dict[str, Any]:
    """`DELETE /api/v1/filters/{id}`: with its last word the filter goes."""
    async with call.server.database.write() as tx:
        of, word = await filter_parts.with_word(tx, call.me, call.id())
        if len(of.words) == 1 and not of.post_ids:
            await filters.remove(tx, call.me, of.id)
        else:
            await filter_parts.words(tx, call.me, of.id, [Change(word.id, gone=True)], clock.now())
    return {}


def _phrase(call: Call) -> str:
    if not call.text("phrase").strip():
        raise InvalidInput("Phrase can't be blank")
    return call.text("phrase")


def _places(call: Call) -> list[str]:
    places = call.texts("context")
    if not places:
        raise InvalidInput("Context can't be blank")
    if set(places) - set(PLACES):
        raise InvalidInput("Context is invalid")
    return places


def _action(call: Call) -> str:
    action = call.text("filter_action") or WARN
    if action not in ACTIONS:
        raise InvalidInput("Filter action is not included in the list")
    return action


def _end(call: Call, now: float) -> float | None:
    """When the filter ends; never where nothing is said."""
    return now + call.number("expires_in", 0, 0, LONGEST) if call.text("expires_in").strip() else None


def _changes(call: Call) -> list[Change]:
    """`keywords_attributes`: what becomes of the words."""
    return [
        _change(call, each) for each in params.items(call.given.get("keywords_attributes")) if isinstance(each, dict)
    ]


def _change(call: Call, said: Mapping[str, Any]) -> Change:
    part = Call(call.server, call.request, call.token, said)
    which = part.ids("id")
    if part.has("id") and not which:
        raise InvalidInput("Keywords is invalid")
    new = not which
    word = part.text("keyword") if new or part.has("keyword") else None
    whole = part.flag("whole_word", default=True if new else None)
    return Change(which[0] if which else None, word, whole, gone=bool(part.flag("_destroy")))


_READ, _WRITE = ("read:filters",), ("write:filters",)
ENDPOINTS = (
    Endpoint("GET", "/api/v2/filters", every, _READ),
    Endpoint("POST", "/api/v2/filters", create, _WRITE),
    Endpoint("GET", "/api/v2/filters/{id}", one, _READ),
    Endpoint("PUT", "/api/v2/filters/{id}", change, _WRITE),
    Endpoint("DELETE", "/api/v2/filters/{id}", remove, _WRITE),
    Endpoint("GET", "/api/v2/filters/{filter_id}/keywords", keywords, _READ),
    Endpoint("POST", "/api/v2/filters/{filter_id}/keywords", add_keyword, _WRITE),
    Endpoint("GET", "/api/v2/filters/keywords/{id}", one_keyword, _READ),
    Endpoint("PUT", "/api/v2/filters/keywords/{id}", change_keyword, _WRITE),
    Endpoint("DELETE", "/api/v2/filters/keywords/{id}", remove_keyword, _WRITE),
    Endpoint("GET", "/api/v2/filters/{filter_id}/statuses", named_statuses, _READ),
    Endpoint("POST", "/api/v2/filters/{filter_id}/statuses", add_status, _WRITE),
    Endpoint("GET", "/api/v2/filters/statuses/{id}", one_status, _READ),
    Endpoint("DELETE", "/api/v2/filters/statuses/{id}", remove_status, _WRITE),
    Endpoint("GET", "/api/v1/filters", every_v1, _READ),
    Endpoint("POST", "/api/v1/filters", create_v1, _WRITE),
    Endpoint("GET", "/api/v1/filters/{id}", one_v1, _READ),
    Endpoint("PUT", "/api/v1/filters/{id}", change_v1, _WRITE),
    Endpoint("DELETE", "/api/v1/filters/{id}", remove_v1, _WRITE),
)
