"""`privapub post receipt`: what became of a post on its way; and `privapub post thread`: the rest of its thread."""

from typing import Any

from privapub import clock
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import LARGEST, Json
from privapub.cli.output import readable, say, table
from privapub.cli.post import Persona, Which, own
from privapub.errors import NotFound
from privapub.federation.delivery.receipt import Receipt, State
from privapub.federation.delivery.receipt import receipt as read_receipt
from privapub.jobs.moment import moment
from privapub.posts import audience, read, threads
from privapub.server import Server

_WORDS: dict[State, str] = {
    "taken": "taken",
    "waiting": "waiting",
    "held": "held",
    "refused": "refused",
    "given_up": "given up",
}
_EVERY = ("public", "unlisted", "followers", "circle", "direct")
_SHOWN = 200
_LONGEST = 21
_EMPTY = "It goes to no other server."


def receipt(which: Which, *, persona: Persona, as_json: Json = False) -> None:
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


def thread(which: Which, *, persona: Persona, as_json: Json = False) -> None:
    """Show what is known of a thread, from one of its posts down, and ask other servers for the rest of it."""

    async def work(server: Server) -> tuple[bool, list[dict[str, Any]]]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            numbered = which.isascii() and which.isdecimal() and len(which) < _LONGEST and int(which) <= LARGEST
            post = await (read.by_id(tx, int(which)) if numbered else read.by_uri(tx, which))
            if post is None or not await audience.may_see_now(tx, post, me.id):
                raise NotFound(f"There is no post {which} for {persona}.")
            asked = await threads.look(tx, post, clock.now())
            below = await threads.below(tx, post.id, after=None, limit=_SHOWN, audiences=_EVERY)
            seen = await audience.visible_to(tx, below, me.id)
        return asked, [
            readable({"id": str(each.id), "uri": each.uri, "published_at": each.published_at}) for each in seen
        ]

    asked, rows = with_server(work)
    said = (
        "The rest of it is being asked for." if asked else "It was asked for within the hour, or is not for everyone."
    )
    lines = table(rows, ["id", "uri", "published_at"], "There is nothing yet.")
    say({"asked": asked, "posts": rows}, f"{lines}\n\n{said}", as_json=as_json)


COMMANDS = (receipt, thread)
