"""The shared cases of fetching and of webfinger, as far as this server asks others."""

import pytest

from cases.folder import case
from cases.stage import stage
from fakes.activities import create, post_at
from fakes.world import World
from privapub import scope
from privapub.actors.read import Actor
from privapub.federation.fetching.webfinger import resolve

CAROL = "https://peer.test/u/carol"


async def find(world: World, what: str) -> Actor:
    with scope.trigger("inbox"):
        return await resolve(world.server, what)


@pytest.mark.case("fetch/01-upload-served-as-activity")
async def test_fetch_01_an_upload_that_is_served_as_an_activity(world: World) -> None:
    """By a Create that only names the object: what is refused leaves nothing."""
    on = await stage(world)
    carol = on.people[CAROL]
    for number, variant in enumerate(case("fetch/01-upload-served-as-activity")["given"]["variants"]):
        (served,) = variant["serve"]
        url = f"{served['url']}{number}"
        kind = served["headers"]["Content-Type"]
        document = {**served["json"], "id": url}
        world.serve(url, document, content_type=kind, headers={} if kind else {"Content-Type": ""})
        await world.post(on.alice.inbox, create(carol, url, f"https://peer.test/a/{number}"), by=carol)
        await world.drain()
        assert (await post_at(world, url) is not None) is variant["ok"], variant["name"]


@pytest.mark.case("fetch/10-resign-on-redirect-and-accept")
async def test_fetch_10_an_actor_behind_a_redirect(world: World) -> None:
    await stage(world)
    first, second = case("fetch/10-resign-on-redirect-and-accept")["given"]["serve"][:2]
    world.serve(first["url"], status=first["status"], headers=first["headers"])
    carol = world.person(second["url"], "carol2")
    assert (await find(world, first["url"])).uri == carol.uri
    asked = [each for each in world.peer.received if not each.path.startswith("/.well-known")]
    assert len({each.headers["Signature"] for each in asked}) == len(asked) == 2
