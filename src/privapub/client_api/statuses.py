"""Posts: writing them, reading them, changing them."""

from collections.abc import Sequence

from starlette.responses import Response

from privapub import clock
from privapub.accounts import tokens
from privapub.client_api import show_accounts, show_statuses, writing
from privapub.client_api.call import Call
from privapub.client_api.endpoint import Answer, Endpoint
from privapub.client_api.problems import Refused, said
from privapub.client_api.scheduled_statuses import shown as shown_scheduled
from privapub.client_api.shapes import edits
from privapub.client_api.shapes.edits import Context, ScheduledStatus, StatusEdit, StatusSource
from privapub.client_api.shapes.emoji import ours
from privapub.client_api.shapes.status import Status
from privapub.composing import once, scheduled
from privapub.composing.compose import Asked, edit_post, prepare, publish_draft
from privapub.composing.once import Once
from privapub.composing.scheduled import Params
from privapub.database.transaction import Transaction
from privapub.emojis.keep import within
from privapub.errors import NotFound
from privapub.markup.text import text_of
from privapub.media import read as media
from privapub.personas import read as personas
from privapub.posts import audience, boost_read, quotes, threads, versions
from privapub.posts import boost as boosting
from privapub.posts.delete import delete
from privapub.posts.publish import Program
from privapub.posts.read import EVERY, HELD, Post, by_id, by_ids, with_polls
from privapub.timelines import filters
from privapub.timelines.matching import HIDE, THREAD

MOST = 20  # posts that are asked for by their numbers
ABOVE, BELOW = 4096, 4096
ABOVE_STRANGERS, BELOW_STRANGERS = 40, 60


async def seen(tx: Transaction, post_id: int, reader: int | None) -> Post:
    """The post with this number, or that a boost with this number passes on, if this reader may see it (and both).

    Else NotFound, as if there were none.
    """
    found = await by_id(tx, post_id)
    if found is None and (boost := await boost_read.by_id(tx, post_id)) is not None:
        found = await by_id(tx, boost.post_id) if await audience.may_see_boost(tx, boost, reader) else None
    if found is None or not await audience.may_see_now(tx, found, reader):
        raise NotFound
    return found


