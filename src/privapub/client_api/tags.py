"""Hashtags: those that a persona follows, and those that it shows in its profile."""

from collections.abc import Iterable

from privapub import clock
from privapub.actors import featured_tags as featuring
from privapub.client_api.accounts import shown_tags
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.paging import paged
from privapub.client_api.shapes.tag import FeaturedTag, Tag, tag
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.markup.hashtags import is_hashtag, tag_key
from privapub.personas import read as personas
from privapub.posts import tag_read
from privapub.timelines import followed_tags

SUGGESTED = 10


async def shown(tx: Transaction, call: Call, names: Iterable[str]) -> list[Tag]:
    """These hashtags, in their order, as whoever calls sees them: two questions, none for each."""
    listed = list(names)
    if call.reader is None:
        return [tag(each, call.server.base_url) for each in listed]
    keys = {each: tag_key(each) for each in listed}
    followed = await followed_tags.among(tx, call.reader, keys.values())
    featured = {each.tag for each in await featuring.of_actor(tx, call.reader)}
    return [
        tag(each, call.server.base_url, following=keys[each] in followed, featuring=keys[each] in featured)
        for each in listed
    ]


async def one(call: Call) -> Tag:
    """`GET /api/v1/tags/{name}`: of any that there may be."""
    name = _name(call)
    async with call.server.database.read() as tx:
        return (await shown(tx, call, [name]))[0]


async def follow(call: Call) -> Tag:
    """`POST /api/v1/tags/{name}/follow`."""
    name = _name(call)
    async with call.server.database.write() as tx:
        await followed_tags.follow(tx, call.me, name, clock.now())
        return (await shown(tx, call, [name]))[0]


async def unfollow(call: Call) -> Tag:
    """`POST /api/v1/tags/{name}/unfollow`."""
    name = _name(call)
    async with call.server.database.write() as tx:
        await followed_tags.unfollow(tx, call.me, name)
        return (await shown(tx, call, [name]))[0]


async def feature(call: Call) -> Tag:
    """`POST /api/v1/tags/{id}/feature`."""
    name = _name(call)
    async with call.server.database.write() as tx:
        await featuring.feature(tx, call.me, name, clock.now())
        return (await shown(tx, call, [name]))[0]


async def unfeature(call: Call) -> Tag:
    """`POST /api/v1/tags/{id}/unfeature`."""
    name = _name(call)
    async with call.server.database.write() as tx:
        await featuring.unfeature(tx, call.me, name, clock.now())
        return (await shown(tx, call, [name]))[0]


async def followed(call: Call) -> Answer:
    """`GET /api/v1/followed_tags`."""
    async with call.server.database.read() as tx:
        page = await followed_tags.of(tx, call.me, call.window(200, 100))
        return paged(call, await shown(tx, call, [each.name for each in page.items]), page)


async def featured(call: Call) -> list[FeaturedTag]:
    """`GET /api/v1/featured_tags`."""
    async with call.server.database.read() as tx:
        return await shown_tags(tx, call, (await personas.known(tx, call.me)).actor)


async def feature_named(call: Call) -> FeaturedTag:
    """`POST /api/v1/featured_tags`."""
    name = call.text("name").strip().removeprefix("#")
    if not is_hashtag(name):
        raise InvalidInput("Tag is invalid")
    async with call.server.database.write() as tx:
        await featuring.feature(tx, call.me, name, clock.now())
        every = await shown_tags(tx, call, (await personas.known(tx, call.me)).actor)
    return next(each for each in every if each.id == tag_key(name))


async def unfeature_one(call: Call) -> dict[str, str]:
    """`DELETE /api/v1/featured_tags/{id}`."""
    async with call.server.database.write() as tx:
        if not await featuring.unfeature(tx, call.me, _name(call), clock.now()):
            raise NotFound
    return {}


async def suggested(call: Call) -> list[Tag]:
    """`GET /api/v1/featured_tags/suggestions`: what the persona writes most lately, and does not show yet."""
    async with call.server.database.read() as tx:
        shows = {each.tag for each in await featuring.of_actor(tx, call.me)}
        often = await tag_read.often(tx, call.me, SUGGESTED + len(shows))
        return await shown(tx, call, [each for each in often if each not in shows][:SUGGESTED])


def _name(call: Call) -> str:
    """The hashtag in the path; NotFound for what is none."""
    name = str(call.request.path_params["name"]).removeprefix("#")
    if not is_hashtag(name):
        raise NotFound
    return name


_FEATURES = ("write:accounts",)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/tags/{name}", one, who="anyone"),
    Endpoint("POST", "/api/v1/tags/{name}/follow", follow, ("write:follows",)),
    Endpoint("POST", "/api/v1/tags/{name}/unfollow", unfollow, ("write:follows",)),
    Endpoint("POST", "/api/v1/tags/{name}/feature", feature, _FEATURES),
    Endpoint("POST", "/api/v1/tags/{name}/unfeature", unfeature, _FEATURES),
    Endpoint("GET", "/api/v1/followed_tags", followed, ("read:follows",)),
    Endpoint("GET", "/api/v1/featured_tags", featured, ("read:accounts",)),
    Endpoint("POST", "/api/v1/featured_tags", feature_named, _FEATURES),
    Endpoint("GET", "/api/v1/featured_tags/suggestions", suggested, ("read:accounts",)),
    Endpoint("DELETE", "/api/v1/featured_tags/{name}", unfeature_one, _FEATURES),
)
