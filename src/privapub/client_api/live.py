"""What happens, as programs that listen are told of it: each only what its persona may see at that moment.

One for the process. Each reader is asked of the same functions that read its timelines, so that nothing is told live
that would not be found there.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

import msgspec
import structlog
from sqlalchemy import select

from privapub import clock
from privapub.accounts import tokens
from privapub.client_api import show_statuses
from privapub.client_api.announcements import shown as shown_announcements
from privapub.client_api.channels import Channel
from privapub.client_api.conversations import shown as shown_conversations
from privapub.client_api.notifications import shown as shown_notifications
from privapub.client_api.problems import TooMany
from privapub.client_api.shapes.notification import TYPES
from privapub.database.outage import is_outage
from privapub.database.page import Page, Window
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.markup.hashtags import tag_key
from privapub.moderation import announcements
from privapub.notifications import read as notifications
from privapub.posts.audience import OPEN
from privapub.posts.read import Post
from privapub.posts.read import by_ids as posts_by_ids
from privapub.server import Server
from privapub.stream import events
from privapub.stream.events import Event
from privapub.timelines import conversations, home, read
from privapub.timelines.entry import Entry
from privapub.timelines.read import Where
from privapub.timelines.tables import timeline_entry

MOST_CONNECTIONS = 50  # of one persona, in one process
AGAIN = 60.0  # seconds after which one may try again who has too many
MOST_WAITING = 200  # messages; who is that far behind is let go, and asks for what it missed
# To which streams what concerns one persona goes.
_OF_PERSONA = {
    events.FILTERS: ("user",),
    events.NOTIFICATION: ("user", "user:notification"),
    events.CONVERSATION: ("direct",),
}
_WHERE: dict[str, Where] = {"public": "all", "public:local": "local", "public:remote": "remote"}

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Message:
    """What is told: an event, its payload (text), and the stream from which it comes."""

    channel: Channel
    event: str
    payload: str = ""


@dataclass(eq=False)
class Listener:
    """One connection: who listens, by which token, to what."""

    persona_id: int
    token_id: int
    channels: set[Channel] = field(default_factory=set)
    waiting: asyncio.Queue[Message | None] = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))

    def tell(self, message: Message) -> None:
        """Put a message in line; a connection that takes none ends."""
        try:
            self.waiting.put_nowait(message)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """Nothing more is told: what waits is given up, and the connection closes."""
        while True:
            with suppress(asyncio.QueueEmpty):
                self.waiting.get_nowait()
                continue
            break
        self.waiting.put_nowait(None)


class Live:
    """Those who listen in this process."""

    def __init__(self, server: Server) -> None:
        """Nobody listens yet."""
        self._server = server
        self._listeners: set[Listener] = set()
        self._hearing: AsyncExitStack | None = None
        self._changing = asyncio.Lock()

    def check_room(self, listener: Listener) -> None:
        """TooMany where this persona has as many connections as it may."""
        if sum(each.persona_id == listener.persona_id for each in self._listeners) >= MOST_CONNECTIONS:
            raise TooMany(AGAIN)

    @asynccontextmanager
    async def listening(self, listener: Listener) -> AsyncIterator[None]:
        """The connection is told what happens, as long as this lasts."""
        async with self._changing:
            if self._hearing is None:
                stack = AsyncExitStack()
                await stack.enter_async_context(self._server.broker.listening(self.hear))
                self._hearing = stack
            self._listeners.add(listener)
        try:
            async with self._server.database.read() as tx:
                if not await tokens.is_good(tx, listener.token_id):  # it was taken back before anybody listened
                    listener.end()
            yield
        finally:
            async with self._changing:
                self._listeners.discard(listener)
                if not self._listeners and self._hearing is not None:
                    stack, self._hearing = self._hearing, None
                    await stack.aclose()

    async def hear(self, some: Sequence[Event]) -> None:
        """Tell everybody whom it concerns."""
        async with self._server.database.read() as tx:
            for event in some:
                try:
                    await self._tell(tx, event)
                except Exception as error:
                    if is_outage(error):
                        raise
                    log.warning("an event was not told", kind=event.kind, exc_info=error)

    async def _tell(self, tx: Transaction, event: Event) -> None:
        if event.kind == events.REVOKED:
            for listener in [each for each in self._listeners if each.token_id == event.ref]:
                listener.end()
        elif event.kind in {events.POST, events.EDIT}:
            post = (await posts_by_ids(tx, [event.ref])).get(event.ref)
            if post is not None and post.deleted_at is None:
                await self._tell_of_post(tx, post, "update" if event.kind == events.POST else "status.update")
        elif event.kind == events.BOOST:
            await self._tell_of_boost(tx, event.ref)
        elif event.kind == events.DELETE:
            await self._tell_of_deletion(tx, event.ref)
        elif event.kind in {events.ANNOUNCEMENT, events.ANNOUNCEMENT_GONE}:
            await self._tell_everyone(tx, event)
        elif event.persona_id is not None:
            await self._tell_persona(tx, event, event.persona_id)

    def _readers(self) -> dict[Channel, dict[int, list[Listener]]]:
        """Who listens: by stream, by persona."""
        found: dict[Channel, dict[int, list[Listener]]] = {}
        for listener in self._listeners:
            for channel in listener.channels:
                found.setdefault(channel, {}).setdefault(listener.persona_id, []).append(listener)
        return found

    async def _tell_of_post(self, tx: Transaction, post: Post, event: str) -> None:
        tags = {tag_key(str(tag["name"]).lstrip("#")) for tag in post.tags if tag.get("type") == "Hashtag"}
        just_it = Window(before=post.id + 1, after=post.id - 1, limit=1)
        for channel, readers in self._readers().items():
            if (channel.only_media and not post.attachments) or (channel.is_tag and channel.key not in tags):
                continue
            for reader in await _who_may_have_it(tx, channel, readers, post):
                for entry in (await _page(tx, channel, reader, just_it)).items:
                    shown = await show_statuses.one(tx, self._server, entry.post, reader)
                    _give(readers[reader], Message(channel, event, _json(shown)))

    async def _tell_of_boost(self, tx: Transaction, boost_id: int) -> None:
        just_it = Window(before=boost_id + 1, after=boost_id - 1, limit=1)
        for channel, readers in self._readers().items():
            for reader in await _with_entry(tx, readers, boost_id) if channel.name == "user" else ():
                for entry in (await _page(tx, channel, reader, just_it)).items:
                    made = await show_statuses.boosts(tx, self._server, [(entry.post, entry.boost_id)], reader)
                    _give(readers[reader], Message(channel, "update", _json(made[0])))

    async def _tell_of_deletion(self, tx: Transaction, post_id: int) -> None:
        """To those in whose timelines it stood; and where it was for everybody, to all who listen to that."""
        post = (await posts_by_ids(tx, [post_id])).get(post_id)
        if post is None:
            return
        for channel, readers in self._readers().items():
            for reader in await _who_may_have_it(tx, channel, readers, post):
                _give(readers[reader], Message(channel, "delete", str(post_id)))

    async def _tell_everyone(self, tx: Transaction, event: Event) -> None:
        """Of what the operator announces, or has taken back."""
        there = [each for each in await announcements.shown(tx, clock.now()) if each.id == event.ref]
        for channel, readers in self._readers().items():
            for reader, listeners in readers.items() if channel.name == "user" else ():
                if event.kind == events.ANNOUNCEMENT_GONE:
                    _give(listeners, Message(channel, "announcement.delete", str(event.ref)))
                for made in await shown_announcements(tx, self._server, reader, there):
                    _give(listeners, Message(channel, "announcement", _json(made)))

    async def _tell_persona(self, tx: Transaction, event: Event, persona_id: int) -> None:
        where = _OF_PERSONA.get(event.kind, ())
        listening = {
            channel: readers[persona_id]
            for channel, readers in self._readers().items()
            if channel.name in where and persona_id in readers
        }
        told = await self._of_persona(tx, event, persona_id) if listening else None
        if told is not None:
            for channel, listeners in listening.items():
                _give(listeners, Message(channel, *told))

    async def _of_persona(self, tx: Transaction, event: Event, persona_id: int) -> tuple[str, str] | None:
        """What a persona is told of, and its payload; None for what it is not to see, or not any more."""
        if event.kind == events.FILTERS:
            return "filters_changed", ""
        if event.kind == events.CONVERSATION:
            one = await conversations.one(tx, persona_id, event.ref)
            return "conversation", _json((await shown_conversations(tx, self._server, persona_id, [one]))[0])
        found = await notifications.by_id(tx, persona_id, event.ref, clock.now())
        if found is None or found.filtered or found.hidden or found.kind not in TYPES:
            return None
        return "notification", _json((await shown_notifications(tx, self._server, persona_id, [found]))[0])


async def _page(tx: Transaction, channel: Channel, reader: int, window: Window) -> Page[Entry]:
    """This part of what a reader finds in the timeline of a stream."""
    now, name = clock.now(), channel.name.removesuffix(":media")
    if name == "user":
        return await home.home(tx, reader, window, now)
    if name == "list":
        try:
            return await home.of_list(tx, reader, int(channel.what), window, now)
        except NotFound:  # it is not there any more
            return Page()
    if name in _WHERE:
        return await read.public(tx, reader, window, now, where=_WHERE[name])
    where: Where = "local" if name == "hashtag:local" else "all"
    return await read.tagged(tx, channel.key, reader, window, now, where=where)


async def _who_may_have_it(tx: Transaction, channel: Channel, readers: Collection[int], post: Post) -> Collection[int]:
    """Those of the readers of a stream to whom a post may have come by it: few questions for what concerns few."""
    name = channel.name.partition(":")[0]
    if name == "list" or channel.name == "user":
        return await _with_entry(tx, readers, post.id)
    return readers if name in {"public", "hashtag"} and post.audience in OPEN else ()


def _give(listeners: Iterable[Listener], message: Message) -> None:
    for listener in listeners:
        listener.tell(message)


def _json(shown: object) -> str:
    return msgspec.json.encode(shown).decode()


async def _with_entry(tx: Transaction, readers: Iterable[int], entry_id: int) -> list[int]:
    """Those of these personas in whose home timelines this stands."""
    rows = await tx.all(
        select(timeline_entry.c.persona_id).where(
            timeline_entry.c.persona_id.in_(sorted(readers)), timeline_entry.c.entry_id == entry_id
        )
    )
    return [row.persona_id for row in rows]
