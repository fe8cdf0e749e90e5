"""Line 17, sessions: cookies, forms, passwords, attempts, and that nothing tells from where somebody came.

Elsewhere: the cookie, forms of others, what is wrong and is not told, attempts by account and network,
`rooms/web/test_sign_in.py`; codes, `rooms/web/test_second_factor.py`; letters, `rooms/web/test_sign_up.py`;
passwords, `rooms/accounts/test_passwords.py`; passkeys, `rooms/web/test_passkeys.py`.
"""

import re

from sqlalchemy import select

from asgi import serving
from browser import Browser
from privapub import clock
from privapub.accounts import passwords, sessions, sign_up
from privapub.accounts.tables import session
from privapub.database.connect import Database
from privapub.database.tables import metadata
from privapub.web.assets import address
from rules.house import PACKAGE

EMAIL, PASSWORD = "ann@example.org", "correct horse"
AT = "198.51.100.77"


async def make_ann(database: Database) -> int:
    hashed = await passwords.hash_password(PASSWORD)
    async with database.write() as tx:
        return await sign_up.create(tx, EMAIL, hashed, clock.now())


async def test_no_table_keeps_an_address(database: Database) -> None:
    await make_ann(database)
    async with serving(database, registrations="open") as sut:
        ann = Browser(sut, at=AT)
        await ann.open("/auth/sign_in")
        await ann.send(email=EMAIL, password="wrong")
        await ann.send(email=EMAIL, password=PASSWORD)
        await ann.get("/settings/security")
        for each in sut.server.counting:
            await each.flush()
    async with database.read() as tx:
        for table in metadata.tables.values():
            assert AT not in repr(await tx.all(select(table))), table.name


async def test_a_form_without_its_token_changes_nothing_on_any_page(database: Database) -> None:
    await make_ann(database)
    async with serving(database, registrations="open", smtp_url="smtp://127.0.0.1:1?from=a@b") as sut:
        ann = Browser(sut)
        await ann.open("/auth/sign_in")
        await ann.send(email=EMAIL, password=PASSWORD)
        posts = [route.path for route in _routes(sut.app) if "POST" in (getattr(route, "methods", None) or ())]
        ours = [path for path in posts if path.startswith(("/auth/", "/settings/", "/oauth/authorize"))]
        ours.remove("/auth/code")  # is for nobody who is in already
        assert len(ours) > 6
        for path in ours:
            for given in ({}, {"form_token": "x"}, {"form_token": "ü"}):
                answer = await ann.post(path, given)
                assert answer.status == 400, path
                assert "set-cookie" not in answer.headers, path


def _routes(app: object) -> list:  # type: ignore[type-arg]  # whatever stands around the routes
    """The routes of the application, deep within what stands around it."""
    while not hasattr(app, "routes"):
        app = app.app  # type: ignore[attr-defined]  # each wraps another
    return list(app.routes)


async def test_pages_with_forms_are_kept_by_nobody_and_framed_by_nobody(database: Database) -> None:
    async with serving(database, registrations="open") as sut:
        for path in ("/auth/sign_in", "/auth/sign_up"):
            page = await Browser(sut).get(path)
            assert page.headers["cache-control"] == "private, no-store"
            policy = page.headers["content-security-policy"]
            assert "frame-ancestors 'none'" in policy
            assert "form-action 'self';" in policy
            # default-src 'none': what is not named is not let in.
            scripts = re.findall(r"<script\b[^>]*>", page.text)
            if path == "/auth/sign_in":  # the one that asks for passkeys, by its address
                assert "script-src https://sut.test/static/passkeys.js;" in policy
                assert scripts == [f'<script src="{address("passkeys.js")}" defer>']
            else:
                assert "script-src" not in policy
                assert scripts == []


async def test_of_very_many_sessions_of_an_account_the_oldest_end(database: Database) -> None:
    account_id = await make_ann(database)
    async with database.write() as tx:
        first = await sessions.begin(tx, account_id, clock.now())
        for number in range(sessions.MOST):
            await sessions.begin(tx, account_id, clock.now() + number + 1)
        assert await sessions.find(tx, first, clock.now()) is None
        assert len(await tx.all(select(session))) <= sessions.MOST


def test_secrets_are_compared_in_constant_time() -> None:
    """Where a secret is compared in this process, and not by its hash in the database."""
    for path in ("accounts/tokens.py", "accounts/sessions.py", "accounts/challenges.py"):
        assert "hmac.compare_digest" in (PACKAGE / path).read_text()
    assert "strings_equal" in (PACKAGE / "accounts/second_factor.py").read_text()
