"""`privapub invitation …`: words by which somebody may sign up."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.accounts import invitations
from privapub.accounts.invitations import Invitation
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.errors import NotFound
from privapub.identifiers import LARGEST
from privapub.server import Server

DAY = 86_400.0
app = typer.Typer(name="invitation", help="Words by which somebody may sign up.", no_args_is_help=True)


def _shown(each: Invitation) -> dict[str, Any]:
    until = None if each.expires_at is None else clock.iso(each.expires_at)
    return {"id": str(each.id), "uses_left": each.uses_left, "until": until}


@app.command()
def create(
    *,
    uses: Annotated[int, typer.Option(min=1, max=100_000, help="How many accounts it is good for.")] = 1,
    days: Annotated[
        int | None, typer.Option(min=1, max=3650, help="For how many days; without it there is no end.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make an invitation and print where it is used: it is told this once."""

    async def work(server: Server) -> dict[str, Any]:
        now = clock.now()
        async with server.database.write() as tx:
            made, word = await invitations.create(tx, uses, None if days is None else now + days * DAY, now)
        return _shown(made) | {"word": word, "url": f"{server.base_url}/auth/sign_up?invitation={word}"}

    done = with_server(work)
    say(done, done["url"], as_json=as_json)


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """Show the invitations; not their words, which nobody has but who was told."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            return [_shown(each) for each in await invitations.everyone(tx)]

    found = with_server(work)
    say(found, table(found, ["id", "uses_left", "until"], "none"), as_json=as_json)


@app.command()
def revoke(
    which: Annotated[int, typer.Argument(metavar="ID", min=0, max=LARGEST, help="Its number: `invitation list`.")],
    *,
    as_json: Json = False,
) -> None:
    """Take an invitation back: it lets nobody in any more."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            if not await invitations.revoke(tx, which):
                raise NotFound("There is no such invitation.", "`privapub invitation list` shows those there are.")

    with_server(work)
    say({"id": str(which)}, "Revoked.", as_json=as_json)
