"""Secure mode: whoever reads a document signs, and what is hidden stays hidden."""

import re

import pytest
from starlette.routing import Route

from asgi import DOCUMENT, HTML, Application, serving
from fakes.asked import asked
from makers import ADDRESSES, DOMAIN, make_follow, make_persona, make_post, make_remote
from privapub import clock
from privapub.actors import application
from privapub.database.connect import Database
from privapub.federation import routes as federation
from privapub.follows import blocking, domains
from privapub.moderation.domain_rules import Rule
from privapub.personas.read import Persona
from privapub.posts import delete
from privapub.posts.read import Post
from privapub.web import routes as web
from privapub.web.about import PATHS as ABOUT

OPEN_TO_ALL = {"/.well-known/webfinger", "/.well-known/host-meta", "/.well-known/host-meta.json",
               "/.well-known/nodeinfo", "/nodeinfo/{version}"}  # fmt: skip


async def with_post(database: Database) -> tuple[Persona, Post]:
    async with database.write() as tx:
        alice = await make_persona(tx)
        await application.ensure(tx, ADDRESSES, DOMAIN, clock.now())
        return alice, await make_post(tx, alice.id)


def documents(sut: Application, alice: Persona, post: Post) -> list[str]:
    """Every document that is for everybody, of a persona and a post."""
    token, post_token = alice.actor.uri.rpartition("/")[2], post.uri.rpartition("/")[2]
    found = []
    for path in dict.fromkeys(route.path for route in federation.routes(sut.server) if "GET" in (route.methods or ())):
        if path in OPEN_TO_ALL or path.startswith("/stamps/") or path.endswith("/{host}"):
            continue
        if path.startswith("/activities/"):
            found.append(post.activity_uri or "")
        else:
            found.append(path.replace("{token}", token if path.startswith("/actors/") else post_token))
    return found


async def test_who_does_not_sign_is_told_to_and_who_does_reads_as_ever(database: Database) -> None:
    alice, post = await with_post(database)
    async with database.write() as tx:
        carol = await make_remote(tx)
    async with serving(database, secure_mode=True) as sut:
        urls = documents(sut, alice, post)
        assert len(urls) == 12
        for url in urls:
            refused = await sut.get(url, accept=DOCUMENT)
            assert refused.status == 401, url
            assert refused.headers["cache-control"] == "private, no-store"
            assert refused.headers["www-authenticate"].startswith("Signature ")
            assert b"alice" not in refused.body
            assert (await sut.get(url, accept=DOCUMENT, method="HEAD")).status == 401
            assert (await sut.get(url, accept=DOCUMENT, if_none_match="*")).status == 401
            # A signature that does not hold is none.
            stale = await sut.get(url, accept=DOCUMENT, by=carol, signed_at=clock.now() - 7 * 86400)
            assert stale.status == 401, url
            answer = await sut.get(url, accept=DOCUMENT, by=carol)
            assert answer.status == 200, url
            assert answer.headers["cache-control"].startswith("private")
    async with serving(database) as sut:
        for url in urls:
            assert (await sut.get(url, accept=DOCUMENT)).status == 200, url


async def test_every_route_of_a_document_wants_it(database: Database) -> None:
    """Also one that is added later: a document that is there is not given to who does not sign."""
    async with serving(database, secure_mode=True) as sut:
        for route in (*web.routes(sut.server), *federation.routes(sut.server)):
            assert isinstance(route, Route)
            if "GET" not in (route.methods or ()) or route.path in OPEN_TO_ALL:
                continue
            answer = await sut.get(re.sub(r"\{\w+\}", "x", route.path), accept=DOCUMENT)
            # Pages, and forms, which have no document.
            page = route.path in {"/", "/static/{name}", *ABOUT} or "POST" in (route.methods or ())
            assert answer.status in ({200, 302, 303, 400, 403, 404} if page else {401, 404}), route.path


