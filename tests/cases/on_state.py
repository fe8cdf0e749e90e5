"""Expectations on what is stored: posts, relations, actors, counts."""

import json
import re

from cases import clients, verbs
from cases.play import MUST, MUST_NOT, Play
from cases.words import Unknown
from fakes.activities import post_at
from makers import at_home
from privapub.actors.read import Actor
from privapub.errors import PrivaPubError
from privapub.posts import read as posts
from privapub.posts.read import Post

LARGEST = 20_000  # letters of one text, bytes of one list
MANY = 50  # a list of a profile, people that are told of a post, requests that it causes


async def actor_named(play: Play, name: str) -> Actor:
    found = play.on.ours.get(name) or await play.world.actor(play.on.named(name).uri)
    assert found is not None, f"{name} is not known"
    return found


async def the_post(play: Play) -> Post:
    """What is held of the last post that the case brings."""
    uri = play.activity["object"]["id"]
    found = await post_at(play.world, uri)
    assert found is not None, f"{uri} is not stored"
    return found


async def shown(play: Play, uri: str) -> bool:
    """Whether a post is held, and may be seen by anybody, or at home by someone here."""
    found = await post_at(play.world, uri)
    if found is None or found.audience in (posts.PUBLIC, posts.UNLISTED):
        return found is not None
    async with play.world.database.read() as tx:
        homes = [post.uri for ours in play.on.ours.values() for post in await at_home(tx, ours.id)]
    return uri in homes


@MUST.on(r"(\w+) is (not )?in (https://\S+)")
async def in_followers(play: Play, name: str, negated: str | None, collection: str) -> None:
    (owner,) = [ours for ours in play.on.ours.values() if collection == ours.followers]
    state = await verbs.follow_state(play.world, await actor_named(play, name), owner)
    assert (state == "accepted") is not bool(negated), f"the follow is {state}"


@MUST.on(r"(https://\S+) is (not )?(?:visible|stored|shown)")
async def visible(play: Play, uri: str, negated: str | None) -> None:
    assert await shown(play, uri) is not bool(negated)


@MUST.on(r"(https://\S+) is not visible in any timeline, search or API")
async def nowhere(play: Play, uri: str) -> None:
    """Neither where posts are listed nor by its number, for anybody."""
    assert not await shown(play, uri)
    async with play.world.database.read() as tx:
        held = await posts.by_uri(tx, uri)
    lists = ["/api/v1/timelines/home", "/api/v1/timelines/public", "/api/v1/timelines/public?local=true"]
    lists += ["/api/v1/notifications", "/api/v1/conversations", "/api/v1/bookmarks", "/api/v1/favourites"]
    for who in play.on.ours.values():
        found = [await clients.get(play.world, who, path) for path in lists]
        assert uri not in json.dumps(found)
        assert await clients.number_of(play.world, who, uri) is None
        for path in () if held is None else ("", "/context", "/history", "/source", "/favourited_by"):
            reply = await clients.ask(play.world, who, "GET", f"/api/v1/statuses/{held.id}{path}")
            assert reply.status == 404, reply.what


@MUST.on(r"(alice\.note1|https://\S+) has (no|one|a) (like|boost|reply) from (\w+)")
async def has(play: Play, uri: str, count: str, what: str, name: str) -> None:
    uri = play.on.placeholders.get(uri, uri)
    if what == "reply":
        raise Unknown("count", what)
    who = await {"like": verbs.likes, "boost": verbs.boosts}[what](play.world, uri)
    assert (play.on.named(name).uri in who) is (count != "no"), who


@MUST.on(r"no new (actor|post|follow) row")
async def no_new(play: Play, table: str) -> None:
    assert (await play.on.state(table))[table] == play.before[table]


@MUST.on(r"stored state is byte-for-byte what it was before the variant", r"nothing (?:is )?changed")
async def the_same(play: Play) -> None:
    assert await play.on.state() == play.before


@MUST_NOT.on(
    r"accept because the hosts are equal",
    r"judge ownership from fields inside the new payload instead of the stored owner",
)
async def nobody_else(play: Play) -> None:
    """Whoever is not the owner changes nothing."""
    assert await play.on.state() == play.before


@MUST_NOT.on(r"let (\w+)'s Delete(?: \(other host\))? suppress (\w+)'s later note")
async def not_suppressed(play: Play, _who: str, _whose: str) -> None:
    assert await shown(play, play.activity["object"]["id"])


@MUST_NOT.on(r"drop step (\d+) as already seen and answer 2xx")
async def not_dropped(play: Play, step: str) -> None:
    (activity,) = [reply for reply in play.replies if reply.step == int(step)]
    copies = [reason for _, outcome, reason in play.world.arrivals() if outcome == "dropped" and "copy" in reason]
    assert copies == [], f"dropped; answered {activity.status}"


@MUST.on(r"stored visibility equals the variant's `visibility`")
async def visibility(play: Play) -> None:
    wanted, found = play.given["visibility"], (await the_post(play)).audience
    allowed = {"direct-or-limited": ("direct", "circle")}.get(wanted, tuple(wanted.split("-or-")))
    assert found in allowed, f"{found}, not {wanted}"


@MUST.on(r"a string is treated as a one-element list")
async def one_element(play: Play) -> None:
    """Whatever stands in `to` and `cc` as a string counts: the post was taken in with its audience."""
    await visibility(play)


