"""`privapub token …`: what programs show to act as a persona."""

from typing import Annotated, Any

import typer

from privapub import clock
from privapub.accounts import tokens
from privapub.cli.opened import persona_named, with_server
from privapub.cli.options import Json, Persona
from privapub.cli.output import say, table
from privapub.errors import NotFound
from privapub.identifiers import LARGEST
from privapub.server import Server

NAME = "Command line"
app = typer.Typer(name="token", help="What programs show to act as a persona.", no_args_is_help=True)


@app.command()
def create(
    *,
    persona: Persona,
    scopes: Annotated[
        str, typer.Option(metavar="WORDS", help="What it allows, with spaces between: `read write follow push`.")
    ] = "read write follow push",
    as_json: Json = False,
) -> None:
    """Make a token and print it: it is told this once."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            now = clock.now()
            of, _ = await tokens.register(tx, NAME, [tokens.OUT_OF_BAND], scopes, None, now)
            made, secret = await tokens.give(tx, of.id, me.id, of.scopes, now)
        return {"id": str(made.id), "persona": me.handle, "scopes": list(made.scopes), "token": secret}

    done = with_server(work)
    say(done, done["token"], as_json=as_json)


@app.command(name="list")
def list_(*, persona: Persona, as_json: Json = False) -> None:
    """Show which programs may act as a persona; not their tokens, which nobody has but they."""

    async def work(server: Server) -> list[dict[str, Any]]:
        async with server.database.read() as tx:
            me = await persona_named(tx, persona)
            return [
                {
                    "id": str(token.id),
                    "program": of.name,
                    "scopes": " ".join(token.scopes),
                    "since": clock.iso(token.created_at),
                }
                for token, of in await tokens.of_persona(tx, me.id)
            ]

    found = with_server(work)
    say(found, table(found, ["id", "program", "scopes", "since"], "none"), as_json=as_json)


@app.command()
def revoke(
    which: Annotated[int, typer.Argument(metavar="ID", min=0, max=LARGEST, help="Its number: `token list` shows it.")],
    *,
    persona: Persona,
    as_json: Json = False,
) -> None:
    """Take a token back: what shows it is let in no more."""

    async def work(server: Server) -> dict[str, Any]:
        async with server.database.write() as tx:
            me = await persona_named(tx, persona)
            if which not in {token.id for token, _ in await tokens.of_persona(tx, me.id)}:
                raise NotFound(
                    "There is no such token of this persona.", "`privapub token list` shows those there are."
                )
            await tokens.revoke(tx, which)
        return {"id": str(which)}

    say(with_server(work), "Revoked.", as_json=as_json)
