"""Ann, who has an account with two personas and comes to the server's own pages with a real browser."""

from urllib.parse import urlencode

import pyotp
from playwright.async_api import Page

from fakes.chromium import House
from makers import make_persona
from privapub import clock
from privapub.accounts import holds, passwords, second_factor, sign_up, tokens
from privapub.personas.read import by_handle

EMAIL, PASSWORD = "ann@example.org", "correct horse"


async def make_ann(sut: House) -> int:
    """The number of her account; her personas are alice and night."""
    hashed = await passwords.hash_password(PASSWORD)
    async with sut.server.database.write() as tx:
        ann = await sign_up.create(tx, EMAIL, hashed, clock.now())
        for handle in ("alice", "night"):
            await holds.give(tx, ann, (await make_persona(tx, handle)).id)
    return ann


async def give_device(sut: House, account_id: int) -> str:
    """From now on she is asked for a code; the one that her device shows."""
    now = clock.now()
    async with sut.server.database.write() as tx:
        secret = await second_factor.offer(tx, account_id)
        device = pyotp.TOTP(secret or "")
        earlier = now - second_factor.STEP
        assert await second_factor.confirm(tx, account_id, device.at(int(earlier)), earlier)
    return device.at(int(now))


async def question(sut: House) -> str:
    """Where a program that has no page of its own sends her."""
    async with sut.server.database.write() as tx:
        app, _ = await tokens.register(tx, "App", [tokens.OUT_OF_BAND], "read write", None, clock.now())
    asked = {"response_type": "code", "client_id": app.client_id, "redirect_uri": tokens.OUT_OF_BAND, "scope": "read"}
    return f"{sut.url}/oauth/authorize?{urlencode(asked)}"


async def let_in(sut: House) -> None:
    """A program acts as one of her personas."""
    async with sut.server.database.write() as tx:
        app, _ = await tokens.register(tx, "An earlier one", [tokens.OUT_OF_BAND], "read", None, clock.now())
        night = await by_handle(tx, "night")
        assert night is not None
        await tokens.give(tx, app.id, night.id, app.scopes, clock.now())


async def sign_in(page: Page, password: str = PASSWORD) -> None:
    """What she does at the page for it."""
    await page.get_by_label("E-mail address").fill(EMAIL)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Sign in").click()
