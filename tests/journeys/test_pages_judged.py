"""The pages for signing in, as axe-core judges them: with light and dark colours, on a telephone and on a desk.

What a browser does with them does not depend on the database.
"""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page

from fakes import packages
from fakes.certificates import Authority
from fakes.chromium import house, visiting
from fakes.post_office import post_office
from somebody import EMAIL, PASSWORD, give_device, let_in, make_ann, question, sign_in

WIDTHS = (360, 1280)
_HEIGHT = 800
_JUDGE = """async () => {
  const told = await axe.run(document, {resultTypes: ["violations"], preload: false});
  return told.violations.flatMap(each => each.nodes.map(node => `${each.id}: ${node.html}`));
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    return packages.axe()


class Judge:
    """What is wrong with each page that was looked at."""

    def __init__(self, page: Page, axe: str) -> None:
        self.page, self.axe = page, axe
        self.wrong: dict[tuple[str, str, int], list[str]] = {}
        self.seen: list[str] = []

    async def look(self, title: str) -> None:
        """At the page that is shown, whose heading this is."""
        assert await self.page.locator("h1").inner_text() == title
        self.seen.append(title)
        await self.page.evaluate(self.axe)
        for colours in ("light", "dark"):
            await self.page.emulate_media(color_scheme=colours)
            for width in WIDTHS:
                await self.page.set_viewport_size({"width": width, "height": _HEIGHT})
                found: list[str] = await self.page.evaluate(_JUDGE)
                if await self.page.evaluate("document.documentElement.scrollWidth") > width:
                    found.append("it is wider than the window")
                if found:
                    self.wrong[title, colours, width] = found

    async def open(self, address: str, title: str) -> None:
        """Go there and look."""
        await self.page.goto(address)
        await self.look(title)

    async def press(self, name: str, title: str) -> None:
        """Press this button and look at what comes."""
        await self.page.get_by_role("button", name=name).click()
        await self.look(title)


async def test_the_way_in(chromium: Browser, axe: str, sqlite_url: str, tmp_path: Path, authority: Authority) -> None:
    async with house(sqlite_url, tmp_path, authority) as sut, visiting(chromium) as context:
        code = await give_device(sut, await make_ann(sut))
        page = await context.new_page()
        judge = Judge(page, axe)
        await judge.open(f"{sut.url}/", "PrivaPub")
        await judge.open(f"{sut.url}/about", "About this server")
        await page.goto(await question(sut))
        await sign_in(page, "wrong")
        await judge.look("Sign in")
        await sign_in(page)
        await judge.look("One more step")
        await page.get_by_label("Code").fill("000000")
        await judge.press("Go on", "One more step")
        await page.get_by_label("Code").fill(code)
        await judge.press("Go on", "Let App in?")
        await judge.press("Allow", "Let App in?")
        await page.get_by_label("@night@").check()
        await judge.press("Allow", "Allowed")
        await let_in(sut)
        await page.goto(f"{sut.url}/settings/security")
        assert await page.get_by_label("An earlier one").count() == 1
        await page.get_by_label("Password, once more").nth(0).fill(PASSWORD)
        await judge.press("New codes to write down", "Security")
        assert judge.wrong == {}


async def test_signing_up_and_a_new_password(
    chromium: Browser, axe: str, sqlite_url: str, tmp_path: Path, authority: Authority
) -> None:
    async with (
        post_office() as office,
        house(sqlite_url, tmp_path, authority, registrations="approval", smtp_url=office.url) as sut,
        visiting(chromium) as context,
    ):
        await make_ann(sut)
        page = await context.new_page()
        judge = Judge(page, axe)
        await judge.open(f"{sut.url}/auth/sign_in", "Sign in")
        await judge.open(f"{sut.url}/auth/sign_up?invitation=x", "Sign up")
        await page.goto(f"{sut.url}/auth/sign_up")
        for label, text in {
            "Name of your first persona": "alice", "E-mail address": "bob@example.org", "Password": PASSWORD,
            "Why do you want to join?": "to be here",
        }.items():  # fmt: skip
            await page.get_by_label(label).fill(text)
        await page.get_by_label("I will keep to the").check()
        await judge.press("Sign up", "Sign up")
        await page.get_by_label("Name of your first persona").fill("bob")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_label("I will keep to the").check()
        await judge.press("Sign up", "Almost there")
        await judge.open(sut.url + await office.brought("bob@example.org"), "Confirm your e-mail address")
        await judge.open(f"{sut.url}/auth/password", "Forgotten password")
        await page.get_by_label("E-mail address").fill(EMAIL)
        await judge.press("Send me a letter", "Look into your letters")
        link = sut.url + await office.brought(EMAIL)
        await judge.open(link, "New password")
        await page.get_by_label("New password").fill("short")
        await judge.press("Change the password", "New password")
        await page.get_by_label("New password").fill("another horse")
        await page.get_by_role("button", name="Change the password").click()
        await judge.open(link, "This link is no good any more")
        await page.goto(f"{sut.url}/auth/sign_in")
        await sign_in(page, "another horse")
        await judge.look("Security")
        await page.get_by_label("Password, once more").nth(0).fill("another horse")
        await judge.press("Set up", "Security")
        assert judge.wrong == {}


async def test_the_judge_sees_what_is_wrong(chromium: Browser, axe: str) -> None:
    async with visiting(chromium) as context:
        page = await context.new_page()
        await page.set_content(
            "<!doctype html><html lang=en><title>x</title><main><h1>Wrong</h1><input>"
            "<style>@media (prefers-color-scheme: dark) { p { color: #333; background: #222 } }</style>"
            "<p>dark</p><p style='width: 50em'>wide</p></main></html>"
        )
        judge = Judge(page, axe)
        await judge.look("Wrong")
        found = {key[1:]: {each.partition(":")[0] for each in wrong} for key, wrong in judge.wrong.items()}
        assert found == {
            ("light", 360): {"label", "it is wider than the window"},
            ("light", 1280): {"label"},
            ("dark", 360): {"label", "color-contrast", "it is wider than the window"},
            ("dark", 1280): {"label", "color-contrast"},
        }