async def one(call: Call) -> Status:
    """`GET /api/v1/statuses/{id}`."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        matches = {} if call.reader is None else await _matches(tx, [found], call.reader)
        brought = None if found.id == call.id() else call.id()
        made = await show_statuses.boosts(tx, call.server, [(found, brought)], call.reader, matches)
    return made[0]


async def many(call: Call) -> list[Status]:
    """`GET /api/v1/statuses`: those of the numbers `id` that there are for this reader."""
    async with call.server.database.read() as tx:
        wanted = list(dict.fromkeys(call.ids("id")))[:MOST]
        there = await by_ids(tx, wanted)
        visible = await audience.visible_to(tx, [there[each] for each in wanted if each in there], call.reader)
        return await show_statuses.statuses(tx, call.server, visible, call.reader)


async def create(call: Call) -> Status | ScheduledStatus:
    """`POST /api/v1/statuses`; what is said twice with one `Idempotency-Key` is done once."""
    assert call.token is not None  # noqa: S101 - a person's
    key = call.request.headers.get("idempotency-key")
    again = Once(call.token.id, key) if key else None
    async with call.server.database.read() as tx:
        before = await once.found(tx, again, clock.now())
    if before is None:
        params = await _params(call)
        at = writing.moment_of(call, "scheduled_at")
        before = await (_later(call, params, at, again) if at and at > clock.now() else _now(call, params, again))
    async with call.server.database.read() as tx:
        if before.scheduled:
            return (await shown_scheduled(tx, call, await scheduled.by_id(tx, call.me, before.number)))[0]
        return await show_statuses.one(tx, call.server, await seen(tx, before.number, call.me), call.me)


async def _params(call: Call) -> Params:
    files, asked = writing.media_of(call), writing.poll_of(call)
    text, summary = writing.text_of(call, bare=not files)
    if files and asked is not None:
        raise Refused("Cannot attach more than 4 files")  # so Mastodon says of a poll beside files
    assert call.token is not None  # noqa: S101 - a person's
    async with call.server.database.read() as tx:
        await _check_media(tx, call.me, files)
        me = await personas.known(tx, call.me)
        program = await tokens.application_by_id(tx, call.token.application_id)
    sensitive = call.flag("sensitive")
    return Params(
        Asked(
            text,
            writing.audience_of(call, me.audience),
            summary,
            me.sensitive if sensitive is None else sensitive,
            call.text("language") or me.language,
            reply_to=writing.number_of(call, "in_reply_to_id"),
            quote=writing.number_of(call, "quoted_status_id"),
            quote_policy=writing.policy_of(call, me.quote_policy),
            poll=None if asked is None else asked.poll,
            media=tuple(files),
            may_name_nobody=True,
            program=None if program is None else Program(program.name, program.website),
        ),
        call.token.application_id,
    )


async def _check_media(tx: Transaction, me: int, files: Sequence[int]) -> None:
    """As Mastodon: what is still processed is not attached, and its program tries again in a moment."""
    found = await media.by_ids(tx, files)
    if len(found) < len(files) or any(each.actor_id != me or each.use != "post" for each in found.values()):
        raise Refused("Media not found or already attached to another post")
    if any(each.state != media.READY for each in found.values()):
        raise Refused("Cannot attach files that have not finished processing. Try again in a moment!")


async def _now(call: Call, params: Params, again: Once | None) -> once.Done:
    draft = await prepare(call.server, call.me, params.asked)
    async with call.server.database.write() as tx:
        now = clock.now()
        if (before := await once.begin(tx, again, now)) is not None:
            return before
        done = once.Done(await publish_draft(tx, call.server, draft, now), scheduled=False)
        await once.remember(tx, again, done, now)
        return done


async def _later(call: Call, params: Params, at: float, again: Once | None) -> once.Done:
    async with call.server.database.write() as tx:
        now = clock.now()
        if (before := await once.begin(tx, again, now)) is not None:
            return before
        for number in (params.asked.reply_to, params.asked.quote):
            if number is not None:
                await seen(tx, int(number), call.me)
        done = once.Done(await scheduled.schedule(tx, call.me, params, at, now), scheduled=True)
        await once.remember(tx, again, done, now)
        return done


async def edit(call: Call) -> Status:
    """`PUT /api/v1/statuses/{id}`."""
    async with call.server.database.read() as tx:
        found = await own(tx, call)
        kept = [int(each["medium"]) for each in found.attachments]
        files = writing.media_of(call) if "media_ids" in call.given else kept
        await _check_media(tx, call.me, files)
        alts = {int(each["medium"]): str(each["alt"]) for each in found.attachments}
        alts |= {each.id: each.alt for each in (await media.by_ids(tx, set(files) - set(alts))).values()}
    attributes = writing.attributes_of(call)
    alts |= {number: each["description"] for number, each in attributes.items() if "description" in each}
    focals = {number: writing.focus_of(each["focus"]) for number, each in attributes.items() if "focus" in each}
    text, summary = writing.text_of(call, bare=not files) if call.has("status") else (None, None)
    if text is None and call.has("spoiler_text"):
        summary = call.text("spoiler_text").strip()
    asked = writing.poll_of(call)
    changed = await edit_post(
        call.server,
        call.me,
        found.id,
        text,
        summary=summary,
        poll=None if asked is None else asked.poll,
        alts=[alts[number] for number in files],
        focals=[focals.get(number) for number in files],
        sensitive=call.flag("sensitive"),
        language=call.text("language") or None,
        media=None if files == kept else files,
    )
    policy = writing.policy_of(call, found.quote_policy)
    if policy != found.quote_policy:
        async with call.server.database.write() as tx:
            await quotes.set_policy(tx, found.id, call.me, policy, clock.now())
    async with call.server.database.read() as tx:
        return await show_statuses.one(tx, call.server, await seen(tx, changed.id, call.me), call.me)


async def remove(call: Call) -> Status:
    """`DELETE /api/v1/statuses/{id}`: what it said, as it was typed, so that it can be written anew."""
    async with call.server.database.write() as tx:
        boost = await boost_read.by_id(tx, call.id())
        if boost is not None and boost.actor_id == call.me:
            found = await seen(tx, boost.post_id, call.me)
            shown = await show_statuses.one(tx, call.server, found, call.me)
            await boosting.withdraw(tx, call.me, found.id, clock.now())
            return shown
        found = await own(tx, call)
        shown = await show_statuses.one(tx, call.server, found, call.me)
        shown.text = found.source or ""
        await delete(tx, found.id, call.me, clock.now(), keep_media=not call.flag("delete_media"))
    return shown


async def own(tx: Transaction, call: Call) -> Post:
    """The post that the path names, which is the caller's; else NotFound."""
    found = await by_id(tx, call.id())
    if found is None or found.author_id != call.reader or found.deleted_at is not None:
        raise NotFound
    return found


