"""A post came in: it goes to the timelines here of those who may see it, and whom it names is told."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.inbox import check_quote
from privapub.link_previews import plan as previews
from privapub.notifications import notify
from privapub.posts import audience
from privapub.posts.facts import PostReceived
from privapub.posts.read import by_id
from privapub.proxy import prefetch
from privapub.stream import events
from privapub.timelines import conversations
from privapub.timelines.fill import fill


async def post_received(tx: Transaction, fact: PostReceived, _addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile."""
    post = await by_id(tx, fact.post_id)
    if post is not None and post.deleted_at is None:
        to = await audience.recipients(tx, post)
        await fill(tx, post, now, to)
        await events.say(tx, events.POST, post.id)
        await conversations.keep(tx, post, to, now)
        await notify.of_post(tx, post, now, to)
        await notify.of_new(tx, post, now, to)
        await previews.plan(tx, post, now)
        await prefetch.plan(tx, prefetch.of_post(post.attachments, post.tags), now)
        # A quote of a quote is not looked at: a chain of them, each naming the next, would have no end.
        if post.quote is not None and not fact.quoted:
            await check_quote.plan(tx, post, (await known(tx, post.author_id)).uri)
