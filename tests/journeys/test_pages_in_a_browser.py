"""The pages for signing in, in a real browser: by keyboard alone, without scripts, as screens are read out."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.async_api import Browser

from fakes.certificates import Authority
from fakes.chromium import House, house, visiting
from makers import make_persona
from privapub import clock
from privapub.accounts import holds, passwords, sign_up, tokens

EMAIL, PASSWORD = "ann@example.org", "correct horse"


@pytest.fixture
async def sut(sqlite_url: str, tmp_path: Path, authority: Authority) -> AsyncIterator[House]:
    """A server on which ann has two personas. What a browser does with its pages does not depend on the database."""
    async with house(sqlite_url, tmp_path, authority, registrations="open") as opened:
        hashed = await passwords.hash_password(PASSWORD)
        async with opened.server.database.write() as tx:
            ann = await sign_up.create(tx, EMAIL, hashed, clock.now())
            for handle in ("alice", "night"):
                await holds.give(tx, ann, (await make_persona(tx, handle)).id)
        yield opened


async def question(sut: House) -> str:
    """Where a program that has no page of its own sends somebody."""
    async with sut.server.database.write() as tx:
        app, _ = await tokens.register(tx, "App", [tokens.OUT_OF_BAND], "read write", None, clock.now())
    asked = {"response_type": "code", "client_id": app.client_id, "redirect_uri": tokens.OUT_OF_BAND, "scope": "read"}
    return f"{sut.url}/oauth/authorize?{urlencode(asked)}"


async def test_without_scripts_a_program_is_let_in(chromium: Browser, sut: House) -> None:
    async with visiting(chromium, java_script_enabled=False) as context:
        page = await context.new_page()
        await page.goto(await question(sut))
        await page.get_by_label("E-mail address").fill(EMAIL)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_label("@night@").check()
        await page.get_by_role("button", name="Allow").click()
        assert await page.locator("h1").inner_text() == "Allowed"
        assert len(await page.locator(".address code").inner_text()) > 20
