"""`privapub account …`: logins."""

import sys
from typing import Annotated

import typer

from privapub import clock
from privapub.accounts import holds, letters, passkeys, passwords, second_factor, sign_up
from privapub.accounts import waiting as waiting_accounts
from privapub.accounts.holds import Account
from privapub.accounts.waiting import Waiting
from privapub.cli.opened import with_server
from privapub.cli.options import Json
from privapub.cli.output import say, table
from privapub.composing.sign_up import let_in
from privapub.database.transaction import Transaction
from privapub.errors import InvalidInput, NotFound
from privapub.personas.read import every
from privapub.server import Server

Email = Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail address of the account.")]
app = typer.Typer(name="account", help="Logins, each of which may hold several personas.", no_args_is_help=True)


@app.command()
def create(
    email: Annotated[str, typer.Argument(metavar="EMAIL", help="The e-mail address by which it is known.")],
    *,
    password_stdin: Annotated[
        bool, typer.Option("--password-stdin", help="Read the password from standard input, its first line.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make an account."""
    password = _password(from_stdin=password_stdin)

    async def work(server: Server) -> None:
        hashed = await passwords.hash_password(password)
        async with server.database.write() as tx:
            await sign_up.create(tx, email, hashed, clock.now())

    with_server(work)
    say(
        {"email": email},
        f"Made the account {email}. Now: privapub persona create HANDLE --account {email}",
        as_json=as_json,
    )


@app.command(name="list")
def list_(*, as_json: Json = False) -> None:
    """List the accounts, each with its personas."""

    async def work(server: Server) -> list[dict[str, object]]:
        async with server.database.read() as tx:
            handles = {persona.id: persona.handle for persona in await every(tx)}
            return [
                {"email": email, "personas": [handles[number] for number in numbers if number in handles]}
                for email, numbers in await holds.everyone(tx)
            ]

    rows = with_server(work)
    text = "\n".join(f"{row['email']}: {', '.join(row['personas']) or 'no persona'}" for row in rows)  # type: ignore[arg-type]  # a list of handles
    say(rows, text or "There is no account yet.", as_json=as_json)


@app.command(name="totp-reset")
def totp_reset(
    email: Email,
    *,
    as_json: Json = False,
) -> None:
    """Ask an account for no code any more, when its device and the codes on paper are lost."""

    async def work(server: Server) -> bool:
        async with server.database.write() as tx:
            return await second_factor.forget(tx, (await _known(tx, email)).id)

    asked = with_server(work)
    text = "No code is asked for any more." if asked else "No code was asked for."
    say({"email": email, "asked": asked}, text, as_json=as_json)


@app.command(name="passkey-reset")
def passkey_reset(
    email: Email,
    *,
    as_json: Json = False,
) -> None:
    """Remove all passkeys of an account, when a device is lost or in wrong hands."""

    async def work(server: Server) -> int:
        async with server.database.write() as tx:
            found = await _known(tx, email)
            removed = await passkeys.remove_all(tx, found.id)
            if removed and server.settings.smtp_url:
                await letters.write(tx, found.id, letters.PASSKEY_REMOVED, found.email, clock.now())
            return removed

    removed = with_server(work)
    text = f"Removed {removed} passkey{'' if removed == 1 else 's'}." if removed else "There was no passkey."
    say({"email": email, "removed": removed}, text, as_json=as_json)


@app.command()
def waiting(*, as_json: Json = False) -> None:
    """List who has signed up and may not come in yet."""

    async def work(server: Server) -> list[dict[str, object]]:
        async with server.database.read() as tx:
            return [
                {
                    "email": each.email,
                    "handle": each.handle,
                    "since": clock.iso(each.created_at),
                    "waits_for": "letter" if each.for_email else "approval",
                    "reason": each.reason,
                }
                for each in await waiting_accounts.everyone(tx)
            ]

    rows = with_server(work)
    say(rows, table(rows, ["email", "handle", "since", "waits_for", "reason"], "none"), as_json=as_json)


@app.command()
def approve(email: Email, *, as_json: Json = False) -> None:
    """Let somebody in who has signed up."""

    async def work(server: Server) -> str | None:
        async with server.database.read() as tx:
            found = await _waits(tx, email)
        return await let_in(server, found.account_id, clock.now(), approval=True)

    waits = with_server(work)
    text = "Approved; the letter is still to be answered." if waits else "Approved: they can sign in."
    say({"email": email, "in": waits is None}, text, as_json=as_json)


@app.command()
def reject(email: Email, *, as_json: Json = False) -> None:
    """Turn somebody away who has signed up: nothing of the account stays."""

    async def work(server: Server) -> None:
        async with server.database.write() as tx:
            await waiting_accounts.turn_away(tx, (await _waits(tx, email)).account_id)

    with_server(work)
    say({"email": email}, "Turned away.", as_json=as_json)


async def _known(tx: Transaction, email: str) -> Account:
    found = await holds.by_email(tx, email)
    if found is None:
        raise NotFound(f"There is no account {email}.", "`privapub account list` shows those there are.")
    return found


async def _waits(tx: Transaction, email: str) -> Waiting:
    found = await holds.by_email(tx, email)
    row = None if found is None else await waiting_accounts.of_account(tx, found.id)
    if row is None:
        raise NotFound(f"Nobody waits with {email}.", "`privapub account waiting` shows who does.")
    return row


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        try:
            password = sys.stdin.readline().rstrip("\r\n")
            password.encode()  # where the locale is none, what is no text comes as surrogates
        except UnicodeError:
            raise InvalidInput("This password is not UTF-8.", "Choose another one.") from None
    elif sys.stdin.isatty():
        password = str(typer.prompt("Password", hide_input=True, confirmation_prompt=True))
    else:
        raise InvalidInput("There is no terminal to ask for a password.", "Pipe it in, with --password-stdin.")
    passwords.check_strength(password)
    return password
