"""`privapub post receipt`: what became of a post on its way; and `privapub post thread`: the rest of its thread."""

from typing import Any

from privapub import clock
from privapub.actors.read import by_ids
from privapub.cli.meant import own
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import AnyPost, Json, OwnPost, Persona
from privapub.cli.output import readable, say, table
from privapub.cli.shown import line, shown
from privapub.composing.learn import held_post, meant
from privapub.database.transaction import Transaction
from privapub.errors import NotFound
from privapub.federation.delivery.receipt import Receipt, State
from privapub.federation.delivery.receipt import receipt as read_receipt
from privapub.jobs.moment import moment
from privapub.posts import audience, read, threads
from privapub.posts.read import Post
from privapub.server import Server

_WORDS: dict[State, str] = {
    "taken": "taken",
    "waiting": "waiting",
    "held": "held",
    "refused": "refused",
    "given_up": "given up",
}
_SHOWN = 200
_EMPTY = "It goes to no other server."


def receipt(which: OwnPost, *, persona: Persona, as_json: Json = False) -> None:
    """Say by host which inboxes took a post, which wait, are held, refused it or were given up, and why.

    Held: the host does not answer and is left alone for now. Who of a host reads the post is told to nobody.
    """

    async def work(server: Server) -> Receipt:
        _, post = await own(server, persona, which)
        async with server.database.read() as tx:
            return await read_receipt(tx, post, await moment(tx))

    found = with_server(work)
    rows = [
        readable(
            {
                "host": each.host,
                **{str(state): count for state, count in each.counts.items()},
                "reasons": list(each.reasons),
                "next_at": each.next_at,
            }
        )
        for each in found.hosts
    ]
    sums = ", ".join(f"{found.counts[state]} {word}" for state, word in _WORDS.items() if found.counts.get(state))
    shown = [{**row, "why": "; ".join(row["reasons"])} for row in rows]
    lines = table(shown, ["host", *_WORDS, "why", "next_at"], _EMPTY)
    say({"counts": found.counts, "hosts": rows}, f"{sums}\n\n{lines}" if sums else lines, as_json=as_json)


def thread(which: AnyPost, *, persona: Persona, as_json: Json = False) -> None:
    """Show what is known of a thread, from one of its posts down, and ask other servers for the rest of it."""

    async def work(server: Server) -> tuple[bool, str, list[dict[str, Any]]]:
        named = meant(which)
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            post = await held_post(tx, named)
            if post is None or not await audience.may_see_now(tx, post, me.id):
                raise NotFound(
                    f"There is no post {which} for {persona}.", "`privapub post like` and the like fetch one."
                )
            asked, why = await _ask(tx, post)
            below = await threads.below(tx, post.id, after=None, limit=_SHOWN, audiences=read.EVERY)
            seen = await audience.visible_to(tx, await read.with_polls(tx, below), me.id)
            people = await by_ids(tx, {each.author_id for each in seen})
        return asked, why, [{**shown(each), "author": f"@{people[each.author_id].address}"} for each in seen]

    asked, why, rows = with_server(work)
    lines = table([line(row) for row in rows], ["id", "author", "published_at", "text"], "There is nothing yet.")
    say({"asked": asked, "posts": rows}, f"{lines}\n\n{why}" if why else lines, as_json=as_json)


async def _ask(tx: Transaction, post: Post) -> tuple[bool, str]:
    """Ask for the rest of a post's thread, unless all of it is from here; whether that is done, and what is said."""
    top = await read.by_uri(tx, await threads.root_of(tx, post))
    if top is not None and top.local:
        known = await threads.below(tx, top.id, after=None, limit=_SHOWN, audiences=read.EVERY)
        if len(known) < _SHOWN and all(each.local for each in known):
            return False, ""
    if await threads.look(tx, post, clock.now()):
        return True, "The rest of it is being asked for."
    if post.audience not in audience.OPEN:
        return False, "It is not for everyone, so nobody is asked for the rest of it."
    return False, "The rest of it was asked for within the hour."


COMMANDS = (receipt, thread)