@MUST_NOT.on(r"treat lookalikes as public(?: \(.*\))?")
async def lookalikes(play: Play) -> None:
    public = play.given["visibility"] in ("public", "unlisted")
    assert public or (await the_post(play)).audience not in ("public", "unlisted")


def _said(post: Post) -> str:
    """All text of a post, for looking at its letters."""
    more = [[dict(tag) for tag in post.tags], [dict(each) for each in post.attachments]]
    return post.content + post.summary + json.dumps(more, ensure_ascii=False)


@MUST.on(r"the note is stored")
async def note_stored(play: Play) -> None:
    await the_post(play)


@MUST.on(r"NUL is removed or replaced by U\+FFFD")
async def no_nul(play: Play) -> None:
    text = _said(await the_post(play))
    assert "\0" not in text
    assert "\\u0000" not in text


@MUST.on(r"the surrogate becomes U\+FFFD")
async def no_surrogate(play: Play) -> None:
    text = _said(await the_post(play))
    assert all(not 0xD800 <= ord(letter) < 0xE000 for letter in text)
    if re.search("[\ud800-\udfff]", json.dumps(play.activity, ensure_ascii=False)):
        assert "\ufffd" in text


@MUST.on(r"hashtag equals `(\w+)`(?: \(or the tag is dropped\))?")
async def hashtag(play: Play, name: str) -> None:
    if any(tag.get("type") == "Hashtag" for tag in play.activity["object"].get("tag", ())):
        tags = [dict(tag) for tag in (await the_post(play)).tags]
        assert {str(tag.get("name", "")).lstrip("#") for tag in tags} <= {name}, tags


@MUST.on(r"content is (<.+>)")
async def content_is(play: Play, html: str) -> None:
    assert (await the_post(play)).content == html


@MUST.on(r"sensitive is (true|false)")
async def sensitive(play: Play, value: str) -> None:
    assert (await the_post(play)).sensitive is (value == "true")


@MUST.on(r"no content warning")
async def no_warning(play: Play) -> None:
    assert (await the_post(play)).summary == ""


@MUST.on(r"API edited_at is (\S+)")
async def edited_at(play: Play, moment: str) -> None:
    number = await clients.number_of(play.world, play.on.alice, (await the_post(play)).uri)
    assert (await clients.get(play.world, play.on.alice, f"/api/v1/statuses/{number}"))["edited_at"] == moment


@MUST_NOT.on(r"apply any field of the older Update \(.*\)")
async def nothing_older(play: Play) -> None:
    """The post is what the newest of the steps' Updates says, field by field."""
    updates = [each["object"] for each in play.notes["activities"] if each["type"] == "Update"]
    newest = max(updates, key=lambda each: each["updated"])
    found = await the_post(play)
    assert (found.content, found.summary, found.sensitive) == (
        newest["content"],
        newest.get("summary", ""),
        newest.get("sensitive", False),
    )


@MUST.on(r"value cut or element list cut to a documented limit, or the activity refused with 4xx")
async def cut(play: Play) -> None:
    if all(400 <= reply.status < 500 for reply in play.told):
        return
    known = await actor_named(play, "carol")
    assert max(len(known.name), len(known.summary)) <= LARGEST
    assert len(known.fields) <= MANY
    async with play.world.database.read() as tx:
        for post in await at_home(tx, play.on.alice.id):
            assert max(len(_said(post)), len(json.dumps([dict(tag) for tag in post.tags]))) <= 3 * LARGEST
            assert len((await posts.recipient_ids(tx, [post.id]))[post.id]) <= MANY
    stored = await play.on.state()
    new = sum(len(rows) - len(play.before.get(name, ())) for name, rows in stored.items())
    assert new <= 4 * MANY, f"{new} rows"


@MUST.on(r"(?:peak )?memory growth under (\d+) MB")
async def memory(play: Play, megabytes: str) -> None:
    assert play.notes["grown"] < int(megabytes) * 1_000_000, f"{play.notes['grown']} bytes"


@MUST.on(r"answer in under (\d+) s")
async def soon(play: Play, seconds: str) -> None:
    """By the processor's time, which nobody else's work can lengthen."""
    assert play.notes["seconds"] < int(seconds), f"{play.notes['seconds']} s"


@MUST.on(r"our own pages still render")
async def pages(play: Play) -> None:
    base = play.world.server.base_url
    for url in (play.on.alice.url or "", "/"):
        said = await play.world.get(url.removeprefix(base), {"Host": base.split("//")[1], "Accept": "text/html"})
        assert said.status == 200, url


@MUST_NOT.on(r"(\d+) mention notifications or (\d+) actor fetches")
async def no_flood(play: Play, _told: str, _fetched: str) -> None:
    assert len(play.received(method="GET")) <= MANY
    assert len((await play.on.state("notification")).get("notification", ())) <= MANY


@MUST_NOT.on(r"let two local accounts differ only by case")
async def by_case(play: Play) -> None:
    for handle in list(play.on.ours):
        for other in (handle.upper(), handle.capitalize()):
            try:
                await play.on.make_persona(other)
            except PrivaPubError:
                continue
            raise AssertionError(f"{other} beside {handle}")


@MUST_NOT.on(r"compare the id with the first URL of the redirect chain")
async def not_by_first(play: Play) -> None:
    """Nothing is known of what only the first address vouched for."""
    for what in play.known:
        assert await post_at(play.world, what) is None
