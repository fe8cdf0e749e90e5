"""One walk through a thread: up to its first post, then down, parents always before what answers them."""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from privapub import clock, scope
from privapub.actors import read as actors
from privapub.actors.addresses import Addresses
from privapub.actors.read import Actor
from privapub.errors import PrivaPubError
from privapub.federation.documents.properties import identity
from privapub.federation.documents.read_collection import RemoteCollection, read_collection
from privapub.federation.documents.read_post import RemotePost, read_post
from privapub.federation.fetching.actor import fetch_author
from privapub.federation.fetching.document import document, final
from privapub.federation.fetching.origin import bare, origin, same_origin
from privapub.federation.inbox.audience import concerned
from privapub.federation.inbox.received import is_vote, keep
from privapub.federation.threads.collections import ids_in, post_in
from privapub.federation.threads.door import CarefulDoor, Turns
from privapub.outbound.answers import FetchProblem
from privapub.outbound.client import LISTS
from privapub.posts import threads
from privapub.posts.audience import OPEN
from privapub.posts.threads import Known
from privapub.server import Server

PURPOSE = "context"
AHEAD = 8  # posts asked for before their turn to be kept has come
COLLECTIONS_AHEAD = 3
KEPT_AT_ONCE = 20
KEPT_EVERY = 0.3  # seconds: what has come may be read, though more is on its way
_MOST_ANSWERS = 1000  # of one post, that we have already


@dataclass(frozen=True)
class Got:
    """A post from its own host, and who wrote it."""

    record: RemotePost
    author: Actor
    history: str | None = None  # FEP-f228: the collection of the activities of its thread

    @property
    def node(self) -> Known:
        """The post as a place from which to go on."""
        it = self.record
        replies = it.replies.uri if it.replies.total != 0 else None
        return Known(0, it.uri, False, it.in_reply_to, it.context, replies)