async def test_what_is_needed_to_find_the_way_and_to_check_our_signatures_stays_open(database: Database) -> None:
    alice, post = await with_post(database)
    async with serving(database, secure_mode=True) as sut:
        found = await sut.get(ADDRESSES.application, accept=DOCUMENT)
        assert found.status == 200
        assert found.json["publicKey"]["publicKeyPem"]
        for path in ("?resource=acct:alice@sut.test", f"?resource={alice.actor.uri}"):
            assert (await sut.get(f"/.well-known/webfinger{path}")).status == 200
        for path in ("/.well-known/host-meta", "/.well-known/nodeinfo", "/nodeinfo/2.1"):
            assert (await sut.get(path)).status == 200
        for page in ("/", "/@alice", post.uri):
            assert (await sut.get(page, accept=HTML)).status == 200
        for below in ("/outbox", "/followers", "/following"):
            assert (await sut.get(ADDRESSES.application + below, accept=DOCUMENT)).status == 401


async def test_the_open_document_is_read_without_looking_for_anybodys_key(database: Database) -> None:
    """Two servers in secure mode would else ask each other for keys for ever: the door here reaches nobody."""
    await with_post(database)
    async with database.write() as tx:
        stranger = await make_remote(tx, "app@strange.test", keys=())
    async with serving(database, secure_mode=True) as sut:
        assert (await sut.get(ADDRESSES.application, accept=DOCUMENT, by=stranger)).status == 200
        assert sum(sut.server.fetches._readers.values()) == 0


async def looks(sut: Application, url: str, **how: object) -> tuple[object, ...]:
    answer = await sut.get(url, accept=DOCUMENT, **how)  # type: ignore[arg-type]  # as for get
    return answer.status, answer.body, {name: value for name, value in answer.headers.items() if name != "date"}


@pytest.mark.parametrize("secure", [True, False])
@pytest.mark.parametrize("audience", ["followers", "direct"])
async def test_what_is_hidden_looks_like_what_is_not_there(database: Database, audience: str, secure: bool) -> None:
    """To who does not sign and to who may not see it: the same bytes, after the same questions to the database."""
    async with database.write() as tx:
        alice = await make_persona(tx)
        carol, mallory = await make_remote(tx), await make_remote(tx, "mallory@peer.test")
        await make_follow(tx, carol.id, alice.id)
        post = await make_post(tx, alice.id, audience, named=[carol.id] if audience == "direct" else ())
    async with serving(database, secure_mode=secure) as sut:
        for path in ("", "/replies?page=true", "/context", "/likes", "/shares"):
            for by in (None, mallory):
                found = []
                for url in (post.uri, "https://sut.test/posts/nothing"):
                    with asked(database) as statements:
                        told = await looks(sut, url + path, by=by)
                    found.append((told, [statement for statement, _ in statements]))
                assert found[0] == found[1], path
                assert found[0][0][0] == 404
                assert found[0][0][2]["cache-control"] == "private, no-store"  # type: ignore[index]  # the headers
            assert (await sut.get(post.uri + path, accept=DOCUMENT, by=carol)).status == 200


async def test_a_deleted_post_is_gone_for_those_who_sign(database: Database) -> None:
    alice, post = await with_post(database)
    async with database.write() as tx:
        carol = await make_remote(tx)
        await delete.delete(tx, post.id, alice.id, clock.now())
    async with serving(database, secure_mode=True) as sut:
        assert (await sut.get(post.uri, accept=DOCUMENT)).status == 401
        assert (await sut.get(post.uri, accept=DOCUMENT, by=carol)).status == 410


async def test_whoever_is_blocked_gets_nothing_at_all(database: Database) -> None:
    alice, post = await with_post(database)
    async with database.write() as tx:
        mallory, evil = await make_remote(tx, "mallory@peer.test"), await make_remote(tx, "eve@evil.test")
        await blocking.block(tx, alice.id, mallory.id, "https://sut.test/activities/b", clock.now())
        await domains.keep(tx, [Rule("evil.test", "block")], (), clock.now())
    async with serving(database, secure_mode=True) as sut:
        for url in documents(sut, alice, post):
            for by in (mallory, evil):
                assert (await sut.get(url, accept=DOCUMENT, by=by)).status == 404, (url, by.host)
