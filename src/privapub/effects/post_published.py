"""A persona published a post: it goes to the timelines here and to the inboxes elsewhere."""

from privapub.actors.addresses import Addresses
from privapub.actors.read import known
from privapub.database.transaction import Transaction
from privapub.federation.delivery import inboxes
from privapub.federation.delivery.deliver import deliver
from privapub.federation.delivery.inboxes import Target
from privapub.federation.delivery.relays import of_relays
from privapub.federation.documents.write_activity import create
from privapub.federation.documents.write_post import note
from privapub.link_previews import plan as previews
from privapub.notifications import notify
from privapub.posts import audience, quotes
from privapub.posts.audience import Recipients
from privapub.posts.facts import PostPublished
from privapub.posts.read import HELD, PUBLIC, Post, by_uri
from privapub.posts.read import by_id as post_by_id
from privapub.stream import events
from privapub.timelines import conversations
from privapub.timelines.fill import fill


async def post_published(tx: Transaction, fact: PostPublished, _addresses: Addresses, now: float) -> None:
    """Unless it was taken back meanwhile."""
    post = await post_by_id(tx, fact.post_id)
    if post is None or post.deleted_at is not None or post.activity_uri is None:
        return
    to = await audience.recipients(tx, post)
    if post.audience == HELD:  # its author sees it already
        await fill(tx, post, now, to)
        return
    await fill(tx, post, now, to)
    await events.say(tx, events.POST, post.id)
    await conversations.keep(tx, post, to, now)
    await notify.of_post(tx, post, now, to)
    await notify.of_new(tx, post, now, to)
    await _tell_of_quote(tx, post, now)
    await previews.plan(tx, post, now)
    author = await known(tx, post.author_id)
    await deliver(
        tx,
        author.id,
        create(note(post, author), post.activity_uri),
        inboxes.unique([*await targets(tx, post, to), *(await of_relays(tx) if post.audience == PUBLIC else ())]),
        about=post.uri,
        post_id=post.id,
        part="first",
        now=now,
    )


async def _tell_of_quote(tx: Transaction, post: Post, now: float) -> None:
    """A quote of somebody here stands at once; who is elsewhere is asked, and told there."""
    if post.quote is None or post.quote_state != quotes.ACCEPTED:
        return
    quoted = await by_uri(tx, post.quote)
    if quoted is not None and quoted.local:
        await notify.of_quote(tx, post, quoted.author_id, now)


async def targets(tx: Transaction, post: Post, to: Recipients) -> list[Target]:
    """Where everyone who may receive the post today (`to`) takes it."""
    shared = post.audience in inboxes.SHARED
    found = await inboxes.of_actors(tx, to.actor_ids, shared=shared)
    if to.followers:
        found += await inboxes.of_followers(tx, post.author_id)
    return inboxes.unique(found)