class Walk:
    """One reading of one thread, by the budget of what caused it. Use it once."""

    def __init__(self, server: Server, turns: Turns, trigger: str) -> None:
        """All that is asked for goes through one careful door."""
        self.door = CarefulDoor(server.door, turns)
        self._server = replace(server, door=self.door)
        self.budget = scope.budget()
        self._trigger = trigger
        self._ours = Addresses(server.base_url)
        self._asked: dict[str, asyncio.Task[Got | None]] = {}
        self._opened: dict[str, asyncio.Task[RemoteCollection | None]] = {}
        self._members: set[str] = set()  # what belongs to the thread
        self._histories: list[str] = []
        self._below: deque[Known] = deque()  # whose answers are not read yet
        self._authors: dict[str, asyncio.Task[Actor]] = {}
        self._kept_at = clock.monotonic()
        self.found = 0  # posts that were new
        self.unreachable = False  # whether it may be worth another try

    async def read(self, uri: str) -> str:
        """Read the thread from its first known post; returns the uri of its first post, as far as it is known."""
        try:
            top, chain = await self._up(uri)
            self._members.update({top, *(node.uri for node in chain)})
            self._below.extend(chain)
            if not await self._by_contexts(top, chain):
                await self._down()
        finally:
            await self._stop()
        return top

    async def _stop(self) -> None:
        waiting = [*self._asked.values(), *self._opened.values(), *self._authors.values()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    # Up

    async def _up(self, uri: str) -> tuple[str, list[Known]]:
        """The first post of the thread, and what leads from it to this one; what was missing of that is kept.

        Where the first cannot be had, what we have that answers it takes its place.
        """
        nodes: list[Known] = []
        new: list[Got] = []
        at: str | None = uri
        seen: set[str] = set()
        top = uri
        while at is not None and at not in seen:
            seen.add(at)
            top = at
            node = await self._known(at)
            got = None
            if node is None or (not node.local and node.context is None and node.replies is None):
                got = await self._post(at)
            if node is None and got is not None:
                new.append(got)
            if node is None and got is None:
                break
            node = node if got is None else got.node
            assert node is not None  # noqa: S101  # one of the two is there
            nodes.append(node)
            at = node.in_reply_to
            top = node.uri
            if got is not None and got.history is not None:
                self._histories.append(got.history)
        else:
            at = None
        if at is not None:  # it could not be had, and still is the first of which we know
            top = at
            async with self._server.database.read() as tx:
                nodes += await threads.answers_to_uri(tx, at, _MOST_ANSWERS)
        await self._keep(new[::-1])
        return top, nodes[::-1]

    # Down

    async def _by_contexts(self, top: str, chain: Sequence[Known]) -> bool:
        """Whether a context collection told the whole thread (FEP-f228: then nothing else need be read)."""
        contexts = dict.fromkeys([*(node.context for node in chain if node.context), *self._histories[::-1]])
        for context in contexts:
            if origin(context) and not self._ours.is_ours(context) and await self._by_context(context, top):
                return True
        return False

    async def _by_context(self, context: str, top: str) -> bool:
        # The host of the first post says what belongs to its thread; of others only what can be seen to answer.
        trusted = same_origin(context, top)
        total = 0
        async with aclosing(ids_in(context, self._open)) as pages:
            async for uris in pages:
                total += len(uris)
                await self._take(uris, trusted=trusted)
                if self.budget.spent():
                    break
        return total > 1 or (total == 1 and trusted)

    async def _down(self) -> None:
        """What answers each post, and what answers that, level by level."""
        while self._below and not self.budget.spent():
            for node in list(self._below)[: COLLECTIONS_AHEAD + 1]:
                if self._readable(node):
                    self._start_opening(str(node.replies))
            node = self._below.popleft()
            await self._take_known(node)
            if self._readable(node):
                async with aclosing(ids_in(str(node.replies), self._open)) as pages:
                    async for uris in pages:
                        await self._take(uris, trusted=False)
                        if self.budget.spent():
                            return

    def _readable(self, node: Known) -> bool:
        return node.replies is not None and not node.local and same_origin(node.replies, node.uri)

    async def _take_known(self, node: Known) -> None:
        """What we have already belongs to it too, and may have answers that we do not have."""
        async with self._server.database.read() as tx:
            known = node if node.id else (await threads.known(tx, [node.uri])).get(node.uri)
            found = [] if known is None else await threads.answers_to(tx, known.id, _MOST_ANSWERS)
        self._add(found)

    def _add(self, nodes: Iterable[Known]) -> None:
        for node in nodes:
            if node.uri not in self._members:
                self._members.add(node.uri)
                self._below.append(node)

    async def _take(self, uris: Sequence[str], *, trusted: bool) -> None:
        """Keep what is listed and belongs to the thread, in the order in which it is listed."""
        async with self._server.database.read() as tx:
            known = await threads.known(tx, uris)
        wanted = [uri for uri in uris if uri not in known and uri not in self._members]
        ready: list[Got] = []
        for place, uri in enumerate(wanted):
            for soon in wanted[place : place + AHEAD]:
                self._start(soon)
            if len(ready) >= KEPT_AT_ONCE or (ready and clock.monotonic() > self._kept_at + KEPT_EVERY):
                await self._keep(ready)
                ready = []
            got = await self._post(uri)
            if got is not None:
                ready += await self._with_parents(got, trusted=trusted)
        await self._keep(ready)
        self._add(node for node in known.values() if trusted or node.in_reply_to in self._members)

    async def _with_parents(self, got: Got, *, trusted: bool) -> list[Got]:
        """A post with all above it that is missing, the uppermost first; nothing where it is no part of the thread."""
        if got.record.uri in self._members:
            return []
        chain, here = [got], {got.record.uri}
        while (above := chain[-1].record.in_reply_to) not in self._members:
            if above is None or above in here:
                return []
            here.add(above)
            if await self._joined(above):
                break
            parent = await self._post(above)
            if parent is None and not trusted:
                return []
            if parent is None or parent.record.uri in self._members:
                break
            chain.append(parent)
        self._add(each.node for each in reversed(chain))
        return chain[::-1]

    async def _joined(self, uri: str) -> bool:
        """Whether a post that we have leads up to the thread; then it and all between belong to it."""
        nodes: list[Known] = []
        at: str | None = uri
        while at is not None and at not in self._members and len(nodes) < self.budget.depth:
            node = await self._known(at)
            if node is None:
                return False
            nodes.append(node)
            at = node.in_reply_to
        if at not in self._members:
            return False
        self._add(reversed(nodes))
        return True

    # Asking and keeping

    async def _known(self, uri: str) -> Known | None:
        async with self._server.database.read() as tx:
            return (await threads.known(tx, [uri])).get(uri)

    def _start(self, uri: str) -> asyncio.Task[Got | None]:
        task = self._asked.get(bare(uri))
        if task is None:
            task = self._asked[bare(uri)] = asyncio.create_task(self._fetch(uri))
        return task

    async def _post(self, uri: str) -> Got | None:
        """A post from its own host, asked for once; None where there is none that may be kept."""
        return await self._start(uri)

    async def _fetch(self, uri: str) -> Got | None:
        if self._ours.is_ours(uri) or self.budget.spent():
            return None
        try:
            found = await document(self._server, uri, PURPOSE)
            about = post_in(found)
            if about is not None and not self._ours.is_ours(about):
                found = await document(self._server, about, PURPOSE)
            record = read_post(found)
            if not same_origin(record.uri, record.author) or is_vote(record):
                return None
            return Got(record, await self._author(record.author), identity(found.get("contextHistory")))
        except FetchProblem as problem:
            self.unreachable = self.unreachable or not final(problem)
        except PrivaPubError:
            pass  # it is no post, or nobody's: the thread goes on without it
        return None

    async def _author(self, uri: str) -> Actor:
        """Whoever wrote a post, asked for once, however many of theirs are asked for at a time."""
        task = self._authors.get(uri)
        if task is None:
            task = self._authors[uri] = asyncio.create_task(self._fetch_author(uri))
        return await asyncio.shield(task)

    async def _fetch_author(self, uri: str) -> Actor:
        async with self._server.database.read() as tx:
            known = await actors.by_uri(tx, uri)
        return known if known is not None else await fetch_author(self._server, uri)

    def _start_opening(self, uri: str) -> asyncio.Task[RemoteCollection | None]:
        task = self._opened.get(bare(uri))
        if task is None:
            task = self._opened[bare(uri)] = asyncio.create_task(self._fetch_collection(uri))
        return task

    async def _open(self, uri: str) -> RemoteCollection | None:
        return await self._start_opening(uri)

    async def _fetch_collection(self, uri: str) -> RemoteCollection | None:
        try:
            return read_collection(await document(self._server, uri, LISTS))
        except PrivaPubError:
            return None

    async def _keep(self, posts: Sequence[Got]) -> None:
        """Keep those that are for everyone, in this order, a few in a transaction."""
        for start in range(0, len(posts), KEPT_AT_ONCE):
            async with self._server.database.write() as tx:
                now, new = clock.now(), 0
                for got in posts[start : start + KEPT_AT_ONCE]:
                    whom = await concerned(tx, got.record, got.author, "")
                    if whom.audience not in OPEN or got.author.local or got.author.is_gone or got.author.is_blocked:
                        continue
                    kept = await keep(tx, got.record, got.author, whom, now, trigger=self._trigger)
                    new += kept is not None
            self.found += new
            self._kept_at = clock.monotonic()
