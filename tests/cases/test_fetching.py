"""A way to a document that no case of fetching names."""

import pytest

from cases.folder import case
from cases.stage import stage
from fakes.activities import create, post_at
from fakes.world import World

CAROL = "https://peer.test/u/carol"


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