async def context(call: Call) -> Answer:
    """`GET /api/v1/statuses/{id}/context`; the rest of a thread elsewhere is asked for, once an hour at most."""
    stranger = call.reader is None
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        above = await threads.above(tx, found.id, ABOVE_STRANGERS if stranger else ABOVE)
        below = await threads.below(
            tx,
            found.id,
            after=None,
            limit=(BELOW_STRANGERS if stranger else BELOW) + 1,
            audiences=(*EVERY, HELD),
            among=audience.visible(call.reader),
        )
        around = await with_polls(tx, [*above, *(each for each in below if each.id != found.id)])
        visible = await audience.visible_to(tx, around, call.reader)
        matches = {} if call.reader is None else await _matches(tx, visible, call.reader)
        visible = [
            each for each in visible if not any(match.filter.action == HIDE for match in matches.get(each.id, ()))
        ]
        made = await show_statuses.statuses(tx, call.server, visible, call.reader, matches)
    shown = {each.id: status for each, status in zip(visible, made, strict=True)}
    ancestors = [shown[each.id] for each in above if each.id in shown]
    answers = {each.id for each in below} - {found.id}
    beneath = in_order(found, [each for each in visible if each.id in answers])
    content = Context(ancestors, [shown[each.id] for each in beneath])
    headers = await _asked(call, found)
    return Answer(content, headers=headers)


def in_order(of: Post, below: Sequence[Post]) -> list[Post]:
    """What answers a post, each followed by what answers it; first what its author went on with (pure).

    What answers something that the reader may not see stands below the post itself.
    """
    there = {each.id for each in below}
    answers: dict[int, list[Post]] = {}
    for each in below:
        parent = each.in_reply_to_id if each.in_reply_to_id in there else of.id
        answers.setdefault(parent or of.id, []).append(each)
    found: list[Post] = []
    waiting = [of]
    met = {of.id}
    while waiting:
        at = waiting.pop()
        if at.id != of.id:
            found.append(at)
        after = [each for each in answers.get(at.id, ()) if each.id not in met]
        met |= {each.id for each in after}
        waiting += sorted(after, key=lambda each: (each.author_id == of.author_id, -each.id))
    return found


async def _asked(call: Call, found: Post) -> dict[str, str]:
    """The header that says that the rest of the thread is being read; a stranger's look asks for nothing."""
    if call.reader is None or found.audience not in audience.OPEN:
        return {}
    async with call.server.database.write() as tx:
        await threads.look(tx, found, clock.now())
        reading = await threads.reading(tx, await threads.root_of(tx, found))
    if reading is None or reading.over:
        return {}
    return {"Mastodon-Async-Refresh": f'id="context-{found.id}", retry=3, result_count={reading.found}'}


async def history(call: Call) -> list[StatusEdit]:
    """`GET /api/v1/statuses/{id}/history`: how it read, the first version first."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
        past = await versions.of(tx, found)
        account = await show_accounts.one(tx, call.server, found.author_id)
        pictures = await show_accounts.pictures_of(tx, call.server)
        texts = [f"{each.content} {each.summary}" for each in past] if found.local else []
        emojis = [ours(each, pictures) for each in await within(tx, texts)]
    return [edits.edit(each, account, emojis, found.id, pictures) for each in past]


async def source(call: Call) -> StatusSource:
    """`GET /api/v1/statuses/{id}/source`: as it was typed; of what came from elsewhere, its text."""
    async with call.server.database.read() as tx:
        found = await seen(tx, call.id(), call.reader)
    typed = found.source if found.local and found.source is not None else text_of(found.content)
    return StatusSource(str(found.id), typed, found.summary)


async def translate(call: Call) -> Response:
    """`POST /api/v1/statuses/{id}/translate`: nothing here translates."""
    async with call.server.database.read() as tx:
        await seen(tx, call.id(), call.reader)
    return said(404, "Record not found")


async def _matches(tx: Transaction, posts: Sequence[Post], reader: int) -> show_statuses.Matches:
    wanted = await filters.in_force(tx, reader, THREAD, clock.now())
    return {each.id: filters.about(wanted, each, reader) for each in posts} if wanted else {}


_READ, _WRITE = ("read:statuses",), ("write:statuses",)
ENDPOINTS = (
    Endpoint("POST", "/api/v1/statuses", create, _WRITE),
    Endpoint("GET", "/api/v1/statuses", many, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/statuses/{id}", one, _READ, who="anyone"),
    Endpoint("PUT", "/api/v1/statuses/{id}", edit, _WRITE),
    Endpoint("DELETE", "/api/v1/statuses/{id}", remove, _WRITE),
    Endpoint("GET", "/api/v1/statuses/{id}/context", context, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/statuses/{id}/history", history, _READ, who="anyone"),
    Endpoint("GET", "/api/v1/statuses/{id}/source", source, _READ),
    Endpoint("POST", "/api/v1/statuses/{id}/translate", translate, _READ),
)
