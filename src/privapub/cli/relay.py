"""`privapub federation relay …`: which relays this server is with."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from privapub import clock, identifiers
from privapub.actors import application
from privapub.actors.addresses import Addresses
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import readable, say, table
from privapub.errors import InvalidInput
from privapub.federation.documents.properties import PUBLIC
from privapub.federation.fetching.actor import fetch_actor
from privapub.federation.fetching.origin import origin
from privapub.follows import relays
from privapub.follows.relays import Relay
from privapub.outbound import target
from privapub.server import Server

app = typer.Typer(
    name="relay",
    help="Relays: what is for everybody goes to them, and what they bring is read at its origin.",
    no_args_is_help=True,
)

Where = Annotated[
    str, typer.Argument(metavar="URL", help="Its inbox (…/inbox, as Mastodon asks for), or its actor (LitePub).")
]
_INBOX = "/inbox"


@app.command()
def add(where: Where, *, as_json: Json = False) -> None:
    """Subscribe to a relay. It has to let the server in; until then nothing is sent to it."""

    async def work(server: Server) -> Relay:
        url = _address(server, where.strip())
        if await server.door.refuses(url):
            raise InvalidInput("A rule of this server keeps that host out.", "See `privapub domain check`.")
        inbox, actor_uri = url, None
        if not url.endswith(_INBOX):
            actor = await fetch_actor(server, url, fresh=True)
            inbox, actor_uri = actor.inbox, actor.uri
        addresses = Addresses(server.base_url)
        async with server.database.write() as tx:
            await application.ensure(tx, addresses, server.domain, clock.now())
            return await relays.ask(
                tx,
                inbox=inbox,
                actor_uri=actor_uri,
                whom=actor_uri or PUBLIC,
                follow_uri=addresses.activity(identifiers.token()),
                now=clock.now(),
            )

    made = with_server(work)
    say(shown(made), f"The relay {made.inbox} is asked: it is {made.state}.", as_json=as_json)


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """Show the relays, and whether they have let the server in."""

    async def work(server: Server) -> list[Relay]:
        async with server.database.read() as tx:
            return await relays.all_of(tx)

    rows = [shown(each) for each in with_server(work)]
    say(rows, table(rows, ["inbox", "actor", "state", "created_at"], "There are no relays."), as_json=as_json)


@app.command()
def remove(where: Where, *, as_json: Json = False) -> None:
    """Leave a relay: nothing is sent to it any more, and what it brings is as what anybody brings."""

    async def work(server: Server) -> Relay:
        async with server.database.write() as tx:
            return await relays.leave(tx, where.strip())

    left = with_server(work)
    say(shown(left), f"The relay {left.inbox} is left.", as_json=as_json)


def shown(relay: Relay) -> dict[str, Any]:
    """A relay, for people and programs."""
    row = readable(asdict(relay))
    return {"inbox": row["inbox"], "actor": row["actor_uri"]} | {
        name: row[name] for name in ("state", "created_at", "answered_at")
    }


def _address(server: Server, url: str) -> str:
    try:
        target.read(url)
    except ValueError:
        raise InvalidInput(f"{url} is no address of a relay.", "Such as https://relay.example/inbox.") from None
    if not origin(url) or Addresses(server.base_url).is_ours(url):
        raise InvalidInput(f"{url} is no address of a relay elsewhere.")
    return url
