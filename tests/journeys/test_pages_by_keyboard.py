"""The pages for signing in by keyboard alone, in a browser that runs scripts and in one that runs none.

What a browser does with them does not depend on the database.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pyotp
import pytest
from playwright.async_api import Browser, Locator, Page

from fakes.certificates import Authority
from fakes.chromium import house, visiting
from fakes.post_office import post_office
from privapub import clock
from somebody import EMAIL, PASSWORD, give_device, make_ann, question

MOST_STEPS = 40
# What has the focus is within the window, and there is a line around it.
_IS_SEEN = """element => {
  const style = getComputedStyle(element), box = element.getBoundingClientRect();
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
    && box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
}"""


class Keys:
    """Somebody who has a keyboard and nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def reach(self, wanted: Locator) -> None:
        """Step on until this has the focus; at each step one sees where one is."""
        for _ in range(MOST_STEPS):
            await self.page.keyboard.press("Tab")
            here = self.page.locator(":focus")
            assert await here.evaluate(_IS_SEEN), await here.evaluate("element => element.outerHTML")
            if await wanted.evaluate("element => element === document.activeElement"):
                return
        pytest.fail(f"no key leads to {wanted}")

    async def fill(self, label: str, text: str, number: int = 0) -> None:
        """Type into a field."""
        await self.reach(self.page.get_by_label(label).nth(number))
        await self.page.keyboard.type(text)

    async def press(self, name: str, role: Any = "button") -> None:
        """Press a button, or follow a link."""
        await self.reach(self.page.get_by_role(role, name=name, exact=True))
        await self.enter()

    async def enter(self) -> None:
        """Send what was typed; another page comes."""
        async with self.page.expect_navigation():
            await self.page.keyboard.press("Enter")

    async def reads(self, title: str) -> None:
        """This is the heading of the page that is shown."""
        assert await self.page.locator("h1").inner_text() == title


@pytest.fixture(params=[True, False], ids=["scripts", "no scripts"])
async def keys(request: pytest.FixtureRequest, chromium: Browser) -> AsyncIterator[Keys]:
    async with visiting(chromium, java_script_enabled=request.param) as context:
        yield Keys(await context.new_page())


async def test_a_program_is_let_in(keys: Keys, sqlite_url: str, tmp_path: Path, authority: Authority) -> None:
    async with house(sqlite_url, tmp_path, authority) as sut:
        code = await give_device(sut, await make_ann(sut))
        await keys.page.goto(await question(sut))
        await keys.reads("Sign in")
        await keys.reach(keys.page.get_by_role("link", name="Skip to the content"))
        await keys.page.keyboard.press("Enter")
        await keys.page.keyboard.press("Tab")
        await keys.page.keyboard.type(EMAIL)
        await keys.fill("Password", PASSWORD)
        await keys.enter()
        await keys.reads("One more step")
        await keys.fill("Code", code)
        await keys.enter()
        await keys.reads("Let App in?")
        await keys.reach(keys.page.get_by_label("@alice@"))
        await keys.page.keyboard.press("ArrowDown")
        assert await keys.page.get_by_label("@night@").is_checked()
        await keys.press("Allow")
        await keys.reads("Allowed")
        assert len(await keys.page.locator(".address code").inner_text()) > 20


async def test_somebody_signs_up(keys: Keys, sqlite_url: str, tmp_path: Path, authority: Authority) -> None:
    async with (
        post_office() as office,
        house(sqlite_url, tmp_path, authority, registrations="open", smtp_url=office.url) as sut,
    ):
        await make_ann(sut)
        await keys.page.goto(f"{sut.url}/auth/sign_in")
        await keys.press("Make an account", "link")
        await keys.fill("Name of your first persona", "alice")
        await keys.fill("E-mail address", "bob@example.org")
        await keys.fill("Password", PASSWORD)
        await keys.reach(keys.page.get_by_label("I will keep to the"))
        await keys.page.keyboard.press("Space")
        await keys.press("Sign up")
        assert await keys.page.get_by_label("Name of your first persona").get_attribute("aria-invalid") == "true"
        await keys.fill("Name of your first persona", "bob")  # what was there is marked, and typed over
        await keys.fill("Password", PASSWORD)
        await keys.reach(keys.page.get_by_label("I will keep to the"))
        await keys.page.keyboard.press("Space")
        await keys.enter()
        await keys.reads("Almost there")
        await keys.page.goto(sut.url + await office.brought("bob@example.org"))
        await keys.press("It is mine")
        await keys.reads("Thank you")


async def test_a_password_that_was_forgotten_and_more_security(
    keys: Keys, sqlite_url: str, tmp_path: Path, authority: Authority
) -> None:
    async with (
        post_office() as office,
        house(sqlite_url, tmp_path, authority, smtp_url=office.url) as sut,
    ):
        await make_ann(sut)
        await keys.page.goto(f"{sut.url}/auth/sign_in")
        await keys.press("Forgotten password", "link")
        await keys.fill("E-mail address", EMAIL)
        await keys.enter()
        await keys.reads("Look into your letters")
        await keys.page.goto(sut.url + await office.brought(EMAIL))
        await keys.fill("New password", "another horse")
        await keys.enter()
        await keys.press("Sign in", "link")
        await keys.fill("E-mail address", EMAIL)
        await keys.fill("Password", "another horse")
        await keys.press("Sign in")
        await keys.reads("Security")
        await keys.fill("Password, once more", "another horse")
        await keys.press("Set up")
        device = pyotp.TOTP(await keys.page.locator(".address code").inner_text())
        await keys.fill("Code", device.at(int(clock.now())))
        await keys.fill("Password, once more", "another horse")
        await keys.press("Ask for codes from now on")
        assert await keys.page.get_by_role("status").inner_text() == "From now on a code is asked for."
        await keys.press("Sign out")
        await keys.reads("Sign in")
